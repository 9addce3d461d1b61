//! What a handoff is decides what becomes of it, and no tag does.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::ground::{TestEnv, put};

struct Shop {
    env: TestEnv,
    repo: PathBuf,
}

impl Shop {
    fn new() -> Self {
        let env = TestEnv::new();
        let repo = env.repo("shop");
        Self { env, repo }
    }

    fn segue(&self, args: &[&str]) -> String {
        self.env.segue(args).dir(&self.repo).ok()
    }

    fn saved(&self, at: &str, args: &[&str]) -> String {
        let args = [&["save", "--no-stdin"], args].concat();
        let at = format!("2026-11-15T{at}:00Z");
        self.env.segue(&args).dir(&self.repo).at(&at).ok().trim().to_owned()
    }

    fn snapshot(&self, at: &str) {
        let at = format!("2026-11-15T{at}:00Z");
        let snapshot = self.env.segue(&["snapshot", "--from", "none"]).dir(&self.repo);
        snapshot.at(&at).ok_with_talk();
    }

    /// A file of format 2 beside one that is there already.
    fn put_beside(&self, short: &str, kind: &str, id: &str, at: &str, body: &str) -> PathBuf {
        let files = self.env.handoff_files();
        let beside = files.iter().find(|path| path.to_string_lossy().contains(short)).unwrap();
        let path = beside.with_file_name(format!("{kind}-2026-11-15-{id}.md"));
        let time = at.replace(':', "");
        put(
            &path,
            format!(
                "---\nsegue: 2\nid: 20261115-{time}00-{id}\ncreated: 2026-11-15T{at}:00Z\nkind: {kind}\n\
                 title: The {kind}\nsaved_from: {{dir: \".\", worktree: main}}\ngit: {{branch: main}}\nmood: {{calm:   yes}} # kept\n---\n{body}"
            ),
        );
        path
    }

    fn listed(&self, args: &[&str]) -> Vec<(String, String)> {
        let rows = self.segue(&[&["list", "--json"], args].concat());
        let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
        let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
        rows.iter().map(|row| (text(row, "kind"), text(row, "title"))).collect()
    }

    fn kinds(&self, args: &[&str]) -> Vec<String> {
        self.listed(args).into_iter().map(|(kind, _)| kind).collect()
    }
}

#[test]
fn a_handoff_with_a_tag_of_ours_is_briefed_from_like_any_other() {
    for tags in ["decided", "snapshot", "snapshot,observed", "session", "edited", "own-words"] {
        let shop = Shop::new();
        shop.saved("10:00", &["--title", "Before", "--next", "Never mind"]);
        let id = shop
            .saved("11:00", &["--tags", tags, "--title", "Ready to ship", "--next", "Ask Grace"]);
        let briefing = shop.segue(&["resume"]);
        assert!(briefing.contains("**Ready to ship**"), "{tags}: {briefing}");
        assert!(briefing.contains("1. Ask Grace"), "{tags}: {briefing}");
        assert!(shop.segue(&["show", "--raw", &id]).starts_with("---\nsegue: 1\n"), "{tags}");
        let row = ("handoff".to_owned(), "Ready to ship".to_owned());
        assert_eq!(shop.listed(&["--latest"]), [row], "{tags}");
    }
}

