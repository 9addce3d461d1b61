use std::io::{self, IsTerminal};
use std::path::Path;

use clap::Args;
use segue_lib::maintenance::{ScrubLeft, ScrubReport, ScrubRequest, Scrubbed, SecretIn};
use segue_lib::{Segue, visible_line};
use serde::Serialize;

use crate::error::CommandError;
use crate::input::agreed;
use crate::json::{SCHEMA, pretty};
use crate::ui::Ui;

/// Take secrets out of what is stored already
///
/// The one command that rewrites handoffs: a mark such as '[redacted: github token]' takes the place of
/// each secret; ids, times and all else stay. It looks at every text that the store keeps for this
/// project, archives, damaged files, layer 2, runs and what was put aside included, and at the block of
/// HANDOFF.md; then the index is made anew. Copies elsewhere keep the secret: git's history, bundles,
/// remotes, other machines, backups. So revoke it.
#[derive(Args, Debug)]
pub(crate) struct ScrubArgs {
    /// The whole store, not only this project
    #[arg(long)]
    all_projects: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Only say what would be taken out
    #[arg(long)]
    dry_run: bool,
    /// Print an object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ScrubJson<'a> {
    schema: u32,
    dry_run: bool,
    secrets: usize,
    scrubbed: Vec<TextJson<'a>>,
    left: Vec<TextJson<'a>>,
    failed: &'a [String],
}

#[derive(Serialize)]
struct TextJson<'a> {
    id: Option<&'a str>,
    title: Option<&'a str>,
    path: String,
    signed: bool,
    why: Option<&'a str>,
    secrets: Vec<SecretJson<'a>>,
}

#[derive(Serialize)]
struct SecretJson<'a> {
    kind: &'a str,
    place: &'a str,
    line: usize,
    count: usize,
}

pub(crate) fn run(args: &ScrubArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let mut request = ScrubRequest::default();
    request.all_projects = args.all_projects;
    let plan = segue.scrubber().plan(&request)?;
    if plan.elsewhere {
        ui.note("nothing is saved here: looking in the whole store");
    }
    let asked = !args.dry_run && !plan.is_empty() && !args.yes;
    let report = if args.dry_run || plan.is_empty() {
        say(&plan.report, "would rewrite", ui);
        plan.report.clone()
    } else {
        if asked {
            say(&plan.report, "to be rewritten:", ui);
            confirmed()?;
        }
        let report = segue.scrubber().scrub(&plan)?;
        if !asked {
            say(&report, "rewrote", ui);
        }
        report
    };
    if args.dry_run && plan.unfinished {
        ui.warning("a scrub was cut off; the index may hold what it took out");
    }
    if args.json {
        ui.line(&pretty(&ScrubJson::new(&report, args.dry_run)))?;
    } else {
        ui.line(&summary(&report, args.dry_run))?;
    }
    if !report.scrubbed.is_empty() {
        ui.note(
            "copies elsewhere keep them: git's history, bundles, remotes, other machines, backups",
        );
        ui.hint("revoke what was found: a secret that was written down is known");
    }
    for failure in &report.failed {
        ui.warning(failure);
    }
    match report.failed.is_empty() {
        true => Ok(()),
        false => Err(CommandError::failed("not everything could be scrubbed")
            .hinted("see to what is named above, then run it again")),
    }
}

fn confirmed() -> Result<(), CommandError> {
    if !io::stdin().is_terminal() {
        return Err(CommandError::usage("rewriting handoffs needs a yes")
            .hinted("add --yes, or --dry-run to only look"));
    }
    match agreed("rewrite them?") {
        true => Ok(()),
        false => Err(CommandError::failed("nothing was rewritten")),
    }
}

/// Says what was found and where, never what it was.
fn say(report: &ScrubReport, verb: &str, ui: &mut Ui) {
    for one in &report.scrubbed {
        ui.note(&format!("{verb} {}: {}", name(one), told(&one.secrets)));
        if one.signed {
            ui.note("  its signature is about the text with them, and cannot be proved any more");
        }
    }
    for ScrubLeft { path, secrets, why, .. } in &report.left {
        let what = if secrets.is_empty() { String::new() } else { format!(": {}", told(secrets)) };
        ui.warning(&format!("{} is left alone ({why}){what}", shown(path)));
    }
}

fn name(one: &Scrubbed) -> String {
    match (&one.id, &one.title) {
        (Some(id), Some(title)) => format!("{id} ({})", visible_line(title)),
        _ => shown(&one.path),
    }
}

fn shown(path: &Path) -> String {
    visible_line(&path.display().to_string()).into_owned()
}

fn told(secrets: &[SecretIn]) -> String {
    let words = counted(secrets).into_iter().map(|(one, count)| {
        let times = if count == 1 { String::new() } else { format!(", {count} times") };
        let place = visible_line(&one.place);
        format!("{} in {place} (line {}{times})", one.kind, one.line)
    });
    words.collect::<Vec<_>>().join("; ")
}

/// Each kind and place once, with the first line and how often.
fn counted(secrets: &[SecretIn]) -> Vec<(&SecretIn, usize)> {
    let mut counted: Vec<(&SecretIn, usize)> = Vec::new();
    for one in secrets {
        match counted
            .iter_mut()
            .find(|(known, _)| (&known.kind, &known.place) == (&one.kind, &one.place))
        {
            Some((_, count)) => *count += 1,
            None => counted.push((one, 1)),
        }
    }
    counted
}

fn summary(report: &ScrubReport, dry_run: bool) -> String {
    let secrets: usize = report.scrubbed.iter().map(|one| one.secrets.len()).sum();
    let handoffs = report.scrubbed.iter().filter(|one| one.id.is_some()).count();
    let others = report.scrubbed.len() - handoffs;
    let many =
        |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let of = match (handoffs, others) {
        (0, 0) => return "No secrets found.".to_owned(),
        (0, _) => many(others, "other text"),
        (_, 0) => many(handoffs, "handoff"),
        _ => format!("{} and {}", many(handoffs, "handoff"), many(others, "other text")),
    };
    let took = if dry_run { "Would take" } else { "Took" };
    format!("{took} {} out of {of}.", many(secrets, "secret"))
}

impl<'a> ScrubJson<'a> {
    fn new(report: &'a ScrubReport, dry_run: bool) -> Self {
        let secrets = |secrets: &'a [SecretIn]| -> Vec<SecretJson<'a>> {
            let of = |(one, count): (&'a SecretIn, usize)| SecretJson {
                kind: &one.kind,
                place: &one.place,
                line: one.line,
                count,
            };
            counted(secrets).into_iter().map(of).collect()
        };
        let scrubbed = report.scrubbed.iter().map(|one| TextJson {
            id: one.id.as_ref().map(segue_lib::handoffs::HandoffId::as_str),
            title: one.title.as_deref(),
            path: one.path.display().to_string(),
            signed: one.signed,
            why: None,
            secrets: secrets(&one.secrets),
        });
        let left = report.left.iter().map(|one| TextJson {
            id: None,
            title: None,
            path: one.path.display().to_string(),
            signed: false,
            why: Some(&one.why),
            secrets: secrets(&one.secrets),
        });
        Self {
            schema: SCHEMA,
            dry_run,
            secrets: report.scrubbed.iter().map(|one| one.secrets.len()).sum(),
            scrubbed: scrubbed.collect(),
            left: left.collect(),
            failed: &report.failed,
        }
    }
}
