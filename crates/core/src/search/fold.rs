//! Letters without their case and accents, so that `Schlüssel`, `SCHLUSSEL` and `schlussel` are one.

/// Adds a character as it is compared: in lower case, Latin letters without accents. Marks that
/// stand over other letters add nothing.
pub(super) fn fold_into(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    if is_mark(c) {
        return;
    }
    for lower in c.to_lowercase() {
        match plain(lower) {
            Some(text) => out.push_str(text),
            None if is_mark(lower) => {}
            None => out.push(lower),
        }
    }
}

/// Whether it only changes how the letter before it looks.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// The plain form of an accented Latin letter.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ŧ' | 'ț' => "t",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        'ạ'..='ặ' => "a",
        'ẹ'..='ệ' => "e",
        'ỉ'..='ị' => "i",
        'ọ'..='ợ' | 'ơ' => "o",
        'ụ'..='ự' | 'ư' => "u",
        'ỳ'..='ỹ' => "y",
        'ё' => "е",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_make_no_difference() {
        let fold = |text: &str| {
            let mut out = String::new();
            text.chars().for_each(|c| fold_into(c, &mut out));
            out
        };
        assert_eq!(fold("Schlüssel"), "schlussel");
        assert_eq!(fold("e\u{301}TÉ"), "ete");
        assert_eq!(fold("İstanbul"), "istanbul");
        assert_eq!(fold("Straße Ünïcødé"), "strasse unicode");
        assert_eq!(fold("ЁЛКА"), "елка");
        assert_eq!(fold("Tiếng Việt"), fold("Tie\u{302}\u{301}ng Vie\u{323}\u{302}t"));
    }
}
