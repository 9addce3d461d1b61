//! A corpus of damaged and forged bundles, made from good ones. Each is refused, or says exactly what
//! the good one said: the same record, proved by the same key.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test whose ground cannot be laid shall fail, and so shall one that takes a forgery"
)]

use std::collections::{BTreeMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use segue_core::{PayloadDigest, PeerRecord};
use segue_share::bundle::peer::{PeerBundle, decrypt, encrypt, read, write};
use segue_share::bundle::{BundleError, BundleReader, BundleWriter, MAX_HANDOFFS, Statement};
use segue_share::keys::SecretKey;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What came of the cases of each class.
#[derive(Default)]
struct Tally {
    classes: BTreeMap<&'static str, Counts>,
    refused: HashSet<Vec<u8>>,
}

#[derive(Default)]
struct Counts {
    refused: usize,
    harmless: usize,
    /// Only the signer's name is another, which a signature of session-handoff does not cover.
    renamed: usize,
    unsigned: usize,
}

impl Tally {
    fn class(&mut self, class: &'static str) -> &mut Counts {
        self.classes.entry(class).or_default()
    }

    fn refuse(&mut self, class: &'static str, case: &[u8]) {
        self.class(class).refused += 1;
        self.refused.insert(case.to_vec());
    }

    /// Reads a changed bundle of session-handoff, which must not say anything that the good ones do
    /// not say.
    fn peer(&mut self, class: &'static str, case: &[u8], good: &[&PeerBundle]) {
        let Ok(text) = std::str::from_utf8(case) else { return self.refuse(class, case) };
        let Ok(bundle) = read(text) else { return self.refuse(class, case) };
        let same = |good: &&&PeerBundle| {
            let key = |bundle: &PeerBundle| bundle.signer.as_ref().map(|signer| signer.key.clone());
            (good.version, &good.record) == (bundle.version, &bundle.record)
                && key(good) == key(&bundle)
        };
        let Some(same) = good.iter().find(same) else { panic!("{class}: was taken:\n{text}") };
        match same.signer == bundle.signer {
            true => self.class(class).harmless += 1,
            false => self.class(class).renamed += 1,
        }
    }

    /// Reads a changed bundle of our own, of which none may be taken.
    fn own(&mut self, class: &'static str, case: &[u8]) {
        match open(case) {
            Ok(_) => panic!("{class}: was taken:\n{}", String::from_utf8_lossy(case)),
            Err(_) => self.refuse(class, case),
        }
    }

    /// How many cases said the same as the good ones, and how many with another name.
    fn harmless(&self) -> (usize, usize) {
        let counts = self.classes.values();
        counts.fold((0, 0), |sum, counts| (sum.0 + counts.harmless, sum.1 + counts.renamed))
    }

    /// Prints the counts, and holds that there were enough.
    #[expect(clippy::disallowed_macros, reason = "the counts are what a reader wants to see")]
    fn tell(&self, bundle: &str) {
        for (class, counts) in &self.classes {
            let Counts { refused, harmless, renamed, unsigned } = counts;
            println!(
                "{bundle:>12} | {class:<32} | {refused:>6} refused | {harmless:>3} harmless | \
                 {renamed:>4} renamed | {unsigned} unsigned"
            );
        }
        println!("{bundle:>12} | {:<32} | {:>6} refused", "distinct", self.refused.len());
        assert!(self.refused.len() >= 200, "{}", self.refused.len());
    }
}

/// Each bit of each byte turned over, one at a time.
fn flips(good: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..good.len() * 8).map(|bit| flipped(good, bit / 8, bit % 8))
}

fn flipped(good: &[u8], at: usize, bit: usize) -> Vec<u8> {
    let mut bytes = good.to_vec();
    bytes[at] ^= 1 << bit;
    bytes
}

fn truncations(good: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..good.len()).map(|length| good[..length].to_vec())
}

fn trailers(good: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let more: [&[u8]; 4] = [b"{}", b"null", b"\n\n\0", good];
    let more = more.into_iter().map(<[u8]>::to_vec);
    (0..=u8::MAX).map(|byte| vec![byte]).chain(more).map(move |tail| [good, &tail].concat())
}

