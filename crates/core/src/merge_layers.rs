//! What becomes of a memory's file that two machines changed: one rule for each layer.
//!
//! No text that somebody wrote gets lost: what cannot be one file becomes two, or is left for a
//! person to decide. Layer 2 alone is replaced, because it is made from layer 1.

use sha2::{Digest, Sha256};

use crate::{Archive, ArchivedEntry, HandoffId, current_state_id};

/// What a file becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// It is no more.
    Gone,
    /// It has this text.
    File(Vec<u8>),
    /// Two texts had the same name: the second lies beside it under a name of its own.
    Both { file: Vec<u8>, beside: String, second: Vec<u8> },
    /// Only a person can tell.
    Conflict,
}

/// Merges one file of a memory, named by its path in there.
///
/// `base` is what both sides had before; without it (two memories that began apart) nothing counts
/// as deleted.
pub fn merge_layer_file(
    path_in_memory: &str,
    base: Option<&[u8]>,
    ours: Option<&[u8]>,
    theirs: Option<&[u8]>,
) -> Merged {
    let one = |side: Option<&[u8]>| match side {
        Some(text) => Merged::File(text.to_vec()),
        None => Merged::Gone,
    };
    if ours == theirs || theirs == base {
        return one(ours);
    }
    if ours == base {
        return one(theirs);
    }
    if is_archive(path_in_memory) {
        return merge_archives(path_in_memory, base, ours, theirs);
    }
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => match path_in_memory.split('/').next() {
            Some("layer1") => both(path_in_memory, ours, theirs),
            Some("layer2") => Merged::File(newer(ours, theirs).to_vec()),
            _ => Merged::Conflict,
        },
        // Deleted here, changed there: the text that somebody still worked on stays.
        (side, None) | (None, side) => one(side),
    }
}

fn is_archive(path: &str) -> bool {
    path.starts_with("layer3/") && path.ends_with(".md")
}

/// Two texts of one name. Which of them keeps it does not depend on who merges.
fn both(path: &str, ours: &[u8], theirs: &[u8]) -> Merged {
    let (file, second) = if ours <= theirs { (ours, theirs) } else { (theirs, ours) };
    let digest = Sha256::digest(second);
    let hex: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let beside = match path.strip_suffix(".md") {
        Some(stem) => format!("{stem}-{hex}.md"),
        None => format!("{path}-{hex}"),
    };
    Merged::Both { file: file.to_vec(), beside, second: second.to_vec() }
}

/// The later of two current states; ours if neither says when it was.
fn newer<'a>(ours: &'a [u8], theirs: &'a [u8]) -> &'a [u8] {
    if written(theirs) > written(ours) { theirs } else { ours }
}

/// When a current state was written: its day, then its handoff.
fn written(text: &[u8]) -> Option<(String, Option<HandoffId>)> {
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    let line = std::str::from_utf8(&text[..end]).ok()?.trim_end();
    if let Some(id) = current_state_id(line) {
        return Some((id.as_str()[..8].to_owned(), Some(id)));
    }
    let day = line.strip_prefix("<!-- agent-handover | layer2 | ")?.strip_suffix(" -->")?;
    let shaped = day.len() == 10
        && day.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    shaped.then(|| (day.replace('-', ""), None))
}

