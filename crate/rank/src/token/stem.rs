//! A light English stemmer: plurals, `-ed`, `-ing`, `-ly`. Both sides pass through it, so a wrong stem only merges words.

/// Words shorter than this are left alone: identifiers, abbreviations.
const STEM_BYTES_MIN: usize = 4;

/// Cuts English endings off a lower-case word in place. Words with anything but ASCII letters are left alone.
///
/// # Source
/// Harman's s-stemmer and step 1 of Porter's (1980), without the later steps: those merge words of different meaning
/// (`general`, `generate`) that matter in short rules.
pub(super) fn stem(word: &mut String) {
    if word.len() < STEM_BYTES_MIN || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    plural(word);
    for ending in ["ing", "ed"] {
        let Some(base) = word.strip_suffix(ending) else {
            continue;
        };
        if base.len() < 3 || !base.bytes().any(is_vowel) {
            continue;
        }
        let length = base.len();
        word.truncate(length);
        undouble(word);
        break;
    }
    if word.len() > 5 && word.ends_with("ly") {
        word.truncate(word.len() - 2);
    }
    // `use`, `using` and `configure`, `configured` meet without their last e.
    if word.len() > 4 && word.ends_with('e') {
        word.pop();
    }
    if word.len() > 3 && word.ends_with('y') {
        word.pop();
        word.push('i');
    }
}

fn plural(word: &mut String) {
    let length = word.len();
    if word.ends_with("sses")
        || word.ends_with("xes")
        || word.ends_with("ches")
        || word.ends_with("shes")
    {
        word.truncate(length - 2);
    } else if word.ends_with("ies") && length > 4 {
        word.truncate(length - 3);
        word.push('y');
    } else if word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is")
    {
        word.truncate(length - 1);
    }
}

fn undouble(word: &mut String) {
    let mut last = word.bytes().rev();
    let (Some(a), Some(b)) = (last.next(), last.next()) else {
        return;
    };
    if a == b && !is_vowel(a) && !matches!(a, b'l' | b's' | b'z') {
        word.pop();
    }
}

fn is_vowel(b: u8) -> bool {
    matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str]) {
        let stems: Vec<String> = words
            .iter()
            .map(|word| {
                let mut word = (*word).to_owned();
                stem(&mut word);
                word
            })
            .collect();
        assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
    }

    #[test]
    fn forms_of_one_word_meet() {
        check(&["commit", "commits", "committed", "committing"]);
        check(&["configure", "configures", "configured", "configuring"]);
        check(&["dependency", "dependencies"]);
        check(&["test", "tests", "tested", "testing"]);
        check(&["branch", "branches"]);
        check(&["strict", "strictly"]);
    }

    #[test]
    fn short_words_and_identifiers_stay() {
        for word in ["dns", "css", "bus", "utf8s", "s3s"] {
            let mut stemmed = word.to_owned();
            stem(&mut stemmed);
            assert_eq!(stemmed, word);
        }
    }
}
