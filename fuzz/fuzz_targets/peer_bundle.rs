//! A bundle of session-handoff that can be read is the same after it was written again, and a record
//! of any texts comes back as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::PeerRecord;
use segue_share::bundle::peer::{Looks, looks, read, write};
use segue_share::keys::SecretKey;

fuzz_target!(|source: &str| {
    if let Ok(bundle) = read(source) {
        assert_eq!(looks(source), Looks::Plain);
        assert_eq!(bundle.signer.is_some(), bundle.version == 3);
        if let Some(proof) = &bundle.proof {
            assert_eq!(read(proof).expect("proved before"), bundle);
        }
        round_trip(&bundle.record, None);
    }
    let mut texts = source.split('\0').map(str::to_owned);
    let mut text = || texts.next().unwrap_or_default();
    let record = PeerRecord {
        id: "20261115-183649".to_owned(),
        created_at: "2026-11-15T18:36:49Z".to_owned(),
        tool: text(),
        project: text(),
        title: text(),
        summary: text(),
        next: Some(texts.collect()).filter(|next: &Vec<_>| !next.is_empty()),
        changed: vec![source.to_owned()],
    };
    if record.check().is_ok() {
        round_trip(&record, Some(source));
    }
});

fn round_trip(record: &PeerRecord, name: Option<&str>) {
    let key = SecretKey::from_seed(&[7; 32]);
    for key in [None, Some(&key)] {
        let written = write(record, key, name);
        assert_eq!(looks(&written), Looks::Plain);
        let read = read(&written).expect("ours");
        assert_eq!(&read.record, record);
        assert_eq!(read.signer.map(|signer| signer.key), key.map(SecretKey::public));
        assert_eq!(write(&read.record, key, name), written);
    }
}
