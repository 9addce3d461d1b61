//! Bundles between this program and others: a reader and writer in Python that was made from the page alone, and age.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::ground::{Ran, Segue, TestEnv, put};
use crate::mount::works;

const SECRET: &str = "pässwörd ☃ of two";

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/segue_bundle.py")
}

/// A Python that has the package `cryptography`; `None`, said in a line, where there is none.
fn python() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let named = std::env::var_os("SEGUE_TEST_PYTHON").map(PathBuf::from);
        [named, Some(PathBuf::from("python3"))]
            .into_iter()
            .flatten()
            .find(|python| works(Command::new(python).args(["-c", "import cryptography"])))
    });
    if found.is_none() {
        println!("skipped: there is no Python with the package cryptography");
    }
    found.as_deref()
}

/// A user with a key, handoffs of every kind, and the second program at hand.
struct Side {
    env: TestEnv,
    python: &'static Path,
}

impl Side {
    fn new() -> Option<Self> {
        let side = Self { python: python()?, env: TestEnv::new() };
        done(side.env.segue(&["keys", "new", "me"]).real_clock());
        Some(side)
    }

    /// With `odd()` in the project of the work directory, as somebody put them there.
    fn with_odd_handoffs() -> Option<Self> {
        let side = Self::new()?;
        done(side.env.segue(&["save", "--title", "First"]).at("2026-11-14T09:00:00Z"));
        let first = side.env.handoff_files().remove(0);
        for (id, text) in odd() {
            put(&first.with_file_name(format!("{id}.md")), text);
        }
        Some(side)
    }

    fn path(&self, name: &str) -> String {
        self.env.beside(name).display().to_string()
    }

    fn key(&self) -> String {
        self.about_the_key("file")
    }

    fn about_the_key(&self, what: &str) -> String {
        let shown = done(self.env.segue(&["keys", "show", "me", "--json"]));
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let root = self.env.work.parent().unwrap().display().to_string();
        shown[what].as_str().unwrap().replace("$ROOT", &root)
    }

    fn export(&self, to: &str, args: &[&str]) -> String {
        let path = self.path(to);
        let all: Vec<&str> = ["export", "-o", &path].iter().chain(args).copied().collect();
        done(self.env.segue(&all).env("PASS", SECRET));
        path
    }

    /// The second program, with the passphrase in PASS.
    fn second(&self, args: &[&str]) -> Ran {
        let mut command = self.env.command(self.python);
        command.arg(script()).args(args).env("PASS", SECRET).env("OTHER", "wrong");
        let output = command.output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            bytes: output.stdout,
        }
    }

    fn second_reads(&self, args: &[&str]) -> Value {
        let ran = self.second(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// What it writes to a file of this name; the arguments after the file.
    fn second_writes(&self, command: &str, name: &str, args: &[&str]) -> String {
        let path = self.path(name);
        let all: Vec<&str> = [command, &path].iter().chain(args).copied().collect();
        let ran = self.second(&all);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{all:?}");
        path
    }
}

/// Runs it and expects success; notes on standard error are welcome.
fn done(call: Segue) -> String {
    let ran = call.run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran.stdout
}

/// Handoffs that a careless program would change on the way, by their ids.
fn odd() -> BTreeMap<String, String> {
    let head = |n: usize, more: &str| {
        let (id, at) =
            (format!("20261115-1200{n:02}-{n:07x}f"), format!("2026-11-15T12:00:{n:02}Z"));
        let text = format!("---\nsegue: 1\nid: {id}\ncreated: {at}\n{more}---\n");
        (id, text)
    };
    let unknown = "# a comment\ntitle: Unknown keys\nx-owner: {team: [a, b]}\n\"quoted\": |\n  two\n  lines\nx-owner: again\n";
    let mut all = Vec::new();
    let mut add = |more: &str, body: &str| {
        let (id, text) = head(all.len(), more);
        all.push((id, text + body));
    };
    add(unknown, "## Next Steps\n- go on\n");
    add(
        "title: \"Emoji 🦀 and \\u202e\"\ntags: [a, é]\n",
        "👩‍👩‍👧 \u{2028} \u{feff} \u{7f} \0 <b> & \"q\" \\ \t\u{1} ﷽\n",
    );
    add("title: Large\n", &"0123456789abcde\n".repeat(65_536));
    add("title: No body\n", "");
    add("title: Marks\n", "---\nhandoff 12\nsegue-bundle 1\ndigest 00\nsignature AA==\n---");
    let mut all: BTreeMap<String, String> = all.into_iter().collect();
    let (id, text) = head(40, "title: CRLF\nx-list:\n- a\n- b\n");
    all.insert(id, (text + "line\n\nline\n").replace('\n', "\r\n"));
    let (id, text) = head(41, "title: Ends with its head\n");
    all.insert(id, text.trim_end().to_owned());
    all
}

fn texts(read: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let handoffs = read["handoffs"].as_array().unwrap();
    handoffs.iter().map(|handoff| (text(&handoff["id"]), text(&handoff["text"]))).collect()
}

/// Not with `assert_eq`, which would print a megabyte.
fn assert_same(found: &BTreeMap<String, String>, expected: &BTreeMap<String, String>) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (id, text) in expected {
        assert!(&found[id] == text, "{id} is not the same");
    }
}

