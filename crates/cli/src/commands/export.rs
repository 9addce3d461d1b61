use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use segue_lib::sharing::{
    ExportFormat, ExportOutcome, ExportRequest, Exported, Lock, Recipient, Signing,
};
use segue_lib::{OutputFile, Segue, parse_since};
use serde::Serialize;

use super::passphrase::{KeyPassphraseArgs, PassphraseArgs, answering};
use super::which::Which;
use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Export handoffs as one file that can travel
///
/// One handoff by default, the latest here and never another project's; with --since or --project all that fit. Markdown is for an
/// agent to read, json is session-handoff's bundle, segue is our own: whole handoffs, many in one file,
/// signed and encrypted if wanted (docs/bundle.md). Without --format the ending of --output decides:
/// .segue and .age, .json, else Markdown.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    which: Which,
    /// All since then: 90m, 7d, 1h30m, or a date
    #[arg(long, value_name = "SPAN", conflicts_with_all = ["selector", "id", "name"])]
    since: Option<String>,
    /// All of every project
    #[arg(long, conflicts_with_all = ["selector", "id", "name", "project"])]
    all_projects: bool,
    /// With --since, --project or --all-projects: also what has expired or is archived
    #[arg(long)]
    expired: bool,
    /// What to write
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The agent that will read Markdown, such as claude-code or codex
    #[arg(long, default_value = "generic", value_name = "AGENT")]
    target: String,
    /// Write to this file, which must not exist yet; '-' is standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the file
    #[arg(long, requires = "output")]
    force: bool,
    /// Sign with this key: one of 'segue keys', or a PKCS#8 PEM file
    #[arg(long, value_name = "KEY")]
    sign_key: Option<String>,
    /// What the signer is called in the bundle [default: the key's name]
    #[arg(long, value_name = "NAME")]
    signer: Option<String>,
    #[command(flatten)]
    passphrase: PassphraseArgs,
    #[command(flatten)]
    key_passphrase: KeyPassphraseArgs,
    /// Encrypt for this recipient: an age1…, a file of 'segue keys export', or a key of one's own
    #[arg(long, value_name = "RECIPIENT", conflicts_with_all = ["passphrase", "passphrase_file", "passphrase_env"])]
    recipient: Vec<String>,
    /// Write an encrypted bundle as text
    #[arg(long)]
    armor: bool,
    /// Print an object that says what was written; needs --output
    #[arg(long, requires = "output")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "md")]
    Markdown,
    Json,
    Segue,
}

#[derive(Serialize)]
struct ExportedJson<'a> {
    schema: u32,
    path: String,
    format: &'static str,
    handoffs: usize,
    id: Option<&'a str>,
    fingerprint: Option<&'a str>,
    encrypted: bool,
    warnings: &'a [String],
}

pub(crate) fn run(args: &ExportArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let format = args.format();
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if format == ExportFormat::Markdown && args.passphrase.is_given() {
        return Err(CommandError::usage("Markdown cannot be encrypted")
            .hinted("add --format segue or json, or an --output that ends so"));
    }
    let mut ask = answering(None, args.key_passphrase.given(ui)?);
    let signing =
        args.sign_key.as_deref().map(|key| segue.keys().signing_key(key, &mut ask)).transpose()?;
    for warning in signing.iter().flat_map(|signing| &signing.warnings) {
        ui.warning(warning);
    }
    let lock = args.lock(segue, ui)?;
    let request = args.request(segue, format, signing, lock, ui)?;
    if output.is_none()
        && ui.is_terminal()
        && request.lock.is_some()
        && !args.armor
        && format == ExportFormat::Segue
    {
        return Err(CommandError::usage("an encrypted bundle is not for a terminal")
            .hinted("write it to a file with --output, or as text with --armor"));
    }
    if args.armor && request.lock.is_none() {
        return Err(CommandError::usage(
            "--armor is for an encrypted bundle, and this is not encrypted",
        )
        .hinted("--passphrase or --recipient encrypts it"));
    }
    if args.expired && matches!(request.which, Exported::One(_)) {
        return Err(CommandError::usage("--expired is for many handoffs, and this is one")
            .hinted("--since, --project or --all-projects exports many"));
    }
    let outcome = match output {
        None => to_stdout(segue, &request, ui)?,
        Some(path) => {
            let mut file =
                OutputFile::create(path, args.force).map_err(|error| taken(error, path))?;
            let outcome = segue
                .exports()
                .export(&request, &mut file, &mut ui.progress("exported"))
                .map_err(|error| unwritten(error, path))?;
            file.commit().map_err(|error| taken(error, path))?;
            outcome
        }
    };
    say(args, output, format, &outcome, segue, ui)
}

