//! A project's file is written back as it was, and takes a new key beside what is there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use segue_core::{Key, KeyKind};
use segue_store::ProjectFile;

fuzz_target!(|source: &str| {
    let Ok(mut file) = ProjectFile::parse(source) else {
        return;
    };
    let read = ProjectFile::parse(&file.render()).expect("ours");
    assert_eq!(
        (&read.label, &read.keys, &read.also),
        (&file.label, &file.keys, &file.also)
    );
    file.add_keys(&[Key::new(KeyKind::Path, "/new")]);
    let read = ProjectFile::parse(&file.render()).expect("ours");
    assert_eq!(
        (&read.label, &read.keys, &read.also),
        (&file.label, &file.keys, &file.also)
    );
    file.remove_keys(&[Key::new(KeyKind::Path, "/new")]);
    ProjectFile::parse(&file.render()).expect("ours");
});
