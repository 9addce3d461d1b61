//! Any bytes are a bundle or refused; what is put into a bundle comes out of it, or is refused as a
//! handoff that cannot come in one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_share::bundle::{BundleError, BundleReader, BundleWriter, Statement};
use segue_share::keys::SecretKey;

const HEAD: &str =
    "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\n---\n";

fuzz_target!(|bytes: &[u8]| {
    let _ = read(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let key = SecretKey::from_seed(&[7; 32]);
    for (payloads, key) in [
        (vec![text.to_owned()], None),
        (vec![format!("{HEAD}{text}"), HEAD.to_owned()], None),
        (vec![HEAD.to_owned(), format!("{HEAD}{text}")], Some(&key)),
    ] {
        match read(&written(&payloads, key)) {
            Ok((sources, statement)) => {
                assert_eq!(sources, payloads);
                assert_eq!(statement.is_some(), key.is_some());
                if let Some(statement) = statement {
                    assert_eq!(Statement::check(&statement.proof).expect("proved"), statement);
                }
            }
            Err(BundleError::Handoff { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
});

fn read(bytes: &[u8]) -> Result<(Vec<String>, Option<Statement>), BundleError> {
    let mut reader = BundleReader::new(bytes)?;
    let mut sources = Vec::new();
    while let Some(handoff) = reader.next_handoff()? {
        sources.push(handoff.source().to_owned());
    }
    Ok((sources, reader.finish()?))
}

fn written(payloads: &[String], key: Option<&SecretKey>) -> Vec<u8> {
    let created = "2026-11-15T17:45:00Z".parse().expect("a time");
    let mut writer =
        BundleWriter::new(Vec::new(), created, payloads.len(), key, Some("ana")).expect("a header");
    for payload in payloads {
        writer.add(payload).expect("announced");
    }
    writer.finish().expect("all of them")
}
