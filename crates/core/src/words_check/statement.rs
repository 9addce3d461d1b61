//! What a text states: its sentences as clauses of words, without questions, quotations and what is only
//! planned, hoped for, denied or told of somebody else.

use crate::section::list_item;

/// Words with which a whole sentence states nothing: conditions, exceptions, what others said, what is believed.
const OPEN: &str = "if unless until once whenever except excluding apart aside barring besides said says saying claims \
    claimed reports reported told tells according supposedly allegedly think thinks believe believes assume assumes \
    assuming expect expected expects probably likely presumably apparently hopefully maybe perhaps seem seems todo \
    goal criteria planned falls wenn sobald bis außer sagt sagte laut vermutlich wahrscheinlich hoffentlich \
    si quand sauf lorsque selon cuando salvo excepto según ?";
/// Words with which a clause states the opposite, nothing, or something of another time or of a part.
const HEDGES: &str = "not no never nothing none nobody without neither nor cannot yet should would will could might \
    may must shall need needs needed want wants wanted ready before earlier previous previously initially originally \
    yesterday already existing only some most many another other others rest remaining partly nearly almost \
    did do does didn't \
    nicht nichts nie kein keine keinen noch ohne soll sollte sollten würde muss müssen kann könnte vorher früher zuvor \
    bereits nur einige manche fast \
    ne n'est pas sans encore doit devrait avant jamais aucun aucune presque \
    sin todavía aún debe debería antes nunca ningún ninguna casi";
/// What a negation may deny without denying the statement: `pass with no failures`.
const TROUBLE: &str = "failure failures failed error errors warning warnings issue issues problem problems regression \
    regressions skipped skips fehler fehlern warnungen erreur erreurs errores error fallos";
const NONE: &str = "no zero 0 without ohne keine sans sin";
/// Words with which another statement begins.
const PARTS: &str = "and so while although though whereas which und während et y mientras";
/// Words without which a clause is only the beginning of the next one.
const VERBS: &str =
    "is are was were be been has have ist sind wurde wurden hat est sont están está";

/// One word, or what stands between code marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In small letters, without marks around it.
    pub(super) text: String,
    /// As it stands there.
    pub(super) raw: String,
    pub(super) is_code: bool,
    /// The mark right behind it.
    pub(super) mark: Option<char>,
    /// Whether a bracket opens right before it.
    pub(super) opens: bool,
}

impl Word {
    pub(super) fn is(&self, words: &str) -> bool {
        !self.is_code && is_one_of(&self.text, words)
    }
}

pub(super) fn is_one_of(word: &str, words: &str) -> bool {
    words.split_whitespace().any(|one| one == word)
}

/// A part of a sentence with a verb of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Clause {
    pub(super) words: Vec<Word>,
    /// Whether it states what is, here and now.
    pub(super) is_plain: bool,
    /// Whether it is a statement but for what it denies: `nothing is uncommitted`.
    pub(super) is_certain: bool,
}

impl Clause {
    pub(super) fn has(&self, words: &str) -> bool {
        self.words.iter().any(|word| word.is(words))
    }

    pub(super) fn has_pair(&self, first: &str, second: &str) -> bool {
        self.words.windows(2).any(|pair| pair[0].is(first) && pair[1].text.starts_with(second))
    }

    /// Whether a word stands there, and none of these behind it.
    pub(super) fn has_but(&self, words: &str, behind: &str) -> bool {
        let mut at = self.words.iter().enumerate().filter(|(_, own)| own.is(words));
        at.any(|(at, _)| !self.words.get(at + 1).is_some_and(|next| next.is(behind)))
    }

    /// Its words without blanks, for scripts that have none.
    pub(super) fn unspaced(&self) -> String {
        self.words.iter().filter(|word| !word.is_code).map(|word| word.text.as_str()).collect()
    }
}

/// The clauses of one sentence.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    pub(super) clauses: Vec<Clause>,
}

/// Whether a heading leaves what stands below it a statement.
pub(super) fn is_plain_heading(heading: &str) -> bool {
    let words = words_of(heading);
    !words.iter().any(|word| word.is(OPEN) || word.is(HEDGES))
}

