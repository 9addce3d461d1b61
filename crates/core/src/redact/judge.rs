//! What a value cannot be if it is a secret: a placeholder, a reference, a word of a program.

use super::random::{contains_any, is_random, is_word_like, kinds_of_characters, starts_with};

/// Whole values that stand for one.
const STAND_INS: &[&str] = &[
    "none",
    "null",
    "nil",
    "true",
    "false",
    "undefined",
    "string",
    "str",
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "apikey",
    "api_key",
    "api-key",
    "text",
    "required",
    "optional",
    "empty",
    "unset",
    "unknown",
    "test",
    "tests",
    "testing",
    "foo",
    "bar",
    "baz",
    "foobar",
    "value",
    "default",
    "user",
    "username",
    "name",
    "bearer",
    "basic",
    "digest",
    "hidden",
    "encrypted",
    "hashed",
    "hash",
    "plain",
    "plaintext",
    "invalid",
    "valid",
    "missing",
    "expired",
    "wrong",
    "incorrect",
    "correct",
    "yes",
    "no",
    "on",
    "off",
    "int",
    "integer",
    "bool",
    "boolean",
    "number",
    "object",
    "any",
    "bytes",
    "varchar",
    "char",
    "option",
    "self",
    "this",
    "private",
    "public",
    "disabled",
    "enabled",
    "auto",
    "prompt",
    "stdin",
    "env",
    "file",
    "vault",
    "keychain",
    "keyring",
    "generated",
    "random",
    "rotated",
    "revoked",
    "weak",
    "strong",
    "short",
    "long",
    "same",
    "new",
    "old",
    "current",
    "credentials",
    "credential",
    "auth",
    "login",
    "cookie",
    "session",
    "header",
    "http",
    "https",
    "oauth",
    "oauth2",
    "saml",
    "ldap",
    "kerberos",
    "jwt",
    "field",
    "input",
    "label",
    "array",
    "list",
    "void",
    "error",
    "failed",
    "success",
    "sensitive",
    "changed",
    "reset",
    "never",
    "always",
    "here",
    "there",
    "denied",
    "granted",
    "stored",
    "removed",
    "byte",
    "buffer",
    "uuid",
    "opaque",
    "static",
    "const",
    "final",
    "interface",
    "dynamic",
    "async",
    "await",
    "return",
    "function",
    "type",
    "readonly",
    "writeonly",
    "write-only",
    "one",
    "two",
    "important",
    "verified",
    "confirmed",
    "checked",
    "protected",
    "supplied",
    "provided",
    "given",
    "passed",
    "used",
    "unused",
    "blank",
    "set",
    "not",
    "the",
    "and",
    "sha1",
    "sha256",
    "sha512",
    "md5",
    "bcrypt",
    "scrypt",
    "argon2",
    "argon2id",
    "argon2i",
    "pbkdf2",
    "base64",
    "base32",
    "utf8",
    "utf-8",
    "hs256",
    "rs256",
    "es256",
    "hs512",
    "rs512",
    "ed25519",
    "int32",
    "int64",
    "uint8",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "vec8",
    "usize",
    "varchar2",
    "nvarchar2",
];

/// Parts that a value has which stands for one.
const STAND_IN_PARTS: &[&str] = &[
    "example",
    "placeholder",
    "your_",
    "your-",
    "your ",
    "yourt",
    "yourp",
    "yours",
    "yourk",
    "youra",
    "changeme",
    "change_me",
    "change-me",
    "redacted",
    "dummy",
    "xxxx",
    "insert_",
    "insert-",
    "replace_",
    "replace-",
    "replaceme",
    "sample",
    "fake",
    "mock",
    "not-a-real",
    "not_a_real",
    "notreal",
    "_here",
    "-here",
    "****",
    "...",
    "\u{2026}",
    "\u{2022}\u{2022}",
    "<your",
    "<secret",
    "<token",
    "<pass",
    "my_token",
    "my-token",
    "mytoken",
    "mypassword",
    "my_password",
    "my-password",
    "mysecret",
    "my_secret",
    "my-secret",
    "test-token",
    "test_token",
    "test-secret",
    "test_secret",
    "test-key",
    "test_key",
    "redacted:",
];

