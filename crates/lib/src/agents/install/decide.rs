//! What an installer changes in a file, decided from what is there and what is wanted.

use segue_agents::{Content, Presence};
use segue_core::{Timestamp, digest};
use segue_store::{Installed, InstalledPart};

use super::group::Group;
use super::item::InstallFate;

/// Said of what was ours before it was installed.
const WAS_THERE: &str = "it had an entry of Segue before 'segue install', and is as it was then; \
     'segue uninstall' once more takes that out";

/// Said of an entry of ours that nothing was noted of.
const BY_HAND: &str = "it has an entry of Segue that 'segue install' did not make; 'segue uninstall' \
     once more takes that out";

/// A file as it is, and what is known of it.
pub(super) struct Seen {
    pub(super) text: Option<String>,
    pub(super) record: Option<Installed>,
    /// What it is to be again without us, if that is known; empty for what was not there.
    pub(super) base: Option<String>,
    /// What was noted as put into it, as it would be put in now.
    pub(super) noted: Vec<Content>,
    /// Whether it is as it was left.
    pub(super) as_left: bool,
}

/// What is to become of it.
pub(super) struct Decided {
    pub(super) fates: Vec<InstallFate>,
    /// The new text; `None`: it goes.
    pub(super) text: Option<String>,
    /// The new record and base; `None`: forgotten.
    pub(super) record: Option<(Installed, Option<String>)>,
}

/// What becomes of a file into which the parts of a group go, at this moment.
pub(super) fn decide_in(group: &Group, seen: &Seen, at: Timestamp) -> Decided {
    let old = seen.text.as_deref().unwrap_or_default();
    let mut now = old.to_owned();
    let mut fates = Vec::new();
    for (_, _, content) in &group.parts {
        let changed_by_hand = content.is_whole()
            && !seen.as_left
            && !old.trim().is_empty()
            && !content.is_as_made(old);
        fates.push(match content.put(&now) {
            Ok(put) if put == now => InstallFate::Unchanged,
            Ok(_) if changed_by_hand => {
                InstallFate::Left("somebody changed it; remove it to have Segue's again".to_owned())
            }
            Ok(put) => {
                now = put;
                match seen.text {
                    Some(_) => InstallFate::Changed,
                    None => InstallFate::Created,
                }
            }
            Err(error) if content.is_whole() => InstallFate::Left(error.to_string()),
            Err(error) => InstallFate::Failed(error.to_string()),
        });
    }
    let mut record = seen.record.clone();
    let mut base = seen.base.clone();
    // What was there already is noted too: so it stays when ours go.
    let was_there = seen.record.is_none() && fates.contains(&InstallFate::Unchanged);
    if now != old || seen.text.is_none() || was_there {
        // What was there at first comes back, also an entry that somebody made by hand; later, what
        // somebody changed since it was left is what is to stay.
        let whole = group.parts.iter().all(|(_, _, content)| content.is_as_made(old));
        if seen.record.is_none() {
            // A whole file of ours is nobody else's, and neither is what stands between our marks.
            let marked = group.parts.iter().filter(|(_, _, content)| content.is_marked());
            let rest = marked.fold(old.to_owned(), |text, (_, _, content)| {
                content.take(&text, None).unwrap_or(text)
            });
            base = Some(if whole { String::new() } else { rest });
        } else if !seen.as_left {
            base = Some(without_us(group, seen, old));
        }
        let created = match &seen.record {
            _ if seen.text.is_none() || whole && seen.record.is_none() => true,
            Some(record) => record.created && base.as_deref().is_some_and(str::is_empty),
            None => false,
        };
        let parts = match (&seen.record, &seen.text) {
            (Some(record), Some(_)) => record.parts.clone(),
            _ => Vec::new(),
        };
        record = Some(Installed {
            path: group.target.clone(),
            created,
            wrote: digest(&now),
            base: base.as_deref().filter(|_| !created).map(digest),
            parts,
            since: seen.record.as_ref().map_or(Some(at), |record| record.since),
        });
    }
    if let Some(record) = &mut record {
        for ((agent, part, _), fate) in group.parts.iter().zip(&fates) {
            let one = group.part(agent, *part);
            let is_in = matches!(
                fate,
                InstallFate::Created | InstallFate::Changed | InstallFate::Unchanged
            );
            if is_in && !record.parts.contains(&one) {
                record.parts.push(one);
            }
        }
    }
    let nothing = now.is_empty() && seen.text.is_none();
    let record = record.filter(|record| !record.parts.is_empty()).map(|record| (record, base));
    Decided { fates, text: (!nothing).then_some(now), record }
}

