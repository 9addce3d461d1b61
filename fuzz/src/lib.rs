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
    let kept = serde_json::to_string(&session).expect("facts");
    assert_eq!(serde_json::from_str::<Session>(&kept).expect("facts"), session);
    for budget in BUDGETS {
        let told = distil(&session, &DistilRequest { root: session.cwd.as_deref(), budget });
        let tokens = estimate_tokens(&told.body, Tokenizer::Cl100k);
        assert!(tokens <= budget, "{tokens} tokens of {budget}");
    }
    let sum = bytes.iter().fold(0_usize, |sum, byte| sum.wrapping_mul(31) + usize::from(*byte));
    if let Some(cut) = sum.checked_rem(bytes.len()).filter(|cut| can_be_cut(bytes, *cut)) {
        assert_eq!(in_halves(row, &path, bytes, cut), session, "cut at {cut}");
    }
    Some(session)
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
