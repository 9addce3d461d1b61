//! What people say of a password: `la clave es X`, `密码：X`, `use X as the password`, `login: marta / X`.

use std::ops::Range;

use super::alphabet::{is_word, span, span_back};
use super::codes;
use super::judge::{is_code, is_placeholder, is_reference};
use super::lexicon::Lexicon;
use super::mark::has_mark;
use super::random::{is_hex, is_random, kinds_of_characters, starts_with};
use super::said_words::{ENGLISH, Holds, JOINED, LOGIN_VERBS, OTHER_WORDS, VERBS, WORDS};
use super::scan::Scan;
use super::value::begins_pair;

use Holds::{Code, ForeignKey, Key, Login, LoginBefore, Password, Pin, Seed};

const LEXICON: Lexicon = {
    let mut words = Lexicon::empty();
    let mut at = 0;
    while at < WORDS.len() {
        if WORDS[at].0.len() > 1 {
            words = words.with(WORDS[at].0);
        }
        at += 1;
    }
    words
};

/// Which bytes begin a word without letters of ASCII at the beginning: for the first, the second ones by six bits.
const PAIRS: [u64; 256] = {
    let mut pairs = [0; 256];
    let mut at = 0;
    while at < OTHER_WORDS.len() {
        let word = OTHER_WORDS[at].0.as_bytes();
        pairs[word[0] as usize] |= 1 << (word[1] & 63);
        at += 1;
    }
    pairs
};

/// Words between a name and the one that leads to its value, and bytes.
const MOST_WORDS: usize = 9;
const FARTHEST: usize = 120;

/// Whether a word of ASCII may be one of these, or the beginning of one.
#[inline]
pub(super) fn may_be_name(bytes: &[u8], word: &[u8], end: usize) -> bool {
    match word {
        [b'l' | b'L' | b'm' | b'M'] => bytes.get(end).is_some_and(|byte| *byte >= 0x80),
        _ => LEXICON.may_have(word),
    }
}

#[inline]
pub(super) fn may_begin(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1).map_or(0, |next| next & 63);
    PAIRS[usize::from(bytes[at])] & (1 << next) != 0
}

/// At a word of ASCII: says where the secret ends that it names.
pub(super) fn word(scan: &mut Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let bytes = scan.bytes;
    if at > 0 && (bytes[at - 1] >= 0x80 || matches!(bytes[at - 1], b'.' | b'$' | b'/' | b'@')) {
        return None;
    }
    // `DB-Passwort` is one, `--passwort` is read elsewhere.
    if at > 0 && bytes[at - 1] == b'-' && !(at > 1 && bytes[at - 2].is_ascii_alphabetic()) {
        return None;
    }
    let rest = &bytes[end..];
    let row = WORDS.iter().find(|(word, more, _)| {
        word.eq_ignore_ascii_case(&bytes[at..end]) && rest.starts_with(more.as_bytes())
    })?;
    let end = end + row.1.len();
    if bytes.get(end).is_some_and(|byte| is_word(*byte)) {
        return None;
    }
    value(scan, at, end, row.2, row.0)
}

/// At a byte that no ASCII has.
pub(super) fn other_word(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
    let rest = &scan.bytes[at..];
    let (word, holds) = OTHER_WORDS.iter().find(|(word, _)| rest.starts_with(word.as_bytes()))?;
    value(scan, at, at + word.len(), *holds, b"")
}

/// How the value follows its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    start: usize,
    /// Words between the name and what leads to the value.
    between: usize,
    /// After `:` or `=`, not after a verb.
    sign: bool,
    /// After `=`.
    equals: bool,
}

