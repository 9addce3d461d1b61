use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use segue_lib::sharing::{
    Arrived, BundleInput, Fate, Identity, ImportOutcome, ImportRequest, OnConflict, Provenance,
};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use super::passphrase::{KeyPassphraseArgs, PassphraseArgs, answering};
use crate::error::CommandError;
use crate::json::{ProvenanceJson, SCHEMA, pretty};
use crate::ui::Ui;

/// So many handoffs are named one by one.
const NAMED: usize = 20;

/// Import a bundle, or everything that another tool has stored
///
/// All of a bundle is imported or nothing. It must be signed by a key that you trust ('segue keys
/// trust'), unless you say otherwise. A handoff goes to the project that it names by its remote or
/// directory, if that is known here, else to this directory's. What is here is never lost: the same is
/// left as it is, and what is replaced is kept under its id and a number.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// The bundle, '-' for standard input; with --from the other tool's store
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The same as FILE
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    input: Option<PathBuf>,
    /// Import the store of session-handoff, handoff, agent-handover or agent-handoff; FILE says where it
    /// is, if not where that tool keeps it
    #[arg(long, value_name = "TOOL")]
    from: Option<String>,
    /// If the id is here with other content
    #[arg(long, value_enum, default_value = "fail")]
    on_conflict: Conflict,
    /// Also what nobody signed
    #[arg(long)]
    allow_unsigned: bool,
    /// Also what is signed by a key that is not trusted
    #[arg(long)]
    allow_untrusted: bool,
    /// Into this project, a label or a path, whatever the handoffs say
    #[arg(long)]
    project: Option<String>,
    /// Say what would be imported, and import nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    unlock: UnlockArgs,
    /// Print an object
    #[arg(long)]
    json: bool,
}

