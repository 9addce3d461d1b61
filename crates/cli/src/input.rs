//! The body on standard input, or in a file.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use segue_lib::handoffs::MAX_HANDOFF_BYTES;

use crate::error::CommandError;
use crate::ui::Ui;

/// How long standard input may be silent before a person is told that it is waited for.
const SILENCE: Duration = Duration::from_secs(2);

/// What standard input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stdin {
    /// A person's keyboard.
    Terminal,
    /// Another device, such as the null device: nothing to read.
    #[cfg_attr(not(unix), expect(dead_code, reason = "told from a stream on Unix only"))]
    Device,
    /// A file: read to its end, which never has to be waited for.
    File,
    /// A pipe or socket: read to its end.
    Stream,
}

pub(crate) fn stdin_kind() -> Stdin {
    if io::stdin().is_terminal() {
        return Stdin::Terminal;
    }
    kind_of_stream()
}

#[cfg(unix)]
fn kind_of_stream() -> Stdin {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let meta = io::stdin().as_fd().try_clone_to_owned().and_then(|fd| File::from(fd).metadata());
    match meta.map(|meta| meta.file_type()) {
        Ok(kind) if kind.is_char_device() => Stdin::Device,
        Ok(kind) if kind.is_file() => Stdin::File,
        _ => Stdin::Stream,
    }
}

#[cfg(not(unix))]
fn kind_of_stream() -> Stdin {
    Stdin::Stream
}

/// Reads standard input to its end, and says after a while that it waits.
pub(crate) fn read_stdin(ui: &mut Ui) -> Result<String, CommandError> {
    let failed =
        |error: io::Error| CommandError::input(format!("cannot read standard input: {error}"));
    if stdin_kind() == Stdin::File {
        let mut bytes = Vec::new();
        io::stdin().lock().take(MAX_HANDOFF_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        return decode(bytes, "standard input");
    }
    let (sender, receiver) = channel();
    let reader = sender.clone();
    if thread::Builder::new().spawn(move || read_into(&reader)).is_err() {
        // No thread to be had: nothing can be said while waiting, but it can be read.
        read_into(&sender);
    }
    drop(sender);
    let mut told = false;
    loop {
        match receiver.recv_timeout(SILENCE) {
            Ok(Progress::Some) => {}
            Ok(Progress::All(read)) => {
                let bytes = read.map_err(failed)?;
                return decode(bytes, "standard input");
            }
            Err(RecvTimeoutError::Timeout) if !told => {
                told = true;
                ui.note("waiting for the body on standard input (end it, or use --no-stdin)");
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(CommandError::failed("standard input could not be read"));
            }
        }
    }
}

/// Asks the person at the terminal; anything but a yes is a no.
pub(crate) fn agreed(question: &str) -> bool {
    let _ = write!(io::stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    let _ = io::stdin().read_line(&mut answer);
    matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Reads a body from a file.
pub(crate) fn read_file(path: &Path) -> Result<String, CommandError> {
    let name = path.display().to_string();
    let failed = |error: io::Error| {
        let message = format!("cannot read {name}: {error}");
        match error.kind() {
            io::ErrorKind::NotFound => CommandError::not_found(message)
                .hinted("give a file that exists, or - for standard input"),
            _ => CommandError::input(message),
        }
    };
    let mut bytes = Vec::new();
    File::open(path)
        .map_err(failed)?
        .take(MAX_HANDOFF_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    decode(bytes, &name)
}

enum Progress {
    /// More bytes have come.
    Some,
    All(io::Result<Vec<u8>>),
}

fn read_into(sender: &Sender<Progress>) {
    let mut stdin = io::stdin().lock();
    let mut chunk = [0; 64 * 1024];
    let mut bytes = Vec::new();
    let read = loop {
        match stdin.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
            Ok(0) => break Ok(bytes),
            Ok(count) => {
                bytes.extend_from_slice(&chunk[..count]);
                let _ = sender.send(Progress::Some);
                // One byte past the limit is enough to know that it is too much.
                if bytes.len() as u64 > MAX_HANDOFF_BYTES {
                    break Ok(bytes);
                }
            }
        }
    };
    let _ = sender.send(Progress::All(read));
}

/// UTF-8, or UTF-16 with a byte order mark.
fn decode(bytes: Vec<u8>, name: &str) -> Result<String, CommandError> {
    if bytes.len() as u64 > MAX_HANDOFF_BYTES {
        return Err(segue_lib::Error::TooLarge.into());
    }
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        let whole = bytes.len().is_multiple_of(2);
        String::from_utf16(&units).ok().filter(|_| whole).ok_or_else(|| {
            CommandError::input(format!("{name} begins like UTF-16 and is not"))
                .hinted("convert it to UTF-8")
        })
    };
    match &bytes[..] {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest.to_vec(), name),
        _ => utf8(bytes, name),
    }
}

fn utf8(bytes: Vec<u8>, name: &str) -> Result<String, CommandError> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        CommandError::input(format!("{name} is not UTF-8: first bad byte at offset {at}"))
            .hinted("convert it, for example with iconv")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_every_encoding() {
        let decoded = |bytes: &[u8]| decode(bytes.to_vec(), "x").unwrap();
        assert_eq!(decoded("é\r\n".as_bytes()), "é\r\n");
        assert_eq!(decoded(b"\xef\xbb\xbfa"), "a");
        assert_eq!(decoded(b"\xff\xfea\0\xe9\0"), "aé");
        assert_eq!(decoded(b"\xfe\xff\0a\0\xe9"), "aé");
        assert!(decode(b"a\xff".to_vec(), "x").is_err());
        assert!(decode(b"\xff\xfea".to_vec(), "x").is_err());
        assert!(decode(b"\xff\xfe\x00\xd8".to_vec(), "x").is_err());
    }
}
