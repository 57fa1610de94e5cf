use super::*;

/// Returns the ids of the signals of a text.
fn ids(text: &str) -> Vec<&'static str> {
    signals_of(&Candidate::alone(text))
        .iter()
        .map(|signal| signal.id)
        .collect()
}

#[test]
fn each_signal_matches_its_case() {
    for signal in signal::all() {
        assert!(
            ids(signal.case).contains(&signal.id),
            "{}: {}",
            signal.id,
            signal.case
        );
    }
}

#[test]
fn the_tables_fit_their_bits_and_have_each_id_once() {
    let mut known: Vec<&str> = signal::all().map(|row| row.id).collect();
    assert!(known.len() + veto::lists().count() + frame::lists().count() <= 128);
    known.extend(shape::SHAPES.iter().map(|row| row.id));
    known.extend(compound::COMPOUNDS.iter().map(|row| row.id));
    known.extend(frame::FRAMES.iter().map(|row| row.id));
    let n = known.len();
    known.sort_unstable();
    known.dedup();
    assert_eq!(known.len(), n);
}

#[test]
fn names_of_technology_are_in_order() {
    assert!(tech::NAMES.split(' ').is_sorted());
}

#[test]
fn a_negation_takes_its_signal_away() {
    assert!(
        ids("日志不用每次都看")
            .iter()
            .all(|id| *id != "zh-standing")
    );
    assert!(
        ids("that is not always so")
            .iter()
            .all(|id| *id != "en-always")
    );
}
