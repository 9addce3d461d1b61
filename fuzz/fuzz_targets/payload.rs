//! What an import adds to a handoff can be taken away again, byte for byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{Handoff, Imported, PeerRecord};

fuzz_target!(|source: &str| {
    let Ok(plain) = Handoff::parse(source) else {
        return;
    };
    let payload = plain.payload();
    let imported = Imported {
        signer: Some(source.chars().take(80).collect()),
        at: Some("2026-11-15T17:45:00Z".to_owned()),
        from: Some("segue bundle 1".to_owned()),
    };
    let Ok(here) = plain.imported_as(&imported) else {
        return;
    };
    assert_eq!(here.head.fields.imported, Some(imported));
    assert_eq!((here.body(), &here.head.id), (plain.body(), &plain.head.id));
    assert_eq!(here.payload(), payload);
    let former = here.replaced_as(&here.head.id.former(7)).expect("the same with another id");
    assert!(former.head.id.is_former());
    assert_eq!(former.body(), plain.body());
    // A record of it is one that the peer takes.
    let record = PeerRecord::of(&plain, "/srv/app");
    if let Ok(back) = record.to_handoff() {
        assert_eq!(PeerRecord::of(&back, "/elsewhere"), record);
    }
});
