//! A store of `segue-eval`, kept between runs: what is in it, and what a measurement adds to it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::ground::put;
use crate::rows::SEGUE;

/// The project of ten thousand handoffs that large stores have.
const FIXED: &str = "bench-10k";

/// The title of what is saved, and how the files of that begin.
pub(crate) const SAVED: &str = "Bench scale";
const SAVED_AS: &str = "bench-scale-20";

/// A store and what the rest asks about it.
pub(crate) struct Grown {
    pub(crate) home: PathBuf,
    /// Every handoff's file, in the order of their paths.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) bytes: u64,
    /// Directories with handoffs in them.
    pub(crate) months: usize,
    pub(crate) project: Project,
    /// Handoffs of the project that has most.
    pub(crate) largest: usize,
    /// Full id of one in the middle of the project.
    pub(crate) id: String,
}

/// The project in which searches are measured.
#[derive(Clone)]
pub(crate) struct Project {
    pub(crate) label: String,
    pub(crate) origin: String,
    pub(crate) dir: PathBuf,
    pub(crate) files: Vec<PathBuf>,
}

impl Grown {
    /// Takes the store that is there, or makes it.
    pub(crate) fn at(home: PathBuf, size: usize) -> Result<Self, Failure> {
        if !home.join("projects").exists() {
            eprintln!("making a store of {size} in {}", home.display());
            generate(&home, size)?;
        }
        let (mut files, mut months, mut projects) = (Vec::new(), 0, Vec::new());
        for dir in entries(&home.join("projects"))? {
            let mut own = Vec::new();
            for month in entries(&dir.join("layer1"))? {
                let found = entries(&month)?;
                let (saved, found): (Vec<_>, Vec<_>) =
                    found.into_iter().partition(|file| name_of(file).starts_with(SAVED_AS));
                // Somebody was interrupted before the store was as it had been.
                for file in saved {
                    fs::remove_file(file)?;
                }
                own.extend(found);
                months += 1;
            }
            files.extend_from_slice(&own);
            projects.push((dir, own));
        }
        let largest = projects.iter().map(|(_, own)| own.len()).max().unwrap_or(0);
        let mut described = Vec::new();
        for (dir, own) in projects {
            let text = fs::read_to_string(dir.join("project.toml"))?;
            let of = |key: &str| value_of(&text, key).unwrap_or_default().to_owned();
            let (label, origin) = (of("label"), of("value"));
            described.push(Project { label, origin, dir, files: own });
        }
        let project = described
            .into_iter()
            .max_by_key(|project| (project.label == FIXED, project.files.len()))
            .ok_or_else(|| format!("{} has no project", home.display()))?;
        if files.len() != size {
            return Err(format!(
                "{} has {} handoffs and not {size}: remove it, or take another --keep",
                home.display(),
                files.len()
            )
            .into());
        }
        let mut bytes = 0;
        for file in &files {
            bytes += fs::metadata(file)?.len();
        }
        let middle = fs::read_to_string(&project.files[project.files.len() / 2])?;
        let id = middle.lines().find_map(|line| line.strip_prefix("id: "));
        let id = id.ok_or("a handoff without an id")?.to_owned();
        Ok(Self { home, files, bytes, months, project, largest, id })
    }

    /// Removes the index with everything that lies beside it.
    pub(crate) fn without_index(&self) -> Result<(), Failure> {
        for file in self.index_files()? {
            fs::remove_file(file)?;
        }
        Ok(())
    }

    /// Bytes of the index.
    pub(crate) fn index_bytes(&self) -> Result<u64, Failure> {
        let mut bytes = 0;
        for file in self.index_files()? {
            bytes += fs::metadata(file)?.len();
        }
        Ok(bytes)
    }

    fn index_files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut found = entries(&self.home)?;
        found.retain(|path| name_of(path).starts_with("index.db"));
        Ok(found)
    }
}

/// Beside the release binary lies the program that makes stores.
fn generate(home: &Path, size: usize) -> Result<(), Failure> {
    let eval = Path::new(SEGUE).with_file_name("segue-eval");
    if !eval.exists() {
        return Err(
            format!("{} is not there; scripts/bench-scale builds it", eval.display()).into()
        );
    }
    // Made beside its place, so that half of a store is never taken for one.
    let half = home.with_extension("half");
    if half.exists() {
        fs::remove_dir_all(&half)?;
    }
    fs::create_dir_all(&half)?;
    let mut command = Command::new(eval);
    command.arg("generate").arg("--out").arg(&half).args(["--handoffs", &size.to_string()]);
    // Its words would stand above the tables.
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?} ended with {}: {said}", output.status).into());
    }
    if home.exists() {
        fs::remove_dir(home)?;
    }
    Ok(fs::rename(half, home)?)
}

/// The first value of a key in a project file.
fn value_of<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))?;
    Some(line.trim_matches('"'))
}

fn name_of(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let listed = fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut found = listed.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Failure>>()?;
    found.sort_unstable();
    Ok(found)
}

/// Puts a project back as it was when this was made, also if a measurement fails.
pub(crate) struct PutBack {
    dir: PathBuf,
    before: BTreeSet<PathBuf>,
    project_file: String,
}

impl PutBack {
    pub(crate) fn of(project: &Project) -> Result<Self, Failure> {
        let project_file = fs::read_to_string(project.dir.join("project.toml"))?;
        let before = below(&project.dir)?.into_iter().collect();
        Ok(Self { dir: project.dir.clone(), before, project_file })
    }

    fn sweep(&self) -> Result<(), Failure> {
        // Deepest first: a directory is empty once its files are gone.
        for path in below(&self.dir)?.iter().rev().filter(|path| !self.before.contains(*path)) {
            if path.is_dir() {
                fs::remove_dir(path)?;
            } else {
                fs::remove_file(path)?;
            }
        }
        let file = self.dir.join("project.toml");
        if fs::read_to_string(&file)? != self.project_file {
            put(&file, &self.project_file)?;
        }
        Ok(())
    }
}

impl Drop for PutBack {
    fn drop(&mut self) {
        if let Err(error) = self.sweep() {
            eprintln!("warning: {} has more than it had: {error}", self.dir.display());
        }
    }
}

/// Everything below a directory, each directory before what is in it.
fn below(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in entries(dir)? {
        let is_dir = path.is_dir();
        found.push(path.clone());
        if is_dir {
            found.extend(below(&path)?);
        }
    }
    Ok(found)
}
