//! Headings and boxes in a message below which something is not done, or comes next.

use super::closing::{Sentence, is_one_of};

/// What is left, in a heading or a label.
const LEFT_OF: &str = "work|step|steps|task|tasks|item|items|todo|todos|to-do|to-dos|issue|issues|point|\
    points|piece|pieces|thing|things|gap|gaps|question|questions|problem|problems|part|\
    parts|change|changes|action|actions|to|for|before|after|from|in|on|is|are|here";
/// Words that make a heading one of suggestions.
const SUGGESTED: &str = "optional|possible|suggested|recommended|future|nice|ideas|could|would|if|might|\
    potential";

/// Whether a heading says that what stands below it is not done.
pub(super) fn is_open_heading(heading: &str) -> bool {
    let sentence = Sentence::of(heading);
    !sentence.words.iter().any(|word| is_one_of(SUGGESTED, word.as_str()))
        && !is_suggestion(heading)
        && sentence.words.len() <= 8
        && names_what_is_left(&sentence, sentence.words.len())
}

/// Whether a heading stands above steps that come next, whoever takes them.
pub(super) fn is_suggestion(heading: &str) -> bool {
    let sentence = Sentence::of(heading);
    sentence.has_any(
        "next steps|next step|what's next|what is next|what to do next|follow-ups|follow-up|\
            nächste schritte|nächsten schritte|wie weiter|prochaines étapes|étapes suivantes|\
            próximos pasos|siguientes pasos|pasos siguientes",
    ) || sentence.lower.trim_matches(|c: char| !c.is_alphanumeric()) == "next"
        || sentence.lower.contains("下一步")
        || sentence.lower.contains("后续")
        || sentence.lower.contains("接下来")
}

/// Whether the first words of a heading or of a sentence name what is left: `Remaining work before the release`.
pub(super) fn names_what_is_left(sentence: &Sentence, until: usize) -> bool {
    let until = until.min(sentence.words.len());
    let no_one = ["no", "none", "nothing", "fixed", "resolved", "closed"];
    if sentence.words[..until].iter().any(|word| no_one.contains(&word.as_str())) {
        return false;
    }
    let lead = |at: usize| {
        at == 0
            || matches!(
                sentence.word(at - 1),
                "still" | "the" | "what" | "what's" | "is" | "are" | "all" | "that" | "that's"
            )
    };
    (0..until).any(|at| {
        let next = if at + 1 < until { sentence.word(at + 1) } else { "" };
        match sentence.word(at) {
            "remaining" | "outstanding" | "pending" | "missing" | "unfinished" | "incomplete" => {
                next.is_empty() && lead(at) || is_one_of(LEFT_OF, next)
            }
            "remains" | "remain" => lead(at),
            "left" => lead(at) && (next.is_empty() || is_one_of(LEFT_OF, next)),
            "todo" | "todos" | "to-do" | "to-dos" => at == 0 || lead(at),
            "to" => next == "do" && (at == 0 || matches!(sentence.word(at - 1), "still" | "left")),
            "open" => {
                at + 1 < until
                    && matches!(
                        next,
                        "items"
                            | "points"
                            | "questions"
                            | "issues"
                            | "tasks"
                            | "todos"
                            | "work"
                            | "ends"
                    )
                    || at > 0 && sentence.word(at - 1) == "still"
            }
            "not" => {
                matches!(next, "done" | "yet" | "finished" | "implemented" | "included" | "covered")
                    && at == 0
            }
            "still" => matches!(next, "missing" | "open" | "left" | "todo" | "needed"),
            "offen" | "offene" | "ausstehend" | "ausstehende" | "fehlt" | "verbleibend"
            | "verbleibende" => true,
            "noch" => matches!(next, "offen" | "offene" | "zu" | "fehlt" | "fehlend"),
            "restant" | "restantes" | "restants" | "pendiente" | "pendientes" | "falta"
            | "faltan" => true,
            "reste" | "queda" | "quedan" | "à" | "por" => {
                matches!(next, "à" | "por" | "faire" | "hacer" | "pendiente")
            }
            _ => false,
        }
    }) || ["待办", "未完成", "剩余", "尚未", "待完成", "遗留"]
        .iter()
        .any(|words| sentence.lower.contains(words) && sentence.words.len() <= 4)
}

/// Whether a line of a list is a box that is not ticked.
pub(super) fn is_unchecked(item: &str) -> bool {
    ["[ ]", "⏳", "🔲", "⬜", "☐"].iter().any(|mark| item.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_of_what_remains_is_known_however_it_is_worded() {
        for heading in [
            "## Remaining",
            "**Still open**",
            "### What is left before the merge",
            "Outstanding issues:",
            "## To do",
            "**Not done yet**",
            "## Open questions",
            "Noch offen:",
            "## Reste à faire",
            "## Pendiente",
            "## 待办",
        ] {
            assert!(is_open_heading(heading), "{heading}");
        }
        for heading in [
            "## What changed",
            "## Remaining time in the header",
            "**Optional next steps**",
            "## Missing values in the import",
            "## Open graph tags",
            "Possible follow-ups:",
            "## No remaining issues",
            "## Left sidebar",
            "## Fixed: pending requests",
            "## Tests",
        ] {
            assert!(!is_open_heading(heading), "{heading}");
        }
    }
}
