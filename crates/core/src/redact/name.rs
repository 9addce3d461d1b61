//! What the name of a value says about it: `DB_PASSWORD` holds a password, `max_tokens` does not.

use super::key_words::{NO_KEYS, OWN_KEYS};
use super::providers::provider;
use super::words::{
    ALSO_PASSWORD, KEYS, NOT_AFTER, NOT_BEFORE, OWNERS, PASSWORDS, SECRETS, TOKENS, WHOLE_PASSWORDS,
};

/// How sure a name makes one that its value is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Whatever stands there, if it is a value.
    Password,
    /// What has several kinds of characters, or looks random.
    Secret,
    /// What looks random.
    Token,
    /// `Authorization` and the like: a scheme, then a value.
    Header,
    /// Pairs of which some are secret.
    Cookie,
}

/// What a name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) class: Class,
    noun: &'static str,
    provider: Option<&'static str>,
}

impl Meaning {
    pub(super) fn noun(&self) -> &'static str {
        self.noun
    }

    pub(super) fn class(&self) -> Class {
        self.class
    }

    /// What the mark says.
    pub(super) fn kind(&self) -> String {
        match self.provider {
            Some(provider) => format!("{provider} {}", self.noun),
            None => self.noun.to_owned(),
        }
    }
}

/// What any name of a secret has in it. Looked for in every word of a text.
const STEMS: [&str; 22] = [
    "pass",
    "psw",
    "pwd",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "cookie",
    "bearer",
    "jwt",
    "signature",
    "sess",
    "phrase",
    "mnemonic",
    "pepper",
    "salt",
    // Marks in keys of Azure.
    "azfu",
    "azse",
    "azca",
    "acdb",
    "aiot",
];

/// Which three letters a stem begins with, by five bits of each.
const TRIPLES: [u32; 1024] = triples();

const fn triples() -> [u32; 1024] {
    let mut table = [0; 1024];
    let mut at = 0;
    while at < STEMS.len() {
        let stem = STEMS[at].as_bytes();
        table[pair(stem[0], stem[1])] |= 1 << (stem[2] & 31);
        at += 1;
    }
    table
}

const fn pair(one: u8, next: u8) -> usize {
    ((one & 31) as usize) << 5 | (next & 31) as usize
}

/// Whether a word, of letters, digits and `_`, has a stem in it.
#[inline]
pub(super) fn has_stem(word: &[u8]) -> bool {
    let stem = word.array_windows::<3>().enumerate().any(|(at, [one, next, third])| {
        TRIPLES[pair(*one, *next)] & (1 << (third & 31)) != 0
            && STEMS.iter().any(|stem| super::random::starts_with(&word[at..], stem))
    });
    // `DB_PW`, `rootpw`, `GITHUB_PAT`, `&sig=`, `wpa_psk`.
    stem || matches!(
        word,
        [.., b'p' | b'P', b'w' | b'W']
            | [.., b'p' | b'P', b's' | b'S', b'k' | b'K']
            | [.., b'_', b'P', b'A', b'T']
            | [.., b'_', b'p', b'a', b't']
            | [.., b'_', b'S', b'K']
            | [.., b'p' | b'P', b'w' | b'W', b'0'..=b'9']
            | [b'p', b'w', b'_', ..]
            | [b'P', b'W', b'_', ..]
            | b"sig"
            | b"pat"
            | b"PAT"
    )
}

const MOST_PARTS: usize = 12;
const LONGEST: usize = 96;

/// The parts of a name in small letters, however they are joined.
struct Parts {
    text: [u8; LONGEST],
    ends: [(u8, u8); MOST_PARTS],
    count: usize,
}

impl Parts {
    fn of(name: &[u8]) -> Option<Self> {
        if name.len() > LONGEST {
            return None;
        }
        let mut parts = Self { text: [0; LONGEST], ends: [(0, 0); MOST_PARTS], count: 0 };
        let mut first = 0;
        for (at, byte) in name.iter().enumerate() {
            parts.text[at] = byte.to_ascii_lowercase();
            let separator = !byte.is_ascii_alphanumeric();
            let before = at.checked_sub(1).map_or(b' ', |before| name[before]);
            let next = name.get(at + 1).copied().unwrap_or(b' ');
            let hump = byte.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || before.is_ascii_uppercase() && next.is_ascii_lowercase());
            if separator || hump {
                parts.push(first, at)?;
                first = at + usize::from(separator);
            }
        }
        parts.push(first, name.len())?;
        Some(parts)
    }

    fn push(&mut self, first: usize, end: usize) -> Option<()> {
        if first < end {
            *self.ends.get_mut(self.count)? = (first as u8, end as u8);
            self.count += 1;
        }
        Some(())
    }

    fn get(&self, at: usize) -> &str {
        let (first, end) = self.ends[at];
        std::str::from_utf8(&self.text[usize::from(first)..usize::from(end)]).unwrap_or_default()
    }

    fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.get(before))
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        (0..self.count).map(|at| (at, self.get(at)))
    }
}

