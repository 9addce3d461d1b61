//! Whether the value of a name is a secret.

use super::alphabet::Alphabet;
use super::judge::{has_word, is_code, is_name, is_placeholder, is_reference};
use super::mark::has_mark;
use super::name::{Class, OWN_KEY};
use super::plain::{
    after_user, are_joined_words, ends_sentence, is_mixed, is_standard, is_word_of_its_own,
};
use super::random::{contains_any, is_hex, is_made_up, is_random, kinds_of_characters};
use super::shapes::is_uuid;
use super::value::{Link, Named, Value};

const LONGEST_PASSWORD: usize = 512;

/// Whether it is to be taken out.
pub(super) fn is_secret(bytes: &[u8], named: &Named, value: Value) -> bool {
    let text = &bytes[value.start..value.end];
    let name = &bytes[named.start..named.end];
    // Sentences are long and common: they are told first.
    let sentence = match named.meaning.class {
        Class::Password => text.len() > LONGEST_PASSWORD,
        _ => text.contains(&b' '),
    };
    if text.len() < 4
        || text.len() >= named.longest
        || sentence
        || text.eq_ignore_ascii_case(name)
        || value.link == Link::NextLine && (text.contains(&b'"') || is_code(text))
        || is_placeholder(text)
        || is_reference(text)
        || has_mark(text)
        || (!value.quoted && is_code_here(text, named, value.link))
    {
        return false;
    }
    match named.meaning.class {
        Class::Password if text.contains(&b' ') => is_phrase(text),
        Class::Password if value.quoted => is_quoted_password(text, value.link),
        Class::Password => is_bare_password(bytes, text, named, value),
        Class::Secret => is_key(text, value.link) || is_mixed_secret(text, value),
        // `HEX_PAT` is a pattern.
        Class::Token if name.to_ascii_lowercase().ends_with(b"pat") => {
            text.iter().all(|byte| Alphabet::Base64Url.has(*byte))
                && is_random(text, 16)
                && !is_made_up(text)
        }
        Class::Token if value.link == Link::NextLine => {
            text.iter().all(|byte| Alphabet::Wide.has(*byte)) && is_key(text, value.link)
        }
        // Any word may stand before `key`, most of all in a sentence.
        Class::Token if named.meaning.noun() == OWN_KEY && !named.shouting => {
            let spaced = name.len() == OWN_KEY.len();
            // `RegEnumKey = win32api.RegEnumKey`.
            let path = !value.quoted
                && text.contains(&b'.')
                && text.split(|byte| *byte == b'.').all(is_name);
            let constant = text.contains(&b'_') && !text.iter().any(u8::is_ascii_lowercase);
            text.iter().all(|byte| Alphabet::Wide.has(*byte))
                && !constant
                && !path
                && is_random(text, if spaced { 20 } else { 16 })
                && !(spaced && (is_hex(text) || is_uuid(text)))
        }
        Class::Token | Class::Header | Class::Cookie => {
            is_key(text, value.link) || text.len() >= 12 && kinds_of_characters(text) == 4
        }
    }
}

/// Whether it is code; in a file of settings no code follows a sign, and none begins without a word.
fn is_code_here(text: &[u8], named: &Named, link: Link) -> bool {
    let setting = named.shouting && named.first && link == Link::Tight;
    let begins = |byte: &u8| matches!(byte, b'(' | b'[' | b'{' | b'<' | b'|');
    let head = text.split(begins).next().unwrap_or_default();
    let mixed = text.len() >= 8 && kinds_of_characters(text) == 4;
    match text {
        _ if setting && mixed && (head.len() < 3 || !has_word(head)) => false,
        [b'&' | b'*' | b'!', rest @ ..] if setting => is_code(rest),
        _ => is_code(text),
    }
}

/// Whether the link leaves no doubt that the one is the value of the other.
fn is_direct(link: Link) -> bool {
    !matches!(link, Link::Comma | Link::Says | Link::Blank | Link::Cell | Link::NextLine)
}

fn is_key(text: &[u8], link: Link) -> bool {
    is_random(text, if is_direct(link) { 8 } else { 12 })
}

fn is_mixed_secret(text: &[u8], value: Value) -> bool {
    is_direct(value.link)
        && text.len() >= 8
        && kinds_of_characters(text) >= 3
        && !text.contains(&b' ')
        && (has_digit(text) || kinds_of_characters(text) == 4)
        && !is_name(text)
}

/// At least four words and none of a sentence.
fn is_phrase(text: &[u8]) -> bool {
    let words = || text.split(|byte| *byte == b' ');
    let sentence: [&[u8]; 14] = [
        b"the", b"your", b"is", b"a", b"for", b"must", b"enter", b"and", b"to", b"of", b"not",
        b"be", b"at", b"or",
    ];
    words().count() >= 4
        && words().all(|word| word.len() >= 2 && word.iter().all(u8::is_ascii_lowercase))
        && !words().any(|word| sentence.contains(&word))
}

