//! Any text is a key or refused; a key that was read is written and read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_share::keys::{Fingerprint, PublicKey, SecretKey};

fuzz_target!(|text: &str| {
    let framed = |label: &str| format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n");
    for text in [text.to_owned(), framed("PRIVATE KEY"), framed("PUBLIC KEY")] {
        if let Ok(key) = SecretKey::from_pem(&text) {
            assert_eq!(SecretKey::from_pem(&key.to_pem()).expect("ours").public(), key.public());
        }
        if let Ok(key) = PublicKey::from_pem(&text) {
            assert_eq!(PublicKey::from_pem(&key.to_pem()).expect("ours"), key);
        }
    }
    if let Ok(key) = PublicKey::from_base64(text) {
        assert_eq!(key.to_base64(), text);
        assert!(key.verify(b"message", text.as_bytes()).is_err());
    }
    if let Ok(print) = text.parse::<Fingerprint>() {
        assert_eq!(print.to_string(), text.to_ascii_lowercase());
    }
});