/// What this name says, if it is one of a secret. Of letters, digits, `_`, `-` and `.`; several
/// words with a blank between.
pub(super) fn meaning(name: &[u8]) -> Option<Meaning> {
    // Of git: the number of a key, not the key.
    if name.ends_with(b"user.signingkey") || name.ends_with(b"user.signingKey") {
        return None;
    }
    if name == b"Signature" {
        return Some(Meaning { class: Class::Token, noun: "signature", provider: None });
    }
    let parts = Parts::of(name)?;
    let (at, class, noun) = parts
        .iter()
        .rev()
        .find_map(|(at, part)| noun(&parts, at, part).map(|(c, n)| (at, c, n)))
        .or_else(|| any_key(name, &parts))?;
    let after = || parts.iter().skip(at + 1).map(|(_, part)| part);
    let holds = match class {
        Class::Password => after().all(|part| ALSO_PASSWORD.contains(&part)),
        Class::Header | Class::Cookie => after().next().is_none(),
        Class::Secret | Class::Token => {
            !after().any(|part| NOT_BEFORE.contains(&part))
                && !parts.iter().take(at).any(|(_, part)| NOT_AFTER.contains(&part))
        }
    };
    if !holds {
        return None;
    }
    let provider = parts.iter().find_map(|(_, part)| provider(part));
    Some(Meaning { class, noun, provider })
}