/// Whether it only stands for a value: `<token>`, `xxxx`, `changeme`, `****`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let Some((first, rest)) = value.split_first() else { return true };
    if rest.iter().all(|byte| byte == first) {
        return true;
    }
    let closes = |open: u8, close: u8| *first == open && rest.ends_with(&[close]);
    if closes(b'<', b'>') || closes(b'[', b']') || closes(b'(', b')') {
        return true;
    }
    if closes(b'{', b'}') && !is_random(value, 24) {
        return true;
    }
    if value.starts_with(b"__") && value.ends_with(b"__") {
        return true;
    }
    // Numbers of versions and objects.
    if value.iter().filter(|byte| **byte == b'.').count() >= 2
        && value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
    {
        return true;
    }
    let plain = |byte: &u8| matches!(byte, b'*' | b'x' | b'X' | b'.' | b'-' | b'_' | b'#' | b'?');
    if value.iter().all(plain) {
        return true;
    }
    STAND_INS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
        || contains_any(value, STAND_IN_PARTS)
}

/// Where a value comes from instead of the value.
const SOURCES: &[&str] = &[
    "process.env",
    "os.environ",
    "os.getenv",
    "import.meta",
    "env.",
    "env::",
    "env(",
    "env[",
    "getenv",
    "std::env",
    "system.getenv",
    "config.",
    "secrets.",
    "settings.",
    "options.",
    "self.",
    "this.",
    "vault:",
    "op://",
    "sm://",
    "ssm://",
    "arn:",
    "secretref:",
    "keyvault:",
    "ref+",
    "file:",
    "http:",
    "https:",
    "@microsoft.keyvault",
    "projects/",
    "var.",
    "local.",
    "data.",
    "module.",
    "args.",
    "params.",
    "props.",
    "ctx.",
    "req.",
    "request.",
    "!vault",
    "!ref",
    "!sub",
    "!secret",
    "enc[",
    "sops:",
    "sha256:",
    "sha256-",
    "sha384-",
    "sha512-",
    "sha1-",
    "h1:",
    "data:",
    "ssh-rsa",
    "ssh-ed25519",
    "ecdsa-sha2",
    "age1",
    "$argon2",
    "keyctl:",
    "qr/",
    "pass:",
    "env:",
];

/// Whether it says where the value is: `${TOKEN}`, `{{ secrets.X }}`, `process.env.X`, a path.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let names = |rest: &[u8]| {
        let ident = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
        rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
            && rest.iter().all(ident)
    };
    match value {
        [b'$', b'{' | b'(' | b'<', ..] | [b'#' | b'%' | b'@', b'{', ..] | [b'{', b'{', ..] => true,
        [b'$', rest @ ..] if names(rest) && !is_random(rest, 12) => true,
        // `$ENV{PW}`, `$config['pw']`, `$this->pw`.
        [b'$', rest @ ..] if is_part_of_variable(rest) => true,
        // What is left of `{self.password}`.
        [b'{', rest @ ..] if rest.split(|byte| *byte == b'.').all(names) => true,
        [b'%', rest @ .., b'%'] if names(rest) => true,
        [b'@', rest @ .., b'@'] if names(rest) => true,
        [b'/' | b'~', rest @ ..] | [b'.', b'/', rest @ ..] | [b'.', b'.', b'/', rest @ ..] => {
            is_path(rest)
        }
        [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic() => true,
        _ => {
            SOURCES.iter().any(|source| starts_with(value, source))
                || has_slot(value)
                || value.windows(3).any(|part| part == b"://")
        }
    }
}

/// A name, and behind it what takes a part of it.
fn is_part_of_variable(rest: &[u8]) -> bool {
    let name =
        rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    name > 0
        && !is_random(&rest[..name], 8)
        && matches!(rest[name..], [b'{' | b'[', ..] | [b'-', b'>', ..] | [b':', b':', ..])
}