/// What a text would be without anything of ours.
fn without_us(group: &Group, seen: &Seen, text: &str) -> String {
    let now = group.parts.iter().map(|(_, _, content)| content.clone());
    let all: Vec<Content> =
        seen.noted.iter().cloned().chain(now).filter(|content| !content.is_whole()).collect();
    all.iter().rev().fold(text.to_owned(), |text, content| {
        content.take(&text, seen.base.as_deref()).unwrap_or(text)
    })
}

/// What becomes of a file out of which the parts of a group go. `agents` are those for which something is
/// noted as installed, in whatever file.
pub(super) fn decide_out(group: &Group, seen: &Seen, agents: &[String]) -> Decided {
    let Some(old) = seen.text.as_deref() else {
        let fates = group.parts.iter().map(|_| InstallFate::Unchanged).collect();
        return Decided { fates, text: None, record: None };
    };
    let mut parts: Vec<InstalledPart> =
        seen.record.as_ref().map(|record| record.parts.clone()).unwrap_or_default();
    let going: Vec<InstalledPart> =
        group.parts.iter().map(|(agent, part, _)| group.part(agent, *part)).collect();
    parts.retain(|part| !going.contains(part));
    // Nobody touched it, and nothing of ours stays: then nothing has to be taken apart.
    let as_before = seen.as_left && parts.is_empty();
    let noted = |part: &InstalledPart| {
        seen.record.as_ref().is_none_or(|record| record.parts.contains(part))
    };
    let mut now = old.to_owned();
    let mut fates = Vec::new();
    let base = seen.base.as_deref().unwrap_or_default();
    let had = |content: &Content| content.is_in(base).is_ok_and(|there| there != Presence::No);
    for ((agent, part, content), gone) in group.parts.iter().zip(&going) {
        let others = parts.iter().filter(|other| other.part == part.word());
        let others: Vec<&str> = others.map(|other| other.agent.as_str()).collect();
        if !others.is_empty() || as_before {
            fates.push(match others[..] {
                _ if !noted(gone) => InstallFate::Unchanged,
                [] if had(content) => InstallFate::Left(WAS_THERE.to_owned()),
                [] => InstallFate::Changed,
                _ => InstallFate::Left(format!("{} uses it too", others.join(", "))),
            });
            continue;
        }
        // Where it is known what was installed, what else is there was made by hand.
        let by_hand = seen.record.is_none() && agents.iter().any(|known| known == agent);
        if by_hand && content.is_in(&now).is_ok_and(|there| there != Presence::No) {
            fates.push(InstallFate::Left(BY_HAND.to_owned()));
            continue;
        }
        let taken = match content.is_whole() && seen.as_left {
            true => Ok(String::new()),
            false => content.take(&now, seen.base.as_deref()),
        };
        fates.push(match taken {
            Ok(taken) if had(content) && noted(gone) => {
                now = taken;
                InstallFate::Left(WAS_THERE.to_owned())
            }
            Ok(taken) if taken == now => InstallFate::Unchanged,
            Ok(taken) => {
                now = taken;
                InstallFate::Changed
            }
            Err(error) if content.is_whole() => InstallFate::Left(error.to_string()),
            Err(_) if seen.record.is_none() && !old.contains("segue") => InstallFate::Unchanged,
            Err(error) => {
                parts.push(gone.clone());
                InstallFate::Failed(error.to_string())
            }
        });
    }
    // The same part of several agents is taken out once.
    if fates.contains(&InstallFate::Changed) {
        let twice = |at: usize| {
            let part = group.parts[at].1;
            group
                .parts
                .iter()
                .zip(&fates)
                .any(|((_, other, _), fate)| *other == part && *fate == InstallFate::Changed)
        };
        let again: Vec<usize> = (0..fates.len())
            .filter(|at| fates[*at] == InstallFate::Unchanged && noted(&going[*at]) && twice(*at))
            .collect();
        again.into_iter().for_each(|at| fates[at] = InstallFate::Changed);
    }
    let created = seen.record.as_ref().is_some_and(|record| record.created);
    let whole = group.parts.iter().all(|(_, _, content)| content.is_whole());
    let text = match &seen.base {
        Some(_) if as_before && created => None,
        Some(base) if as_before => Some(base.clone()),
        _ if now != old && now.trim().is_empty() && (created || whole) => None,
        _ => Some(now.clone()),
    };
    if text.is_none() {
        let changed = |fate: &&mut InstallFate| **fate == InstallFate::Changed;
        fates.iter_mut().filter(changed).for_each(|fate| *fate = InstallFate::Removed);
    }
    let record = seen.record.clone().filter(|_| !parts.is_empty()).map(|record| {
        let wrote = if seen.as_left { digest(&now) } else { record.wrote };
        (Installed { parts, wrote, ..record }, seen.base.clone())
    });
    Decided { fates, text, record }
}

