//! A block of ours in a Markdown file that is somebody else's.

use std::ops::Range;

use super::{BOM, SettingsError, appended, line_end, without};

/// Not those of HANDOFF.md, which has its own.
const BEGIN: &str = "<!-- segue:instructions:begin -->";
const END: &str = "<!-- segue:instructions:end -->";

/// Where the block is, its marks included.
fn find(text: &str) -> Result<Option<Range<usize>>, SettingsError> {
    let (mut begun, mut found) = (None, None);
    let mut at = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    for line in text[at..].split_inclusive('\n') {
        match line.trim() {
            BEGIN => begun = Some(at),
            END => found = begun.take().map(|begin| begin..at + line.len()).or(found),
            _ => {}
        }
        at += line.len();
    }
    match begun {
        Some(at) => Err(SettingsError::at(text, at, format!("'{BEGIN}' has no '{END}' behind it"))),
        None => Ok(found),
    }
}

/// A text with the block: at its end, or where it is already.
pub(crate) fn put(text: &str, words: &str) -> Result<String, SettingsError> {
    let block = format!("{BEGIN}\n{}\n{END}", words.trim());
    let Some(there) = find(text)? else { return Ok(appended(text, &block)) };
    let old = &text[there.clone()];
    let ending = &old[old.trim_end().len()..];
    let block = block.replace('\n', line_end(text));
    Ok(format!("{}{block}{ending}{}", &text[..there.start], &text[there.end..]))
}

/// A text without the block, also where somebody copied it.
pub(crate) fn take(text: &str) -> Result<String, SettingsError> {
    let mut text = text.to_owned();
    while let Some(there) = find(&text)? {
        text = without(&text, there);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_goes_in_and_out_without_a_trace() {
        for text in [
            "",
            "# Mine\n",
            "# Mine",
            "a\r\nb\r\n",
            "a\r\nb",
            "a\n\n\n",
            "\n",
            "\u{feff}a\n",
            "\u{feff}",
            "<!-- segue:begin -->\nx\n<!-- segue:end -->\n",
        ] {
            let put_in = put(text, "one\ntwo\n").unwrap();
            assert_ne!(put_in, text);
            assert_eq!(put(&put_in, "one\ntwo").unwrap(), put_in, "{text:?}");
            assert_eq!(take(&put_in).unwrap(), text, "{text:?}");
            let newer = put(&put_in, "three").unwrap();
            assert!(newer.contains("three") && !newer.contains("two"));
            assert_eq!(take(&newer).unwrap(), text, "{text:?}");
            let more =
                format!("{put_in}{}# More\n", if put_in.ends_with('\n') { "" } else { "\n" });
            let taken = take(&more).unwrap();
            assert!(taken.starts_with(text.trim_end()) && taken.ends_with("# More\n"), "{taken:?}");
        }
        let once = put("# Mine\n", "one").unwrap();
        assert_eq!(take(&put(&once, "one").unwrap().repeat(2)).unwrap(), "# Mine\n# Mine\n");
        assert!(put(&format!("x\n{BEGIN}\n"), "y").unwrap_err().at == Some((2, 1)));
    }
}