fn merge_archives(
    path: &str,
    base: Option<&[u8]>,
    ours: Option<&[u8]>,
    theirs: Option<&[u8]>,
) -> Merged {
    let read = |side: Option<&[u8]>| match side {
        None => Some(Archive::default()),
        Some(bytes) => {
            let archive = Archive::parse(std::str::from_utf8(bytes).ok()?).ok()?;
            // Text without a single mark is a peer's archive, whose parts we cannot tell apart.
            let peers = archive.entries.is_empty() && !Archive::foreign(&archive.head).is_empty();
            (!peers).then_some(archive)
        }
    };
    let (Some(base), Some(ours), Some(theirs)) = (read(base), read(ours), read(theirs)) else {
        return Merged::Conflict;
    };
    let merged = union(&base, &ours, &theirs);
    if merged.entries.is_empty() && merged.is_bare() {
        return Merged::Gone;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix("-archive.md").or(name.strip_suffix(".md")).unwrap_or(name);
    let (month, tag) = match (name.get(..7), name.get(8..)) {
        (Some(month), Some(tag)) => (month, tag),
        _ => (name, "handoffs"),
    };
    Merged::File(merged.render(month, tag).into_bytes())
}

/// All handoffs of both; without those that one side took out and the other left as they were.
fn union(base: &Archive, ours: &Archive, theirs: &Archive) -> Archive {
    let has = |archive: &Archive, entry: &ArchivedEntry| {
        archive.entries.iter().any(|known| known.id == entry.id && known.source == entry.source)
    };
    let mut merged = ours.clone();
    merged.head = join(&base.head, &ours.head, &theirs.head);
    // Their place in the file no longer means anything.
    merged.entries.iter_mut().for_each(|entry| entry.offset = 0);
    let taken_out: Vec<ArchivedEntry> = (merged.entries.iter())
        .filter(|entry| has(base, entry) && !has(theirs, entry))
        .cloned()
        .collect();
    for entry in &theirs.entries {
        let known =
            merged.entries.iter_mut().find(|e| e.id == entry.id && e.source == entry.source);
        if let Some(known) = known {
            let before = base.get(&entry.id).map_or("", |before| before.gap.as_str());
            known.gap = join(before, &known.gap, &entry.gap);
        } else if has(base, entry) {
            // Taken out here; what stands behind it is still somebody's text.
            merged.head = join(&base.head, &merged.head, entry.gap.trim_start_matches('\n'));
        } else {
            let at = merged.entries.iter().position(|known| known.id > entry.id);
            let added = ArchivedEntry { offset: 0, ..entry.clone() };
            merged.entries.insert(at.unwrap_or(merged.entries.len()), added);
        }
    }
    for entry in taken_out {
        take_out(&mut merged, &entry);
    }
    merged
}

/// As `Archive::remove`, of exactly this text: two sides can hold different ones under one id.
fn take_out(archive: &mut Archive, entry: &ArchivedEntry) {
    let at = archive
        .entries
        .iter()
        .position(|known| known.id == entry.id && known.source == entry.source);
    if let Some(at) = at {
        let gap = archive.entries.remove(at).gap;
        let before = match at.checked_sub(1) {
            Some(before) => &mut archive.entries[before].gap,
            None => &mut archive.head,
        };
        before.push_str(gap.strip_prefix('\n').unwrap_or(&gap));
    }
}

/// Free text of both sides: ours, then the lines that only they have.
fn join(base: &str, ours: &str, theirs: &str) -> String {
    if ours == theirs || theirs == base {
        return ours.to_owned();
    }
    let mut out = ours.to_owned();
    for line in theirs.lines().filter(|line| !line.trim().is_empty()) {
        let known = |text: &str| text.lines().any(|known| known == line);
        if !known(ours) && !known(base) && !Archive::foreign(line).is_empty() {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOTE: &str = "layer1/2026-11/api-2026-11-15-a3f9c12e.md";
    const STATE: &str = "layer2/current-state.md";
    const ARCHIVE: &str = "layer3/2026-11-api-archive.md";

    fn file(text: &str) -> Merged {
        Merged::File(text.as_bytes().to_vec())
    }

    fn merge(path: &str, base: Option<&str>, ours: Option<&str>, theirs: Option<&str>) -> Merged {
        merge_layer_file(
            path,
            base.map(str::as_bytes),
            ours.map(str::as_bytes),
            theirs.map(str::as_bytes),
        )
    }

    fn archive(entries: &[(u32, &str)]) -> String {
        let mut archive = Archive::default();
        for (n, source) in entries {
            archive.add(entry(*n, source));
        }
        archive.render("2026-11", "api")
    }

    fn entry(n: u32, source: &str) -> ArchivedEntry {
        ArchivedEntry {
            id: format!("20261115-174500-a000{n:04x}").parse().unwrap(),
            file: format!("api-2026-11-15-a000{n:04x}.md"),
            source: source.to_owned(),
            offset: 0,
            gap: String::new(),
        }
    }

    /// Id and text of all handoffs in a merged archive.
    fn held(merged: &Merged) -> Vec<(String, String)> {
        let Merged::File(text) = merged else { return Vec::new() };
        let archive = Archive::parse(std::str::from_utf8(text).unwrap()).unwrap();
        let mut held: Vec<_> =
            archive.entries.iter().map(|e| (e.id.to_string(), e.source.clone())).collect();
        held.sort();
        held
    }

    #[test]
    fn a_note_of_either_side_stays_and_a_compacted_one_goes() {
        assert_eq!(merge(NOTE, None, Some("a"), None), file("a"));
        assert_eq!(merge(NOTE, None, None, Some("a")), file("a"));
        assert_eq!(merge(NOTE, Some("a"), None, Some("a")), Merged::Gone);
        assert_eq!(merge(NOTE, Some("a"), Some("a"), None), Merged::Gone);
        assert_eq!(merge(NOTE, Some("a"), None, Some("b")), file("b"), "a text that was edited");
    }

    #[test]
    fn two_notes_of_one_name_are_both_kept_and_the_same_way_on_both_machines() {
        let here = merge(NOTE, None, Some("one"), Some("two"));
        assert_eq!(here, merge(NOTE, None, Some("two"), Some("one")));
        let Merged::Both { file, beside, second } = here else { panic!("{here:?}") };
        assert_eq!((file.as_slice(), second.as_slice()), (&b"one"[..], &b"two"[..]));
        assert_eq!(beside, "layer1/2026-11/api-2026-11-15-a3f9c12e-3fc4ccfe.md");
    }

    #[test]
    fn the_newest_state_wins() {
        let state = |time: &str| {
            format!("<!-- segue | layer2 | 2026-11-15 | 20261115-{time}-a3f9c12e -->\n# {time}\n")
        };
        let (old, new) = (state("090000"), state("174500"));
        for (ours, theirs) in [(&old, &new), (&new, &old)] {
            assert_eq!(merge(STATE, Some("x"), Some(ours), Some(theirs)), file(&new));
        }
        let peer = "<!-- agent-handover | layer2 | 2026-11-16 -->\nlater\n";
        assert_eq!(merge(STATE, None, Some(&new), Some(peer)), file(peer));
        let peer = "<!-- agent-handover | layer2 | 2026-11-14 -->\nearlier\n";
        assert_eq!(merge(STATE, None, Some(peer), Some(&new)), file(&new));
        let marked = "<!-- agent-handover | layer2 | soon -->\n";
        assert_eq!(merge(STATE, None, Some("ours"), Some(marked)), file("ours"));
    }

    #[test]
    fn archives_are_united_and_what_was_forgotten_stays_forgotten() {
        let base = archive(&[(1, "one"), (2, "two")]);
        let ours = archive(&[(2, "two"), (3, "three")]);
        let theirs = archive(&[(1, "one"), (2, "two"), (4, "four")]);
        let merged = merge(ARCHIVE, Some(&base), Some(&ours), Some(&theirs));
        let texts: Vec<String> = held(&merged).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["two", "three", "four"]);
        let merged = merge(ARCHIVE, None, Some(&ours), Some(&theirs));
        assert_eq!(held(&merged).len(), 4, "nothing was deleted where nothing was common");
        let emptied = merge(ARCHIVE, Some(&base), None, Some(&archive(&[(1, "one")])));
        assert_eq!(emptied, Merged::Gone);
    }

    #[test]
    fn two_texts_of_one_id_are_both_kept() {
        let merged =
            merge(ARCHIVE, None, Some(&archive(&[(1, "one")])), Some(&archive(&[(1, "uno")])));
        assert_eq!(held(&merged).len(), 2);
    }

    #[test]
    fn what_somebody_wrote_between_handoffs_stays() {
        let base = archive(&[(1, "one"), (3, "three")]);
        let ours = base.replace("# Archive", "My note.\n# Archive") + "Our end.\n";
        let theirs = archive(&[(1, "one"), (2, "two"), (3, "three")]) + "Their end.\n";
        for (ours, theirs) in [(&ours, &theirs), (&theirs, &ours)] {
            let merged = merge(ARCHIVE, Some(&base), Some(ours), Some(theirs));
            assert_eq!(held(&merged).len(), 3);
            let Merged::File(text) = merged else { panic!() };
            let text = String::from_utf8(text).unwrap();
            for line in ["My note.\n", "Our end.\n", "Their end.\n"] {
                assert_eq!(text.matches(line).count(), 1, "{text}");
            }
        }
    }

    #[test]
    fn an_archive_of_a_peer_and_other_files_are_for_a_person() {
        let peer = "<!-- agent-handover | layer3 | 2026-11-15 -->\nold notes\n";
        let more = "<!-- agent-handover | layer3 | 2026-11-15 -->\nold notes\nmore\n";
        assert_eq!(merge(ARCHIVE, Some(peer), Some(peer), Some(more)), file(more));
        assert_eq!(merge(ARCHIVE, Some(peer), Some("x\n"), Some(more)), Merged::Conflict);
        assert_eq!(merge("project.toml", Some("a"), Some("b"), Some("c")), Merged::Conflict);
        assert_eq!(merge("project.toml", Some("a"), Some("a"), Some("c")), file("c"));
    }

    fn some_archive() -> impl Strategy<Value = Vec<(u32, &'static str)>> {
        prop::collection::vec((0u32..6, prop::sample::select(vec!["x", "y\n", "z"])), 0..5)
    }

    proptest! {
        #[test]
        fn no_handoff_of_an_archive_is_lost(
            base in some_archive(), ours in some_archive(), theirs in some_archive(),
        ) {
            let texts = [archive(&base), archive(&ours), archive(&theirs)];
            let [b, o, t] = texts.each_ref().map(|text| Some(text.as_str()));
            let here = merge(ARCHIVE, b, o, t);
            let there = merge(ARCHIVE, b, t, o);
            prop_assert_eq!(held(&here), held(&there));
            let sides = [b, o, t].map(|side| held(&file(side.unwrap())));
            let [base, ours, theirs] = &sides;
            for one in ours.iter().chain(theirs) {
                let kept = ours.contains(one) && theirs.contains(one) || !base.contains(one);
                prop_assert_eq!(held(&here).contains(one), kept, "{:?}", one);
            }
        }

        #[test]
        fn no_text_of_layer_1_is_lost(
            base in prop::option::of("[ab]"), ours in prop::option::of("[ab]"),
            theirs in prop::option::of("[ab]"),
        ) {
            let (b, o, t) = (base.as_deref(), ours.as_deref(), theirs.as_deref());
            let merged = merge(NOTE, b, o, t);
            prop_assert_eq!(&merged, &merge(NOTE, b, t, o));
            for side in [o, t].into_iter().flatten().filter(|side| Some(*side) != b) {
                let kept = match &merged {
                    Merged::File(text) => text == side.as_bytes(),
                    Merged::Both { file, second, .. } =>
                        file == side.as_bytes() || second == side.as_bytes(),
                    _ => false,
                };
                prop_assert!(kept, "{side} in {merged:?}");
            }
        }

        #[test]
        fn no_input_panics(
            path in prop_oneof![
                Just(ARCHIVE.to_owned()), Just(STATE.to_owned()), Just(NOTE.to_owned()),
                Just("layer3/é.md".to_owned()), any::<String>(),
            ],
            base: Option<Vec<u8>>, ours: Option<Vec<u8>>, theirs: Option<String>,
        ) {
            let theirs = theirs.map(|text| format!("<!-- segue | layer2 | {text} -->"));
            let theirs = theirs.as_ref().map(String::as_bytes);
            let _ = merge_layer_file(&path, base.as_deref(), ours.as_deref(), theirs);
        }
    }
}