#[test]
fn every_handoff_that_is_exported_arrives_byte_for_byte() {
    let Some(side) = Side::with_odd_handoffs() else { return };
    for (n, (id, text)) in odd().into_iter().enumerate() {
        let path = side.export(&format!("{n}.segue"), &[&id]);
        let read = side.second_reads(&["read", &path]);
        assert_eq!((&read["version"], &read["signed"]), (&json!(1), &json!(false)));
        assert_eq!(read["fingerprint"], Value::Null);
        assert_same(&texts(&read), &BTreeMap::from([(id, text)]));
    }
}

#[test]
fn many_signed_handoffs_arrive_with_their_signer() {
    let Some(side) = Side::with_odd_handoffs() else { return };
    let fingerprint = side.about_the_key("fingerprint");
    let some = side.export("some.segue", &["--since", "2026-11-15", "--sign-key", "me"]);
    let read = side.second_reads(&["read", &some]);
    assert_same(&texts(&read), &odd());
    assert_eq!(read["signed"], true);
    assert_eq!(read["fingerprint"], json!(fingerprint));
    assert_eq!(read["header"]["signer"]["name"], "me");
    assert_eq!(read["header"]["count"], 7);
    let signer = "Zoë \"Z\" <z@example.org>";
    let args = ["--project", "work", "--sign-key", "me", "--signer", signer];
    let read = side.second_reads(&["read", &side.export("all.segue", &args)]);
    assert_eq!(read["header"]["count"], 8);
    assert_eq!(read["header"]["signer"]["name"], signer);
}

#[test]
fn encrypted_bundles_are_opened_by_those_they_are_for() {
    let Some(side) = Side::with_odd_handoffs() else { return };
    let recipient = side.about_the_key("recipient");
    let identity = side.key().replace(".pem", ".identity");
    let ways: [(&str, &[&str], &[&str]); 4] = [
        ("1.age", &["--passphrase-env", "PASS"], &["--passphrase-env", "PASS"]),
        ("2.age", &["--passphrase-env", "PASS", "--armor"], &["--passphrase-env", "PASS"]),
        ("3.age", &["--recipient", &recipient], &["--identity", &identity]),
        ("4.age", &["--recipient", &recipient, "--armor"], &["--identity", &identity]),
    ];
    for (name, sealing, opening) in ways {
        let all = ["--since", "2026-11-15", "--sign-key", "me"];
        let path = side.export(name, &[&all, sealing].concat());
        assert_same(&texts(&side.second_reads(&[&["read", &path], opening].concat())), &odd());
        let armored = fs::read(&path).unwrap().starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----\n");
        assert_eq!(armored, sealing.contains(&"--armor"));
        for wrong in [&[][..], &["--passphrase-env", "OTHER"]] {
            let refused = side.second(&[&["read", &path], wrong].concat());
            assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
        }
    }
}

