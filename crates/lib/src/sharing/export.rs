//! Export: handoffs in one portable file.

use std::io::{self, BufWriter, Write};

use segue_core::{
    Handoff, HandoffId, KeyKind, Markdown, PeerRecord, Timestamp, render_for, visible_line,
};
use segue_share::bundle::{BundleWriter, HandoffProblem, MAX_HANDOFFS, MAX_PAYLOAD, fits, peer};
use segue_share::crypt::{self, CryptError, EncryptedWriter, Lock};
use segue_share::keys::SecretKey;
use segue_store::{Filter, Listed, Located, Scope};

use super::keys::{Keys, Trusting};
use super::payloads::Payloads;
use super::provenance::ProvenanceReader;
use crate::handoffs::Found;
use crate::here::Here;
use crate::redacted::redact_out;
use crate::{BundleProblem, Error, ProjectRef};

/// What a handoff is exported as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Markdown for another agent to read.
    Markdown,
    /// A bundle of session-handoff.
    Json,
    /// A bundle of our own.
    Segue,
}

/// Which handoffs to export.
#[derive(Debug)]
pub enum Exported {
    /// One that was found.
    One(Box<Found>),
    /// All that fit.
    Many {
        /// Of this project.
        project: ProjectRef,
        /// Of every project.
        all_projects: bool,
        /// Since then.
        since: Option<Timestamp>,
        /// Also what has expired or is archived.
        expired: bool,
    },
}

/// How to export.
#[non_exhaustive]
pub struct ExportRequest {
    /// Which handoffs.
    pub which: Exported,
    /// As what.
    pub format: ExportFormat,
    /// The agent that will read Markdown.
    pub target: String,
    /// Signs with this key.
    pub key: Option<SecretKey>,
    /// What the signer calls itself.
    pub signer: Option<String>,
    /// Encrypts for somebody.
    pub lock: Option<Lock>,
    /// Writes an encrypted bundle as text.
    pub armor: bool,
}

impl ExportRequest {
    /// Handoffs in a format, neither signed nor encrypted.
    pub fn new(which: Exported, format: ExportFormat) -> Self {
        let target = "generic".to_owned();
        Self { which, format, target, key: None, signer: None, lock: None, armor: false }
    }
}

/// What was exported.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExportOutcome {
    /// How many handoffs.
    pub count: usize,
    /// The id, if it is one.
    pub id: Option<HandoffId>,
    /// The fingerprint of the key that signed.
    pub fingerprint: Option<String>,
    /// Whether it is encrypted.
    pub encrypted: bool,
    /// What was left out, and why.
    pub warnings: Vec<String>,
}

/// What is to be written, as far as it was gathered.
enum Gathered {
    One(Box<Handoff>, String),
    Many(Vec<Located>),
}

/// What leaves the store, as seen from a directory.
#[derive(Debug)]
pub struct Exports<'s> {
    here: Here<'s>,
}

impl<'s> Exports<'s> {
    pub(crate) fn of(here: &Here<'s>) -> Self {
        Self { here: here.clone() }
    }
}

