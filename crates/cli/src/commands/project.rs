use clap::{Args, Subcommand};
use segue_lib::maintenance::ProjectRow;
use segue_lib::{Segue, age, visible_line};
use serde::Serialize;

use super::handoffs;
use crate::error::CommandError;
use crate::json::{SCHEMA, pretty};
use crate::ui::{Role, Ui};

/// See which projects there are, and repair by hand which directory belongs to which
#[derive(Args, Debug)]
pub(crate) struct ProjectArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the projects and by what each is recognised
    List {
        /// Print an object
        #[arg(long)]
        json: bool,
    },
    /// Make this directory belong to a project, by label or id; its own handoffs move along
    Link {
        /// The project that it shall belong to
        project: String,
    },
    /// Make this directory a project of its own; what was saved so far stays where it is
    Split {
        /// What to call it [default: as before]
        #[arg(long)]
        label: Option<String>,
    },
}

#[derive(Serialize)]
struct ProjectsJson {
    schema: u32,
    projects: Vec<ProjectJson>,
}

#[derive(Serialize)]
struct ProjectJson {
    id: String,
    label: String,
    here: bool,
    handoffs: u64,
    archived: u64,
    newest: Option<String>,
    path: String,
    keys: Vec<KeyJson>,
    memories: Vec<MemoryJson>,
}

/// A memory of the project that lies in the user's trees.
#[derive(Serialize)]
struct MemoryJson {
    path: String,
    handoffs: u64,
    archived: u64,
    newest: Option<String>,
}

#[derive(Serialize)]
struct KeyJson {
    kind: &'static str,
    value: String,
}

pub(crate) fn run(args: &ProjectArgs, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    match &args.action {
        Action::List { json } => list(*json, segue, ui),
        Action::Link { project } => {
            let linked = segue.projects().link(project)?;
            ui.note(&format!(
                "this directory now belongs to '{}'; {} came along",
                linked.label,
                handoffs(linked.moved)
            ));
            if let Some(origin) = &linked.shallow_origin {
                ui.note(&format!(
                    "from now on every shallow clone whose origin is {} counts as this project, and \
                     anybody can write an address into an archive",
                    visible_line(origin)
                ));
            }
            Ok(ui.line(linked.project.as_str())?)
        }
        Action::Split { label } => {
            let split = segue.projects().split(label.as_deref())?;
            ui.note(&format!(
                "this directory is now a project of its own; what was saved so far stays with {}",
                split.from
            ));
            Ok(ui.line(split.project.as_str())?)
        }
    }
}

fn list(as_json: bool, segue: &Segue, ui: &mut Ui) -> Result<(), CommandError> {
    let (projects, here) = segue.projects().all()?;
    let is_here = |row: &ProjectRow| here.as_ref() == Some(&row.id);
    // Memories in the user's trees are shown with the project that they belong to.
    let (memories, projects): (Vec<ProjectRow>, Vec<ProjectRow>) =
        projects.into_iter().partition(|row| row.attached);
    let of = |row: &ProjectRow| -> Vec<&ProjectRow> {
        memories.iter().filter(|memory| row.includes.contains(&memory.id)).collect()
    };
    if as_json {
        let projects =
            projects.iter().map(|row| project_json(row, &of(row), is_here(row))).collect();
        return Ok(ui.line(&pretty(&ProjectsJson { schema: SCHEMA, projects }))?);
    }
    if projects.is_empty() {
        ui.note("no projects yet; 'segue save' makes the first one");
    }
    let now = segue.env().now();
    for row in &projects {
        let mark = if is_here(row) { "* " } else { "  " };
        let newest = row.newest.map_or_else(|| "-".to_owned(), |at| age(at, now));
        let archived =
            if row.archived > 0 { format!(", {} archived", row.archived) } else { String::new() };
        let line = format!(
            "{mark}{}  {}  {}{archived}, newest {newest}",
            ui.paint(Role::Title, &visible_line(&row.label)),
            ui.paint(Role::Id, row.id.as_str()),
            handoffs(row.handoffs)
        );
        ui.line(&line)?;
        for memory in of(row) {
            let count = handoffs(memory.handoffs);
            let path = memory.path.display().to_string();
            let line = format!("    {:<8} {} ({count})", "memory", visible_line(&path));
            let line = ui.paint(Role::Faint, &line);
            ui.line(&line)?;
        }
        for key in &row.keys {
            let line = format!("    {:<8} {}", key.kind.as_str(), visible_line(&key.value));
            let line = ui.paint(Role::Faint, &line);
            ui.line(&line)?;
        }
    }
    Ok(())
}

fn project_json(row: &ProjectRow, memories: &[&ProjectRow], here: bool) -> ProjectJson {
    ProjectJson {
        id: row.id.to_string(),
        label: row.label.clone(),
        here,
        handoffs: row.handoffs,
        archived: row.archived,
        newest: row.newest.map(|at| at.to_string()),
        path: row.path.display().to_string(),
        keys: row
            .keys
            .iter()
            .map(|key| KeyJson { kind: key.kind.as_str(), value: key.value.clone() })
            .collect(),
        memories: memories
            .iter()
            .map(|memory| MemoryJson {
                path: memory.path.display().to_string(),
                handoffs: memory.handoffs,
                archived: memory.archived,
                newest: memory.newest.map(|at| at.to_string()),
            })
            .collect(),
    }
}