#[test]
fn bundles_of_session_handoff_are_those_that_the_second_program_writes() {
    let Some(side) = Side::with_odd_handoffs() else { return };
    let key = side.key();
    for (n, id) in odd().into_keys().enumerate() {
        let plain = side.export(&format!("{n}-2.json"), &[&id]);
        let read = side.second_reads(&["peer-read", &plain]);
        assert_eq!((&read["version"], &read["signer"]), (&json!(2), &Value::Null));
        assert_eq!(read["record"]["id"], json!(id));
        for field in ["tool", "project", "title", "summary"] {
            let text = read["record"][field].as_str().unwrap().trim();
            assert!(!text.is_empty(), "session-handoff refuses a record without {field}: {id}");
        }
        let record = side.path(&format!("{n}-record.json"));
        put(Path::new(&record), read["record"].to_string());
        let again = side.second_writes("peer-write", "again.json", &[&record]);
        assert!(fs::read(&plain).unwrap() == fs::read(again).unwrap(), "{id} in version 2");
        let args = [&id, "--sign-key", "me", "--signer", "Zoë & <co>"];
        let signed = side.export(&format!("{n}-3.json"), &args);
        assert_eq!(side.second_reads(&["peer-read", &signed])["version"], 3);
        let args = [&record, "--key", &key, "--name", "Zoë & <co>"];
        let again = side.second_writes("peer-write", "again.json", &args);
        assert!(fs::read(&signed).unwrap() == fs::read(again).unwrap(), "{id} in version 3");
    }
    let id = odd().into_keys().next().unwrap();
    for (name, more) in [("e2.json", &[][..]), ("e3.json", &["--sign-key", "me"])] {
        let sealing = [&id, "--passphrase-env", "PASS"];
        let sealed = side.export(name, &[&sealing, more].concat());
        let read = side.second_reads(&["peer-read", &sealed, "--passphrase-env", "PASS"]);
        assert_eq!(read["encrypted"], true);
        assert_eq!(read["record"]["id"], json!(id));
        assert_eq!(side.second(&["peer-read", &sealed, "--passphrase-env", "OTHER"]).code, 1);
    }
}

/// Somebody who has nothing and trusts nobody yet, and the paths of `odd()` as files.
fn receiver(side: &Side) -> (TestEnv, Vec<String>) {
    let files = odd().into_iter().map(|(id, text)| {
        let path = side.path(&format!("files/{id}.md"));
        put(Path::new(&path), text);
        path
    });
    (TestEnv::new(), files.collect())
}

fn verify(env: &TestEnv, args: &[&str]) -> i32 {
    let all: Vec<&str> = ["verify"].iter().chain(args).copied().collect();
    env.segue(&all).env("PASS", SECRET).run().code
}

fn import(env: &TestEnv, args: &[&str]) -> i32 {
    let all: Vec<&str> = ["import"].iter().chain(args).copied().collect();
    env.segue(&all).env("PASS", SECRET).run().code
}

/// The handoffs of a store without the line that the import added, and those lines.
fn payloads(env: &TestEnv) -> (BTreeMap<String, String>, Vec<String>) {
    let (mut texts, mut added) = (BTreeMap::new(), Vec::new());
    for path in env.handoff_files() {
        let text = fs::read_to_string(&path).unwrap();
        let at = text.find("\nimported: ").unwrap() + 1;
        let end = at + text[at..].find('\n').unwrap() + 1;
        let id = text.split("id: ").nth(1).unwrap().lines().next().unwrap().to_owned();
        added.push(text[at..end].to_owned());
        texts.insert(id, text[..at].to_owned() + &text[end..]);
    }
    (texts, added)
}