fn to_stdout(
    segue: &Segue,
    request: &ExportRequest,
    ui: &mut Ui,
) -> Result<ExportOutcome, CommandError> {
    // What a reader gets shall be whole or nothing: one handoff is gathered first.
    if let Exported::One(_) = request.which {
        let mut text = Vec::new();
        let outcome = segue.exports().export(request, &mut text, &mut |_, _| {})?;
        match String::from_utf8(text) {
            Ok(text) => ui.stored(&text)?,
            Err(bytes) => ui.bytes(bytes.as_bytes())?,
        }
        return Ok(outcome);
    }
    if ui.is_terminal() && request.format == ExportFormat::Segue {
        return Err(CommandError::usage("a bundle of many handoffs is not for a terminal")
            .hinted("write it to a file with --output"));
    }
    let mut progress = ui.progress("exported");
    let mut out = io::BufWriter::new(io::stdout().lock());
    let outcome = segue.exports().export(request, &mut out, &mut progress);
    drop(progress);
    match (outcome, out.flush()) {
        (Ok(outcome), Ok(())) => Ok(outcome),
        (Err(segue_lib::Error::Output(error)), _) | (Ok(_), Err(error)) => Err(error.into()),
        (Err(error), _) => Err(error.into()),
    }
}

impl ExportArgs {
    fn format(&self) -> ExportFormat {
        let ending =
            self.output.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str());
        match (self.format, ending) {
            (Some(Format::Markdown), _) => ExportFormat::Markdown,
            (Some(Format::Json), _) | (None, Some("json")) => ExportFormat::Json,
            (Some(Format::Segue), _) | (None, Some("segue" | "age")) => ExportFormat::Segue,
            (None, _) => ExportFormat::Markdown,
        }
    }

    fn lock(&self, segue: &Segue, ui: &mut Ui) -> Result<Option<Lock>, CommandError> {
        if let Some(passphrase) = self.passphrase.chosen(ui)? {
            return Ok(Some(Lock::Passphrase(passphrase)));
        }
        let recipients: Vec<Recipient> = self
            .recipient
            .iter()
            .map(|word| segue.keys().recipient(word))
            .collect::<Result<_, _>>()?;
        Ok((!recipients.is_empty()).then_some(Lock::Recipients(recipients)))
    }

    fn request(
        &self,
        segue: &Segue,
        format: ExportFormat,
        signing: Option<Signing>,
        lock: Option<Lock>,
        ui: &mut Ui,
    ) -> Result<ExportRequest, CommandError> {
        let many = self.since.is_some() || self.all_projects || self.which.is_project();
        let which = match many {
            true => {
                let now = segue.env().now();
                let since = self.since.as_deref().map(|text| parse_since(text, now)).transpose();
                Exported::Many {
                    project: self.which.project(),
                    all_projects: self.all_projects,
                    since: since.map_err(segue_lib::Error::from)?,
                    expired: self.expired,
                }
            }
            false => {
                let found = self.which.find_here(segue)?;
                super::say_of(&found, segue, ui);
                Exported::One(Box::new(found))
            }
        };
        let (key, name) = signing.map(|signing| (signing.key, signing.name)).unzip();
        let mut request = ExportRequest::new(which, format);
        request.target = self.target.clone();
        request.signer =
            self.signer.clone().or(name.flatten()).filter(|name| !name.trim().is_empty());
        request.key = key;
        request.lock = lock;
        request.armor = self.armor;
        Ok(request)
    }
}

/// What kept a file from being written.
fn unwritten(error: segue_lib::Error, path: &Path) -> CommandError {
    match error {
        segue_lib::Error::Output(source) => {
            let (what, path) = ("write", path.to_owned());
            segue_lib::Error::from(segue_lib::StoreError::Io { what, path, source }).into()
        }
        other => other.into(),
    }
}

pub(super) fn taken(error: segue_lib::StoreError, path: &Path) -> CommandError {
    match error {
        segue_lib::StoreError::Exists { .. } => {
            CommandError::failed(format!("{} exists already", path.display()))
                .hinted("--force overwrites it")
        }
        other => segue_lib::Error::from(other).into(),
    }
}

fn say(
    args: &ExportArgs,
    output: Option<&Path>,
    format: ExportFormat,
    outcome: &ExportOutcome,
    segue: &Segue,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    for warning in &outcome.warnings {
        ui.warning(warning);
    }
    let signed = outcome.fingerprint.is_some();
    if format != ExportFormat::Markdown && !signed {
        let own = segue.keys().all()?.into_iter().find(|key| key.own && key.file.is_some());
        let how = own.and_then(|key| key.name).map_or_else(
            || "'segue keys new NAME' makes a key to sign with".to_owned(),
            |name| format!("--sign-key {name} signs it"),
        );
        ui.note(&format!(
            "it is not signed, and whoever imports it must say --allow-unsigned; {how}"
        ));
    }
    let Some(path) = output else { return Ok(()) };
    if args.json {
        let format = match format {
            ExportFormat::Markdown => "markdown",
            ExportFormat::Json => "json",
            ExportFormat::Segue => "segue",
        };
        return Ok(ui.line(&pretty(&ExportedJson {
            schema: SCHEMA,
            path: path.display().to_string(),
            format,
            handoffs: outcome.count,
            id: outcome.id.as_ref().map(segue_lib::handoffs::HandoffId::as_str),
            fingerprint: outcome.fingerprint.as_deref(),
            encrypted: outcome.encrypted,
            warnings: &outcome.warnings,
        }))?);
    }
    Ok(ui.line(&format!("exported {}", path.display()))?)
}