/// What an encrypted bundle is opened with.
#[derive(Args, Debug)]
pub(crate) struct UnlockArgs {
    #[command(flatten)]
    passphrase: PassphraseArgs,
    #[command(flatten)]
    key_passphrase: KeyPassphraseArgs,
    /// Decrypt with the identities of this file too, besides one's own keys
    #[arg(long, value_name = "FILE")]
    identity: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Conflict {
    /// Import nothing of the bundle
    Fail,
    /// Leave what is here
    Skip,
    /// Keep what is here under its id and a number, and take the new one
    Replace,
}

pub(crate) fn run(args: &ImportArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let given = args.file.as_deref().or(args.input.as_deref());
    let mut request = ImportRequest::default();
    request.on_conflict = match args.on_conflict {
        Conflict::Fail => OnConflict::Fail,
        Conflict::Skip => OnConflict::Skip,
        Conflict::Replace => OnConflict::Replace,
    };
    request.allow_unsigned = args.allow_unsigned;
    request.allow_untrusted = args.allow_untrusted;
    request.dry_run = args.dry_run;
    request.project = args.project.as_deref().map(|text| super::project_ref(Some(text)));
    let outcome = match (&args.from, given) {
        (Some(peer), path) => import_peer(peer, path, &request, segue, ui)?,
        (None, Some(path)) => args.unlock.with(path, segue, ui, |input, ui| {
            segue.imports().import(input, &request, &mut ui.progress("read"))
        })?,
        (None, None) => {
            return Err(CommandError::usage("there is nothing to import: no file was named")
                .hinted("'segue import FILE', or '-' for standard input"));
        }
    };
    say(&outcome, args, ui)
}

impl UnlockArgs {
    /// Opens a file for a use case that reads a bundle.
    pub(crate) fn with<T>(
        &self,
        path: &Path,
        segue: &Segue,
        ui: &mut Ui,
        work: impl FnOnce(BundleInput<'_>, &mut Ui) -> Result<T, segue_lib::Error>,
    ) -> Result<T, CommandError> {
        let stdin = path == Path::new("-");
        if stdin && self.passphrase.is_on_stdin() {
            return Err(CommandError::usage(
                "the bundle and the passphrase cannot both come on standard input",
            )
            .hinted("--passphrase-env, or a file, leaves standard input to the bundle"));
        }
        let bundle = self.passphrase.given(ui)?;
        let mut ask = answering(bundle, self.key_passphrase.given(ui)?);
        let mut identities: Vec<Identity> = Vec::new();
        for file in &self.identity {
            identities.extend(segue.keys().identities(file, &mut ask)?);
        }
        let (name, input): (String, Box<dyn Read>) = match stdin {
            true => ("standard input".to_owned(), Box::new(io::stdin().lock())),
            false => (path.display().to_string(), Box::new(open(path)?)),
        };
        Ok(work(BundleInput { name, input, ask: &mut ask, identities }, ui)?)
    }
}

fn open(path: &Path) -> Result<File, CommandError> {
    let shown = path.display();
    match File::open(path) {
        Ok(file) if file.metadata().is_ok_and(|meta| meta.is_dir()) => {
            Err(CommandError::input(format!("{shown} is a directory, not a bundle")))
        }
        Ok(file) => Ok(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(CommandError::not_found(format!("there is no file {shown}"))
                .hinted("'-' is standard input; --from imports another tool's store"))
        }
        Err(error) => Err(CommandError::failed(format!("cannot read {shown}: {error}"))),
    }
}

fn import_peer(
    peer: &str,
    path: Option<&Path>,
    request: &ImportRequest,
    segue: &Segue,
    ui: &mut Ui,
) -> Result<ImportOutcome, CommandError> {
    let variable = |name: &str| crate::host::variable(name);
    Ok(segue.imports().import_from(peer, path, &variable, request, &mut ui.progress("imported"))?)
}

fn verb(fate: &Fate, dry_run: bool) -> &'static str {
    match (fate, dry_run) {
        (Fate::New, false) => "imported",
        (Fate::New, true) => "would import",
        (Fate::Same, _) => "already here:",
        (Fate::Skipped, false) => "skipped",
        (Fate::Skipped, true) => "would skip",
        (Fate::Replaced(_), false) => "replaced",
        (Fate::Replaced(_), true) => "would replace",
        (Fate::Forgotten, _) => "forgotten here:",
    }
}

fn say(outcome: &ImportOutcome, args: &ImportArgs, ui: &mut Ui) -> Result<(), CommandError> {
    for warning in &outcome.warnings {
        ui.warning(warning);
    }
    if args.json {
        ui.line(&pretty(&ImportedJson::new(outcome, args.dry_run)))?;
        return stayed_out(outcome, args);
    }
    if outcome.arrived.len() <= NAMED {
        for one in &outcome.arrived {
            ui.line(&format!("{} handoff {}", verb(&one.fate, args.dry_run), one.id))?;
        }
    } else {
        summary(outcome, args.dry_run, ui)?;
    }
    ui.finish()?;
    if let Some(provenance) = &outcome.provenance {
        let from = segue_lib::handoffs::came_from(&outcome.from);
        ui.note(&format!("{from}: {provenance}"));
    }
    if outcome.arrived.len() <= NAMED {
        outcome.arrived.iter().for_each(|one| remark(one, ui));
    }
    stayed_out(outcome, args)
}

/// Something of another tool's store stayed out though nobody said that it may.
fn stayed_out(outcome: &ImportOutcome, args: &ImportArgs) -> Result<(), CommandError> {
    let skipped = outcome.count(|fate| *fate == Fate::Skipped);
    match args.on_conflict {
        Conflict::Fail if skipped > 0 => Err(CommandError::failed(format!(
            "{} stayed out: here with other content",
            super::handoffs(skipped as u64)
        ))
        .hinted(
            "--on-conflict replace takes them and keeps what is here under its id and a number",
        )),
        _ => Ok(()),
    }
}

fn summary(outcome: &ImportOutcome, dry_run: bool, ui: &mut Ui) -> io::Result<()> {
    let kinds: [(&Fate, usize); 4] = [
        (&Fate::New, outcome.count(|fate| *fate == Fate::New)),
        (&Fate::Same, outcome.count(|fate| *fate == Fate::Same)),
        (&Fate::Skipped, outcome.count(|fate| *fate == Fate::Skipped)),
        (&Fate::Forgotten, outcome.count(|fate| *fate == Fate::Forgotten)),
    ];
    for (fate, count) in kinds.into_iter().filter(|(_, count)| *count > 0) {
        ui.line(&format!("{} {}", verb(fate, dry_run), super::handoffs(count as u64)))?;
    }
    let replaced = outcome.count(|fate| matches!(fate, Fate::Replaced(_)));
    if replaced > 0 {
        let verb = if dry_run { "would replace" } else { "replaced" };
        ui.line(&format!("{verb} {}", super::handoffs(replaced as u64)))?;
    }
    Ok(())
}

fn remark(one: &Arrived, ui: &mut Ui) {
    let short = one.id.short();
    match &one.fate {
        Fate::Replaced(kept_as) => {
            ui.note(&format!("{short}: the former one is kept as {kept_as}"));
        }
        Fate::Forgotten => {
            ui.note(&format!("{short}: it was forgotten here, and stays forgotten"));
        }
        Fate::New => {
            let project = one
                .project
                .as_ref()
                .map_or(String::new(), |label| format!(" in the project '{label}'"));
            ui.note(&format!("{short}: {}{project}", visible_line(&one.title)));
        }
        Fate::Same | Fate::Skipped => {}
    }
}

#[derive(Serialize)]
struct ImportedJson<'a> {
    schema: u32,
    from: &'a str,
    encrypted: bool,
    dry_run: bool,
    signed: Option<ProvenanceJson<'a>>,
    handoffs: Vec<ArrivedJson<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct ArrivedJson<'a> {
    id: &'a str,
    short: &'a str,
    title: &'a str,
    fate: &'static str,
    former: Option<&'a str>,
    project: Option<&'a str>,
}