fn value(scan: &mut Scan<'_>, at: usize, end: usize, holds: Holds, word: &[u8]) -> Option<usize> {
    let bytes = scan.bytes;
    if holds == Password
        && word != b"password"
        && let Some(range) = before(bytes, &(at..end))
    {
        scan.known_or("password", range);
    }
    if holds == LoginBefore {
        let range = login_before(bytes, at)?;
        scan.known_or("password", range);
        return None;
    }
    if holds == Login
        && let Some(range) = login_told(bytes, at)
    {
        scan.known_or("password", range);
    }
    if holds == Code
        && let Some(end) = codes::backups(scan, at, end)
    {
        return Some(end);
    }
    let found = follow(bytes, end, holds, word)?;
    // English and German have a reader of their own, which knows more; here is what Italian and others
    // make of the word, and German with words between.
    let known = word == b"password" && (found.sign || found.between > 0)
        || word == b"passwort" && found.sign;
    if known {
        return None;
    }
    let range = token(bytes, found.start)?;
    let text = &bytes[range.clone()];
    if holds != Login && is_none(text) {
        return None;
    }
    let (kind, range) = match holds {
        Password if is_password(text, found) => ("password", range),
        Pin if is_pin(bytes, text, at, found) => ("pin", range),
        Code if codes::is_login(bytes, at) && is_digits(text) => ("one-time code", range),
        Code if codes::is_lock(bytes, at) && (is_digits(text) || is_login_password(text)) => {
            ("code", range)
        }
        Seed if codes::is_seed(bytes, at) && codes::is_base32(text) => ("seed of codes", range),
        Key if is_key(bytes, text, at, found) => ("key", range),
        ForeignKey if found.between <= 3 && is_random_key(text) => ("key", range),
        Login => ("password", login(bytes, range, found)?),
        _ => return None,
    };
    let end = range.end;
    scan.known_or(kind, range);
    Some(end)
}

/// Where the value of a name begins: after `:`, `=`, a verb, or a syllable that is joined.
fn follow(bytes: &[u8], end: usize, holds: Holds, name: &[u8]) -> Option<Found> {
    let mut at = end + span(&bytes[end..], 3, |byte| matches!(byte, b'*' | b'"' | b'\'' | b'`'));
    let blanks = |at: usize| at + span(&bytes[at..], 24, |byte| matches!(byte, b' ' | b'*'));
    let most = bytes.len().min(end + FARTHEST);
    for between in 0..MOST_WORDS {
        // No blank stands between, as in Chinese.
        if let Some(joined) =
            JOINED.iter().find(|joined| bytes[at..].starts_with(joined.as_bytes()))
        {
            let equals = matches!(*joined, "=" | "＝");
            let sign = equals || matches!(*joined, ":" | "：");
            let mut start = blanks(at + joined.len());
            // `密码是：X`.
            start = JOINED
                .iter()
                .find(|more| !sign && bytes[start..].starts_with(more.as_bytes()))
                .map_or(start, |more| blanks(start + more.len()));
            return Some(Found { start, between, sign, equals });
        }
        let next = blanks(at);
        if next >= most || matches!(bytes[next], b'\n' | b'\r') {
            return None;
        }
        if matches!(bytes[next], b':' | b'=') && next > at {
            let equals = bytes[next] == b'=';
            return Some(Found { start: blanks(next + 1), between, sign: true, equals });
        }
        // `पासवर्ड X है`, `usuario marta, contraseña X`, `use pin 481516`.
        let direct = |range: &Range<usize>| match holds {
            Password => name != b"password" && is_login_password(&bytes[range.clone()]),
            ForeignKey => is_random_key(&bytes[range.clone()]),
            Pin => is_digits(&bytes[range.clone()]),
            Seed => codes::is_base32(&bytes[range.clone()]),
            Login => {
                let text = &bytes[range.clone()];
                text.iter()
                    .position(|byte| *byte == b':')
                    .is_some_and(|colon| colon > 1 && is_login_password(&text[colon + 1..]))
            }
            _ => false,
        };
        if between == 0 && token(bytes, next).as_ref().is_some_and(direct) {
            return Some(Found { start: next, between, sign: false, equals: false });
        }
        let length = span(&bytes[next..], 40, |byte| {
            is_word(byte)
                || byte >= 0x80
                || matches!(byte, b'-' | b'\'' | b'.' | b'@' | b'/' | b'(' | b')')
        });
        let word = &bytes[next..next + length];
        // A colon of another script ends a word, too.
        let colon = ["：", "＝"]
            .iter()
            .filter_map(|sign| word.windows(sign.len()).position(|part| part == sign.as_bytes()))
            .min();
        if let Some(colon) = colon {
            at = next + colon;
            continue;
        }
        if length == 0 || word.ends_with(b".") {
            return None;
        }
        at = next + length;
        let with = holds == Login
            && LOGIN_VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb.as_bytes()));
        let english = matches!(holds, Key | Pin | Code | Login | Seed) || name == b"password";
        let told = holds == Pin && matches!(word, b"es" | b"est" | b"to") && bytes[end - 1] == b'N';
        let other = english && !told && ENGLISH.iter().any(|verb| word == verb.as_bytes());
        let verb = with
            || !other && VERBS.iter().any(|verb| starts_with(word, verb) && verb.len() == length);
        if verb && matches!(bytes.get(at), Some(b' ' | b':')) {
            let mut start = blanks(at);
            if bytes.get(start) == Some(&b':') {
                start = blanks(start + 1);
            }
            // `is now X`, `is the following: X`.
            for more in [
                "now ",
                "nun ",
                "jetzt ",
                "currently ",
                "still ",
                "just ",
                "ahora ",
                "agora ",
                "maintenant ",
                "nu ",
                "teraz ",
            ] {
                if starts_with(&bytes[start..], more) {
                    start += more.len();
                }
            }
            // `die PIN zu der Tür ist die 481516`: a verb may stand in what is between, too.
            let telling = |range: Range<usize>| holds == Login || has_digit(&bytes[range]);
            if token(bytes, start).is_some_and(telling) {
                return Some(Found { start, between, sign: false, equals: false });
            }
        }
    }
    None
}