fn noun(parts: &Parts, at: usize, part: &str) -> Option<(Class, &'static str)> {
    // `PASSWORD2`.
    let part = match part.trim_end_matches(|c: char| c.is_ascii_digit()) {
        word if part.len() - word.len() <= 2 && !word.is_empty() => word,
        _ => part,
    };
    let ends = |table: &[(&str, &'static str)]| {
        table.iter().find(|(end, _)| part.ends_with(end)).map(|(_, noun)| *noun)
    };
    let before = parts.before(at);
    if let Some(noun) = ends(PASSWORDS) {
        return Some((Class::Password, noun));
    }
    if WHOLE_PASSWORDS.contains(&part) {
        // `pass` alone is a verb, and the result of a test.
        let verb = part == "pass" && !OWNERS.contains(&before) && provider(before).is_none();
        let noun = match part {
            "mnemonic" => "seed phrase",
            "psk" => "preshared key",
            _ => "password",
        };
        return Some((if verb { Class::Secret } else { Class::Password }, noun));
    }
    // `remotepass`.
    let owner = part.strip_suffix("pass").or_else(|| part.strip_suffix("pw"));
    if owner.is_some_and(|owner| OWNERS.contains(&owner)) {
        return Some((Class::Password, "password"));
    }
    if part == "phrase" && matches!(before, "pass" | "seed" | "recovery" | "secret") {
        return Some((
            Class::Password,
            if before == "pass" { "passphrase" } else { "seed phrase" },
        ));
    }
    if part == "word" && before == "pass" {
        return Some((Class::Password, "password"));
    }
    if let Some(noun) = ends(SECRETS) {
        let noun = match (noun, before) {
            ("secret", "client") => "client secret",
            ("secret", "webhook") => "webhook secret",
            ("secret", "signing") => "signing secret",
            _ => noun,
        };
        return Some((Class::Secret, noun));
    }
    if let Some(noun) = ends(TOKENS) {
        let noun = match (noun, before) {
            ("token", "access") => "access token",
            ("token", "refresh") => "refresh token",
            ("token", "session" | "security") => "session token",
            ("token", "bearer") => "bearer token",
            _ => noun,
        };
        return Some((Class::Token, noun));
    }
    match part {
        "key"
            if matches!(
                before,
                "wifi" | "wlan" | "wpa" | "wpa2" | "wpa3" | "fi" | "wireless" | "isakmp"
            ) =>
        {
            Some((Class::Password, "wifi key"))
        }
        "key" if before == "shared" && parts.before(at - 1) == "pre" => {
            Some((Class::Password, "preshared key"))
        }
        "sk" if at + 1 == parts.count
            && (provider(before).is_some() || OWNERS.contains(&before) || before == "live") =>
        {
            Some((Class::Token, "secret key"))
        }
        "key" | "keys" => {
            let of_provider = || provider(before).map(|_| "api key");
            let noun = KEYS.iter().find(|(word, _)| *word == before).map(|(_, noun)| *noun);
            noun.or_else(of_provider).map(|noun| (Class::Token, noun))
        }
        "sig" | "signature"
            if matches!(before, "amz" | "goog" | "access") || part == "sig" && parts.count == 1 =>
        {
            Some((Class::Token, "signature"))
        }
        "authorization" => Some((Class::Header, "authorization")),
        "auth" if parts.count <= 2 && at + 1 == parts.count => Some((Class::Token, "credential")),
        "session" if before == "bw" => Some((Class::Token, "session key")),
        "cookie" if parts.count <= 2 => Some((Class::Cookie, "cookie")),
        "bearer" if parts.count == 1 => Some((Class::Header, "bearer token")),
        "pat" if at > 0 && !NO_KEYS.contains(&before) => Some((Class::Token, "token")),
        "salt" if matches!(before, "auth" | "nonce" | "in") => Some((Class::Token, "salt")),
        // The half of a login of Vault.
        "id" if before == "secret" && (parts.count == 2 || parts.get(0) == "vault") => {
            Some((Class::Token, "secret id"))
        }
        _ => None,
    }
}

/// What a key is called that only its own name tells of.
pub(super) const OWN_KEY: &str = "key";

/// `ANY_KEY`, `any_key`, `any key`, and headers such as `X-Any-Key` and `X-Any-Auth`, whatever the word before it.
fn any_key(name: &[u8], parts: &Parts) -> Option<(usize, Class, &'static str)> {
    let last = parts.count.checked_sub(1)?;
    let header = parts.get(0) == "x" && name.get(1) == Some(&b'-');
    let told = match name.contains(&b' ') {
        // A word before it is not enough in a sentence.
        true => {
            OWN_KEYS.contains(&parts.before(last))
                || !NO_KEYS.contains(&parts.before(last)) && parts.before(last).len() >= 3
        }
        false => !NO_KEYS.contains(&parts.before(last)),
    };
    match parts.get(last) {
        "key" if last > 0 && OWN_KEYS.contains(&parts.before(last)) => {
            Some((last, Class::Token, "secret key"))
        }
        "key" if last > 0 && (header || told) => Some((last, Class::Token, OWN_KEY)),
        "auth" if last > 1 && header => Some((last, Class::Token, "credential")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str) -> Option<String> {
        assert!(has_stem_somewhere(name) || meaning(name.as_bytes()).is_none(), "{name}");
        meaning(name.as_bytes()).map(|meaning| meaning.kind())
    }

    fn has_stem_somewhere(name: &str) -> bool {
        name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| has_stem(w.as_bytes()))
    }

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        for (name, wanted) in [
            ("password", "password"),
            ("DB_PASSWORD", "password"),
            ("spring.datasource.password", "password"),
            ("PGPASSWORD", "password"),
            ("userPassword", "password"),
            ("smtp_pass", "password"),
            ("key-passphrase", "passphrase"),
            ("api_key", "api key"),
            ("apiKey", "api key"),
            ("X-Api-Key", "api key"),
            ("APIKEY", "api key"),
            ("DATADOG_API_KEY", "datadog api key"),
            ("AWS_SECRET_ACCESS_KEY", "aws access key"),
            ("clientSecret", "client secret"),
            ("refresh-token", "refresh token"),
            ("GITHUB_TOKEN", "github token"),
            ("_authToken", "token"),
            ("api key", "api key"),
            ("X-Amz-Signature", "signature"),
            ("AccountKey", "account key"),
            ("Authorization", "authorization"),
            ("Set-Cookie", "cookie"),
            ("token_prod", "token"),
        ] {
            assert_eq!(kind(name).as_deref(), Some(wanted), "{name}");
        }
    }

    #[test]
    fn names_about_secrets_are_not_names_of_them() {
        for name in [
            "token_count",
            "max_tokens",
            "password_hash_algorithm",
            "secret_name",
            "key_id",
            "api_key_id",
            "tokenizer",
            "passwordless",
            "secretary",
            "compass",
            "key",
            "primary_key",
            "cache_key",
            "public_key",
            "next_page_token",
            "keyboard",
            "author",
            "authority",
            "token_type",
            "session_id",
            "password_file",
            "signature",
            "passed",
            "monkey",
            "pad_token",
            "secretName",
            "token_expires_at",
            "passwordField",
        ] {
            assert_eq!(kind(name), None, "{name}");
        }
    }
}