/// The sentences of a text. `is_verb` knows the words that state something here, and `branch` is the branch that
/// the text is about.
pub(super) fn sentences(
    text: &str,
    branch: Option<&str>,
    is_verb: &dyn Fn(&Word) -> bool,
) -> Vec<Sentence> {
    let mut pieces: Vec<String> = Vec::new();
    // A line that is no item goes on with the one before.
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('>')) {
        match pieces.last_mut() {
            Some(piece) if list_item(line).is_none() => *piece += &format!(" {line}"),
            _ => pieces.push(line.to_owned()),
        }
    }
    let sentences = pieces.iter().flat_map(|piece| split(&without_quotations(piece)));
    sentences.map(|sentence| Sentence::of(&sentence, branch, is_verb)).collect()
}

impl Sentence {
    fn of(text: &str, branch: Option<&str>, is_verb: &dyn Fn(&Word) -> bool) -> Self {
        let words = words_of(text);
        let is_open = words.iter().any(|word| word.is(OPEN)) || counts_a_part(&words);
        let mut clauses: Vec<Clause> = Vec::new();
        for words in parted(words, is_verb) {
            // What has no subject of its own goes on with what was said before it.
            let goes_on = words
                .iter()
                .find(|word| !word.is(PARTS) && !word.is("or oder ou o also then auch dann"))
                .is_some_and(is_verb);
            let before = clauses.last().filter(|_| goes_on);
            let is_certain = !is_open
                && before.is_none_or(|before| before.is_certain)
                && !words.iter().any(is_contraction)
                && !is_elsewhere(&words, branch);
            let is_plain =
                is_certain && before.is_none_or(|before| before.is_plain) && !hedges(&words);
            clauses.push(Clause { words, is_plain, is_certain });
        }
        Self { clauses }
    }
}

fn is_contraction(word: &Word) -> bool {
    !word.is_code && (word.text.ends_with("n't") || word.text.ends_with("n’t"))
}

/// Whether a clause denies something, or speaks of a part, a plan or another time.
fn hedges(words: &[Word]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1);
        let denies_trouble = word.is(NONE) && next.is_some_and(|next| next.is(TROUBLE));
        let is_ago = word.is("last")
            && next.is_some_and(|next| next.is("week month year night time session evening"));
        word.is(HEDGES) && !denies_trouble || is_ago
    })
}

/// Whether words count a part of a whole: `3 of 4`, `3/4`.
fn counts_a_part(words: &[Word]) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let of = words.windows(3).any(|three| {
        is_number(&three[0].text) && three[1].is("of von de") && three[0].text != three[2].text
    });
    let slash = words.iter().filter(|word| !word.is_code).any(|word| {
        let parts = word.text.split_once('/');
        parts.is_some_and(|(some, all)| is_number(some) && is_number(all) && some != all)
    });
    of || slash
}

/// Whether words are about another branch, or about what runs somewhere else.
fn is_elsewhere(words: &[Word], branch: Option<&str>) -> bool {
    const BRANCHES: &str = "main master develop dev trunk staging production prod upstream ci origin windows linux macos";
    const OWN: &str = "the this my our a its feature current new work working same topic";
    let is_own = |word: &Word| branch.is_some_and(|branch| word.raw == branch);
    let on_another = words.iter().enumerate().any(|(at, word)| {
        let mut behind = words[at + 1..].iter().filter(|word| !word.is("the branch der dem la"));
        word.is("on in auf sur en")
            && behind.next().is_some_and(|next| {
                !is_own(next) && (next.is(BRANCHES) || next.is_code && word.is("on auf sur"))
            })
    });
    let names_another = words
        .windows(2)
        .any(|pair| pair[1].is("branch worktree fork") && !pair[0].is(OWN) && !is_own(&pair[0]));
    on_another || names_another
}

