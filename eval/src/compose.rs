//! Composes one handoff: head and body, with what is planted in it.

use segue_core::{Draft, Fields, GitState, SavedFrom};

use crate::pen::Pen;
use crate::rng::Rng;
use crate::world::World;

/// What a handoff has to say, whatever else stands in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plant {
    pub(crate) title: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) name: Option<String>,
    /// Earlier handoffs of the project that it replaces, by number.
    pub(crate) supersedes: Vec<usize>,
    pub(crate) context: Vec<String>,
    pub(crate) decisions: Vec<String>,
    pub(crate) state: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) changed: Vec<String>,
    pub(crate) code: Option<String>,
    /// By place in the languages of the project.
    pub(crate) language: Option<usize>,
    /// Little stands around it.
    pub(crate) short: bool,
}

impl Plant {
    fn is_empty(&self) -> bool {
        let lines = [&self.context, &self.decisions, &self.state, &self.warnings, &self.files];
        self.title.is_none() && lines.iter().all(|lines| lines.is_empty())
    }
}

/// How many sentences of each sort a body gets, in halves of the usual number.
fn length(rng: &mut Rng, short: bool) -> usize {
    match (short, rng.below(100)) {
        (true, _) | (false, 0..10) => 1,
        (false, 10..50) => 2,
        (false, 50..85) => 3,
        (false, 85..97) => 5,
        (false, _) => 11,
    }
}

/// The n-th handoff of a project, without what ties it to others.
pub(crate) fn compose(world: &World<'_>, n: usize, plant: &Plant) -> Draft {
    let mut rng = Rng::of(world.seed, &[4, world.project.number as u64, n as u64]);
    let focus = rng.skewed(world.components.len());
    let foreign = rng.percent(15).then(|| rng.below(world.languages.len()));
    let language = plant.language.or(foreign.filter(|_| plant.is_empty()));
    let mut pen = Pen { world, rng, focus, age: n };
    let length = length(&mut pen.rng, plant.short);
    let body = match language {
        Some(language) => foreign_body(&mut pen, language, length, plant),
        None => english_body(&mut pen, length, plant),
    };
    Draft { fields: head(&mut pen, language, plant), extra: Vec::new(), body }
}

fn head(pen: &mut Pen<'_>, language: Option<usize>, plant: &Plant) -> Fields {
    let world = pen.world;
    let sentences = &world.words.sentences;
    let (titles, summaries) = match language {
        Some(at) => (&world.languages[at].titles, &world.languages[at].summaries),
        None => (&sentences.titles, &sentences.summaries),
    };
    let mut cast = pen.cast();
    cast.component = pen.focus;
    let say = |templates: &[&'static str], pen: &mut Pen<'_>| {
        let template = pen.rng.pick(templates);
        pen.filled(template, &cast)
    };
    let title = plant.title.clone().unwrap_or_else(|| say(titles, pen));
    let summary = match &plant.summary {
        Some(summary) => Some(summary.clone()),
        None if pen.rng.percent(85) => Some(say(summaries, pen)),
        None => None,
    };
    let slug = &world.components[pen.focus].slug;
    let mut tags = vec![slug.clone()];
    if pen.rng.percent(60) {
        tags.push(world.domain.parts[cast.part].replace(' ', "-"));
    }
    if pen.rng.percent(30) {
        tags.push(world.domain.tech[cast.tech].to_lowercase().replace([' ', '/', '+'], "-"));
    }
    if pen.rng.percent(15) {
        tags.push(world.domain.name.to_owned());
    }
    let mut changed = plant.changed.clone();
    for _ in 0..pen.rng.below(5) {
        changed.push(pen.path(&cast));
    }
    let work = pen.rng.pick(&["fix", "feature", "refactor", "spike", "chore"]);
    let branch = match pen.rng.below(4) {
        0 => "main".to_owned(),
        _ => format!("{work}/{slug}-{}", world.lists.role(&mut pen.rng)),
    };
    Fields {
        project: Some(world.project.label.clone()),
        name: plant.name.clone(),
        title: Some(title),
        summary,
        tags,
        tool: Some(pen.rng.pick(&["claude", "claude", "codex", "cursor", "gemini"]).to_owned()),
        saved_from: SavedFrom {
            project: None,
            dir: Some(".".to_owned()),
            worktree: Some("main".to_owned()),
        },
        git: GitState {
            branch: Some(branch),
            head: Some(format!(
                "{:016x}{:016x}{:08x}",
                pen.rng.next(),
                pen.rng.next(),
                pen.rng.next() >> 32
            )),
            remote: Some(world.project.origin.clone()),
        },
        changed,
        ..Fields::default()
    }
}

fn english_body(pen: &mut Pen<'_>, length: usize, plant: &Plant) -> String {
    let sentences = &pen.world.words.sentences;
    let mut out = String::with_capacity(4096);
    let contexts = pen.rng.between(1, length + 1);
    section(&mut out, "Context", &plant.context, |out| {
        several(pen, out, "", &sentences.contexts, contexts);
    });
    let decisions = pen.rng.below(length + 1);
    section(&mut out, "Key Decisions", &items(&plant.decisions), |out| {
        for _ in 0..decisions {
            decide(pen, out);
        }
    });
    let states = pen.rng.between(length, 2 * length + 3);
    let story = pen.rng.percent(25) && plant.state.is_empty() && plant.warnings.is_empty();
    section(&mut out, "Current State", &items(&plant.state), |out| {
        list(pen, out, &sentences.states, states);
        if story {
            tell(pen, out);
        }
    });
    let steps = pen.rng.between(2, length + 3);
    section(&mut out, "Next Steps", &[], |out| list(pen, out, &sentences.next, steps));
    let warnings = pen.rng.below(length + 1);
    section(&mut out, "Warnings / Gotchas", &items(&plant.warnings), |out| {
        list(pen, out, &sentences.warnings, warnings);
    });
    code(pen, &mut out, length, plant);
    files(pen, &mut out, length, plant);
    if length > 2 {
        let notes = pen.rng.between(length, 2 * length + 1);
        section(&mut out, "Notes", &[], |out| several(pen, out, "", &sentences.notes, notes));
    }
    out
}

fn foreign_body(pen: &mut Pen<'_>, language: usize, length: usize, plant: &Plant) -> String {
    let world = pen.world;
    let words = world.languages[language];
    let mut out = String::with_capacity(4096);
    let contexts = pen.rng.between(1, 2);
    section(&mut out, "Context", &plant.context, |out| {
        several(pen, out, "", &words.texts, contexts);
    });
    let states = pen.rng.between(length + 1, 2 * length + 3);
    let free: Vec<&'static str> = (0..words.stories.len())
        .filter(|story| !world.kept.told.contains(&(language, *story)))
        .map(|story| words.stories[story].0)
        .collect();
    let story = pen.rng.percent(40) && plant.language.is_none() && !free.is_empty();
    section(&mut out, "Current State", &items(&plant.state), |out| {
        list(pen, out, &words.texts, states);
        if story {
            list(pen, out, &free, 1);
        }
    });
    let steps = pen.rng.between(2, length + 3);
    section(&mut out, "Next Steps", &[], |out| list(pen, out, &words.next, steps));
    let warnings = pen.rng.below(3);
    section(&mut out, "Warnings / Gotchas", &items(&plant.warnings), |out| {
        list(pen, out, &words.warnings, warnings);
    });
    code(pen, &mut out, length, plant);
    files(pen, &mut out, length, plant);
    out
}

/// A section with the planted lines somewhere in it; none if it would be empty.
fn section(out: &mut String, title: &str, planted: &[String], rest: impl FnOnce(&mut String)) {
    let mut text = String::new();
    rest(&mut text);
    if text.is_empty() && planted.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str("## ");
    out.push_str(title);
    out.push_str("\n\n");
    // Behind the first line that is there: what counts does not always stand first.
    let at =
        if text.len().is_multiple_of(2) { 0 } else { text.find('\n').map_or(0, |end| end + 1) };
    out.push_str(&text[..at]);
    for line in planted {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&text[at..]);
}

fn items(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| format!("- {line}")).collect()
}

