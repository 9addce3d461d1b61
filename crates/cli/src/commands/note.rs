use clap::Args;
use segue_lib::Segue;
use segue_lib::state::{NoteKind, NoteRequest};

use crate::error::CommandError;
use crate::ui::Ui;

/// Note one thing while the work goes on
///
/// It stands in the next briefing where it belongs, and stays open until it is closed. What you type at a terminal is
/// yours; what an agent notes is told as the agent's.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  segue note --next \"Measure the cold start\"\n  segue note --decision \"Storage: SQLite\" --why \"one file\""
)]
pub(crate) struct NoteArgs {
    #[command(flatten)]
    what: What,
    /// Why it was decided so
    #[arg(long, value_name = "TEXT", requires = "decision")]
    why: Option<String>,
    /// What was considered and not taken; can be given several times
    #[arg(long, value_name = "TEXT", requires = "decision")]
    rejected: Vec<String>,
    /// Print an object with the full id, the path and the warnings
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct What {
    /// A next step
    #[arg(long, value_name = "TEXT")]
    next: Option<String>,
    /// A rule that holds from now on
    #[arg(long, value_name = "TEXT")]
    rule: Option<String>,
    /// A decision, best as "subject: what was decided"
    #[arg(long, value_name = "TEXT")]
    decision: Option<String>,
    /// A trap
    #[arg(long, value_name = "TEXT")]
    gotcha: Option<String>,
    /// An open question
    #[arg(long, value_name = "TEXT")]
    question: Option<String>,
    /// Something that is in the way
    #[arg(long, value_name = "TEXT")]
    blocker: Option<String>,
}

impl What {
    fn request(&self) -> Option<NoteRequest> {
        let given = [
            (NoteKind::Next, &self.next),
            (NoteKind::Rule, &self.rule),
            (NoteKind::Decision, &self.decision),
            (NoteKind::Gotcha, &self.gotcha),
            (NoteKind::Question, &self.question),
            (NoteKind::Blocker, &self.blocker),
        ];
        let mut given = given.into_iter();
        given.find_map(|(kind, text)| Some(NoteRequest::new(kind, text.as_ref()?)))
    }
}

pub(crate) fn run(args: &NoteArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let request = args.what.request();
    let mut request = request.ok_or_else(|| CommandError::usage("what is to be noted?"))?;
    request.why.clone_from(&args.why);
    request.rejected.clone_from(&args.rejected);
    request.by = super::speaker(None, ui);
    (request.tool, request.session) = super::agent(None, None);
    let saved = segue.open_items().note(&request)?;
    super::save::print(&saved, args.json, ui)
}