#[cfg(test)]
mod tests {
    use segue_agents::{Part, Places, Program, Scope, installation};

    use super::super::group::join;
    use super::*;

    const MINE: &str = "{\n  \"theme\": \"dark\"\n}\n";

    fn group(part: Part) -> Group {
        let places = Places { home: Some("/home/u".into()), vars: |_| None };
        let row = installation("claude-code").unwrap();
        let wish = row.wish(part, None, &places, &Program::on_path()).unwrap();
        let mut groups = Vec::new();
        join(&mut groups, "/f".into(), "/f".into(), &wish, Scope::User);
        groups.remove(0)
    }

    /// A file of which nothing is noted.
    fn unknown(text: Option<&str>) -> Seen {
        let text = text.map(str::to_owned);
        Seen { text, record: None, base: None, noted: Vec::new(), as_left: false }
    }

    /// A file as a decision left it.
    fn left(group: &Group, decided: Decided) -> Seen {
        let noted = group.parts.iter().map(|(_, _, content)| content.clone()).collect();
        let (record, base) = decided.record.unzip();
        Seen { text: decided.text, record, base: base.flatten(), noted, as_left: true }
    }

    fn put(group: &Group, text: Option<&str>) -> Decided {
        decide_in(group, &unknown(text), Timestamp::EPOCH)
    }

    #[test]
    fn a_file_that_was_made_goes_again() {
        for part in [Part::Hooks, Part::Skill] {
            let group = group(part);
            let decided = put(&group, None);
            assert_eq!(decided.fates, [InstallFate::Created]);
            assert!(decided.record.as_ref().is_some_and(|(record, _)| record.created));
            let gone = decide_out(&group, &left(&group, decided), &["claude-code".to_owned()]);
            assert_eq!((gone.fates, gone.text), (vec![InstallFate::Removed], None));
            assert!(gone.record.is_none());
        }
    }

    #[test]
    fn a_file_that_nobody_touched_is_as_it_was_before() {
        let group = group(Part::Hooks);
        let decided = put(&group, Some(MINE));
        assert_eq!(decided.fates, [InstallFate::Changed]);
        assert!(decided.text.as_ref().is_some_and(|text| text.contains("segue")));
        let seen = left(&group, decided);
        let again = decide_in(&group, &seen, Timestamp::EPOCH);
        assert_eq!(
            (&again.fates[..], again.text),
            (&[InstallFate::Unchanged][..], seen.text.clone())
        );
        let gone = decide_out(&group, &seen, &["claude-code".to_owned()]);
        assert_eq!((gone.fates, gone.text.as_deref()), (vec![InstallFate::Changed], Some(MINE)));
    }

    #[test]
    fn out_of_a_file_that_somebody_changed_since_only_ours_goes() {
        let group = group(Part::Hooks);
        let mut seen = left(&group, put(&group, Some(MINE)));
        seen.text = seen.text.map(|text| text.replace("dark", "light"));
        seen.as_left = false;
        let gone = decide_out(&group, &seen, &["claude-code".to_owned()]);
        assert_eq!(gone.text, Some(MINE.replace("dark", "light")));
        assert!(gone.record.is_none());
    }

    #[test]
    fn an_entry_that_was_there_before_stays() {
        let group = group(Part::Hooks);
        let by_hand = put(&group, Some(MINE)).text;
        let noted = put(&group, by_hand.as_deref());
        assert_eq!(noted.fates, [InstallFate::Unchanged]);
        let gone = decide_out(&group, &left(&group, noted), &["claude-code".to_owned()]);
        assert_eq!(gone.fates, [InstallFate::Left(WAS_THERE.to_owned())]);
        assert_eq!(gone.text, by_hand);
        // Where nothing is noted of this file but something of the agent, it was made by hand.
        let seen = unknown(by_hand.as_deref());
        let gone = decide_out(&group, &seen, &["claude-code".to_owned()]);
        assert_eq!(gone.fates, [InstallFate::Left(BY_HAND.to_owned())]);
        // And where nothing is noted at all, the entries say that they are ours.
        assert_eq!(decide_out(&group, &seen, &[]).text.as_deref(), Some(MINE));
    }

    #[test]
    fn a_whole_file_that_somebody_changed_is_theirs() {
        let group = group(Part::Skill);
        let mut seen = left(&group, put(&group, None));
        seen.text = seen.text.map(|text| format!("{text}mine\n"));
        seen.as_left = false;
        let decided = decide_in(&group, &seen, Timestamp::EPOCH);
        assert!(matches!(decided.fates[..], [InstallFate::Left(_)]), "{:?}", decided.fates);
        assert_eq!(decided.text, seen.text);
    }
}
