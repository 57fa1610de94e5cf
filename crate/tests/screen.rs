//! From a sentence to its verdict, over `test/data/screen.tsv`, and properties that hold for any text.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test"
)]

use jev_memory_core::config::Config;
use jev_memory_core::extract::{Candidate, MAX_CANDIDATES, own_words, sentences};
use jev_memory_core::gate::{Gate, gate};
use jev_memory_core::judge::heuristic;
use jev_memory_core::memory::{EventSeq, Millis};
use jev_memory_core::screen::{Screened, screen};
use jev_memory_core::turn::{Human, Session, Turn, TurnEvent};
use proptest::prelude::*;

/// Builds what a file of the repository may not hold.
fn filled(sentence: &str) -> String {
    let key = ["sk", "-"].concat() + &"aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY".repeat(2)[..48];
    let hash = "0123456789abcdef".repeat(3)[..40].to_owned();
    sentence
        .replace("{{secret}}", &key)
        .replace("{{hash}}", &hash)
}

fn check(expected: &str, reason: &str, sentence: &str) {
    let candidate = Candidate::alone(&filled(sentence));
    let found = match screen(&candidate) {
        Screened::Vetoed { reason, .. } => ("veto", reason),
        Screened::Kept(kept) => {
            match gate(&heuristic::judge(&candidate, &kept), &Config::default()) {
                Gate::Admit => ("keep", "-"),
                Gate::Refuse(reason) => ("below", reason),
            }
        }
    };
    assert_eq!(found, (expected, reason), "{sentence}");
}

#[test]
fn each_line_of_the_table_gets_its_verdict() {
    let table = include_str!("../../test/data/screen.tsv");
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        check(fields[0], fields[1], fields[2]);
    }
}

/// Returns what becomes of `sentence`, cut from `message`: its verdict, and what touched it.
fn verdict(message: &str, sentence: &str) -> (bool, Vec<&'static str>) {
    let cut = sentences(&turn(message.to_owned())).candidates;
    let candidate = cut
        .iter()
        .find(|candidate| candidate.quote.contains(sentence));
    let Some(candidate) = candidate else {
        return (false, vec!["not read"]);
    };
    match screen(candidate) {
        Screened::Vetoed { rule, .. } => (false, vec![rule]),
        Screened::Kept(kept) => {
            let gate = gate(&heuristic::judge(candidate, &kept), &Config::default());
            (gate == Gate::Admit, kept.frame().into_iter().collect())
        }
    }
}

#[test]
fn a_sentence_in_a_frame_is_not_written_and_its_twin_is() {
    let table = include_str!("../../test/data/frames.tsv");
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let message = fields[2].replace("\\n", "\n");
        let sentence = *fields.get(3).unwrap_or(&message.as_str());
        let (written, touched) = verdict(&message, sentence);
        let right = match fields[0] {
            "not" => !written,
            "lives" => written && touched.is_empty(),
            "spared" => touched.is_empty(),
            other => panic!("{other}"),
        };
        if !right {
            wrong.push(format!(
                "{} {} {touched:?}: {message}",
                fields[0], fields[1]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn turn(text: String) -> Turn {
    Turn {
        session: Session {
            id: "s".into(),
            cwd: String::new(),
            child: false,
        },
        turn: 1,
        read_to: EventSeq(0),
        events: vec![TurnEvent::Human(Human {
            seq: EventSeq(1),
            turn: 1,
            at: Millis(0),
            text,
            zone: None,
        })],
    }
}

/// Pieces of which hostile and ordinary messages are made.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,40}",
        Just("```".to_owned()),
        Just("<system-reminder>".to_owned()),
        Just("</system-reminder>".to_owned()),
        Just("以后一律用英文。".to_owned()),
        Just("Never do that! ".to_owned()),
        Just("- [x] **must**: ".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n".to_owned()),
        Just("/tmp/a/b ".to_owned()),
        Just("?！。…".to_owned()),
        Just("👩‍👩‍👧‍👦".to_owned()),
        "[（(「“\"'`{<]{1,5}",
    ]
}

proptest! {
    #[test]
    fn any_message_is_cut_screened_and_judged(pieces in prop::collection::vec(piece(), 0..40)) {
        let text = pieces.concat();
        let extracted = sentences(&turn(text.clone()));
        prop_assert!(extracted.candidates.len() <= MAX_CANDIDATES);
        let own = own_words(&text);
        for candidate in &extracted.candidates {
            prop_assert!(own.contains(&candidate.quote) || candidate.quote.contains('⟦'));
            if let Screened::Kept(kept) = screen(candidate) {
                let judgement = heuristic::judge(candidate, &kept);
                prop_assert!((0.0..=1.0).contains(&judgement.importance));
            }
        }
    }

    #[test]
    fn taking_out_host_text_twice_is_once(pieces in prop::collection::vec(piece(), 0..30)) {
        let once = own_words(&pieces.concat());
        prop_assert_eq!(own_words(&once), once.clone());
    }
}

#[test]
fn a_message_made_to_be_slow_is_not() {
    for unit in [
        "(",
        "[x] ",
        "> ",
        "“",
        "不",
        "not ",
        "/tmp/",
        "- - ",
        "```\n",
        "<context>\n",
        "a.",
        "第1行 ",
    ] {
        let extracted = sentences(&turn(unit.repeat(40_000)));
        for candidate in &extracted.candidates {
            screen(candidate);
        }
    }
}
