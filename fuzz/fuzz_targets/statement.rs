//! A statement is proved or refused, and what is proved is proved again, by the key that it names.
#![no_main]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use libfuzzer_sys::fuzz_target;
use segue_share::bundle::Statement;
use segue_share::keys::SecretKey;

fuzz_target!(|text: &str| {
    check(text, None);
    let key = SecretKey::from_seed(&[7; 32]);
    let sign = |statement: &str| {
        let signature = STANDARD.encode(key.sign(statement.as_bytes()));
        format!("{statement}signature {signature}\n")
    };
    check(&sign(text), Some(&key));
    let header = format!(
        "{{\"purpose\":\"handoffs\",\"created\":\"2026-11-15T17:45:00Z\",\"count\":1,\"algorithm\":\"ed25519\",\"signer\":{{\"key\":\"{}\"}}}}",
        key.public().to_base64()
    );
    check(&sign(&format!("segue-bundle 1 statement\n{header}\n{text}")), Some(&key));
});

fn check(proof: &str, by: Option<&SecretKey>) {
    let Ok(read) = Statement::check(proof) else {
        return;
    };
    assert_eq!(read.proof, proof);
    assert!(!read.covers.is_empty());
    assert!(by.is_none_or(|key| key.public() == read.signer.key));
    for digest in &read.covers {
        assert!(proof.contains(&format!("\n{digest}\n")));
    }
    assert_eq!(Statement::check(proof).expect("proved before"), read);
}