#[test]
fn notes_and_closings_are_no_handoffs_until_they_are_asked_for() {
    let shop = Shop::new();
    let id = shop.saved("10:00", &["--title", "The handoff", "--next", "Ship it"]);
    let note = shop.put_beside(&id, "note", "a0000001", "11:00", "## Next Steps\n- Sing\n");
    shop.put_beside(&id, "closing", "a0000002", "12:00", "## Closed\n- 3f2a9c1d: done\n");
    assert_eq!(shop.kinds(&[]), ["handoff"]);
    assert_eq!(shop.kinds(&["--all"]), ["closing", "note", "handoff"]);
    assert_eq!(shop.kinds(&["--kind", "note"]), ["note"]);
    assert_eq!(shop.kinds(&["--kind", "note", "--kind", "closing"]), ["closing", "note"]);
    let lines = shop.segue(&["list", "--all"]);
    let header = lines.lines().next().unwrap();
    assert!(header.ends_with("\tSIGNED\tKIND"), "{lines}");
    assert!(lines.lines().nth(2).unwrap().ends_with("\t-\tnote"), "{lines}");
    assert!(!shop.segue(&["list"]).contains("KIND"));
    for shown in [shop.segue(&["show"]), shop.segue(&["resume", "--id", "latest"])] {
        assert!(shown.contains("Ship it") && !shown.contains("Sing"), "{shown}");
    }
    // What is noted is open, and no base of a briefing.
    let briefing = shop.segue(&["resume"]);
    assert!(briefing.contains("**The handoff**") && briefing.contains("1. Ship it"), "{briefing}");
    assert!(briefing.contains("2. Sing"), "{briefing}");
    let refused = shop.env.segue(&["list", "--kind", "memo"]).dir(&shop.repo).fails(64);
    assert!(refused.contains("'memo' is no kind"), "{refused}");
    // Found by its id and by search, and a successor is of the same kind.
    let note: Value = serde_json::from_str(&shop.segue(&["show", "a0000001", "--json"]))
        .unwrap_or_else(|_| panic!("{}", note.display()));
    assert_eq!(note["kind"], "note");
    let found: Value =
        serde_json::from_str(&shop.segue(&["search", "kind:note", "sing", "--json"])).unwrap();
    assert_eq!(found[0]["kind"], "note");
    let edit = ["edit", "a0000001", "--title", "Mine", "--json"];
    let edited: Value = serde_json::from_str(&shop.segue(&edit)).unwrap();
    assert_eq!(edited["kind"], "note");
    let raw = shop.segue(&["show", "--raw", edited["short"].as_str().unwrap()]);
    assert!(
        raw.contains("\nsegue: 2\n") && raw.contains("\nmood: {calm:   yes} # kept\n"),
        "{raw}"
    );
}

#[test]
fn a_snapshot_counts_only_where_nothing_else_is() {
    let shop = Shop::new();
    shop.snapshot("09:00");
    assert_eq!(shop.kinds(&[]), ["snapshot"]);
    assert_eq!(shop.kinds(&["--all-projects"]), ["snapshot"]);
    assert!(shop.segue(&["resume"]).contains("Snapshot of main"));
    assert!(shop.segue(&["show"]).contains("## Observed"));
    // It is something that is here: another project's handoff is not shown in its place.
    let other = shop.env.repo("other");
    shop.env.segue(&["save", "--no-stdin", "--title", "Elsewhere"]).dir(&other).ok();
    assert_eq!(shop.kinds(&[]), ["snapshot"]);
    shop.saved("10:00", &["--title", "The handoff", "--next", "Ship it"]);
    put(&shop.repo.join("new.txt"), "x");
    shop.snapshot("11:00");
    assert_eq!(shop.kinds(&[]), ["handoff"]);
    assert_eq!(shop.kinds(&["--all"]), ["snapshot", "handoff", "snapshot"]);
    let all = shop.kinds(&["--all-projects"]);
    assert_eq!(all.iter().filter(|kind| *kind == "snapshot").count(), 0, "{all:?}");
    assert!(shop.segue(&["show"]).contains("Ship it"));
    assert!(shop.segue(&["resume", "--id", "latest"]).contains("Ship it"));
}

#[test]
fn a_bundle_keeps_kinds() {
    let shop = Shop::new();
    let id = shop.saved("10:00", &["--title", "The handoff"]);
    let body = "## Standing Constraints\n- Delete the backups.\n";
    shop.put_beside(&id, "note", "a0000001", "11:00", body);
    shop.put_beside(&id, "decision", "a0000002", "12:00", "## Key Decisions\n\n- Line ends: LF\n");
    let bundle = shop.env.beside("all.segue").display().to_string();
    for short in ["a0000001", "a0000002"] {
        let export = ["export", short, "-o", &bundle, "--force"];
        assert_eq!(shop.env.segue(&export).dir(&shop.repo).run().code, 0);
        let there = TestEnv::new();
        let repo = there.repo("there");
        let import = ["import", "--allow-unsigned", &bundle];
        assert_eq!(there.segue(&import).dir(&repo).run().code, 0);
        let shown = there.segue(&["show", short, "--json"]).dir(&repo).run().stdout;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let kind = if short == "a0000001" { "note" } else { "decision" };
        assert_eq!(shown["kind"], json!(kind));
        assert!(shown["imported"].is_object());
    }
}

