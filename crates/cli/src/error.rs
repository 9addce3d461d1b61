//! One shape for every failure: what, where, then the hint; the kind decides the exit code.

use std::io;
use std::process::ExitCode;

use segue_lib::handoffs::HandoffKind;
use segue_lib::sharing::{BundleError, CryptError, PeerError, VaultError};
use segue_lib::{
    BundleProblem, ContinueProblem, Error, KeyProblem, Kind, PassedOver, PassedOverFor, StoreError,
    VaultProblem,
};

use crate::commands::import::trust_hint;
use crate::ui::Ui;

pub(crate) const EXIT_INTERNAL: u8 = 70;

/// A failed command.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: Kind,
    message: String,
    details: Vec<String>,
    hints: Vec<String>,
    /// Whoever read our output has gone: nothing to say, nothing wrong.
    broken_pipe: bool,
    /// The exit code is the whole answer.
    answer: Option<u8>,
}

impl CommandError {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            details: Vec::new(),
            hints: Vec::new(),
            broken_pipe: false,
            answer: None,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(Kind::Input, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self::new(Kind::Busy, message)
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message)
    }

    /// An answer that is an exit code, without a complaint.
    pub(crate) fn quiet(code: u8) -> Self {
        Self { answer: Some(code), ..Self::failed("") }
    }

    pub(crate) fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Lines below the message.
    pub(crate) fn detailed(mut self, details: impl Iterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }

    /// The same in one text, for whoever cannot be shown lines of their own.
    pub(crate) fn told(&self) -> String {
        let mut text = self.message.clone();
        for line in self.details.iter().chain(&self.hints) {
            text.push_str(&format!("\n{line}"));
        }
        text
    }

    /// Prints it and gives the exit code.
    pub(crate) fn report(self, ui: &mut Ui) -> ExitCode {
        if self.broken_pipe {
            return ExitCode::SUCCESS;
        }
        // What was already found goes out before the complaint.
        let _ = ui.finish();
        if let Some(code) = self.answer {
            return ExitCode::from(code);
        }
        ui.error(&self.message);
        for detail in &self.details {
            ui.detail(detail);
        }
        for hint in &self.hints {
            ui.hint(hint);
        }
        ExitCode::from(match self.kind {
            Kind::Usage => 64,
            Kind::Input => 65,
            Kind::NotFound => 66,
            Kind::Busy => 75,
            Kind::Internal => 70,
            Kind::Failed => 1,
        })
    }
}