/// Words parted into clauses: at commas and conjunctions, where what stands before has a verb.
fn parted(words: Vec<Word>, is_verb: &dyn Fn(&Word) -> bool) -> Vec<Vec<Word>> {
    let mut all: Vec<Vec<Word>> = Vec::new();
    let mut clause: Vec<Word> = Vec::new();
    let says = |clause: &[Word]| clause.iter().any(|word| is_verb(word) || word.is(VERBS));
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let is_after_comma =
            clause.last().is_some_and(|last| matches!(last.mark, Some(',' | '，' | '、')));
        // Names in a list belong together.
        let follows_name = clause.last().is_some_and(is_name);
        let is_listed =
            follows_name && (is_name(&word) || word.is(PARTS) && words.peek().is_some_and(is_name));
        if (word.is(PARTS) || is_after_comma) && !is_listed && says(&clause) {
            all.push(std::mem::take(&mut clause));
        }
        clause.push(word);
    }
    all.push(clause);
    all.retain(|clause| !clause.is_empty());
    all
}

/// Whether a word is the name of something: code, or a path.
fn is_name(word: &Word) -> bool {
    word.is_code || word.raw.contains(['/', '.'])
}

/// The words of a sentence, what stands between code marks as one of them.
pub(super) fn words_of(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut opens = false;
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            let raw = part.trim().to_owned();
            let text = raw.to_lowercase();
            words.push(Word { text, raw, is_code: true, mark: None, opens });
            opens = false;
            continue;
        }
        for (at, token) in part.split_whitespace().enumerate() {
            let is_mark = |c: char| !(c.is_alphanumeric() || "#_/.-".contains(c));
            let bare = token.trim_matches(is_mark).trim_end_matches(['.', '-', '/']);
            // Options keep their mark where the words are a command line.
            let raw = bare.trim_start_matches('#');
            let bare = raw.trim_start_matches('-');
            if bare.is_empty() {
                // A mark right behind code, such as `a`: or `a`,
                let mark = token.chars().find(|c| ",:)，：".contains(*c));
                if let Some(last) = words.last_mut().filter(|last| last.mark.is_none()) {
                    last.mark = mark.or(last.mark);
                }
                if "✓✔✅".contains(token) {
                    let (text, raw) = ("ok".to_owned(), token.to_owned());
                    words.push(Word { text, raw, is_code: false, mark: None, opens });
                }
            } else {
                let starts_with = |marks: &[char]| token.starts_with(marks);
                if at == 0 && starts_with(&[',', '，']) {
                    words.iter_mut().next_back().into_iter().for_each(|last| last.mark = Some(','));
                }
                let behind = token.rfind(bare).map_or(0, |begin| begin + bare.len());
                let mark = token[behind..].chars().next();
                let opens = opens || starts_with(&['(', '[']);
                words.push(Word {
                    text: bare.to_lowercase(),
                    raw: raw.to_owned(),
                    is_code: false,
                    mark,
                    opens,
                });
            }
            opens = token.ends_with(['(', '[']);
        }
    }
    words
}

/// A line without what it quotes.
fn without_quotations(line: &str) -> String {
    const PAIRS: [(char, char); 6] =
        [('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』'), ('"', '"')];
    let mut out = String::with_capacity(line.len());
    let mut is_code = false;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        is_code ^= c == '`';
        let after = &rest[c.len_utf8()..];
        let end = PAIRS
            .iter()
            .filter(|(open, _)| *open == c && !is_code)
            .find_map(|(_, close)| after.find(*close).map(|at| at + close.len_utf8()));
        match end {
            Some(end) => {
                out.push_str(" … ");
                rest = &after[end..];
            }
            None => {
                out.push(c);
                rest = after;
            }
        }
    }
    out
}

/// The sentences of a line that are no questions, parted at semicolons, dashes and `but` too.
fn split(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut sentence = String::new();
    let mut is_code = false;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        is_code ^= c == '`';
        let is_last = rest.peek().is_none_or(|next| next.is_whitespace());
        match c {
            '.' | '!' if is_last && !is_code => all.push(std::mem::take(&mut sentence)),
            ';' | '—' | '–' | '。' | '！' | '；' if !is_code => {
                all.push(std::mem::take(&mut sentence));
            }
            '?' if is_last && !is_code => sentence.clear(),
            '？' if !is_code => sentence.clear(),
            _ => sentence.push(c),
        }
    }
    all.push(sentence);
    const BUT: [&str; 5] = [" but ", " aber ", " mais ", " pero ", "但"];
    let mut parts = all;
    for but in BUT {
        parts = parts.iter().flat_map(|part| part.split(but)).map(str::to_owned).collect();
    }
    parts
}
