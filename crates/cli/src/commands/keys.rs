use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use segue_lib::handoffs::Name;
use segue_lib::sharing::KeyInfo;
use segue_lib::{OutputFile, Segue, visible_line};
use serde::Serialize;

use super::passphrase::{PassphraseArgs, answering};
use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::{Role, Ui};

/// Make keys that sign bundles, and say whose signature you trust
///
/// A key signs with Ed25519; with it comes an identity for which others can encrypt. A signature
/// counts only if its key is trusted here, which only you can say.
#[derive(Args, Debug)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a key of your own
    New {
        /// What to call it
        #[arg(default_value = "default")]
        name: String,
        #[command(flatten)]
        passphrase: PassphraseArgs,
        /// Print an object
        #[arg(long)]
        json: bool,
    },
    /// List your own keys and those that you trust
    List {
        /// Print an object
        #[arg(long)]
        json: bool,
    },
    /// Show one key: its fingerprint, public key and recipient
    Show {
        /// Its name, its fingerprint, or the beginning of that [default: your only own key]
        key: Option<String>,
        /// Print an object
        #[arg(long)]
        json: bool,
    },
    /// Trust a key: a public key in a PEM file, the signer of a bundle, or a fingerprint
    Trust {
        /// The PEM file, the bundle, or the fingerprint
        key: String,
        /// What to call it
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        passphrase: PassphraseArgs,
        /// Print an object
        #[arg(long)]
        json: bool,
    },
    /// Trust a key no more; what it signed stays and is shown as untrusted
    Untrust {
        /// Its name, its fingerprint, or the beginning of that
        key: String,
        /// Print an object
        #[arg(long)]
        json: bool,
    },
    /// Print the public half of a key, for others to trust and to encrypt for
    Export {
        /// Its name or fingerprint [default: your only own key]
        key: Option<String>,
        /// Write to this file, which must not exist yet
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite the file
        #[arg(long, requires = "output")]
        force: bool,
    },
}

#[derive(Serialize)]
struct KeysJson<'a> {
    schema: u32,
    keys: Vec<KeyJson<'a>>,
}

#[derive(Serialize)]
struct OneJson<'a> {
    schema: u32,
    #[serde(flatten)]
    key: KeyJson<'a>,
}

#[derive(Serialize)]
struct KeyJson<'a> {
    fingerprint: &'a str,
    name: Option<&'a str>,
    own: bool,
    trusted: bool,
    since: Option<String>,
    public_key: Option<&'a str>,
    recipient: Option<&'a str>,
    file: Option<String>,
    encrypted: bool,
}

impl<'a> KeyJson<'a> {
    fn new(key: &'a KeyInfo) -> Self {
        Self {
            fingerprint: &key.fingerprint,
            name: key.name.as_deref(),
            own: key.own,
            trusted: key.is_trusted,
            since: key.trusted.map(|at| at.to_string()),
            public_key: key.pem.as_deref(),
            recipient: key.recipient.as_deref(),
            file: key.file.as_ref().map(|path| path.display().to_string()),
            encrypted: key.encrypted,
        }
    }
}

pub(crate) fn run(args: &KeysArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let Some(action) = &args.action else { return list(&segue.keys().all()?, ui) };
    match action {
        Action::New { name, passphrase, json } => {
            let name = named(name)?;
            let passphrase = passphrase.chosen(ui)?;
            let key = segue.keys().create(&name, passphrase.as_ref())?;
            one(&key, *json, ui)?;
            if !json {
                ui.finish()?;
                ui.note(&format!(
                    "sign with --sign-key {}; give others what 'segue keys export {}' prints",
                    name.as_str(),
                    name.as_str()
                ));
            }
            Ok(())
        }
        Action::List { json: true } => {
            let keys = segue.keys().all()?;
            let keys = keys.iter().map(KeyJson::new).collect();
            Ok(ui.line(&pretty(&KeysJson { schema: SCHEMA, keys }))?)
        }
        Action::List { json: false } => list(&segue.keys().all()?, ui),
        Action::Show { key, json } => one(&meant(key.as_deref(), segue)?, *json, ui),
        Action::Trust { key, name, passphrase, json } => {
            super::refuse_in_agent("segue keys trust")?;
            let name = name.as_deref().map(named).transpose()?;
            let mut ask = answering(passphrase.given(ui)?, None);
            one(&segue.keys().trust(key, name.as_ref(), &mut ask)?, *json, ui)
        }
        Action::Untrust { key, json: true } => one(&segue.keys().untrust(key)?, true, ui),
        Action::Untrust { key, json: false } => {
            let key = segue.keys().untrust(key)?;
            Ok(ui.line(&format!("{} is not trusted", key.fingerprint))?)
        }
        Action::Export { key, output, force } => {
            let key = meant(key.as_deref(), segue)?;
            export(&key, output.as_deref(), *force, ui)
        }
    }
}