fn has_digit(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
}

/// Quotation marks that are more than a byte.
const QUOTES: &[(&str, &str)] = &[
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("»", "«"),
    ("「", "」"),
    ("『", "』"),
    ("‘", "’"),
    ("『", "』"),
    ("`", "`"),
    ("\"", "\""),
    ("'", "'"),
    ("**", "**"),
    ("\\\"", "\\\""),
];

/// What stands here in quotes, or up to a blank or a letter that ASCII does not have.
fn token(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = bytes.get(at..)?;
    for (open, close) in QUOTES {
        if let Some(inner) = rest.strip_prefix(open.as_bytes()) {
            let inner = &inner[..inner.len().min(200)];
            let length = inner.windows(close.len()).position(|part| part == close.as_bytes())?;
            let start = at + open.len();
            // `« X »`.
            let blank = usize::from(inner.starts_with(b" "));
            let end = start + length - usize::from(length > 1 && inner[length - 1] == b' ');
            return (start + blank < end && !bytes[start..end].contains(&b'\n'))
                .then(|| start + blank..end);
        }
    }
    let wide = ["。", "，", "、", "です", "；", "）", "！", "？", "입니다", "”", "」", "…", "»"];
    let mut length = span(rest, 200, |byte| {
        !byte.is_ascii_whitespace()
            && !byte.is_ascii_control()
            && !matches!(byte, b'"' | b'`' | b'<' | b'\\')
            // A letter that is not Latin is no part of a password that is.
            && byte < 0xd0
    });
    length -= span_back(&rest[..length], 2, |byte| byte >= 0xc4);
    let cut = wide
        .iter()
        .filter_map(|sign| {
            rest[..length].windows(sign.len()).position(|part| part == sign.as_bytes())
        })
        .min();
    length = cut.unwrap_or(length);
    let pair =
        |at: &usize| matches!(rest[*at], b'&' | b';' | b',' | b'|') && begins_pair(&rest[at + 1..]);
    length = (0..length).find(pair).unwrap_or(length);
    while length > 0 && matches!(rest[length - 1], b'.' | b',' | b';' | b':' | b'?' | b'\'' | b')')
    {
        length -= 1;
    }
    (length > 0).then(|| at..at + length)
}

/// Whether it only stands for a value, or is code.
fn is_none(text: &[u8]) -> bool {
    text.len() < 4
        || text.contains(&b' ')
        || is_placeholder(text)
        || is_reference(text)
        || is_code(text)
        || has_mark(text)
}

/// Numbers of versions, times, sizes and the like: digits, and one word or sign.
fn is_measure(text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    digits + letters < text.len() && letters <= 2
        || text[0].is_ascii_digit()
            && letters <= 5
            && text.iter().rev().take(letters).all(u8::is_ascii_alphabetic)
        || matches!(text, [b'v' | b'V', rest @ ..] if rest.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))
}

fn is_password(text: &[u8], found: Found) -> bool {
    if text.iter().all(u8::is_ascii_digit) {
        return found.between == 0 && text.len() >= 6;
    }
    if !has_digit(text) {
        return kinds_of_characters(text) >= 3 && text.len() >= 6 && text.is_ascii();
    }
    let least = if found.between > 1 { 6 } else { 5 };
    text.len() >= least && !is_measure(text) && (found.sign || kinds_of_characters(text) >= 2)
}

fn is_pin(bytes: &[u8], text: &[u8], at: usize, found: Found) -> bool {
    // `pin = 4815` is a number in a program.
    let capital = [&b"PIN"[..], b"OTP"].iter().any(|name| bytes[at..].starts_with(name));
    let direct = !found.sign && found.between == 0;
    // `pincode`, `핀 번호` and the like are nothing else.
    let plain = [&b"pin"[..], b"otp"].iter().any(|name| {
        bytes[at..].get(..3).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && bytes.get(at + 3).is_none_or(|next| !next.is_ascii_alphabetic() && *next < 0x80)
    });
    let told = !plain
        || found.between == 0 && !found.equals && !direct
        || owner(bytes, at)
        || capital && !found.equals;
    told && is_digits(text)
}

