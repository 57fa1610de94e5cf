use super::write::string;
use super::*;
use proptest::prelude::*;

fn read<T>(
    text: &str,
    read: impl FnOnce(&mut Reader<'_, '_>) -> Result<T, Malformed>,
) -> Result<T, Malformed> {
    let mut names = Names::none();
    let mut reader = Reader::new(text, &mut names);
    let value = read(&mut reader)?;
    reader.end()?;
    Ok(value)
}

proptest! {
    #[test]
    fn a_string_is_written_as_serde_writes_it_and_reads_back(text in any::<String>()) {
        let mut out = Vec::new();
        string(&mut out, &text);
        prop_assert_eq!(&out, &serde_json::to_vec(&text).unwrap());
        prop_assert_eq!(read(std::str::from_utf8(&out).unwrap(), |r| r.owned()), Ok(text));
    }

    #[test]
    fn any_text_is_skipped_exactly_when_serde_takes_it(text in "[\\[\\]{}:,\"\\\\a0-9eE.+\\- ntrfulse\u{1}]{0,24}") {
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        prop_assert_eq!(read(&text, |r| r.skip()).is_ok(), theirs, "{}", text);
    }

    #[test]
    fn a_number_reads_to_the_last_bit(bits in any::<u64>(), short in 0u32..1_000_000, tens in 0i32..6) {
        for number in [f64::from_bits(bits), f64::from(short) / 10f64.powi(tens)] {
            if number.is_finite() {
                let text = serde_json::to_string(&number).unwrap();
                prop_assert_eq!(read(&text, |r| r.number()).map(f64::to_bits), Ok(number.to_bits()));
            }
        }
    }
}

#[test]
fn whole_numbers_are_whole_and_in_range() {
    assert_eq!(
        read("18446744073709551615", |r| r.u64()),
        Ok(18446744073709551615)
    );
    assert_eq!(read("-9223372036854775808", |r| r.i64()), Ok(i64::MIN));
    for text in ["18446744073709551616", "-1", "1.0", "1e3", "01", "", "x"] {
        assert!(read(text, |r| r.u64()).is_err(), "{text}");
    }
    for text in ["9223372036854775808", "- 1", "--1"] {
        assert!(read(text, |r| r.i64()).is_err(), "{text}");
    }
    assert!(read("4294967296", |r| r.whole::<u32>()).is_err());
}

#[test]
fn escapes_read_as_json_says_and_half_a_character_is_refused() {
    assert_eq!(
        read(r#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00b""#, |r| r.owned()),
        Ok("a\"\\/\u{8}\u{c}\n\r\té😀b".to_owned())
    );
    for text in [
        r#""\ud83d""#,
        r#""\ud83dx""#,
        r#""\ude00""#,
        r#""\u12""#,
        r#""\x""#,
        "\"a",
        "\"\n\"",
    ] {
        assert!(read(text, |r| r.owned()).is_err(), "{text}");
    }
}

#[test]
fn fields_come_in_any_order_and_unknown_ones_are_passed_over() {
    const NAMES: &[&str] = &["a", "b", "c"];
    let fields = |text: &str| {
        read(text, |r| {
            let mut fields = Fields::of(NAMES);
            let mut found = Vec::new();
            while let Some(number) = r.field(&mut fields)? {
                found.push((number, r.u64()?));
            }
            Ok(found)
        })
    };
    assert_eq!(
        fields(r#"{ "c": 3, "x": [{"a": "}"}], "a" : 1 }"#),
        Ok(vec![(2, 3), (0, 1)])
    );
    assert_eq!(fields("{}"), Ok(vec![]));
    for text in [
        r#"{"a":1,"a":2}"#,
        r#"{"a":1"#,
        r#"{"a":1,}"#,
        r#"{"a" 1}"#,
        "[]",
    ] {
        assert!(fields(text).is_err(), "{text}");
    }
}

#[test]
fn a_string_is_lent_where_nothing_is_escaped_and_shared_where_asked() {
    let mut names = Names::many();
    let mut reader = Reader::new(r#""one" "one""#, &mut names);
    let first = reader.shared().unwrap();
    assert!(std::rc::Rc::ptr_eq(&first, &reader.shared().unwrap()));
    assert!(read(&"[".repeat(200), |r| r.skip()).is_err());
}
