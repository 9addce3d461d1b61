//! The words say that a file was edited, created or fixed, and the session shows no edit of it.

use super::Elsewhere;
use super::statement::{Clause, Word};
use crate::claim::named_files;
use crate::code_span;
use crate::session::{Outcome, Session};

/// What somebody did who changed a file.
const EDITED: &str = "edited changed updated modified created added fixed rewrote rewritten refactored removed deleted \
    reworked extended geändert bearbeitet erstellt angelegt aktualisiert gelöscht umgeschrieben korrigiert überarbeitet \
    modifié modifiés créé créés corrigé corrigés supprimé modificado creado corregido actualizado editado eliminado \
    修改了 更新了 创建了 新增了 删除了 已修改 已更新 已创建 已新增";
/// Of those what says of something in a file that the file was changed.
const REWRITTEN: &str = "edited changed updated modified rewritten refactored reworked geändert überarbeitet modifié modificado";
/// What may stand before the verb where the one who writes means itself.
const OWN: &str = "i we i've we've have has also then now and it's been files file ich wir habe haben auch dann und j'ai nous he hemos";
/// What may stand between the verb and the file.
const ARTICLES: &str = "the a an new file files module script both two three four my our its die der das datei dateien le \
    la les fichier fichiers el los archivo archivos";
const IS: &str = "is are was were has have been ist sind wurde wurden est sont fue está están";
const BETWEEN: &str = "now also all both been newly jetzt beide maintenant ahora";
/// What stands behind where a file is put somewhere, or something else changed it.
const OTHERWISE: &str =
    "to from by via through into upstream automatically because zu von durch à par a por";
/// Others who may have done it.
const OTHERS: &str = "you your user he she they them him her his their someone somebody upstream teammate colleague who \
    which that du sie er ihr nutzer vous il elle usted ella él";
/// Words in the commands of what changes files without naming them.
const REWRITES: &[&str] = &[
    "--fix",
    "--write",
    "xargs",
    "-exec",
    "codemod",
    "generate",
    "git apply",
    "git am ",
    "git merge",
    "git pull",
    "git rebase",
    "git revert",
    "git cherry-pick",
    "git stash",
    "patch ",
    "cp -r",
    "rsync ",
    "unzip ",
    "tar ",
];

/// Whether a word says that a file was changed.
pub(super) fn is_verb(word: &Word) -> bool {
    word.is(EDITED)
}

/// The files that a clause says to be changed and that the session did not change.
pub(super) fn untouched_files(
    clause: &Clause,
    session: &Session,
    elsewhere: &Elsewhere<'_>,
) -> Vec<String> {
    if !clause.is_plain || clause.has(OTHERS) || !sees_edits(session) {
        return Vec::new();
    }
    let mut files = said_changed(clause);
    files.retain(|path| {
        !is_touched(session, path) && !may_be_changed(session, path) && !(elsewhere.is_told)(path)
    });
    let line = |path: &String| {
        format!(
            "The words say that {} was changed; the transcript of the session shows no edit of it.",
            code_span(path)
        )
    };
    files.iter().map(line).collect()
}

/// Whether the transcript shows what is done with files.
fn sees_edits(session: &Session) -> bool {
    let by_subagent = || session.files.values().any(|file| file.by_subagent);
    (!session.files.is_empty() || !session.commands.is_empty())
        && (session.subagents == 0 || by_subagent())
        && session.more_commands == 0
}

/// The path that a word names, if it names a file and nothing else.
fn path_of(word: &Word) -> Option<String> {
    let text = if word.is_code { format!("`{}`", word.raw) } else { word.raw.clone() };
    let named = named_files(&text);
    let file = named.first().filter(|_| named.len() == 1)?;
    let last = file.path.rsplit('/').next()?;
    let (stem, ending) = last.rsplit_once('.')?;
    let is_file = !ending.is_empty() && !stem.is_empty() && !word.raw.contains(['(', ' ', '*']);
    // `1.5` and `v2.x` are numbers, `e.g` is none.
    let is_word = stem.chars().any(|c| c.is_alphabetic()) && (word.is_code || stem.len() > 1);
    let is_plain = word.is_code || file.surely || ending.len() >= 2;
    (is_file && is_word && is_plain).then(|| file.path.clone())
}

/// The files that a clause says to be changed.
fn said_changed(clause: &Clause) -> Vec<String> {
    let words = &clause.words;
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if path_of(&words[at]).is_none() {
            at += 1;
            continue;
        }
        let begin = at;
        // A list of files: `a.rs`, `b.rs` and `c.rs`.
        while at < words.len()
            && (path_of(&words[at]).is_some() || words[at].is("and und et y & 和"))
        {
            at += 1;
        }
        let list = &words[begin..at];
        if is_object(words, begin, at) || is_subject(words, begin, at) {
            found.extend(list.iter().filter_map(path_of));
        }
    }
    found
}

/// Whether a verb stands before a list of files: `I edited the new file a.rs`.
fn is_object(words: &[Word], begin: usize, end: usize) -> bool {
    let mut verb = begin;
    while verb > 0 && words[verb - 1].is(ARTICLES) && words[verb - 1].mark.is_none() {
        verb -= 1;
    }
    let Some(verb) = verb.checked_sub(1).filter(|at| words[*at].is(EDITED)) else { return false };
    let own = verb == 0 || words[..verb].iter().all(|word| word.is(OWN) || word.is(EDITED));
    let put = words.get(end).is_some_and(|next| next.is(OTHERWISE) || next.text.starts_with('\''));
    own && !put
}

/// Whether a list of files is said to be changed: `a.rs and b.rs are rewritten`, `rounding in a.rs is changed`.
fn is_subject(words: &[Word], begin: usize, end: usize) -> bool {
    let mut at = end;
    while at < words.len() && (words[at].is(IS) || words[at].is(BETWEEN)) {
        at += 1;
    }
    let has_verb = words[end..at].iter().any(|word| word.is(IS));
    let Some(verb) = words.get(at).filter(|verb| has_verb && verb.is(EDITED)) else { return false };
    if words.get(at + 1).is_some_and(|next| next.is(OTHERWISE) || next.is("in")) {
        return false;
    }
    let mut before = begin;
    while before > 0 && words[before - 1].is(ARTICLES) {
        before -= 1;
    }
    match before.checked_sub(1).map(|at| &words[at]) {
        None => true,
        Some(word) if word.is("and also then now und et y") => before == 1,
        Some(word) => word.is("in dans en") && verb.is(REWRITTEN),
    }
}

/// Whether one path ends with the other, part by part.
fn is_same(one: &str, other: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
        parts.map(str::to_owned).collect()
    };
    let (one, other) = (parts(one), parts(other));
    !one.is_empty() && (one.ends_with(&other) || other.ends_with(&one))
}

fn is_touched(session: &Session, path: &str) -> bool {
    session.files.iter().filter(|(_, file)| file.is_changed()).any(|(known, file)| {
        is_same(known, path) || file.renamed_from.as_deref().is_some_and(|old| is_same(old, path))
    })
}

/// Whether a command may have changed the file: it names it, or changes files that it does not name.
fn may_be_changed(session: &Session, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().filter(|stem| stem.len() >= 4).unwrap_or(name);
    let is_generated = name.contains("lock") || name.ends_with(".snap") || name.ends_with(".sum");
    is_generated
        || session.commands.iter().any(|command| {
            command.outcome != Outcome::Stopped
                && (command.command.contains(stem)
                    || REWRITES.iter().any(|word| command.command.contains(word)))
        })
}