impl From<io::Error> for CommandError {
    /// Only writing to standard output gives a bare I/O error here.
    fn from(error: io::Error) -> Self {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Self { broken_pipe, ..Self::failed(format!("cannot write to standard output: {error}")) }
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        // Whoever read our output has gone.
        if let Error::Output(error) = error {
            return error.into();
        }
        let mut shown = Self::new(error.kind(), error.to_string());
        match &error {
            Error::Span(segue_lib::SpanError::Since(_)) => {
                shown.hint("for example 90m, 7d, 1h30m or 2026-11-01")
            }
            Error::Span(_) => shown.hint("for example 90m, 6h, 14d, 2w, 1d12h or never"),
            Error::Empty => shown.hint("pipe a body in, or give --title, --summary or --next"),
            Error::NoWords => shown.hint("give a word, a \"phrase\" or a field such as tag:release"),
            Error::TooLarge => shown.hint("save a summary and name the large file in it"),
            Error::NoId(_) => shown.hint("'segue list --all-projects' shows what there is"),
            Error::Unreadable { .. } => {
                shown
                    .hint("the file is left as it is; mend it by hand or move it out of the store");
            }
            Error::Name(_) => shown.hint("use letters, digits and marks such as - _ . /"),
            Error::SecretLabel(_) => {
                shown.hint("give it another name; if it is none, list it under [redact] allow in config.toml")
            }
            Error::Selector(_) => shown.hint("give an id, the beginning of one, or 'latest'"),
            Error::NoName { elsewhere, passed_over, .. } => {
                if let Some(passed_over) = passed_over {
                    let (of_it, short) = (passed_over_in_words(passed_over), passed_over.id.short());
                    shown.hint(format!("{of_it}; 'segue show {short}' shows it"));
                }
                match &elsewhere[..] {
                    [] => {}
                    [label] => {
                        shown.hint(format!("the project '{label}' has one: add --project {label}"))
                    }
                    several => shown.hint(format!(
                        "these projects have one: {}; add --project",
                        several.join(", ")
                    )),
                }
                if shown.hints.is_empty() {
                    shown.hint("'segue list' shows what there is");
                }
            }
            Error::OnlyTheUser { .. } => shown.hint(
                "the user can say so in the session, or run the command in a terminal of their own",
            ),
            Error::NoItem(_) => shown.hint("'segue open --all' lists the items with their ids"),
            Error::NoBranch(_) => shown.hint("'segue list' shows what there is"),
            Error::None(_) => shown.hint("'segue save' leaves the first one"),
            Error::NothingHere => {
                shown.hint("'segue list --all-projects' shows what there is elsewhere; an id works from anywhere")
            }
            Error::NothingToGoOnFrom { id, .. } => shown.hint(format!(
                "'segue show {}' shows it, 'segue resume' goes on from the last session",
                id.short()
            )),
            Error::UnknownKind(_) => shown.hint("update Segue, or save a new handoff"),
            Error::Ambiguous { matches, more, .. } => {
                for one in matches {
                    let title = segue_lib::visible_line(&one.title).into_owned();
                    shown.details.push(format!("{}  {}  {title}", one.id, one.project));
                }
                if *more {
                    shown.details.push("and more".to_owned());
                }
                shown.hint("give more of the id");
            }
            Error::SeveralProjects { labels, .. } => {
                shown.details.extend(labels.iter().cloned());
                shown.hint("say which with --project");
            }
            Error::SeveralLabels { projects, .. } => {
                shown.details.extend(projects.iter().map(ToString::to_string));
                shown.hint("say which by its id, as listed, in place of the label");
            }
            Error::NoDirectory(_) => {
                shown.hint("give a directory that exists; a --project without a slash is a label")
            }
            Error::NoWorkTree(_) => shown.hint("'git init' makes one"),
            Error::Store(StoreError::NotADirectory { .. }) => {
                shown.hint("move it away and repeat the command")
            }
            Error::NotAFile(_) => shown.hint("move it away and repeat the command"),
            Error::LinksOut(_) => shown.hint("put the file itself there, or move the link away"),
            Error::ChangedMeanwhile(_) => shown.hint("repeat the command"),
            Error::NoProject(_) => shown.hint("'segue project list' shows what there is"),
            Error::Redact(_) => shown.hint("mend '[redact]' in your config.toml"),
            Error::NoSession(_) | Error::NoSessionHere(_) | Error::NoSessionIn { .. } => {
                shown.hint("'segue sessions' shows those of this directory");
            }
            Error::NoTranscript(_) => {
                let agents: Vec<_> = segue_lib::sessions::readable_agents().collect();
                shown.hint(format!("name a file, or one of these agents: {}", agents.join(", ")));
            }
            Error::NoTranscripts(_) | Error::NotATranscript(_) => {
                let agents: Vec<_> = segue_lib::sessions::readable_agents().collect();
                shown.hint(format!("those of these agents are: {}", agents.join(", ")));
            }
            Error::NotExportable { .. } => {
                shown.hint("'segue show' prints it; 'segue save' saves what it says anew");
            }
            Error::Newer(_) => shown.hint("update Segue, or save a new handoff"),
            Error::Store(StoreError::Busy { .. }) => shown.hint("try again in a moment"),
            Error::Store(StoreError::Io { source, .. }) => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    shown.hint("the disk is full: nothing earlier is lost; free some space and repeat the command");
                }
                io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                    shown.hint("set SEGUE_HOME to a directory that you can write to");
                }
                _ => {}
            },
            Error::Store(StoreError::Link { .. }) => shown.hint(
                "put the file or directory itself there",
            ),
            Error::Store(StoreError::BadHandoff { .. }) => {
                shown.hint("the file is left as it is; mend it by hand or move it out of the store")
            }
            Error::Paused(paused) => {
                shown.hint("nothing was written; 'segue save' works even now");
                shown.hint(let_go(paused));
            }
            Error::OtherPlan { plan } => {
                let plan = plan.as_ref().map_or(String::new(), |plan| format!(" --config {plan}"));
                shown.hint(format!(
                    "'segue run{plan}' finishes it; --fresh puts it aside; what you gave is queued"
                ));
            }
            Error::BadPlace { .. } => shown.hint("name another file or directory"),
            Error::NoAnswer(_) => shown.hint("try again, or set SEGUE_GIT_DEADLINE_MS higher"),
            Error::Queued(_) => {
                shown.hint("the run at work, or the next of the same plan, hands it over")
            }
            Error::NothingToHandOver => shown.hint("give --note or --current-state"),
            Error::NoPlan(_) => shown.hint("'segue run --example' prints one"),
            Error::PlanChanged(_) => {
                shown.hint("finish it with the old plan, or add --fresh to put it aside")
            }
            Error::Untrusted { top, .. } => {
                shown.hint(format!(
                    "the user looks at it, then says 'segue trust {}' in a terminal of their own",
                    top.display()
                ))
            }
            Error::Store(StoreError::BadJournal { .. }) => {
                shown.hint("move it away, and repeat the import that was cut off");
            }
            Error::Store(StoreError::BadCheckpoint { .. }) => {
                shown.hint("a run with --fresh puts it aside and begins anew; a link or directory is yours to move")
            }
            Error::Bundle { why, doing, .. } => shown.bundle_hint(why, doing),
            Error::Key(problem) => shown.key_hint(problem),
            Error::Peer(PeerError::Unknown(_)) => shown.hint("for example 'segue import --from handoff'"),
            Error::Peer(PeerError::NotFound { .. }) => {
                shown.hint("name the file or directory after --from, if it is elsewhere");
            }
            Error::Vault(problem) => shown.hints.extend(vault_hint(problem)),
            Error::Continue(problem) => shown.hint(continue_hint(problem)),
            _ => {}
        }
        shown
    }
}

