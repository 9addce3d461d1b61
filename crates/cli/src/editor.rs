//! The user's editor on a text of ours.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::Command;

use crate::error::CommandError;
use crate::host::variable;

/// An edited text, and the file it is in until it is safe elsewhere.
pub(crate) struct Edited {
    pub(crate) text: String,
    path: PathBuf,
}

impl Edited {
    /// The text is stored: the file can go.
    pub(crate) fn done(self) {
        let _ = fs::remove_file(self.path);
    }

    /// The text could not be stored: says where it still is.
    pub(crate) fn kept(&self, error: CommandError) -> CommandError {
        error.hinted(format!("your text is kept in {}", self.path.display()))
    }
}

/// Opens the editor on a text and waits for it to close.
pub(crate) fn edit(text: &str, random: &dyn Fn() -> u32) -> Result<Edited, CommandError> {
    let (path, mut file) = draft_file(random)?;
    let failed = |what: &str, error: io::Error| {
        CommandError::failed(format!("cannot {what} {}: {error}", path.display()))
    };
    file.write_all(text.as_bytes()).map_err(|error| failed("write", error))?;
    drop(file);
    let editor = variable("VISUAL")
        .or_else(|| variable("EDITOR"))
        .unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let status = command(&editor).arg(&path).status().map_err(|error| {
        CommandError::failed(format!("cannot start the editor '{editor}': {error}"))
            .hinted("set EDITOR")
    })?;
    if !status.success() {
        return Err(CommandError::failed(format!(
            "the editor '{editor}' ended with an error; nothing was saved"
        ))
        .hinted(format!("your text is kept in {}", path.display())));
    }
    let mut edited = String::new();
    File::open(&path)
        .and_then(|mut file| file.read_to_string(&mut edited))
        .map_err(|error| failed("read", error))?;
    Ok(Edited { text: edited, path })
}

/// A new file for the user alone.
fn draft_file(random: &dyn Fn() -> u32) -> Result<(PathBuf, File), CommandError> {
    loop {
        let path = std::env::temp_dir().join(format!("segue-{:08x}.md", random()));
        match private(OpenOptions::new().write(true).create_new(true)).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(CommandError::failed(format!(
                    "cannot write {}: {error}",
                    path.display()
                )));
            }
        }
    }
}

/// `EDITOR` may carry arguments; the shell takes them apart, as git does.
#[cfg(unix)]
fn command(editor: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor);
    command
}

#[cfg(not(unix))]
fn command(editor: &str) -> Command {
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("notepad"));
    command.args(words);
    command
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}