/// A change of one member of an object, or of one item of a list.
#[derive(Clone, Copy)]
enum Edit<'a> {
    Remove,
    Double,
    Put(&'a str),
}

/// Values of all kinds, in the place of whatever stood there.
const OTHERS: [&str; 18] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "7",
    "1.0",
    "2.0",
    "3.0",
    "1e300",
    "1e999",
    "340282366920938463463374607431768211456",
    "\"x\"",
    "\"\"",
    "[]",
    "[\"x\"]",
    "{}",
    "{\"x\":{}}",
];

/// JSON with one change; `path` as in a JSON pointer.
fn edited(json: &Value, path: &str, edit: Edit<'_>) -> String {
    rendered(json, "", path, edit)
}

fn rendered(json: &Value, here: &str, path: &str, edit: Edit<'_>) -> String {
    let part = |label: String, key: &str, value: &Value| {
        let below = format!("{here}/{key}");
        let whole = format!("{label}{}", rendered(value, &below, path, edit));
        match (below == path, edit) {
            (true, Edit::Remove) => vec![],
            (true, Edit::Double) => vec![whole.clone(), whole],
            (true, Edit::Put(other)) => vec![format!("{label}{other}")],
            (false, _) => vec![whole],
        }
    };
    match json {
        Value::Object(members) => {
            let each = |(key, value): (&String, &Value)| part(format!("{key:?}:"), key, value);
            format!("{{{}}}", members.iter().flat_map(each).collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let each = |(at, value): (usize, &Value)| part(String::new(), &at.to_string(), value);
            format!("[{}]", items.iter().enumerate().flat_map(each).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// The path of every member and item.
fn paths(json: &Value) -> Vec<String> {
    let below = |(key, value): (String, &Value)| {
        let inner = paths(value).into_iter().map(|path| format!("/{key}{path}"));
        std::iter::once(format!("/{key}")).chain(inner.collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    match json {
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), value)).flat_map(below).collect()
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(at, value)| (at.to_string(), value)).flat_map(below).collect()
        }
        _ => Vec::new(),
    }
}

/// Every field removed, doubled, renamed and of another kind, with the name of the class.
fn field_edits(text: &str) -> Vec<(&'static str, String)> {
    let json: Value = serde_json::from_str(text).unwrap();
    let huge = format!("\"{}\"", "x".repeat(1 << 16));
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let mut cases = Vec::new();
    for path in paths(&json) {
        cases.push(("a field removed", edited(&json, &path, Edit::Remove)));
        cases.push(("a field doubled", edited(&json, &path, Edit::Double)));
        for other in OTHERS.into_iter().chain([huge.as_str(), &deep]) {
            cases.push(("a field of another kind", edited(&json, &path, Edit::Put(other))));
        }
    }
    for key in ["\"x\"", "\"Version\"", "\"ciphertext\"", "\"\""] {
        cases.push(("a field too many", text.replacen('{', &format!("{{{key}:1,"), 1)));
    }
    cases
}

fn key(seed: u8) -> SecretKey {
    SecretKey::from_seed(&[seed; 32])
}

fn record(title: &str) -> PeerRecord {
    PeerRecord {
        id: "20261115-183649".into(),
        created_at: "2026-11-15T18:36:49Z".into(),
        tool: "codex".into(),
        project: "/home/ana/todo-api".into(),
        title: title.into(),
        summary: "<a> &\n\u{8}\u{2028} é \"q\" \\".into(),
        next: Some(vec!["Run the tests".into(), "Merge".into()]),
        changed: vec!["a.rs -> b.rs".into(), "c.rs".into()],
    }
}

/// What holds for plain bundles of every version.
fn plain_cases(tally: &mut Tally, text: &str) {
    let good = read(text).unwrap();
    for case in flips(text.as_bytes()) {
        tally.peer("a bit turned over", &case, &[&good]);
    }
    for case in truncations(text.as_bytes()) {
        tally.peer("cut off", &case, &[&good]);
    }
    for case in trailers(text.as_bytes()) {
        tally.peer("more after its end", &case, &[&good]);
    }
    for (class, case) in field_edits(text) {
        tally.peer(class, case.as_bytes(), &[&good]);
    }
    tally.peer("more before its start", format!("\u{feff}{text}").as_bytes(), &[&good]);
    let json: Value = serde_json::from_str(text).unwrap();
    let turned: serde_json::Map<_, _> =
        json.as_object().unwrap().clone().into_iter().rev().collect();
    tally.peer("its fields in another order", Value::from(turned).to_string().as_bytes(), &[&good]);
    assert_eq!(tally.class("its fields in another order").harmless, 1);
}

#[test]
fn no_change_of_a_bundle_with_a_checksum_goes_unseen() {
    let mut tally = Tally::default();
    let text = write(&record("one"), None, None);
    plain_cases(&mut tally, &text);
    for case in flips(text.as_bytes()).filter(|case| {
        std::str::from_utf8(case).is_ok_and(|case| serde_json::from_str::<Value>(case).is_ok())
    }) {
        // Whatever is still JSON was caught by a rule or by the checksum.
        tally.peer("a bit turned over, still JSON", &case, &[&read(&text).unwrap()]);
    }
    // Three digits of escapes in capitals, twice; no newline at the end, four kinds of blank after it,
    // another order of the fields.
    assert_eq!(tally.harmless(), (3 + 3 + 1 + 4 + 1, 0));
    tally.tell("version 2");
}

#[test]
fn no_change_of_a_signed_bundle_goes_unseen_s1_s2() {
    let mut tally = Tally::default();
    let text = write(&record("one"), Some(&key(7)), Some("ana"));
    plain_cases(&mut tally, &text);
    for (title, seed) in [("two", 7), ("one", 8), ("two", 8)] {
        swaps(&mut tally, &text, &write(&record(title), Some(&key(seed)), Some("ana")));
    }
    downgrades(&mut tally, &text);
    // As above, and each bit of the name, and no name, an empty one and another.
    assert_eq!(tally.harmless(), (3 + 1 + 4 + 1, 3 * 7 + 3));
    tally.tell("version 3");
}

/// Every set of fields of one signed bundle put into another.
fn swaps(tally: &mut Tally, text: &str, other: &str) {
    let both = [&read(text).unwrap(), &read(other).unwrap()];
    let (json, from): (Value, Value) =
        (serde_json::from_str(text).unwrap(), serde_json::from_str(other).unwrap());
    for path in paths(&json) {
        let value = from.pointer(&path).unwrap();
        if Some(value) != json.pointer(&path) {
            let case = edited(&json, &path, Edit::Put(&value.to_string()));
            tally.peer("a field of another bundle", case.as_bytes(), &both);
        }
    }
    let fields = ["checksum", "record", "signer", "signature"];
    for set in 1..15u32 {
        let mut case = json.clone();
        for field in fields.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0) {
            case[field.1] = from[field.1].clone();
        }
        // Where the two have a field in common, a set may be all that differs.
        if case != json && case != from {
            tally.peer("fields of another bundle", case.to_string().as_bytes(), &both);
        }
    }
}

/// A signed bundle that says that it is an older one.
fn downgrades(tally: &mut Tally, text: &str) {
    let json: Value = serde_json::from_str(text).unwrap();
    let fields = ["checksum", "signer", "signature"];
    for (version, set) in (0..3u64).flat_map(|version| (0..8u32).map(move |set| (version, set))) {
        let mut case = json.clone();
        case["version"] = version.into();
        for field in fields.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0) {
            case.as_object_mut().unwrap().shift_remove(*field.1);
        }
        let case = case.to_string();
        let class = "an older version";
        match read(&case) {
            Err(_) => tally.refuse(class, case.as_bytes()),
            Ok(bundle) => {
                // All that proved something is gone, and nothing is said to be proved.
                assert!(set & 0b110 == 0b110 && (version == 1 || set & 1 == 0), "{case}");
                assert_eq!((bundle.signer, bundle.proof), (None, None));
                assert_eq!(u64::from(bundle.version), version);
                tally.class(class).unsigned += 1;
            }
        }
    }
    assert_eq!(tally.class("an older version").unsigned, 3);
}

