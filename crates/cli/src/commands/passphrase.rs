//! Where a passphrase comes from: a terminal, a file, the environment; the command line only if
//! somebody insists.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use segue_lib::sharing::{CryptError, Passphrase, PassphraseFor};

use crate::error::CommandError;
use crate::host;
use crate::ui::Ui;

/// A passphrase file is never larger.
const MAX_BYTES: u64 = 64 * 1024;

/// A passphrase for what is encrypted.
#[derive(Args, Debug, Default)]
pub(crate) struct PassphraseArgs {
    /// Encrypted with a passphrase, asked for in the terminal; as a value others on this machine can
    /// see it
    #[arg(long, value_name = "TEXT", num_args = 0..=1)]
    passphrase: Option<Option<String>>,
    /// The passphrase is the first line of this file; '-' is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "passphrase")]
    passphrase_file: Option<PathBuf>,
    /// The passphrase is in this environment variable
    #[arg(long, value_name = "NAME", conflicts_with_all = ["passphrase", "passphrase_file"])]
    passphrase_env: Option<String>,
}

/// A passphrase for the key that signs, or for one's own identity.
#[derive(Args, Debug, Default)]
pub(crate) struct KeyPassphraseArgs {
    /// The passphrase of one's own key is the first line of this file
    #[arg(long, value_name = "FILE")]
    key_passphrase_file: Option<PathBuf>,
    /// The passphrase of one's own key is in this environment variable
    #[arg(long, value_name = "NAME", conflicts_with = "key_passphrase_file")]
    key_passphrase_env: Option<String>,
}

impl PassphraseArgs {
    /// Whether a passphrase was asked for or given.
    pub(crate) fn is_given(&self) -> bool {
        self.passphrase.is_some() || self.passphrase_file.is_some() || self.passphrase_env.is_some()
    }

    /// Whether it comes on standard input.
    pub(crate) fn is_on_stdin(&self) -> bool {
        self.passphrase_file.as_deref() == Some(Path::new("-"))
    }

    /// The passphrase, if it was given by other means than the terminal.
    pub(crate) fn given(&self, ui: &mut Ui) -> Result<Option<Passphrase>, CommandError> {
        if let Some(Some(text)) = &self.passphrase {
            ui.warning("others on this machine can see a passphrase on the command line; --passphrase-file and --passphrase-env hide it");
            return checked(text.clone(), "--passphrase").map(Some);
        }
        elsewhere(
            self.passphrase_file.as_deref(),
            self.passphrase_env.as_deref(),
            "--passphrase",
            ui,
        )
    }

    /// A passphrase to encrypt with, if that is wanted: as given, else asked for twice.
    pub(crate) fn chosen(&self, ui: &mut Ui) -> Result<Option<Passphrase>, CommandError> {
        match self.given(ui)? {
            None if self.passphrase.is_some() => choose().map(Some),
            given => Ok(given),
        }
    }
}

impl KeyPassphraseArgs {
    /// The passphrase, if it was given by other means than the terminal.
    pub(crate) fn given(&self, ui: &mut Ui) -> Result<Option<Passphrase>, CommandError> {
        let (file, env) = (self.key_passphrase_file.as_deref(), self.key_passphrase_env.as_deref());
        elsewhere(file, env, "--key-passphrase", ui)
    }
}

/// Answers with what was given, else asks in the terminal.
pub(crate) fn answering(
    bundle: Option<Passphrase>,
    key: Option<Passphrase>,
) -> impl FnMut(PassphraseFor<'_>) -> Result<Passphrase, CryptError> {
    move |what| match (what, &bundle, &key) {
        (PassphraseFor::Bundle, Some(given), _) | (PassphraseFor::Key(_), _, Some(given)) => {
            Ok(given.clone())
        }
        (PassphraseFor::Bundle, ..) => ask("Passphrase: "),
        (PassphraseFor::Key(name), ..) => ask(&format!("Passphrase of the key {name}: ")),
    }
}

/// Asks twice, since nobody sees what is typed.
fn choose() -> Result<Passphrase, CommandError> {
    let problem = |error: CryptError| match error {
        CryptError::NoPassphrase => {
            CommandError::usage("there is no terminal to ask for a passphrase in")
                .hinted("--passphrase-file or --passphrase-env gives it")
        }
        other => segue_lib::Error::from(other).into(),
    };
    let first = ask("Passphrase: ").map_err(problem)?;
    let again = ask("Once more: ").map_err(problem)?;
    match first.expose() == again.expose() {
        true => Ok(first),
        false => Err(CommandError::usage("the two passphrases differ")
            .hinted("nothing was written; repeat the command")),
    }
}

/// Asks a person, if there is one, without showing what is typed.
fn ask(prompt: &str) -> Result<Passphrase, CryptError> {
    if !io::stdin().is_terminal() && !io::stderr().is_terminal() {
        return Err(CryptError::NoPassphrase);
    }
    match crate::prompt::hidden(prompt) {
        Ok(text) => Passphrase::new(text),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            Err(CryptError::Asked("you gave up".to_owned()))
        }
        Err(_) => Err(CryptError::NoPassphrase),
    }
}

fn elsewhere(
    file: Option<&Path>,
    env: Option<&str>,
    flag: &str,
    ui: &mut Ui,
) -> Result<Option<Passphrase>, CommandError> {
    if let Some(name) = env {
        let text = host::secret(name).ok_or_else(|| {
            CommandError::usage(format!("the environment variable {name} is not set"))
                .hinted(format!("set it, or use {flag}-file"))
        })?;
        return checked(text, name).map(Some);
    }
    let Some(path) = file else { return Ok(None) };
    if segue_lib::too_open(path).is_ok_and(|open| open == segue_lib::OpenTo::Others) {
        ui.warning(&format!(
            "others on this machine can read {}: 'chmod 600' keeps it yours",
            path.display()
        ));
    }
    checked(first_line(path)?, &path.display().to_string()).map(Some)
}

fn first_line(path: &Path) -> Result<String, CommandError> {
    let shown = path.display();
    let mut text = String::new();
    let read = match path == Path::new("-") {
        true => io::stdin().take(MAX_BYTES).read_to_string(&mut text),
        false => {
            fs::File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text))
        }
    };
    match read {
        Ok(_) => Ok(text.lines().next().unwrap_or_default().to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(CommandError::not_found(format!("there is no file {shown}")))
        }
        Err(error) => Err(CommandError::input(format!("cannot read {shown}: {error}"))),
    }
}

/// A blank passphrase would be none.
fn checked(text: String, whence: &str) -> Result<Passphrase, CommandError> {
    Passphrase::new(text).map_err(|_| {
        CommandError::usage(format!("the passphrase of {whence} is empty")).hinted(
            "nothing is written without a passphrase; leave the flag out to write without one",
        )
    })
}