#[test]
fn a_bundle_of_the_second_program_is_taken_if_its_signer_is_trusted() {
    let Some(side) = Side::new() else { return };
    let (env, files) = receiver(&side);
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let key = side.key();
    let args = [&["--key", &key, "--name", "Zoë\n"][..], &files].concat();
    let bundle = side.second_writes("write", "signed.segue", &args);
    assert_eq!((verify(&env, &[&bundle]), import(&env, &[&bundle])), (65, 65));
    assert_eq!(env.handoff_files(), Vec::<PathBuf>::new());
    done(env.segue(&["keys", "trust", &side.about_the_key("fingerprint")]));
    assert_eq!((verify(&env, &[&bundle]), import(&env, &[&bundle])), (0, 0));
    let (received, added) = payloads(&env);
    assert_same(&received, &odd());
    // The proof is the statement with the signature line, under its own digest, which the handoffs name.
    let proofs: Vec<PathBuf> =
        fs::read_dir(env.home.join("proofs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [proof] = &proofs[..] else { panic!("{proofs:?}") };
    let name = proof.file_name().unwrap().to_string_lossy().into_owned();
    let bytes = fs::read(&bundle).unwrap();
    let bundle_text = String::from_utf8_lossy(&bytes);
    let read = side.second_reads(&["read", &bundle]);
    let digests = read["handoffs"].as_array().unwrap().iter();
    let digests: String =
        digests.map(|handoff| handoff["sha256"].as_str().unwrap().to_owned() + "\n").collect();
    let (header, last) = (bundle_text.lines().nth(1).unwrap(), bundle_text.lines().last().unwrap());
    let said = format!("segue-bundle 1 statement\n{header}\n{digests}{last}\n");
    assert_eq!(fs::read_to_string(proof).unwrap(), said);
    let fingerprint = side.about_the_key("fingerprint");
    for line in added {
        assert!(line.starts_with(&format!("imported: {{signer: {fingerprint}, at: \"")), "{line}");
        assert!(
            line.ends_with(&format!("\", from: \"segue bundle 1 sha256:{name}\"}}\n")),
            "{line}"
        );
    }
    // What was received goes on as it came, without a trace of the import.
    let passed_on = side.path("passed-on.segue");
    done(env.segue(&["export", "--since", "2026-11-15", "-o", &passed_on]));
    assert_same(&texts(&side.second_reads(&["read", &passed_on])), &odd());
}

#[test]
fn what_nobody_signed_or_somebody_altered_is_not_taken() {
    let Some(side) = Side::new() else { return };
    let (env, files) = receiver(&side);
    done(env.segue(&["keys", "trust", &side.about_the_key("fingerprint")]));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let key = side.key();
    let signed = [&["--key", &key][..], &files].concat();
    let signed = side.second_writes("write", "signed.segue", &signed);
    let whole = fs::read(&signed).unwrap();
    for at in (0..1_000).step_by(61).chain((whole.len() - 180..whole.len()).step_by(7)) {
        let mut altered = whole.clone();
        altered[at] ^= 1;
        let path = side.path("altered.segue");
        put(Path::new(&path), &altered);
        assert_eq!(verify(&env, &[&path]), 65, "byte {at}");
    }
    assert_eq!(import(&env, &[&side.path("altered.segue"), "--allow-untrusted"]), 65);
    let unsigned = [&["--unsigned"][..], &files].concat();
    let unsigned = side.second_writes("write", "unsigned.segue", &unsigned);
    assert_eq!((verify(&env, &[&unsigned]), import(&env, &[&unsigned])), (65, 65));
    assert_eq!(env.handoff_files(), Vec::<PathBuf>::new());
    assert_eq!(import(&env, &[&unsigned, "--allow-unsigned"]), 0);
    let (received, added) = payloads(&env);
    assert_same(&received, &odd());
    for line in added {
        assert!(line.starts_with("imported: {at: \""), "{line}");
        assert!(line.ends_with("\", from: \"segue bundle 1, unsigned\"}\n"), "{line}");
    }
}

#[test]
fn what_the_second_program_encrypted_is_opened() {
    let Some(side) = Side::new() else { return };
    let (env, files) = receiver(&side);
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let key = side.key();
    let seal = |name: &str, how: &[&str]| {
        side.second_writes("write", name, &[&["--key", &key][..], how, &files].concat())
    };
    let passphrase = seal("1.age", &["--passphrase-env", "PASS"]);
    done(env.segue(&["keys", "trust", &side.about_the_key("fingerprint")]));
    assert_eq!(verify(&env, &[&passphrase]), 64, "it needs a passphrase");
    assert_eq!(import(&env, &[&passphrase, "--passphrase-env", "PASS"]), 0);
    assert_same(&payloads(&env).0, &odd());
    let own = seal("2.age", &["--recipient", &side.about_the_key("recipient")]);
    assert_eq!(verify(&side.env, &[&own]), 0, "one's own identity is found");
    let identity = key.replace(".pem", ".identity");
    assert_eq!(verify(&env, &[&own, "--identity", &identity]), 0);
    assert_ne!(verify(&env, &[&own]), 0);
}

#[test]
fn session_handoff_bundles_of_the_second_program_are_taken_by_the_same_rules() {
    let Some(side) = Side::new() else { return };
    let env = TestEnv::new();
    let key = side.key();
    let record = side.path("record.json");
    let text = json!({
        "id": "20261115-101112-002", "created_at": "2026-11-15T10:11:12Z", "tool": "codex",
        "project": "/src/a & b", "title": "<T> 🦀\u{2028}", "summary": "one\n\ttwo \"q\" \u{7f}",
        "next": ["a", "b\\c"], "changed": ["old -> new"],
    });
    put(Path::new(&record), text.to_string());
    let write = |name: &str, args: &[&str]| {
        side.second_writes("peer-write", name, &[&[&*record], args].concat())
    };
    let plain = write("2.json", &[]);
    assert_eq!((verify(&env, &[&plain]), import(&env, &[&plain])), (65, 65));
    assert_eq!(verify(&env, &[&plain, "--allow-unsigned"]), 0);
    let signed = write("3.json", &["--key", &key, "--name", "Zoë"]);
    assert_eq!((verify(&env, &[&signed]), import(&env, &[&signed])), (65, 65));
    done(env.segue(&["keys", "trust", &side.about_the_key("fingerprint")]));
    let whole = fs::read_to_string(&signed).unwrap();
    for (old, new) in [("codex", "Codex"), ("\"version\": 3", "\"version\": 2"), ("one", "0ne")] {
        assert!(whole.contains(old));
        let path = side.path("altered.json");
        put(Path::new(&path), whole.replace(old, new));
        let codes = (verify(&env, &[&path]), import(&env, &[&path]));
        assert_eq!(codes, (65, 65), "{old}");
    }
    assert_eq!(verify(&env, &[&signed]), 0);
    let sealed = write("e.json", &["--key", &key, "--passphrase-env", "PASS"]);
    assert_eq!(verify(&env, &[&sealed]), 64, "it needs a passphrase");
    assert_eq!(import(&env, &[&sealed, "--passphrase-env", "PASS"]), 0);
    // And back: the same record, but for what only this program knows.
    let back = side.path("back.json");
    done(env.segue(&["export", "-o", &back]));
    let back = &side.second_reads(&["peer-read", &back])["record"];
    for field in ["created_at", "tool", "project", "title", "summary", "next", "changed"] {
        assert_eq!(back[field], text[field], "{field}");
    }
}

/// Makes sound bundles with one thing in them changed: digest and signature are of the changed one.
const FORGE: &str = r#"
import json, os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import segue_bundle as s
key = s.load_pem_private_key(s.bytes_of(sys.argv[2]), None)
for number, (old, new) in enumerate(json.load(sys.stdin)):
    payload, old, new = s.bytes_of(sys.argv[3]), old.encode(), new.encode()
    header = s.write_bundle([payload], key, "me").split(b"\n")[1]
    assert (old in header) != (old in payload), old
    header, payload = header.replace(old, new), payload.replace(old, new)
    said = s.statement(header, [s.sha256(payload)])
    lines = [b"segue-bundle 1", header, b"handoff %d" % len(payload), payload, b"digest " + s.sha256(said).encode()]
    lines.append(b"signature " + s.to_base64(key.sign(said)).encode())
    with open(f"{sys.argv[4]}/{number}", "wb") as file:
        file.write(b"".join(line + b"\n" for line in lines))
"#;

#[test]
fn both_programs_take_and_refuse_the_same() {
    let Some(side) = Side::new() else { return };
    let handoff = side.path("one.md");
    put(
        Path::new(&handoff),
        "---\nsegue: 1\nid: 20261115-120000-0000000f\ncreated: 2026-11-15T12:00:00.5Z\ntitle: T\n---\nB\n",
    );
    let taken = [
        ("\"purpose\"", "\"\\u0070urpose\""),
        ("\"me\"", "\"\""),
        ("\"me\"}", "\"a\\nb\"}  "),
        ("T12:00:00.5Z", "T13:00:00+01:00"),
        ("title: T", "segued: x"),
        ("segue: 1", "segue: 2\nkind: note\nsources: {rest: user}"),
        ("title: T", "kind: a\nkind: b"),
        ("id: 20261115-120000-0000000f", "'id': \"20261115-120000-0000000f\" # x"),
        ("title: T", "x: |\n  imported: x"),
        ("B\n", "imported: x\n"),
        ("B\n", "\0\r"),
    ];
    let long = format!("{{{}\"purpose\"", " ".repeat(16_384));
    let name = format!("\"{}\"", "é".repeat(201));
    let refused = [
        ("{\"purpose\"", long.as_str()),
        ("\"me\"", name.as_str()),
        ("\"me\"", "null"),
        ("\"me\"", "\"\\ud800\""),
        ("\"me\"", "\"me\", \"mail\": \"\""),
        ("\"me\"}", "\"me\"}, \"count\": 1"),
        ("\"me\"}", "\"me\"}, \"other\": null"),
        ("\"count\": 1", "\"count\": 2"),
        ("\"count\": 1", "\"count\": 1.0"),
        ("\"count\": 1", "\"count\": \"1\""),
        ("\"handoffs\"", "\"keys\""),
        ("ed25519", "Ed25519"),
        ("ed25519", "none"),
        ("=\"", "\""),
        ("segue: 1", "segue: 3"),
        ("segue: 1", "segue: 2\nkind: note\nkind: note"),
        ("title: T", "captured: x\ncaptured: x"),
        ("0000000f", "0000000f~1"),
        ("0000000f", "0000000F"),
        ("id: 20261115-120000", "id: 20261115-120001"),
        ("T12:00:00.5Z", "T12:00:00+01:00"),
        ("title: T", "imported: {at: x}"),
        ("title: T", "\"impor\\x74ed\": x"),
        ("title: T", "'imported':\n  at: x"),
        ("title: T", "imported:"),
        ("title: T", "title: T\ntitle: U"),
        ("title: T", "title"),
        ("title: T\n---", "title: T\n----"),
        ("---\nsegue", "\n---\nsegue"),
    ];
    let dir = side.env.dir("forged").display().to_string();
    let mut python = side.env.command(side.python);
    python.args(["-B", "-c", FORGE]).arg(script()).args([&side.key(), &handoff, &dir]);
    let cases: Vec<(&str, &str)> = taken.iter().chain(&refused).copied().collect();
    put(&side.env.beside("cases.json"), serde_json::to_string(&cases).unwrap());
    python.stdin(fs::File::open(side.env.beside("cases.json")).unwrap());
    let output = python.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (n, case) in cases.iter().enumerate() {
        let path = format!("{dir}/{n}");
        let second = side.second(&["read", &path]);
        let first = side.env.segue(&["verify", &path]).run();
        let expected = if n < taken.len() { (0, 0) } else { (65, 1) };
        let said = format!("{case:?}: {}{}", first.stderr, second.stderr);
        assert_eq!((first.code, second.code), expected, "{said}");
    }
}

/// Whether the program age is there; said in a line where it is not.
fn age_is_here() -> bool {
    let here = works(Command::new("age").arg("--version"));
    if !here {
        println!("skipped: age is not installed");
    }
    here
}

/// Runs age, and with a passphrase in a terminal of its own.
fn age(env: &TestEnv, args: &[&str], passphrase: Option<&str>) {
    let mut command = if let Some(text) = passphrase {
        let typed = env.beside("typed");
        put(&typed, format!("{text}\n{text}\n"));
        let words: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
        let mut script = env.command("script");
        script.args(["-qec", &format!("age {}", words.join(" ")), "/dev/null"]);
        script.stdin(fs::File::open(typed).unwrap());
        script
    } else {
        let mut age = env.command("age");
        age.args(args);
        age
    };
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&said));
}

