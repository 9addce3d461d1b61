//! Blocks in tags that agents put before or after what a user typed.

/// A text without the blocks at its begin and its end whose tags begin with one of these. One that
/// does not end takes all that follows it.
pub(crate) fn without_blocks<'t>(text: &'t str, tags: &[&str]) -> &'t str {
    let is_one = |name: &str| tags.iter().any(|tag| name.starts_with(tag));
    let mut text = text.trim();
    loop {
        let name = text.strip_prefix('<').and_then(|rest| rest.split([' ', '>', '\n']).next());
        if let Some(name) = name.filter(|name| is_one(name)) {
            let close = format!("</{name}>");
            let Some((_, rest)) = text.split_once(&close) else { return "" };
            text = rest.trim();
            continue;
        }
        let last = text.strip_suffix('>').and_then(|rest| rest.rsplit_once("</"));
        let Some((before, name)) = last.filter(|(_, name)| is_one(name)) else { return text };
        let open = format!("<{name}");
        let Some((before, _)) = before.rsplit_once(&open) else { return text };
        text = before.trim();
    }
}

#[cfg(test)]
mod tests {
    use super::without_blocks;

    #[test]
    fn only_what_stands_around_the_users_words_is_cut() {
        let cut = |text| without_blocks(text, &["note", "ide_"]);
        assert_eq!(cut("<note>a</note>\nFix it\n<ide_x y>b</ide_x>\n<note>c</note>"), "Fix it");
        assert_eq!(cut("What is <note>a</note> good for?"), "What is <note>a</note> good for?");
        assert_eq!(cut("<b>a</b>"), "<b>a</b>");
        assert_eq!(cut("<note>never ends"), "");
        assert_eq!(cut("ends only</note>"), "ends only</note>");
        assert_eq!(cut("<note>a</note>"), "");
    }
}
