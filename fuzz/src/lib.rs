//! What holds for every transcript, whatever bytes it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use segue_agents::{Capture, Transcripts};
use segue_core::session::Session;
use segue_core::{DistilRequest, Tokenizer, distil, estimate_tokens};

/// What a handoff may cost, and so little that something is always left out.
const BUDGETS: [usize; 2] = [1_500, 100];

/// Reads bytes as an agent's transcript of this name: at once and in two halves, and tells it.
pub fn transcript(agent: &str, name: &str, bytes: &[u8]) -> Option<Session> {
    let row = Transcripts::of(agent).expect("an agent");
    let path = place().join(name);
    fs::write(&path, bytes).expect("a file");
    let _ = Transcripts::of_file(&path);
    // Only what is packed and damaged cannot be read at all.
    let read = row.read(&path).map(|capture| capture.recorder.into_session());
    let session = match read {
        Ok(session) => session,
        Err(_) if is_packed(bytes) => return None,
        Err(error) => panic!("{error}"),
    };
    told(&session);
    let sum = bytes.iter().fold(0_usize, |sum, byte| sum.wrapping_mul(31) + usize::from(*byte));
    if let Some(cut) = sum.checked_rem(bytes.len()).filter(|cut| can_be_cut(bytes, *cut)) {
        assert_eq!(in_halves(row, &path, bytes, cut), session, "cut at {cut}");
    }
    Some(session)
}

/// Facts can be kept, and what is told of them keeps its budget.
fn told(session: &Session) {
    let kept = serde_json::to_string(session).expect("facts");
    assert_eq!(serde_json::from_str::<Session>(&kept).expect("facts"), *session);
    for budget in BUDGETS {
        let told = distil(session, &DistilRequest { root: session.cwd.as_deref(), budget });
        let tokens = estimate_tokens(&told.body, Tokenizer::Cl100k);
        assert!(tokens <= budget, "{tokens} tokens of {budget}");
    }
}

const TABLES: &str = "
    CREATE TABLE session (id text, project_id text, parent_id text, directory text, title text,
        version text, revert text, time_created integer, time_updated integer, time_archived integer);
    CREATE TABLE message (id text, session_id text, time_created integer, data text);
    CREATE TABLE part (id text, message_id text, session_id text, data text);
    CREATE TABLE todo (session_id text, content text, status text, priority text, position integer);
    INSERT INTO session VALUES ('s', 'p', NULL, '/work/shop', 'A', '1', NULL, 1, 2, NULL);";

/// Reads bytes as a database, or what stands in one.
pub fn database(bytes: &[u8]) {
    let path = place().join("opencode.db");
    let _ = fs::remove_file(&path);
    if bytes.starts_with(b"SQLite format 3") {
        fs::write(&path, bytes).expect("a file");
        let _ = Transcripts::of_file(&path);
        let _ = Transcripts::of("opencode").expect("an agent").read(&path);
        return;
    }
    let db = rusqlite::Connection::open(&path).expect("a database");
    db.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN").expect("it");
    db.execute_batch(TABLES).expect("tables");
    let mut message = String::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let Some((kind, data)) = line.split_first() else { continue };
        let data = String::from_utf8_lossy(data);
        let id = format!("{at:06}");
        let done = match kind {
            b'm' => {
                message.clone_from(&id);
                db.execute("INSERT INTO message VALUES (?1, 's', ?2, ?3)", (&id, at as i64, &data))
            }
            b'p' => {
                db.execute("INSERT INTO part VALUES (?1, ?2, 's', ?3)", (&id, &message, &data))
            }
            b't' => db.execute("INSERT INTO todo VALUES ('s', ?1, ?1, 'x', ?2)", (&data, at as i64)),
            _ => Ok(0),
        };
        done.expect("a row");
    }
    db.execute_batch("COMMIT").expect("it");
    drop(db);
    let row = Transcripts::of("opencode").expect("an agent");
    let capture = row.read(&path).expect("a database of our own");
    let session = capture.recorder.session().clone();
    told(&session);
    let kept = serde_json::to_string(&capture).expect("a capture");
    let mut again: Capture = serde_json::from_str(&kept).expect("a capture");
    row.read_on(&path, &mut again).expect("the same");
    assert_eq!(again.recorder.session(), &session);
}

/// Where a file can be written again and again: in memory, if there is such a place.
fn place() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let dir = base.join(format!("segue-fuzz-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        dir
    })
}

fn in_halves(row: &Transcripts, path: &Path, bytes: &[u8], cut: usize) -> Session {
    let mut capture = Capture::new(row.agent);
    for piece in [&bytes[..cut], bytes] {
        fs::write(path, piece).expect("a file");
        row.read_on(path, &mut capture).expect("what can be read at once");
        let kept = serde_json::to_string(&capture).expect("a capture");
        capture = serde_json::from_str(&kept).expect("a capture");
    }
    capture.recorder.into_session()
}

fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

/// A file grows by records. One that is whole is read though its line may go on: what comes behind
/// it in the same line is another one then.
fn can_be_cut(bytes: &[u8], cut: usize) -> bool {
    let is_nothing = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let before = bytes[..cut].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let after = bytes[cut..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_record = before.iter().rfind(|byte| !is_nothing(byte)) == Some(&b'}');
    !is_packed(bytes) && (!is_record || after.iter().all(is_nothing))
}
