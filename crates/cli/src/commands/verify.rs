use std::path::PathBuf;

use clap::Args;
use segue_lib::sharing::{Provenance, Verified};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use super::import::{UnlockArgs, distrust};
use crate::error::CommandError;
use crate::json::{ProvenanceJson, SCHEMA, pretty};
use crate::ui::Ui;

/// Check a bundle without importing it: whole, by whom, and what is in it
///
/// Exits with 0 if it is sound and signed by a key that you trust, else with 65.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// The bundle; '-' is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A sound bundle that nobody signed is good enough
    #[arg(long)]
    allow_unsigned: bool,
    #[command(flatten)]
    unlock: UnlockArgs,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct VerifiedJson<'a> {
    schema: u32,
    format: String,
    encrypted: bool,
    signed: ProvenanceJson<'a>,
    handoffs: Vec<HandoffJson<'a>>,
}

#[derive(Serialize)]
struct HandoffJson<'a> {
    id: &'a str,
    created_at: String,
    title: &'a str,
}

pub(crate) fn run(args: &VerifyArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let verified =
        args.unlock.with(&args.file, segue, ui, |input, _| segue.bundles().verify(input))?;
    if args.json {
        let handoffs = verified.handoffs.iter().map(|(id, created, title)| HandoffJson {
            id: id.as_str(),
            created_at: created.to_string(),
            title,
        });
        let object = VerifiedJson {
            schema: SCHEMA,
            format: verified.format.to_string(),
            encrypted: verified.encrypted,
            signed: ProvenanceJson::new(&verified.provenance),
            handoffs: handoffs.collect(),
        };
        ui.line(&pretty(&object))?;
    } else {
        tell(&verified, ui)?;
    }
    match distrust(&verified.provenance) {
        Some(_) if args.allow_unsigned && verified.provenance == Provenance::Unsigned => Ok(()),
        Some(error) => Err(error),
        None => Ok(()),
    }
}

fn tell(verified: &Verified, ui: &mut Ui) -> std::io::Result<()> {
    let encrypted = if verified.encrypted { ", encrypted" } else { "" };
    let count = super::handoffs(verified.handoffs.len() as u64);
    ui.line(&format!("{}{encrypted}, {count}, whole", verified.format))?;
    ui.line(&visible_line(&verified.provenance.to_string()))?;
    if let Provenance::Signed { fingerprint, .. } = &verified.provenance {
        ui.line(&format!("fingerprint {fingerprint}"))?;
    }
    for (id, created, title) in &verified.handoffs {
        ui.line(&format!("{id}  {}  {}", created.minute(), visible_line(title)))?;
    }
    Ok(())
}