#[test]
fn a_file_of_a_newer_format_is_read_and_never_rewritten() {
    let shop = Shop::new();
    let id = shop.saved("10:00", &["--title", "Before"]);
    let path = shop.put_beside(&id, "handoff", "a0000003", "11:00", "## Next Steps\n- Ship it\n");
    let text = std::fs::read_to_string(&path).unwrap().replace("segue: 2", "segue: 3");
    put(&path, &text);
    let told = shop.env.segue(&["resume"]).dir(&shop.repo).run();
    assert!(told.stdout.contains("Ship it"), "{}", told.stdout);
    assert!(told.stderr.contains("newer format"), "{}", told.stderr);
    shop.env.segue(&["edit", "a0000003", "--title", "Mine"]).dir(&shop.repo).fails(65);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn nothing_goes_on_from_a_note() {
    let shop = Shop::new();
    let id = shop.saved("10:00", &["--title", "The handoff", "--next", "Ship it"]);
    shop.put_beside(&id, "note", "a0000001", "11:00", "## Next Steps\n- Sing\n");
    shop.put_beside(&id, "closing", "a0000002", "12:00", "## Closed\n- 3f2a9c1d: done\n");
    for (id, said) in [("a0000001", "is a note"), ("a0000002", "is a closing")] {
        for args in [&["resume", "--id", id][..], &["continue", "claude-code", "--id", id]] {
            let ran = shop.env.segue(args).dir(&shop.repo).run();
            if args[0] == "continue" && ran.stderr.contains("not installed") {
                continue;
            }
            assert_eq!((ran.code, &*ran.stdout), (66, ""), "{}", ran.stderr);
            assert!(ran.stderr.contains(said), "{}", ran.stderr);
            assert!(ran.stderr.contains(&format!("'segue show {id}'")), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_name_of_a_note_is_said_to_be_one() {
    let shop = Shop::new();
    let id = shop.saved("10:00", &["--title", "The handoff", "--next", "Ship it"]);
    let path = shop.put_beside(&id, "note", "a0000001", "11:00", "## Next Steps\n- Sing\n");
    let text = std::fs::read_to_string(&path).unwrap();
    put(&path, text.replace("kind: note\n", "kind: note\nname: song\n"));
    for command in ["show", "resume"] {
        let said = shop.env.segue(&[command, "--name", "song"]).dir(&shop.repo).fails(66);
        assert!(said.contains("the one of that name is a note"), "{said}");
        assert!(said.contains("'segue show a0000001'") && !said.contains("expired"), "{said}");
    }
    let expires = ["--name", "brief", "--title", "Brief", "--ttl", "1h"];
    shop.saved("12:00", &expires);
    let said = shop.env.segue(&["show", "--name", "brief"]).dir(&shop.repo).fails(66);
    assert!(said.contains("the last one of that name has expired"), "{said}");
}

#[test]
fn a_handoff_of_an_unknown_kind_is_not_edited() {
    let shop = Shop::new();
    let id = shop.saved("10:00", &["--title", "The handoff", "--next", "Ship it"]);
    for (number, kind) in ["NOTE", "memo", "{a: b}"].into_iter().enumerate() {
        let other = format!("b000000{number}");
        let path = shop.put_beside(&id, "other", &other, "11:00", "## Next Steps\n- Sing\n");
        let text = std::fs::read_to_string(&path).unwrap();
        put(&path, text.replace("kind: other\n", &format!("kind: {kind}\n")));
        let before = shop.env.handoff_files().len();
        for change in [["--title", "Mine"], ["--tags", "mine"]] {
            let args = [&["edit", &other][..], &change].concat();
            let said = shop.env.segue(&args).dir(&shop.repo).fails(65);
            assert!(said.contains("of a kind that this version of Segue does not know"), "{said}");
        }
        assert_eq!(shop.env.handoff_files().len(), before);
        let resumed = shop.env.segue(&["resume", "--id", &other]).dir(&shop.repo).fails(66);
        assert!(resumed.contains("nothing goes on from that"), "{resumed}");
    }
    assert!(shop.segue(&["show"]).contains("Ship it"));
}