/// Words that names of fields and keys of translations have.
pub(super) const OF_NAMES: &[&str] =
    &["password", "passwd", "passphrase", "secret", "token", "invalid", "login", "label", "_psk"];

fn has_digit(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
}

fn has_sign(text: &[u8]) -> bool {
    text.iter().any(|byte| {
        !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_' | b'.' | b'/' | b':')
    })
}

fn is_quoted_password(text: &[u8], link: Link) -> bool {
    if contains_any(text, OF_NAMES) && kinds_of_characters(text) < 3 && !is_random(text, 8) {
        return false;
    }
    if !is_direct(link) {
        return text.len() >= 5
            && kinds_of_characters(text) >= 2
            && (has_digit(text) || has_sign(text));
    }
    if has_digit(text) || has_sign(text) {
        return true;
    }
    // A word: a label begins with a capital letter.
    text.len() >= 6 && !text[0].is_ascii_uppercase() && text.iter().all(u8::is_ascii_graphic)
}

fn is_bare_password(bytes: &[u8], text: &[u8], named: &Named, value: Value) -> bool {
    let Value { link, end, .. } = value;
    let ends_line = bytes[end..]
        .iter()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
        .is_none_or(|b| *b == b'\n');
    let written = matches!(link, Link::Tight | Link::Tag)
        || named.query
        || (named.shouting && is_direct(link));
    let digit = has_digit(text);
    if !has_sign(text) && !digit {
        let word = text.len() >= 5 && !contains_any(text, OF_NAMES);
        let told = matches!(link, Link::Colon | Link::Assign | Link::Says);
        if told && word && are_joined_words(text, 3) && ends_sentence(bytes, end) {
            return true;
        }
        let begins = bytes[..named.start].ends_with(b". ");
        let own = word
            && matches!(named.meaning.noun(), "password" | "passphrase" | "passcode")
            && ends_line_or_stop(bytes, end)
            && (is_word_of_its_own(text) || are_joined_words(text, 2));
        return match link {
            Link::Tight => word && !named.argument,
            _ if named.shouting && is_direct(link) => word && ends_line,
            Link::Colon => own && (named.first || begins || after_user(bytes, named.start)),
            // In a program the value of an assignment is a variable, and it mostly stands further in.
            Link::Assign => {
                let flush = named.start.checked_sub(1).is_none_or(|at| bytes[at] == b'\n');
                own && (flush || begins || after_user(bytes, named.start))
            }
            _ => false,
        };
    }
    if is_name(text) {
        if contains_any(text, OF_NAMES) && !is_random(text, 8) {
            return false;
        }
        return match link {
            _ if written => !named.argument || is_random(text, 8),
            Link::Flag => digit,
            Link::Colon | Link::Assign => {
                (named.first && ends_line && text.len() >= 6)
                    || is_random(text, 8)
                    || kinds_of_characters(text) >= 3
                    || link == Link::Colon && is_numbered_word(bytes, text, named, end)
            }
            Link::Says => text.len() >= 5 && digit,
            Link::NextLine if is_random(text, 16) => true,
            Link::Cell if is_random(text, 8) => true,
            Link::Blank if is_short_name(&bytes[named.start..named.end]) => {
                is_random(text, 16)
                    || kinds_of_characters(text) >= 3
                        && (text.len() >= 8 || is_mixed(text) && ends_sentence(bytes, end))
            }
            _ => text.len() >= 8 && kinds_of_characters(text) >= 3,
        };
    }
    match link {
        Link::Blank if is_short_name(&bytes[named.start..named.end]) && is_random(text, 16) => true,
        Link::Blank | Link::Cell | Link::NextLine | Link::Comma => {
            text.len() >= 8 && kinds_of_characters(text) >= 3
                || link == Link::NextLine && is_random(text, 16)
        }
        Link::Says => digit && text.len() >= 5,
        // A number in a program is no password; `password: 8-64` is a rule.
        Link::Assign if text.iter().all(u8::is_ascii_digit) => {
            named.first && ends_line && text.len() >= 6
        }
        _ => has_sign(text) || text.len() >= 6 || (written && text.len() >= 4),
    }
}

/// `pw` and the like, which are no words of a sentence.
fn is_short_name(name: &[u8]) -> bool {
    [&b"pw"[..], b"pwd", b"passwd", b"requirepass", b"masterauth"]
        .iter()
        .any(|short| name.eq_ignore_ascii_case(short))
}

/// A word with digits that ends a line, as people make passwords.
fn is_numbered_word(bytes: &[u8], text: &[u8], named: &Named, end: usize) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    text.len() >= 6
        && ends_sentence(bytes, end)
        && !is_standard(text)
        // A type: `c_uint64`.
        && !text.contains(&b'_')
        && (digits >= 2 && text.len() >= 8 || after_user(bytes, named.start))
}

/// Whether only a full stop stands between here and the end of the line.
fn ends_line_or_stop(bytes: &[u8], end: usize) -> bool {
    let end = end + usize::from(bytes.get(end) == Some(&b'.'));
    let rest = bytes[end..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    rest.is_none_or(|byte| *byte == b'\n')
}