impl<'a> ImportedJson<'a> {
    fn new(outcome: &'a ImportOutcome, dry_run: bool) -> Self {
        let arrived = outcome.arrived.iter().map(|one| ArrivedJson {
            id: one.id.as_str(),
            short: one.id.short(),
            title: &one.title,
            fate: match &one.fate {
                Fate::New => "new",
                Fate::Same => "same",
                Fate::Skipped => "skipped",
                Fate::Replaced(_) => "replaced",
                Fate::Forgotten => "forgotten",
            },
            former: match &one.fate {
                Fate::Replaced(kept_as) => Some(kept_as.as_str()),
                _ => None,
            },
            project: one.project.as_deref(),
        });
        Self {
            schema: SCHEMA,
            from: &outcome.from,
            encrypted: outcome.encrypted,
            dry_run,
            signed: outcome.provenance.as_ref().map(ProvenanceJson::new),
            handoffs: arrived.collect(),
            warnings: &outcome.warnings,
        }
    }
}

/// What is wrong with a signer, for `verify`.
pub(crate) fn distrust(provenance: &Provenance) -> Option<CommandError> {
    match provenance {
        Provenance::Signed { trusted: true, .. } => None,
        Provenance::Signed { fingerprint, .. } | Provenance::Unproven { fingerprint } => Some(
            CommandError::input("the signature is not by a trusted key")
                .hinted(trust_hint(fingerprint)),
        ),
        Provenance::Unsigned => Some(
            CommandError::input("nobody signed it")
                .hinted("--allow-unsigned takes it all the same, if you know where it comes from"),
        ),
    }
}

/// How to trust a key.
pub(crate) fn trust_hint(fingerprint: &str) -> String {
    format!(
        "compare the fingerprint with its owner, then trust it with 'segue keys trust {fingerprint}'"
    )
}