impl CommandError {
    fn bundle_hint(&mut self, why: &BundleProblem, doing: &str) {
        match why {
            BundleProblem::Untrusted { fingerprint, name } => {
                if let Some(name) = name {
                    self.details.push(format!("the signer calls itself '{name}', which anybody can"));
                }
                self.details.push(format!("its fingerprint is {fingerprint}"));
                self.hint(trust_hint(fingerprint));
                self.hint("--allow-untrusted imports it all the same, marked as untrusted");
            }
            BundleProblem::Unsigned => {
                self.hint("--allow-unsigned imports it all the same, marked as unsigned");
            }
            BundleProblem::Conflict(ids) => {
                self.details.extend(ids.iter().take(10).map(ToString::to_string));
                if ids.len() > 10 {
                    self.details.push(format!("and {} more", ids.len() - 10));
                }
                self.hint("--on-conflict skip leaves what is here; replace keeps it under its id and a number");
            }
            BundleProblem::Future { .. } => self.hint("look at the clock of either machine"),
            BundleProblem::Crypt(CryptError::NotForUs) if !matches!(doing, "import" | "verify") => {
                self.hint("ask for the key itself: 'segue keys export' over there prints it");
            }
            BundleProblem::Crypt(error) => self.crypt_hint(error),
            BundleProblem::Bundle(BundleError::Version(_)) => self.hint("update Segue"),
            BundleProblem::Bundle(BundleError::NotABundle) => self.hint(
                "a bundle is made by 'segue export --format segue' or json; --from imports another tool's store",
            ),
            BundleProblem::Elsewhere(_) => {
                self.hint("--on-conflict skip leaves it; 'segue edit' in the repository changes it there");
            }
            _ if doing == "import" => self.hint("nothing was imported; ask for the bundle again"),
            _ => self.hint("ask for it again"),
        }
    }

    fn key_hint(&mut self, problem: &KeyProblem) {
        match problem {
            KeyProblem::NoKey(_) => {
                self.hint("there is no such file either; 'segue keys list' shows what there is, 'segue keys new NAME' makes one")
            }
            KeyProblem::Ambiguous { fingerprints, .. } => {
                self.details.extend(fingerprints.iter().cloned());
                self.hint("give more of the fingerprint");
            }
            KeyProblem::Exists(_) => self.hint("choose another name; a key is never replaced"),
            KeyProblem::BadKey { .. } => {
                self.hint("'segue keys new NAME' makes one that can be used");
            }
            KeyProblem::NotSigned(_) => self.hint("there is no signer to trust"),
            KeyProblem::Locked { why, .. } => {
                match why {
                    CryptError::NoPassphrase => {
                        self.hint("--key-passphrase-file or --key-passphrase-env gives it without a terminal");
                    }
                    other => self.crypt_hint(other),
                }
            }
            KeyProblem::Crypt(error) => self.crypt_hint(error),
        }
    }