impl Exports<'_> {
    /// Writes handoffs to `out`. `told` hears how many of how many are written.
    pub fn export(
        &self,
        request: &ExportRequest,
        out: &mut dyn Write,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<ExportOutcome, Error> {
        check(request)?;
        let mut warnings = Vec::new();
        let gathered = self.gather(&request.which, request.format, &mut warnings)?;
        let (listed, id) = match &gathered {
            Gathered::One(handoff, _) => (1, Some(handoff.head.id.clone())),
            Gathered::Many(located) => (located.len(), None),
        };
        let (mut foreign, mut count) = (0, 0);
        let mut told = |handoff: &Handoff, done: usize| {
            foreign += usize::from(handoff.head.fields.imported.is_some());
            count += 1;
            told(done, listed);
        };
        match request.format {
            ExportFormat::Markdown => self.write_markdown(request, gathered, out, &mut told)?,
            ExportFormat::Json => self.write_json(request, gathered, out, &mut told)?,
            ExportFormat::Segue => self.write_bundle(request, gathered, out, &mut told)?,
        }
        match (listed - count, count) {
            (0, _) => {}
            // Nothing has been written then.
            (_, 0) => return Err(Error::None("that fits".to_owned())),
            (1, _) => warnings.push("one was forgotten meanwhile and is not in it".to_owned()),
            (gone, _) => {
                warnings.push(format!("{gone} were forgotten meanwhile and are not in it"));
            }
        }
        if request.key.is_some() && foreign > 0 {
            let which =
                if count == 1 { "it was".to_owned() } else { format!("{foreign} of these were") };
            warnings.push(format!("{which} imported: with your signature you answer for it"));
        }
        if let Some(key) = &request.key {
            let fingerprint = key.public().fingerprint().to_string();
            let keys = Keys::new(self.here.env, self.here.store);
            let known = keys.all()?.into_iter().find(|known| known.fingerprint == fingerprint);
            if known.is_some_and(|known| !known.is_trusted) {
                warnings.push(
                    "your key was not trusted here; since you sign with it, it is again".to_owned(),
                );
            }
            // What one signs with is one's own.
            let suggested = request.signer.as_deref();
            keys.note_trust(
                &key.public(),
                Trusting { suggested, own: true, ..Trusting::default() },
            )?;
        }
        Ok(ExportOutcome {
            count,
            id,
            fingerprint: request.key.as_ref().map(|key| key.public().fingerprint().to_string()),
            encrypted: request.lock.is_some(),
            warnings,
        })
    }

    fn gather(
        &self,
        which: &Exported,
        format: ExportFormat,
        warnings: &mut Vec<String>,
    ) -> Result<Gathered, Error> {
        let (project, all_projects, since, expired) = match which {
            Exported::One(found) => {
                let head = &found.handoff.head;
                match fits(head).err().filter(|_| format == ExportFormat::Segue) {
                    Some(HandoffProblem::Newer) => return Err(Error::Newer(head.id.clone())),
                    Some(problem) => {
                        let (id, reason) = (head.id.clone(), problem.to_string());
                        return Err(Error::NotExportable { id, reason });
                    }
                    None => {}
                }
                let handoff = Box::new(found.handoff.clone());
                return Ok(Gathered::One(handoff, self.project_path(&found.listed)?));
            }
            Exported::Many { project, all_projects, since, expired } => {
                (project, *all_projects, *since, *expired)
            }
        };
        let scope = match all_projects {
            true => Some(Scope::All),
            false => {
                let here = self.here.of(project)?;
                here.ask(&Scope::Projects, |view| here.scope(view, project))?
            }
        };
        let Some(scope) = scope else { return Err(Error::None("here".to_owned())) };
        let filter =
            Filter { offered_at: (!expired).then(|| self.here.now()), since, ..Filter::default() };
        let (mut located, mut unfit) = (Vec::new(), Vec::new());
        self.here.store.ask(&scope, |view| {
            (located, unfit) = (Vec::new(), Vec::new());
            view.list(&scope, &filter, &mut |listed: Listed| {
                // What was replaced has the id of what replaced it.
                if listed.head.id.is_former() {
                    return Ok(());
                }
                match fits(&listed.head) {
                    Err(why) if format == ExportFormat::Segue => {
                        unfit.push(format!("{} is left out: {why}", listed.head.id));
                    }
                    _ => located.push(listed.located()),
                }
                Ok(())
            })
        })?;
        warnings.append(&mut unfit);
        match located.len() {
            0 => Err(Error::None("that fits".to_owned())),
            1..=MAX_HANDOFFS => Ok(Gathered::Many(located)),
            more => Err(Error::Usage(format!(
                "{more} handoffs are too many for one bundle (at most {MAX_HANDOFFS}): narrow it with --since or --project"
            ))),
        }
    }

    /// The directory of a handoff's project, as session-handoff names it.
    fn project_path(&self, listed: &Listed) -> Result<String, Error> {
        let keys = self.here.store.ask(&Scope::Projects, |view| view.keys(&listed.project))?;
        let path = keys.into_iter().find(|key| key.kind == KeyKind::Path).map(|key| key.value);
        Ok(path.unwrap_or_else(|| listed.label.clone()))
    }

    /// One handoff after the other, as it goes out: without secrets.
    fn each_out(
        &self,
        gathered: Gathered,
        told: &mut dyn FnMut(&Handoff, usize),
        mut each: impl FnMut(&Handoff) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let redactor = self.here.redactor_out();
        match gathered {
            Gathered::One(handoff, _) => {
                let handoff = redact_out(&redactor, *handoff)?;
                each(&handoff)?;
                told(&handoff, 1);
                Ok(())
            }
            Gathered::Many(located) => {
                for (at, one) in located.iter().enumerate() {
                    let Some(handoff) = self.here.store.read_if_there(one)? else { continue };
                    let handoff = redact_out(&redactor, handoff)?;
                    each(&handoff)?;
                    told(&handoff, at + 1);
                }
                Ok(())
            }
        }
    }

    fn write_markdown(
        &self,
        request: &ExportRequest,
        gathered: Gathered,
        out: &mut dyn Write,
        told: &mut dyn FnMut(&Handoff, usize),
    ) -> Result<(), Error> {
        let mut first = true;
        let label = match &request.which {
            Exported::One(found) => found.listed.label.clone(),
            Exported::Many { .. } => "unknown".to_owned(),
        };
        let provenance = ProvenanceReader::of(self.here.store);
        self.each_out(gathered, told, |handoff| {
            let project = handoff.head.fields.project.as_deref().unwrap_or(&label);
            let signed = provenance.of_handoff(handoff).map(|from| from.told());
            let text = render_for(
                handoff,
                &Markdown { target: &request.target, project, signed: signed.as_deref() },
            );
            let between = if first { "" } else { "\n---\n\n" };
            first = false;
            out.write_all(format!("{between}{text}").as_bytes()).map_err(Error::Output)
        })
    }

    fn write_json(
        &self,
        request: &ExportRequest,
        gathered: Gathered,
        out: &mut dyn Write,
        told: &mut dyn FnMut(&Handoff, usize),
    ) -> Result<(), Error> {
        let Gathered::One(handoff, path) = gathered else { return Ok(()) };
        let handoff = redact_out(&self.here.redactor_out(), *handoff)?;
        told(&handoff, 1);
        let record = PeerRecord::of(&handoff, &path);
        let mut text = peer::write(&record, request.key.as_ref(), request.signer.as_deref());
        if let Some(Lock::Passphrase(passphrase)) = &request.lock {
            let (salt, nonce) = (crypt::random_bytes()?, crypt::random_bytes()?);
            let sealed = peer::encrypt(&text, passphrase.expose(), salt, nonce);
            text = sealed.map_err(|why| Error::Bundle {
                doing: "encrypt",
                what: handoff.head.id.to_string(),
                why: Box::new(BundleProblem::Peer(why)),
            })?;
        }
        out.write_all(text.as_bytes()).map_err(Error::Output)
    }

    fn write_bundle(
        &self,
        request: &ExportRequest,
        gathered: Gathered,
        out: &mut dyn Write,
        told: &mut dyn FnMut(&Handoff, usize),
    ) -> Result<(), Error> {
        match &request.lock {
            None => self.write_plain(request, gathered, out, told),
            Some(lock) => {
                let encrypted = EncryptedWriter::new(out, lock, request.armor)?;
                let mut encrypted = BufWriter::with_capacity(64 * 1024, encrypted);
                self.write_plain(request, gathered, &mut encrypted, told)?;
                let ended = encrypted.into_inner().map_err(io::IntoInnerError::into_error);
                ended.and_then(EncryptedWriter::finish).map_err(Error::Output)?;
                Ok(())
            }
        }
    }

    fn write_plain(
        &self,
        request: &ExportRequest,
        gathered: Gathered,
        out: &mut dyn Write,
        told: &mut dyn FnMut(&Handoff, usize),
    ) -> Result<(), Error> {
        // How many there are stands before them, and some may be forgotten while they are read.
        let mut payloads = Payloads::of(self.here.store);
        self.each_out(gathered, told, |handoff| {
            let payload = handoff.payload();
            if payload.len() as u64 > MAX_PAYLOAD {
                let id = handoff.head.id.short();
                return Err(Error::Usage(format!("the handoff {id} is too large for a bundle")));
            }
            payloads.add(&payload).map_err(Error::Output)
        })?;
        if payloads.count() == 0 {
            return Ok(());
        }
        let (now, name) = (self.here.now().whole_second(), request.signer.as_deref());
        let count = payloads.count();
        let mut writer = BundleWriter::new(out, now, count, request.key.as_ref(), name)
            .map_err(Error::Output)?;
        payloads.each(|payload| writer.add(payload)).map_err(Error::Output)?;
        writer.finish().map_err(Error::Output)?;
        Ok(())
    }
}

