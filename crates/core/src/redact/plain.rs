//! Passwords that are words, and the words that say something about a password instead.

use super::alphabet::span_back;
use super::random::starts_with;

/// What is said of a password, and what stands for its value in programs.
const ABOUT: &[&str] = &[
    "about",
    "absent",
    "accepted",
    "account",
    "admin",
    "administrator",
    "again",
    "algorithm",
    "allowed",
    "already",
    "anything",
    "argument",
    "attribute",
    "authentication",
    "available",
    "body",
    "broken",
    "callback",
    "characters",
    "cleartext",
    "client",
    "column",
    "complex",
    "complexity",
    "component",
    "config",
    "configurable",
    "configured",
    "confirm",
    "confirmation",
    "constant",
    "content",
    "contents",
    "contrasena",
    "data",
    "database",
    "decoded",
    "decrypted",
    "document",
    "element",
    "email",
    "encoded",
    "encoder",
    "encoding",
    "entry",
    "environment",
    "exists",
    "expiration",
    "expires",
    "expiry",
    "external",
    "fails",
    "failing",
    "failure",
    "filled",
    "fixed",
    "forgot",
    "forgotten",
    "form",
    "found",
    "getpass",
    "handler",
    "hasher",
    "hashes",
    "hashing",
    "ignored",
    "inherit",
    "inherited",
    "insecure",
    "internal",
    "issue",
    "item",
    "kennwort",
    "keyword",
    "passwort",
    "later",
    "leaked",
    "length",
    "letters",
    "line",
    "literal",
    "local",
    "locked",
    "lookup",
    "manager",
    "mandatory",
    "manual",
    "manually",
    "masked",
    "maximum",
    "message",
    "minimum",
    "motdepasse",
    "needed",
    "needs",
    "nothing",
    "nullable",
    "omitted",
    "option",
    "options",
    "output",
    "param",
    "parameter",
    "params",
    "parsed",
    "payload",
    "pending",
    "plain",
    "policies",
    "policy",
    "present",
    "previous",
    "properties",
    "property",
    "protection",
    "query",
    "raises",
    "recovery",
    "redacted",
    "refused",
    "rejected",
    "remote",
    "request",
    "requirements",
    "response",
    "result",
    "results",
    "returns",
    "rotation",
    "rules",
    "salted",
    "secure",
    "security",
    "senha",
    "sent",
    "separate",
    "server",
    "settings",
    "shown",
    "simple",
    "skipped",
    "something",
    "source",
    "storage",
    "strength",
    "system",
    "temporary",
    "trimmed",
    "unavailable",
    "unchanged",
    "unclear",
    "unique",
    "unlocked",
    "updated",
    "validate",
    "validated",
    "validation",
    "validator",
    "variable",
    "version",
    "visible",
    "wachtwoord",
    "whatever",
    "works",
];

/// Parts of words with hyphens that say something: `case-sensitive`, `one-time-use`.
const PARTS: &[&str] = &[
    "access",
    "and",
    "art",
    "auth",
    "auto",
    "base",
    "box",
    "by",
    "case",
    "char",
    "clear",
    "client",
    "code",
    "date",
    "day",
    "down",
    "end",
    "field",
    "file",
    "first",
    "for",
    "force",
    "form",
    "free",
    "from",
    "full",
    "hand",
    "hash",
    "hour",
    "in",
    "input",
    "key",
    "less",
    "level",
    "like",
    "line",
    "long",
    "max",
    "min",
    "minimum",
    "multi",
    "name",
    "new",
    "non",
    "not",
    "number",
    "of",
    "off",
    "old",
    "on",
    "one",
    "only",
    "out",
    "pass",
    "per",
    "plain",
    "post",
    "pre",
    "proof",
    "random",
    "read",
    "reset",
    "safe",
    "self",
    "sensitive",
    "server",
    "set",
    "side",
    "single",
    "specific",
    "state",
    "string",
    "super",
    "text",
    "the",
    "time",
    "to",
    "token",
    "two",
    "type",
    "until",
    "up",
    "use",
    "user",
    "value",
    "well",
    "word",
    "write",
    "year",
];

/// Whether it is one small word that says nothing of the password, and may be it.
pub(super) fn is_word_of_its_own(text: &[u8]) -> bool {
    text.len() >= 6 && text.iter().all(u8::is_ascii_lowercase) && !is_one_of(text, ABOUT)
}

/// Whether it is at least this many small words with hyphens between them.
pub(super) fn are_joined_words(text: &[u8], least: usize) -> bool {
    let words = || text.split(|byte| *byte == b'-');
    let own = |word: &[u8]| {
        word.len() >= 3
            && word.iter().all(u8::is_ascii_lowercase)
            && !(word.len() > 4 && word.ends_with(b"ed"))
            && !is_one_of(word, PARTS)
            && !is_one_of(word, ABOUT)
    };
    text.len() >= 11 && (least..=12).contains(&words().count()) && words().all(own)
}

fn is_one_of(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|one| word == one.as_bytes())
}

/// Whether a line or a sentence ends here.
pub(super) fn ends_sentence(bytes: &[u8], end: usize) -> bool {
    let mut rest = bytes[end..].iter();
    let next =
        rest.find(|byte| !matches!(byte, b'.' | b',' | b';' | b'!' | b'?' | b')' | b'`' | b'*'));
    match next {
        None | Some(b'\n' | b'\r') => true,
        Some(b' ' | b'\t') => {
            let signs =
                bytes.get(end).is_some_and(|byte| matches!(byte, b'.' | b',' | b';' | b'!'));
            signs
                || rest
                    .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
                    .is_none_or(|b| *b == b'\n')
        }
        _ => false,
    }
}

/// Whether a name of a user with its value stands before it in the line: `user: bob, password: …`.
pub(super) fn after_user(bytes: &[u8], at: usize) -> bool {
    let line = &bytes[at - span_back(&bytes[..at], 80, |byte| byte != b'\n')..at];
    let names =
        ["user", "login", "username", "email", "account", "benutzer", "usuario", "utilisateur"];
    let pair = |from: usize| {
        names.iter().any(|name| {
            starts_with(&line[from..], name)
                && matches!(line.get(from + name.len()), Some(b':' | b'='))
        })
    };
    (0..line.len()).any(pair)
}

/// Whether capital letters, small ones and digits change as they do in no word: `Xy7zQ9`.
pub(super) fn is_mixed(text: &[u8]) -> bool {
    let back = text
        .array_windows::<2>()
        .any(|[one, next]| one.is_ascii_digit() && next.is_ascii_alphabetic());
    text.len() >= 6 && back && text[1..].iter().any(u8::is_ascii_uppercase)
}

/// Whether it is called after a way to make hashes, or a standard.
pub(super) fn is_standard(text: &[u8]) -> bool {
    [
        "sha", "md5", "blake", "pbkdf", "ripemd", "argon", "bcrypt", "scrypt", "rfc", "utf", "iso",
        "aes", "base",
    ]
    .iter()
    .any(|name| starts_with(text, name))
}