fn named(text: &str) -> Result<Name, CommandError> {
    Ok(text.parse::<Name>().map_err(segue_lib::Error::from)?)
}

/// The key that is meant; without a word the only one of one's own.
fn meant(word: Option<&str>, segue: &Segue) -> Result<KeyInfo, CommandError> {
    if let Some(word) = word {
        return Ok(segue.keys().find(word)?);
    }
    let mut own: Vec<KeyInfo> = segue.keys().all()?.into_iter().filter(|key| key.own).collect();
    match own.len() {
        1 => Ok(own.remove(0)),
        0 => Err(CommandError::not_found("you have no key of your own")
            .hinted("'segue keys new NAME' makes one")),
        _ => Err(CommandError::usage("you have several keys: say which")
            .detailed(own.iter().map(line_of))),
    }
}

fn line_of(key: &KeyInfo) -> String {
    format!("{}  {}", &key.fingerprint[..16], visible_line(key.name.as_deref().unwrap_or("-")))
}

fn one(key: &KeyInfo, json: bool, ui: &mut Ui) -> Result<(), CommandError> {
    if json {
        return Ok(ui.line(&pretty(&OneJson { schema: SCHEMA, key: KeyJson::new(key) }))?);
    }
    let standing = match (key.own, key.is_trusted) {
        (true, true) => "your own, trusted",
        (true, false) => "your own, not trusted",
        (false, true) => "trusted",
        (false, false) => "not trusted",
    };
    let facts = [
        ("name", key.name.clone()),
        ("standing", Some(standing.to_owned())),
        ("fingerprint", Some(key.fingerprint.clone())),
        ("recipient", key.recipient.clone()),
        ("file", key.file.as_ref().map(|path| path.display().to_string())),
    ];
    for (what, text) in facts {
        if let Some(text) = text {
            ui.line(&format!("{what:<12} {}", visible_line(&text)))?;
        }
    }
    if let Some(pem) = &key.pem {
        ui.raw(pem)?;
    }
    Ok(())
}

fn list(keys: &[KeyInfo], ui: &mut Ui) -> Result<(), CommandError> {
    if keys.is_empty() {
        ui.note(
            "no keys yet; 'segue keys new NAME' makes one, 'segue keys trust' trusts another's",
        );
        return Ok(());
    }
    let names = keys.iter().map(|key| key.name.as_deref().unwrap_or("-").chars().count());
    let width = names.max().unwrap_or(0).clamp(4, 40);
    ui.line(&ui.paint(
        Role::Heading,
        &format!("{:<16}  {:<width$}  {:<10}  SINCE", "FINGERPRINT", "NAME", "STANDING"),
    ))?;
    for key in keys {
        let standing = match (key.own, key.is_trusted) {
            (true, true) => "own",
            (true, false) => "own, not trusted",
            _ => "trusted",
        };
        let since = key.trusted.map_or_else(String::new, |at| at.minute());
        let name = visible_line(key.name.as_deref().unwrap_or("-")).into_owned();
        let print = ui.paint(Role::Id, &key.fingerprint[..16]);
        ui.line(format!("{print}  {name:<width$}  {standing:<10}  {since}").trim_end())?;
    }
    Ok(())
}

fn export(
    key: &KeyInfo,
    output: Option<&Path>,
    force: bool,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let Some(pem) = &key.pem else {
        return Err(CommandError::not_found(format!(
            "only the fingerprint {} is known here, not the key",
            key.fingerprint
        ))
        .hinted("'segue keys trust FILE' with its PEM file or a bundle that it signed brings it"));
    };
    let text = match &key.public_file {
        Some(text) => text.clone(),
        None => format!("fingerprint: {}\n{pem}", key.fingerprint),
    };
    let Some(path) = output else { return Ok(ui.raw(&text)?) };
    let mut file =
        OutputFile::create(path, force).map_err(|error| super::export::taken(error, path))?;
    file.write_all(text.as_bytes()).map_err(segue_lib::Error::Output)?;
    file.commit().map_err(|error| super::export::taken(error, path))?;
    Ok(ui.line(&format!("exported {}", path.display()))?)
}