#[test]
fn no_change_of_an_encrypted_bundle_goes_unseen_s4() {
    let mut tally = Tally::default();
    let plain = write(&record("one"), Some(&key(7)), Some("ana"));
    let text = encrypt(&plain, "passphrase", [1; 16], [2; 12]).unwrap();
    let mut judge = |class, case: &[u8]| {
        let text = std::str::from_utf8(case).ok();
        match text.map(|text| decrypt(text, "passphrase")) {
            None | Some(Err(_)) => tally.refuse(class, case),
            Some(Ok(opened)) => {
                assert_eq!(*opened, plain.trim_end(), "{class}");
                tally.class(class).harmless += 1;
            }
        }
    };
    for case in truncations(text.as_bytes()) {
        judge("cut off", &case);
    }
    for case in trailers(text.as_bytes()) {
        judge("more after its end", &case);
    }
    for (class, case) in field_edits(&text) {
        judge(class, case.as_bytes());
    }
    // Deriving the key takes long, so not every bit: one in each value, and some all over it.
    let json: Value = serde_json::from_str(&text).unwrap();
    for (field, value) in json.as_object().unwrap() {
        let at = text.find(&format!("\"{field}\": ")).unwrap() + field.len() + 5;
        let middle = at + value.to_string().len() / 2 - 1;
        judge("a bit turned over", &flipped(text.as_bytes(), middle, 0));
    }
    for step in 0..20 {
        judge("a bit turned over", &flipped(text.as_bytes(), step * text.len() / 20, step % 7));
    }
    let ciphertext = STANDARD.decode(json["ciphertext"].as_str().unwrap()).unwrap();
    let last = ciphertext.len() - 1;
    let parts =
        [flipped(&ciphertext, 0, 0), flipped(&ciphertext, last, 7), ciphertext[1..].to_vec()];
    for part in parts {
        let part = format!("\"{}\"", STANDARD.encode(part));
        judge(
            "a bit of what is encrypted",
            edited(&json, "/ciphertext", Edit::Put(&part)).as_bytes(),
        );
    }
    let other = encrypt(&plain, "passphrase", [3; 16], [4; 12]).unwrap();
    let other: Value = serde_json::from_str(&other).unwrap();
    for path in ["/salt", "/nonce", "/ciphertext"] {
        let value = other.pointer(path).unwrap().to_string();
        judge("a field of another bundle", edited(&json, path, Edit::Put(&value)).as_bytes());
    }
    assert_eq!(tally.harmless(), (1 + 4, 0));
    tally.tell("encrypted");
}