fn list(pen: &mut Pen<'_>, out: &mut String, templates: &[&'static str], count: usize) {
    several(pen, out, "- ", templates, count);
}

/// Sentences one a line, none twice as long as there are others.
fn several(
    pen: &mut Pen<'_>,
    out: &mut String,
    mark: &str,
    templates: &[&'static str],
    count: usize,
) {
    let mut used = 0_u64;
    for said in 0..count {
        if said % templates.len() == 0 {
            used = 0;
        }
        let mut at = pen.rng.below(templates.len());
        while used >> at & 1 == 1 {
            at = (at + 1) % templates.len();
        }
        used |= 1 << at;
        out.push_str(mark);
        pen.say(out, &templates[at..=at]);
        out.push('\n');
    }
}

/// A decision about a component; what is kept for questions is not decided about.
fn decide(pen: &mut Pen<'_>, out: &mut String) {
    let world = pen.world;
    let at = pen.rng.below(world.subjects.len());
    if world.kept.subjects.contains(&at) {
        return;
    }
    let subject = world.subjects[at];
    let chosen = pen.rng.below(subject.choices.len());
    let component = &world.components[pen.cast().component].name;
    let line = pen.decision(&format!("{component} {}", subject.name), &subject.choices, chosen);
    out.push_str("- ");
    out.push_str(&line);
    out.push('\n');
}

/// A story that no question is about.
fn tell(pen: &mut Pen<'_>, out: &mut String) {
    let at = pen.rng.below(pen.world.words.stories.len());
    if pen.world.kept.stories.contains(&at) {
        return;
    }
    out.push_str("- ");
    pen.say(out, &[pen.world.words.stories[at].text]);
    out.push('\n');
}

fn code(pen: &mut Pen<'_>, out: &mut String, length: usize, plant: &Plant) {
    let sentences = &pen.world.words.sentences;
    if let Some(code) = &plant.code {
        out.push_str("\n```text\n");
        out.push_str(code);
        out.push_str("\n```\n");
    } else if pen.rng.percent(45) {
        out.push_str("\n```sh\n");
        pen.say(out, &sentences.commands);
        out.push('\n');
        for _ in 0..pen.rng.between(1, length * 2) {
            out.push_str("# ");
            pen.say(out, &sentences.errors);
            out.push('\n');
        }
        out.push_str("```\n");
    }
}

fn files(pen: &mut Pen<'_>, out: &mut String, length: usize, plant: &Plant) {
    let count = if pen.rng.percent(75) { pen.rng.between(1, length + 2) } else { 0 };
    let templates = &pen.world.words.sentences.files;
    section(out, "Files of Note", &items(&plant.files), |out| {
        for _ in 0..count {
            let cast = pen.cast();
            out.push_str("- `");
            out.push_str(&pen.path(&cast));
            out.push_str("`: ");
            let template = pen.rng.pick(templates);
            pen.fill(out, template, &cast);
            out.push('\n');
        }
    });
}