/// Refuses what would silently not be done.
fn check(request: &ExportRequest) -> Result<(), Error> {
    let usage = |text: &str| Err(Error::Usage(text.to_owned()));
    match (request.format, &request.lock) {
        (ExportFormat::Markdown, Some(_)) => {
            usage("Markdown cannot be encrypted: use --format segue or json")
        }
        (ExportFormat::Markdown, None) if request.key.is_some() => {
            usage("Markdown cannot be signed: use --format segue or json")
        }
        (ExportFormat::Json, Some(Lock::Recipients(_))) => {
            usage("session-handoff's format knows passphrases, not recipients: use --format segue")
        }
        (ExportFormat::Json, _) if matches!(request.which, Exported::Many { .. }) => {
            usage("session-handoff's format holds one handoff: use --format segue for several")
        }
        _ if request.signer.as_deref().is_some_and(|name| !is_signer(name)) => {
            usage("a signer's name is one line of at most 200 characters")
        }
        _ if request.signer.is_some() && request.key.is_none() => {
            usage("--signer names who signs, and without --sign-key nobody does")
        }
        _ => Ok(()),
    }
}

fn is_signer(name: &str) -> bool {
    name.chars().count() <= 200 && visible_line(name) == name
}

impl From<CryptError> for Error {
    fn from(error: CryptError) -> Self {
        crate::KeyProblem::from(error).into()
    }
}
