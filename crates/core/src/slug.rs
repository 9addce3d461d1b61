//! Slugs: the readable part of file and directory names.

/// Bytes at most: leaves room for date, id and suffix within every file system's 255.
const MAX_BYTES: usize = 48;

/// Letters and digits in lower case, everything else one `-`; `handoff` if nothing is left.
///
/// Never contains a separator, a dot or a control character, and never starts with `-`.
pub fn slug(text: &str) -> String {
    let mut out = String::new();
    let mut gap = false;
    'text: for c in text.chars() {
        if !c.is_alphanumeric() {
            gap = true;
            continue;
        }
        for lower in c.to_lowercase().filter(|c| c.is_alphanumeric()) {
            let dash = usize::from(gap && !out.is_empty());
            if out.len() + dash + lower.len_utf8() > MAX_BYTES {
                break 'text;
            }
            if dash == 1 {
                out.push('-');
            }
            gap = false;
            out.push(lower);
        }
    }
    if out.is_empty() { "handoff".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_letters_and_digits_of_every_script() {
        assert_eq!(slug("Refactor auth middleware"), "refactor-auth-middleware");
        assert_eq!(slug("feat/login_page"), "feat-login-page");
        assert_eq!(slug("修复 登录"), "修复-登录");
        assert_eq!(slug("Été 2026!"), "été-2026");
    }

    #[test]
    fn nothing_left_is_a_plain_word() {
        for text in ["", "..", "../..", "\u{1b}[31m".trim_end_matches("31m"), "---", "🎉"] {
            assert_eq!(slug(text), "handoff");
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(slug(&"a".repeat(300)).len(), 48);
        assert!(slug(&"é".repeat(300)).len() <= 48);
        assert!(!slug(&format!("{}  b", "a".repeat(47))).ends_with('-'));
    }

    proptest::proptest! {
        #[test]
        fn a_slug_is_always_a_safe_file_name(text: String) {
            let slug = slug(&text);
            proptest::prop_assert!(!slug.is_empty() && slug.len() <= 48);
            proptest::prop_assert!(slug.chars().all(|c| c.is_alphanumeric() || c == '-'));
            proptest::prop_assert!(!slug.starts_with('-') && !slug.ends_with('-'));
        }
    }
}