fn payload(number: u8) -> String {
    format!(
        "---\nsegue: 1\nid: 2026111{number}-174500-a3f9c12e\ncreated: 2026-11-1{number}T17:45:00Z\ntitle: Number {number}\n---\n## Next Steps\n\n- Go on\n"
    )
}

/// A bundle of our own.
fn own(payloads: &[String], key: Option<&SecretKey>) -> String {
    let created = "2026-11-16T00:00:00Z".parse().unwrap();
    let mut writer =
        BundleWriter::new(Vec::new(), created, payloads.len(), key, Some("ana")).unwrap();
    for payload in payloads {
        writer.add(payload).unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

fn open(bytes: &[u8]) -> Result<Option<Statement>, BundleError> {
    let mut reader = BundleReader::new(bytes)?;
    while reader.next_handoff()?.is_some() {}
    reader.finish()
}

/// A bundle with these parts and the digest that fits them, as a forger would make it.
fn forged(header: &str, payloads: &[String], signature: &str) -> String {
    let mut statement = format!("segue-bundle 1 statement\n{header}\n");
    let mut out = format!("segue-bundle 1\n{header}\n");
    for payload in payloads {
        statement.push_str(&format!("{}\n", PayloadDigest::of(payload)));
        out.push_str(&format!("handoff {}\n{payload}\n", payload.len()));
    }
    let digest = PayloadDigest(Sha256::digest(&statement).into());
    format!("{out}digest {digest}\n{signature}")
}

/// What holds for our own bundles, signed or not.
fn own_cases(tally: &mut Tally, text: &str) {
    for case in flips(text.as_bytes()) {
        tally.own("a bit turned over", &case);
    }
    for case in truncations(text.as_bytes()) {
        tally.own("cut off", &case);
    }
    for case in trailers(text.as_bytes()) {
        tally.own("more after its end", &case);
    }
    let header = text.lines().nth(1).unwrap();
    for (class, case) in field_edits(header) {
        tally.own(class, text.replacen(header, &case, 1).as_bytes());
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for at in 0..lines.len() {
        let put = |middle: &[&str]| [&lines[..at], middle, &lines[at + 1..]].concat().concat();
        tally.own("a line removed", put(&[]).as_bytes());
        tally.own("a line doubled", put(&[lines[at], lines[at]]).as_bytes());
        tally.own("a line before", put(&["\n", lines[at]]).as_bytes());
        tally.own("a line ending of Windows", put(&[&lines[at].replace('\n', "\r\n")]).as_bytes());
        if lines.get(at + 1).is_some_and(|next| *next != lines[at]) {
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            tally.own("two lines swapped", swapped.concat().as_bytes());
        }
    }
    for version in ["0", "2", "10", "01", "1.0", " 1", "1 ", ""] {
        let case = text.replacen("segue-bundle 1\n", &format!("segue-bundle {version}\n"), 1);
        tally.own("another version", case.as_bytes());
    }
    for length in ["+", "0", "00", " "] {
        let case = text.replacen("handoff ", &format!("handoff {length}"), 1);
        tally.own("another spelling of a length", case.as_bytes());
    }
}

#[test]
fn no_change_of_our_own_unsigned_bundle_goes_unseen() {
    let mut tally = Tally::default();
    let text = own(&[payload(1), payload(2)], None);
    assert!(open(text.as_bytes()).unwrap().is_none());
    own_cases(&mut tally, &text);
    tally.tell("ours");
}

#[test]
fn no_change_of_our_own_signed_bundle_goes_unseen() {
    let mut tally = Tally::default();
    let payloads = [payload(1), payload(2)];
    let text = own(&payloads, Some(&key(7)));
    assert_eq!(open(text.as_bytes()).unwrap().unwrap().signer.key, key(7).public());
    own_cases(&mut tally, &text);
    let header = text.lines().nth(1).unwrap();
    let signature = text.split_inclusive('\n').next_back().unwrap();
    assert_eq!(forged(header, &payloads, signature), text);
    for (class, case) in field_edits(header) {
        tally.own(class, forged(&case, &payloads, signature).as_bytes());
    }
    for (header, class) in [
        (header.replace("\"count\":2", "\"count\":1"), "another count"),
        (header.replace("\"count\":2", "\"count\":3"), "another count"),
        (header.replace(":00Z\"", ":01Z\""), "another time"),
        (header.replace("ana", "bob"), "another name"),
        (header.replace(',', ", "), "another spelling of the header"),
        (header.replace("ana", "\\u0061na"), "another spelling of the header"),
        (header.replace("ed25519", "none"), "another algorithm"),
    ] {
        for payloads in [&payloads[..], &payloads[..1], &[&payloads[..], &[payload(3)]].concat()] {
            tally.own(class, forged(&header, payloads, signature).as_bytes());
        }
    }
    let [one, two] = payloads.clone();
    for payloads in [
        vec![two.clone(), one.clone()],
        vec![one.clone(), one.clone()],
        vec![two.clone(), two.clone()],
        vec![one.clone(), payload(3)],
        vec![one.clone(), two.replace("Go on", "Stop")],
        vec![format!("{one}\n"), two],
    ] {
        tally.own("other handoffs", forged(header, &payloads, signature).as_bytes());
    }
    own_swaps(&mut tally, &text);
    stripped(&mut tally, header, &payloads, signature);
    tally.tell("ours, signed");
}

/// Every set of parts of one signed bundle of ours put into another.
fn own_swaps(tally: &mut Tally, text: &str) {
    for (numbers, seed) in [([3, 4], 7), ([1, 2], 8), ([3, 4], 8), ([2, 1], 7)] {
        let other = own(&numbers.map(payload), Some(&key(seed)));
        let parts = |text: &str| {
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let (head, end) = (lines[1].to_owned(), lines.len() - 2);
            let middle = lines[2..end].concat();
            [head, middle, lines[end].to_owned(), lines[end + 1].to_owned()]
        };
        let (ours, theirs) = (parts(text), parts(&other));
        for set in 1..15u32 {
            let pick = |at: usize| if set & (1 << at) == 0 { &ours[at] } else { &theirs[at] };
            let case = format!("segue-bundle 1\n{}{}{}{}", pick(0), pick(1), pick(2), pick(3));
            // Where the two have a part in common, a set may be all that differs.
            if case != text && case != other {
                tally.own("parts of another bundle", case.as_bytes());
            }
        }
    }
}

/// A signed bundle made an unsigned one: only without a trace of the signature, and then it is one.
fn stripped(tally: &mut Tally, header: &str, payloads: &[String], signature: &str) {
    let class = "made an unsigned one";
    let start = header.find(",\"signer\"").unwrap();
    let bare = format!("{}}}", &header[..start]);
    let none = bare.replace("ed25519", "none");
    let named = header.replace("ed25519", "none");
    for (header, signature) in
        [(header, ""), (&bare, ""), (&bare, signature), (&none, signature), (&named, "")]
    {
        tally.own(class, forged(header, payloads, signature).as_bytes());
    }
    assert!(open(forged(&none, payloads, "").as_bytes()).unwrap().is_none());
    tally.class(class).unsigned += 1;
}

#[test]
fn a_header_of_ours_is_an_object_and_never_an_array() {
    let key = key(7).public().to_base64();
    let payloads = [payload(1)];
    for header in [
        "[\"handoffs\",\"2026-11-16T00:00:00Z\",1,\"none\"]".to_owned(),
        format!("[\"handoffs\",\"2026-11-16T00:00:00Z\",1,\"ed25519\",[\"ana\",\"{key}\"]]"),
        format!(
            "{{\"purpose\":\"handoffs\",\"created\":\"2026-11-16T00:00:00Z\",\"count\":1,\"algorithm\":\"ed25519\",\"signer\":[\"ana\",\"{key}\"]}}"
        ),
    ] {
        let refused = open(forged(&header, &payloads, "").as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("expected an object"), "{refused}");
    }
}

#[test]
fn a_bundle_of_ours_that_could_not_be_read_is_not_begun() {
    let created = "2026-11-16T00:00:00Z".parse().unwrap();
    let begun = |count, name: &str| {
        BundleWriter::new(Vec::new(), created, count, Some(&key(7)), Some(name)).is_ok()
    };
    assert!(begun(1, &"é".repeat(200)));
    assert!(!begun(1, &"é".repeat(201)));
    assert!(!begun(0, "ana"));
    assert!(!begun(MAX_HANDOFFS + 1, "ana"));
}

#[test]
fn a_kept_statement_has_one_spelling() {
    let text = own(&[payload(1), payload(2)], Some(&key(7)));
    let good = open(text.as_bytes()).unwrap().unwrap();
    assert_eq!(Statement::check(&good.proof).unwrap(), good);
    let taken = |case| String::from_utf8(case).is_ok_and(|case| Statement::check(&case).is_ok());
    let proof = good.proof.as_bytes();
    assert!(!flips(proof).chain(truncations(proof)).any(taken));
    // Even if the signer wrote it so.
    let at = good.proof.rfind("signature ").unwrap();
    let resigned = |statement: &str| {
        let signature = STANDARD.encode(key(7).sign(statement.as_bytes()));
        Statement::check(&format!("{statement}signature {signature}\n"))
    };
    let statement = &good.proof[..at];
    assert_eq!(resigned(statement).unwrap().covers, good.covers);
    for other in [
        format!("{statement}\n"),
        statement.trim_end().to_owned(),
        statement.replacen('\n', "\n\n", 1),
    ] {
        assert!(resigned(&other).is_err(), "{other}");
    }
    assert!(resigned(&statement.replace("}\n", "}\n\n")).is_err());
}