/// `{name}` or `%s` somewhere: a template.
fn has_slot(value: &[u8]) -> bool {
    let slot = |rest: &[u8]| match rest {
        [b'{', b'}', ..] | [b'{', b'{', ..] | [b'$', b'{' | b'(', ..] => true,
        [b'%', b's' | b'd' | b'v' | b'q', after @ ..] => {
            after.first().is_none_or(|byte| !byte.is_ascii_alphanumeric())
        }
        [b'{', rest @ ..] => {
            let name = rest
                .iter()
                .take_while(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'?')
                })
                .count();
            name > 0 && rest.get(name) == Some(&b'}') && rest[0].is_ascii_alphabetic()
        }
        _ => false,
    };
    let joined = |at: usize| at > 0 && value[at] == b'%' && value[at - 1].is_ascii_alphanumeric();
    (0..value.len()).any(|at| slot(&value[at..]) && !joined(at))
}

fn is_path(rest: &[u8]) -> bool {
    let plain = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'$' | b'{' | b'}' | b'~' | b'*')
    };
    rest.iter().all(plain) && !is_random(rest, 12)
}

/// Whether it is code when it stands without quotes: a name, a call, a type, a literal.
pub(super) fn is_code(value: &[u8]) -> bool {
    if value.iter().any(|byte| matches!(byte, b'(' | b'[' | b'{' | b'<' | b'|'))
        && begins_a_name(value)
        || value
            .windows(2)
            .position(|pair| pair == b"::")
            .is_some_and(|at| at < 24 || !is_random(&value[..at], 24))
        || value.windows(2).any(|pair| pair == b"->" || pair == b"=>")
        || matches!(
            value.first(),
            Some(b'&' | b'*' | b'!' | b'(' | b'[' | b'{' | b'<' | b'|' | b'\\')
        )
    {
        return !is_scrambled(value);
    }
    if is_literal(value) {
        return true;
    }
    // `config.secret`, `self.password`, `user.token.value`.
    value.contains(&b'.')
        && value.split(|byte| *byte == b'.').all(|part| {
            part.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
                && part
                    .iter()
                    .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'?')
        })
        && !is_random(value, 12)
}

/// Whether it has all kinds of characters, and none of its parts that are longer is a word: names of code are words.
fn is_scrambled(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| !byte.is_ascii_alphanumeric()).filter(|part| part.len() > 2);
    let mut some = false;
    value.len() >= 8
        && kinds_of_characters(value) == 4
        && parts.all(|part| {
            some = true;
            !has_word(part)
        })
        && some
}

/// Whether it is a word of code, also with digits and more words: `Plain2Text`, `buf`.
pub(super) fn has_word(part: &[u8]) -> bool {
    let short = part.len() <= 4 && part.iter().all(u8::is_ascii_alphabetic);
    let mut runs = part.split(|byte| !byte.is_ascii_lowercase());
    short
        || is_word_like(part)
        || runs.any(|run| run.len() >= 4 && contains_any(run, &["a", "e", "i", "o", "u"]))
}

/// `0x1f`, `12u32`, `-3_i64`.
fn is_literal(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"-").unwrap_or(value);
    if let Some(hex) = value.strip_prefix(b"0x") {
        return hex.len() <= 20
            && hex
                .iter()
                .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'_' | b'u' | b'i'));
    }
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    let suffix = &value[digits..];
    digits > 0
        && matches!(
            suffix,
            b"u8"
                | b"u16"
                | b"u32"
                | b"u64"
                | b"u128"
                | b"usize"
                | b"i8"
                | b"i16"
                | b"i32"
                | b"i64"
                | b"isize"
                | b"f32"
                | b"f64"
                | b"L"
                | b"UL"
                | b"ul"
        )
}

fn begins_a_name(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'!'))
        .count();
    name > 0
        && !value[0].is_ascii_digit()
        && matches!(value.get(name), Some(b'(' | b'[' | b'{' | b'<' | b'|'))
}

/// Letters and digits that begin with a letter, as names of variables do.
pub(super) fn is_name(value: &[u8]) -> bool {
    value.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && value
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'?' | b'!'))
}