fn is_digits(text: &[u8]) -> bool {
    (4..=8).contains(&text.len()) && text.iter().all(u8::is_ascii_digit)
}

/// What looks random, and is no hash and no id.
fn is_random_key(text: &[u8]) -> bool {
    text.len() >= 16
        && !is_none(text)
        && !is_hex(text)
        && !super::shapes::is_uuid(text)
        && text.is_ascii()
        && is_random(text, 16)
}

/// Whether `my`, `the` and the like stand before.
fn owner(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[at.saturating_sub(24)..at];
    let mut words =
        before.split(|byte| !byte.is_ascii_alphabetic()).rev().filter(|word| !word.is_empty());
    let one = |word: &[u8]| {
        [
            "use", "enter", "with", "type", "my", "the", "your", "our", "his", "her", "its", "a",
            "die", "der", "meine", "mi", "el", "le", "mon", "il",
        ]
        .iter()
        .any(|owner| word.eq_ignore_ascii_case(owner.as_bytes()))
    };
    words.by_ref().take(2).any(one)
}

/// `the key is X`: X alone is random, and no hash or id.
fn is_key(bytes: &[u8], text: &[u8], at: usize, found: Found) -> bool {
    let before = &bytes[at.saturating_sub(32)..at];
    let article = ["the ", "my ", "our ", "your "].iter().any(|word| {
        before.len() >= word.len() && starts_with(&before[before.len() - word.len()..], word)
    });
    article
        && !found.equals
        && found.between <= 5
        && text.len() >= 16
        && !is_hex(text)
        && !super::shapes::is_uuid(text)
        && !text
            .windows(2)
            .any(|pair| matches!(pair[0], b':' | b'/') && pair[1] != b'=' && has_words(text))
        && is_random(text, 16)
}

/// Whether a path or a name stands in it.
fn has_words(text: &[u8]) -> bool {
    text.split(|byte| !byte.is_ascii_alphabetic())
        .any(|word| word.len() >= 5 && word.iter().all(u8::is_ascii_lowercase))
}

/// The password of `marta:X`, `marta / X`, `marta with X`.
fn login(bytes: &[u8], first: Range<usize>, found: Found) -> Option<Range<usize>> {
    if found.between > 3 {
        return None;
    }
    let name = |text: &[u8]| {
        text.len() >= 2
            && text[0].is_ascii_alphabetic()
            && text.iter().all(|byte| is_word(*byte) || matches!(byte, b'-' | b'.' | b'@'))
    };
    let text = &bytes[first.clone()];
    if let Some(colon) = text.iter().position(|byte| matches!(byte, b':' | b'/')) {
        return (name(&text[..colon]) && is_login_password(&text[colon + 1..]))
            .then(|| first.start + colon + 1..first.end);
    }
    let rest = &bytes[first.end..];
    let sign = [" / ", " with ", " : ", ", ", " and "]
        .iter()
        .find(|sign| rest.starts_with(sign.as_bytes()))
        // `creds: marta X`.
        .or_else(|| {
            rest.starts_with(b" ").then_some(&" ").filter(|_| found.sign && !found.equals)
        })?;
    let range = token(bytes, first.end + sign.len())?;
    (name(text) && is_login_password(&bytes[range.clone()])).then_some(range)
}

fn is_login_password(text: &[u8]) -> bool {
    !is_none(text)
        // Where it is to be looked up.
        && !text.eq_ignore_ascii_case(b"1password")
        // Of an address.
        && !text.starts_with(b"//")
        && text.len() >= 6
        && has_digit(text)
        && !is_measure(text)
        && (kinds_of_characters(text) >= 3 || is_random(text, 8))
}

