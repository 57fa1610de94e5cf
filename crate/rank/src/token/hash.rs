//! Token keys from bytes.

/// Odd constants with well mixed bits.
///
/// # Source
/// The golden ratio's and the finaliser's of SplitMix64 (Steele, Lea, Flood, 2014).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX_1: u64 = 0xbf58_476d_1ce4_e5b9;
const MIX_2: u64 = 0x94d0_49bb_1331_11eb;

/// Returns 64 bits for a short word. Not against an adversary: a person who makes two words collide harms their own search.
///
/// A multiplication for eight bytes: WebAssembly has no 128-bit product, and XXH3 emulates one for each word.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut state = GOLDEN ^ bytes.len() as u64;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        state = step(state, u64::from_le_bytes(*chunk));
    }
    if !rest.is_empty() {
        let word = rest
            .iter()
            .rev()
            .fold(0u64, |word, byte| word << 8 | u64::from(*byte));
        state = step(state, word);
    }
    state
}

fn step(state: u64, word: u64) -> u64 {
    let mut mixed = (state ^ word).wrapping_mul(MIX_1);
    mixed = (mixed ^ mixed >> 29).wrapping_mul(MIX_2);
    (mixed ^ mixed >> 32).wrapping_add(state.rotate_left(23))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_million_alike_words_have_keys_of_their_own() {
        let mut seen = BTreeSet::new();
        for i in 0..100_000u32 {
            seen.insert(hash(format!("m{i}").as_bytes()));
            seen.insert(hash(format!("identifier-{i}").as_bytes()));
            let han: String = [i % 20_000, i / 20_000]
                .iter()
                .filter_map(|c| char::from_u32(0x4e00 + c))
                .collect();
            seen.insert(hash(han.as_bytes()));
        }
        assert_eq!(seen.len(), 300_000);
        let halves: BTreeSet<u64> = seen.iter().map(|key| key >> 44).collect();
        assert!(
            halves.len() > 250_000,
            "the upper bits choose the slot: {}",
            halves.len()
        );
    }
}
