//! Keys and tokens of open formats, and hashes of passwords.

use crate::redact::alphabet::Alphabet::{
    Base62, Base64, Base64Url, Capitals, Dotted, Hashed, Small, Wide,
};
use crate::redact::shape::{Check, Shape, row};

use super::is_mixed;

pub(super) const SHAPES: &[Shape] = &[
    row("age secret key", &["AGE-SECRET-KEY-1"], Capitals, 58, 58),
    row("age secret key", &["AGE-SECRET-KEY-PQ-1"], Capitals, 58, 4000),
    row("nostr key", &["nsec1"], Small, 58, 58),
    row("extended private key", &["xprv", "yprv", "zprv", "tprv", "vprv"], Base62, 105, 109),
    row("session", &["s%3A"], Wide, 60, 140).with(Check::Other(is_mixed)),
    row("django key", &["django-insecure-"], Wide, 20, 80).with(Check::Other(is_mixed)),
    row("jwt", &["eyJ"], Dotted, 30, 16_000).with(Check::Other(is_jwt)),
    row("password hash", &["$2a$", "$2b$", "$2y$"], Hashed, 56, 56),
    row("password hash", &["$apr1$"], Hashed, 24, 40),
    row("password hash", &["$argon2id$", "$argon2i$", "$argon2d$"], Hashed, 50, 400),
    row("password hash", &["$y$", "$gy$", "$7$"], Hashed, 60, 200),
    row("password hash", &["$5$", "$6$"], Hashed, 50, 140),
    row(
        "password hash",
        &[
            "$scrypt$",
            "$pbkdf2-sha256$",
            "$pbkdf2-sha512$",
            "pbkdf2_sha256$",
            "pbkdf2_sha1$",
            "argon2$argon2id$",
        ],
        Hashed,
        50,
        300,
    ),
    row("password hash", &["$1$"], Hashed, 24, 32).with(Check::Parts(b'$', &[0, 22])),
    row("minisign secret key", &["RWRTY0Iy"], Base64, 130, 210),
    row("private key", &["LS0tLS1CRUdJTi", "LS0tLSBCRUdJTi"], Base64, 40, 64_000)
        .with(Check::Other(is_private)),
];

/// What a first line in base64 says, at each of the three places that it may begin in.
const PRIVATE: [&[u8]; 3] = [b"UFJJVkFURSBLRV", b"BSSVZBVEUgS0VZ", b"QUklWQVRFIEtFW"];

/// The base64 of a block that holds a private key, and none of a certificate.
fn is_private(body: &[u8]) -> bool {
    let line = &body[..body.len().min(80)];
    PRIVATE.iter().any(|label| line.windows(label.len()).any(|part| part == *label))
}

/// A header and claims that begin as JSON objects do, and a signature unless it is unsigned.
fn is_jwt(body: &[u8]) -> bool {
    let parts: Vec<&[u8]> = body.split(|byte| *byte == b'.').collect();
    let url = |part: &&[u8]| part.iter().all(|byte| Base64Url.has(*byte) || *byte == b'=');
    match parts.as_slice() {
        // Five parts are an encrypted one, without readable claims.
        [_, _, iv, text, tag] => {
            parts.iter().all(url) && !iv.is_empty() && !text.is_empty() && !tag.is_empty()
        }
        // Unsigned: the dot at the end is not part of the run.
        [header, claims] => parts.iter().all(url) && header.len() >= 8 && claims.starts_with(b"ey"),
        [header, claims, signature] => {
            parts.iter().all(url)
                && header.len() >= 8
                && claims.starts_with(b"ey")
                && claims.len() >= 8
                && signature.len() >= 16
        }
        _ => false,
    }
}
