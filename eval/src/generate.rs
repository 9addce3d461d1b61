//! Writes a store, each project by one thread, straight into the layout that `docs/format.md` has.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use segue_core::{HandoffId, Timestamp};

use crate::Failure;
use crate::compose::{Plant, compose};
use crate::plan::{Plan, Project};
use crate::rng::Rng;
use crate::words::Words;
use crate::world::{Kept, World};

/// What has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) handoffs: usize,
    pub(crate) bytes: usize,
    pub(crate) named: usize,
    pub(crate) superseding: usize,
    pub(crate) expiring: usize,
}

/// What is planted in a project, by the number of the handoff.
#[derive(Debug, Default)]
pub(crate) struct Plants {
    pub(crate) kept: Kept,
    pub(crate) at: BTreeMap<usize, Plant>,
}

/// Writes all projects of a plan below `home`, on this many threads.
pub(crate) fn generate(
    home: &Path,
    words: &Words,
    plan: &Plan,
    plants: &BTreeMap<usize, Plants>,
    threads: usize,
) -> Result<Written, Failure> {
    let projects = home.join("projects");
    if projects.exists() {
        return Err(format!("{} is there already; take another --out", projects.display()).into());
    }
    // The largest first, so that no thread begins with it when the others are done.
    let mut order: Vec<&Project> = plan.projects.iter().collect();
    order.sort_by_key(|project| std::cmp::Reverse(project.handoffs));
    let turn = AtomicUsize::new(0);
    let none = Plants::default();
    let work = || -> Result<Written, String> {
        let mut written = Written::default();
        while let Some(project) = order.get(turn.fetch_add(1, Ordering::Relaxed)) {
            let plants = plants.get(&project.number).unwrap_or(&none);
            let one = write_project(&projects, words, plan, project, plants)
                .map_err(|error| format!("{}: {error}", project.label))?;
            written.add(one);
        }
        Ok(written)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let mut written = Written::default();
        for worker in workers {
            written.add(worker.join().map_err(|_| "a thread has ended early")??);
        }
        Ok(written)
    })
}

impl Written {
    fn add(&mut self, other: Self) {
        self.handoffs += other.handoffs;
        self.bytes += other.bytes;
        self.named += other.named;
        self.superseding += other.superseding;
        self.expiring += other.expiring;
    }
}

fn write_project(
    projects: &Path,
    words: &Words,
    plan: &Plan,
    project: &Project,
    plants: &Plants,
) -> Result<Written, Failure> {
    let mut world = World::new(words, project, plan.seed)?;
    world.kept = plants.kept.clone();
    let memory = projects.join(project.id.as_str());
    let layer = memory.join("layer1");
    dig(&layer)?;
    let text = format!(
        "segue = 1\nlabel = \"{}\"\n\n[[key]]\nkind = \"origin\"\nvalue = \"{}\"\n",
        project.label, project.origin
    );
    put(&memory.join("project.toml"), &text)?;
    let mut written = Written::default();
    let mut threads = Threads::default();
    let mut month = String::new();
    for n in 0..project.handoffs {
        let (id, created) = (project.id_of(n)?, project.created(n)?);
        let planted = plants.at.get(&n);
        let plant = planted.cloned().unwrap_or_default();
        let mut draft = compose(&world, n, &plant);
        for old in &plant.supersedes {
            draft.fields.supersedes.push(project.id_of(*old)?.to_string());
        }
        if planted.is_none() {
            let mut rng = Rng::of(plan.seed, &[5, project.number as u64, n as u64]);
            threads.tie(&mut draft.fields, &world, &mut rng, created);
            threads.left(&id, draft.fields.name.is_none());
        }
        written.handoffs += 1;
        written.named += usize::from(draft.fields.name.is_some());
        written.superseding += usize::from(!draft.fields.supersedes.is_empty());
        written.expiring += usize::from(draft.fields.expires.is_some());
        let day = created.day();
        let dir = layer.join(&day[..7]);
        if day[..7] != month {
            dig(&dir)?;
            month = day[..7].to_owned();
        }
        let text = draft.render(&id, created);
        let file = format!("{}-{}-{}.md", draft.fields.file_tag(), day, id.short());
        put(&dir.join(file), &text)?;
        written.bytes += text.len();
    }
    Ok(written)
}

/// The names that a project is telling again, and what it left last.
#[derive(Default)]
struct Threads {
    names: Vec<(String, usize)>,
    begun: usize,
    last: Option<HandoffId>,
    unnamed: Vec<HandoffId>,
}

impl Threads {
    /// Ties a handoff to earlier ones: a name that comes again, what it replaces, what it resumed.
    fn tie(
        &mut self,
        fields: &mut segue_core::Fields,
        world: &World<'_>,
        rng: &mut Rng,
        created: Timestamp,
    ) {
        if rng.percent(35) {
            if self.names.len() < 3 || rng.percent(12) {
                let slug = &world.components[rng.below(world.components.len())].slug;
                let what = rng.pick(&["state", "notes", "review", "cleanup", "plan", "spike"]);
                self.begun += 1;
                self.names.push((format!("{slug}-{what}-{}", self.begun), 2 + rng.skewed(29)));
            }
            let at = rng.below(self.names.len());
            let (name, left) = &mut self.names[at];
            fields.name = Some(name.clone());
            *left -= 1;
            if *left == 0 {
                self.names.swap_remove(at);
            }
        } else if rng.percent(10) && !self.unnamed.is_empty() {
            let at = rng.below(self.unnamed.len());
            fields.supersedes.push(self.unnamed.swap_remove(at).to_string());
        }
        if rng.percent(40) {
            fields.parent = self.last.as_ref().map(ToString::to_string);
        }
        if rng.percent(4) {
            let days = rng.between(7, 400) as u64;
            fields.expires = created.whole_second().checked_add_seconds(days * 86_400);
        }
    }

    fn left(&mut self, id: &HandoffId, unnamed: bool) {
        self.last = Some(id.clone());
        if unnamed {
            self.unnamed.push(id.clone());
            if self.unnamed.len() > 40 {
                self.unnamed.remove(0);
            }
        }
    }
}

/// Makes a directory and those above it, for nobody but the user.
fn dig(dir: &Path) -> Result<(), Failure> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(dir);
    made.map_err(|error| format!("{} cannot be made: {error}", dir.display()).into())
}

/// Writes a file that nobody has to find after a crash.
pub(crate) fn put(path: &Path, text: &str) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    made.map_err(|error| format!("{} cannot be written: {error}", path.display()).into())
}