/// The password of `marta/X is the login`.
fn login_told(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let line = &bytes[at.saturating_sub(FARTHEST)..at];
    let lead = [" is the ", " are the ", " is my ", " are my ", " is our ", " are our ", " is a "]
        .iter()
        .find_map(|lead| line.strip_suffix(lead.as_bytes()))?;
    let end = at - line.len() + lead.len();
    let mark = |byte: u8| matches!(byte, b'`' | b'"' | b'\'' | b'*');
    let end = end - span_back(lead, 2, mark);
    let length = span_back(&bytes[..end], 100, |byte| !byte.is_ascii_whitespace() && !mark(byte));
    let mut from = end - length;
    // `marta / X`.
    if bytes[..from].ends_with(b" / ") {
        from -= 3 + span_back(&bytes[..from - 3], 40, |byte| is_word(byte) || byte == b'-');
    }
    let text = &bytes[from..end];
    let sign = text.iter().position(|byte| matches!(byte, b'/' | b':'))?;
    let name = text[..sign].trim_ascii_end();
    let name = name.len() > 1 && name.iter().all(|byte| is_word(*byte) || *byte == b'-');
    let start = from + sign + 1;
    let start = start + usize::from(bytes[start..end].starts_with(b" "));
    (name && is_login_password(&bytes[start..end])).then_some(start..end)
}

/// Words that lead from a value to the name of a password after it.
const LEADS: [&str; 15] = [
    " as ", " is ", " for ", " at the ", " als ", " como ", " comme ", " come ", " jako ", " som ",
    " как ", " 作为", " 作為", "作为", " を",
];

/// The password of `marta:X` before a word in the same line.
fn login_before(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let from = at.saturating_sub(FARTHEST);
    let line = &bytes[from..at];
    let line = &line[line.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)..];
    let start = at - line.len();
    let colon = line.iter().rposition(|byte| *byte == b':')?;
    let range = token(bytes, start + colon + 1)?;
    let named = colon > 1 && line[colon - 1].is_ascii_alphanumeric();
    (named && range.end <= at && is_login_password(&bytes[range.clone()])).then_some(range)
}

/// `use X as the password`, `X is the password`: what stands before a name of a password.
pub(super) fn before(bytes: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    // The name ends what is said: `as the password hash` is about another matter.
    let after = &bytes[name.end..];
    let goes_on = after.strip_prefix(b" ").is_some_and(|rest| {
        let word = &rest[..span(rest, 16, |byte| byte.is_ascii_alphabetic())];
        let small = [
            &b"for"[..],
            b"to",
            b"of",
            b"on",
            b"in",
            b"at",
            b"and",
            b"now",
            b"when",
            b"there",
            b"everywhere",
            b"again",
            b"please",
            b"if",
            b"until",
            b"while",
            b"with",
            b"but",
            b"it",
            b"prompt",
            b"field",
        ];
        !word.is_empty() && !small.contains(&word)
    });
    if goes_on
        || after.first().is_some_and(|byte| {
            matches!(byte, b'(' | b'[' | b'=' | b'.')
                && after.get(1).is_some_and(|byte| is_word(*byte))
        })
    {
        return None;
    }
    let from = name.start.saturating_sub(64);
    let window = &bytes[from..name.start];
    let line = window.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lead = LEADS
        .iter()
        .filter_map(|lead| {
            let at =
                window[line..].windows(lead.len()).rposition(|part| part == lead.as_bytes())?;
            Some((line + at, lead.len()))
        })
        .max()?;
    let between = &window[lead.0 + lead.1..];
    let words = between.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count();
    if words > 4
        || !between.iter().all(|byte| {
            byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'\'' | b'`' | b'"' | b'-')
        })
    {
        return None;
    }
    let is_for =
        [&b" for"[..], b" at"].iter().any(|lead_word| window[lead.0..].starts_with(lead_word));
    let mut end = from + lead.0;
    // `try X, that is the old password`.
    for more in [", that", ", this", ", which", " when it asks", " when asked"] {
        if bytes[..end].ends_with(more.as_bytes()) {
            end -= more.len();
        }
    }
    end -= span_back(&bytes[..end], 2, |byte| byte == b' ');
    let length = span_back(&bytes[..end], 128, |byte| !byte.is_ascii_whitespace());
    let mark = |byte: u8| matches!(byte, b'"' | b'\'' | b'`' | b'*' | b',' | b'(');
    let start = end - length + span(&bytes[end - length..end], 2, mark);
    let end = end - span_back(&bytes[start..end], 2, mark);
    let text = bytes.get(start..end)?;
    // `use X for the password`, where `X for the password` may be anything else.
    let sentence = bytes[..start].trim_ascii_end();
    let sentence = &sentence[..sentence.len() - span_back(sentence, 2, mark)];
    let verb = |word: &&str| sentence.trim_ascii_end().ends_with(word.as_bytes());
    let used = ["se", "enter", "Enter", "type", "Type"].iter().any(verb);
    (text.is_ascii() && is_login_password(text) && !is_hex(text) && (!is_for || used))
        .then_some(start..end)
}
