//! An encrypted bundle of session-handoff of any shape is refused before any work is done for it, or
//! after it: never with a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_share::bundle::peer::{decrypt, looks};

fuzz_target!(|text: &str| {
    let _ = looks(text);
    // Without a passphrase everything is looked at but nothing computed.
    assert!(decrypt(text, " ").is_err());
    if text.len() < 40 {
        let field = |salt: &str, nonce: &str, ciphertext: &str| {
            format!(
                "{{\"version\":1,\"algorithm\":\"aes-256-gcm\",\"kdf\":\"scrypt(N=32768,r=8,p=1)\",\"salt\":{salt:?},\"nonce\":{nonce:?},\"ciphertext\":{ciphertext:?}}}"
            )
        };
        assert!(decrypt(&field(text, "AAAA", "AAAA"), "x").is_err());
        assert!(decrypt(&field("AAAA", text, text), "x").is_err());
    }
});