#[test]
fn age_opens_what_is_exported_and_what_age_encrypted_is_opened() {
    if !age_is_here() {
        return;
    }
    let Some(side) = Side::with_odd_handoffs() else { return };
    let recipient = side.about_the_key("recipient");
    let identity = side.key().replace(".pem", ".identity");
    let opened = side.path("opened.segue");
    let all = ["--since", "2026-11-15", "--sign-key", "me"];
    for (name, more) in [("1.age", &[][..]), ("2.age", &["--armor"])] {
        let sealed = side.export(name, &[&all[..], &["--recipient", &recipient], more].concat());
        age(&side.env, &["-d", "-i", &identity, "-o", &opened, &sealed], None);
        assert_same(&texts(&side.second_reads(&["read", &opened])), &odd());
    }
    for (name, more) in [("3.age", &["-r", &recipient][..]), ("4.age", &["-a", "-r", &recipient])] {
        let sealed = side.path(name);
        age(&side.env, &[more, &["-o", &sealed, &opened]].concat(), None);
        assert_eq!(verify(&side.env, &[&sealed]), 0, "{name}");
    }
    if !works(Command::new("script").arg("--version")) {
        println!("skipped: age with a passphrase needs the program script");
        return;
    }
    let sealed = side.export("5.age", &[&all[..], &["--passphrase-env", "PASS"]].concat());
    age(&side.env, &["-d", "-o", &opened, &sealed], Some(SECRET));
    assert_same(&texts(&side.second_reads(&["read", &opened])), &odd());
    let sealed = side.path("6.age");
    age(&side.env, &["-p", "-o", &sealed, &opened], Some(SECRET));
    assert_eq!(verify(&side.env, &[&sealed, "--passphrase-env", "PASS"]), 0);
}