    fn crypt_hint(&mut self, error: &CryptError) {
        match error {
            CryptError::NoPassphrase => {
                self.hint("--passphrase-file or --passphrase-env gives it without a terminal")
            }
            CryptError::Blank => self.hint("give one that is not blank"),
            CryptError::NotForUs => {
                self.hint("--identity FILE names the identity that it is encrypted for");
            }
            CryptError::NotARecipient(_) => {
                self.hint("give an age1…, a file of 'segue keys export', or a key of your own");
            }
            CryptError::WrongPassphrase => self.hint("repeat the command with the right one"),
            _ => {}
        }
    }

    fn hint(&mut self, hint: impl Into<String>) {
        self.hints.push(hint.into());
    }
}

/// How a brake is let go of.
pub(crate) fn let_go(paused: &segue_lib::run::Paused) -> String {
    match paused.ours {
        true => "'segue unpause' lets go".to_owned(),
        false if paused.foreign => {
            "the plan is of a repository that is not trusted; look at which file it names"
                .to_owned()
        }
        false => format!("remove {} to let go", paused.by.display()),
    }
}

fn continue_hint(problem: &ContinueProblem) -> String {
    let paste = |agent: &segue_lib::agents::Agent| {
        format!("'segue resume --target {}' prints the briefing, to be pasted into it", agent.slug)
    };
    match problem {
        ContinueProblem::Nothing => {
            "'segue list --all-projects' shows what there is elsewhere, 'segue save' leaves a handoff"
                .to_owned()
        }
        ContinueProblem::NotSo { once: false, .. } => {
            "--print gives it the briefing and ends after its answer".to_owned()
        }
        ContinueProblem::NotSo { agent, .. }
        | ContinueProblem::NoProgram(agent)
        | ContinueProblem::NotInstalled { agent, .. } => paste(agent),
    }
}

fn vault_hint(problem: &VaultProblem) -> Option<String> {
    let service = |error: &VaultError| match error {
        VaultError::BadUrl { .. } => Some("set MEMORYVAULT_URL to an https address, or unset it"),
        VaultError::BadKey => Some("look at where the key is set; it is one word"),
        VaultError::BadProxy => {
            Some("HTTPS_PROXY takes an address such as http://proxy.example:3128")
        }
        VaultError::Redirected { .. } => {
            Some("if you trust that address, set MEMORYVAULT_URL to it")
        }
        VaultError::Untrusted { .. } => {
            Some("its certificate must be one that this system trusts; the key was not sent")
        }
        VaultError::NoConnection { .. }
        | VaultError::TimedOut { .. }
        | VaultError::CutOff { .. }
        | VaultError::Trouble { .. } => Some("nothing here is lost; try again later"),
        VaultError::TooLarge { .. }
        | VaultError::NotUnderstood { .. }
        | VaultError::Rejected { .. } => Some("check MEMORYVAULT_URL if you have set it"),
        VaultError::Refused { .. } => None,
    };
    match problem {
        VaultProblem::NoKey { config } => {
            let file = config.as_ref().map_or(String::new(), |path| {
                format!(", or api_key under [memoryvault] in {}", path.display())
            });
            Some(format!("set MEMORYVAULT_API_KEY{file}"))
        }
        VaultProblem::Refused { .. } => {
            Some("check the key there; a rotated key stops working at once".to_owned())
        }
        VaultProblem::Service(error) => service(error).map(str::to_owned),
        VaultProblem::Nothing(_) => {
            Some("'segue save' leaves a handoff that can be pushed".to_owned())
        }
        VaultProblem::Unfit { .. } => Some("nothing was sent".to_owned()),
        VaultProblem::NoValue(_) | VaultProblem::EmptyValue(_) => {
            Some("check --name; 'segue push' puts something there".to_owned())
        }
    }
}
/// Why a handoff of a name is not what the name means.
pub(crate) fn passed_over_in_words(passed_over: &PassedOver) -> String {
    match passed_over.why {
        PassedOverFor::Expired => "the last one of that name has expired".to_owned(),
        PassedOverFor::Archived => "the last one of that name is archived".to_owned(),
        PassedOverFor::Ahead => "the one of that name is dated ahead of the clock".to_owned(),
        PassedOverFor::Kind(HandoffKind::Other) => {
            "the one of that name is of a kind that this version does not know".to_owned()
        }
        PassedOverFor::Kind(kind) => {
            format!("the one of that name is a {kind}, which is asked for by its id")
        }
        _ => "the one of that name is passed over".to_owned(),
    }
}
