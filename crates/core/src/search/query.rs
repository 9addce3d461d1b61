//! What is looked for: words, "phrases", -not, and fields such as `tag:release`.

use super::passage::section_term;
use super::stop_words;
use super::terms::{FirstBytes, TermKind, TermReader};

/// More different terms than these add nothing but time; which were found is kept in 64 bits.
pub const MAX_QUERY_TERMS: usize = 64;

/// How a term is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Exactly(String),
    /// Everything that begins so.
    /// Also these terms, which are the stems of words that begin so and are shorter.
    Beginning(String, Vec<String>),
}

/// One term of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    pub wanted: Wanted,
    pub kind: TermKind,
    /// As it was typed.
    pub typed: String,
    /// Whether it looks like the name of something: an identifier, a code, a proper name.
    pub name: bool,
}

impl QueryTerm {
    /// Whether it is of a script without spaces, where a pair of characters need not be a word.
    pub fn is_pair(&self) -> bool {
        self.typed.starts_with(|c: char| c >= '\u{0e00}')
    }
}

/// A query, understood. Any text is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// What counts for the rank.
    pub terms: Vec<QueryTerm>,
    /// Words that must stand one after the other, without case and accents.
    pub phrases: Vec<Vec<String>>,
    /// A handoff with one of these is left out.
    pub without: Vec<Wanted>,
    /// As `phrases`, for what is left out.
    pub without_phrases: Vec<Vec<String>>,
    /// What the handoff must have.
    pub fields: Vec<Wanted>,
    /// What it must not have.
    pub without_fields: Vec<Wanted>,
    /// The section of which passages must be.
    pub section: Option<Wanted>,
    /// Whether there were more terms than are looked for.
    pub cut: bool,
    /// Terms that stand in phrases, a bit each: whatever has the phrases has all of them.
    pub phrase_terms: u64,
    /// Whether it asks what was decided.
    pub decisions: bool,
    /// Whether a capital makes a name.
    names: bool,
}

impl Query {
    /// Reads a query.
    pub fn parse(text: &str, reader: &mut TermReader) -> Self {
        let mut query = Self::default();
        let mut asking = Vec::new();
        // In some languages every noun has a capital: then it says nothing.
        let words = || text.split_whitespace().skip(1);
        let capitals = words().filter(|word| word.starts_with(char::is_uppercase)).count();
        query.names = capitals * 3 <= words().count();
        for piece in Pieces(text) {
            if query.terms.len() >= MAX_QUERY_TERMS {
                query.cut = true;
                break;
            }
            query.add(piece, reader, &mut asking);
        }
        if query.terms.is_empty() && query.fields.is_empty() && query.section.is_none() {
            // A question of nothing but such words is about these words.
            query.terms = asking;
        }
        query.cut |= query.terms.len() > MAX_QUERY_TERMS;
        query.terms.truncate(MAX_QUERY_TERMS);
        query
    }

    /// Restricts it to handoffs with this value of a field: `tag`, `tool`, `name` or `branch`.
    pub fn only(&mut self, field: &str, value: &str) {
        self.fields.push(Wanted::Exactly(format!("{field}:{}", value.to_lowercase())));
    }

    /// Restricts it to passages of this section.
    pub fn only_section(&mut self, title: &str) {
        self.section = Some(Wanted::Exactly(section_term(title)));
    }

    /// With which bytes what counts for the rank begins.
    pub(super) fn first_bytes(&self) -> FirstBytes {
        FirstBytes::of(self.terms.iter().map(|term| match &term.wanted {
            Wanted::Exactly(text) | Wanted::Beginning(text, _) => text.as_str(),
        }))
    }

    /// Whether it asks for more than words.
    pub fn is_narrow(&self) -> bool {
        let lists = [&self.without, &self.fields, &self.without_fields];
        lists.iter().any(|list| !list.is_empty())
            || !self.phrases.is_empty()
            || !self.without_phrases.is_empty()
            || self.section.is_some()
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.fields.is_empty() && self.section.is_none()
    }

    fn add(&mut self, piece: Piece<'_>, reader: &mut TermReader, asking: &mut Vec<QueryTerm>) {
        let Piece { text, quoted, not, field } = piece;
        if let Some(field) = field {
            self.add_field(field, text, not);
            return;
        }
        if quoted {
            let phrase = plain_words(text, reader);
            match (phrase.len(), not) {
                (0, _) => return,
                (1, false) => {}
                (_, false) => self.phrases.push(phrase),
                (_, true) => {
                    self.without_phrases.push(phrase);
                    return;
                }
            }
        }
        let beginning = !quoted && text.ends_with('*');
        let mut found: Vec<QueryTerm> = Vec::new();
        let first = self.terms.is_empty() && asking.is_empty();
        let name = is_name(text, self.names && !first);
        reader.read(text, &mut |term, range, kind| {
            let wanted = Wanted::Exactly(term.to_owned());
            found.push(QueryTerm { wanted, kind, typed: text[range].to_owned(), name });
        });
        // The last character of a run alone is in the index for those who look for just that.
        if found.len() > 1 && found.last().is_some_and(|term| is_single_joined(&term.typed)) {
            found.pop();
        } else if found.last().is_some_and(|term| is_single_joined(&term.typed)) {
            found.iter_mut().for_each(|term| term.wanted = Wanted::beginning(&term.typed, reader));
        }
        if beginning && let Some(last) = found.last_mut() {
            last.wanted = Wanted::beginning(&last.typed, reader);
        }
        if not {
            // An identifier as a whole, a path or a version as it stands.
            let whole = found.iter().position(|term| term.kind == TermKind::Whole);
            match (whole, found.len()) {
                (Some(at), _) => self.without.push(found[at].wanted.clone()),
                (None, 2..) => self.without_phrases.push(plain_words(text, reader)),
                (None, _) => self.without.extend(found.into_iter().map(|term| term.wanted)),
            }
            return;
        }
        let phrased = quoted && found.len() > 1;
        for term in found {
            if self.terms.len() > MAX_QUERY_TERMS {
                break;
            }
            let known =
                |others: &[QueryTerm]| others.iter().position(|one| one.wanted == term.wanted);
            if phrased && term.kind == TermKind::Word {
                let at = known(&self.terms).unwrap_or(self.terms.len());
                self.phrase_terms |= 1_u64.checked_shl(at as u32).unwrap_or(0);
            }
            if known(&self.terms).or_else(|| known(asking)).is_some() {
                continue;
            }
            let folded = term.typed.to_lowercase();
            if !quoted && !beginning && stop_words::only_asks(&folded) {
                self.decisions |= stop_words::asks_for_decision(&folded);
                asking.push(term);
            } else {
                self.terms.push(term);
            }
        }
    }

    fn add_field(&mut self, field: Field, text: &str, not: bool) {
        let text = text.trim_end_matches('*').to_lowercase();
        let wanted = match field {
            // The name, the end of a path, or how either begins.
            Field::File => {
                Wanted::Beginning(format!("file:{}", text.trim_start_matches("./")), Vec::new())
            }
            Field::Section => Wanted::Exactly(section_term(&text)),
            Field::Plain(name) => Wanted::Exactly(format!("{name}:{text}")),
        };
        match (field, not) {
            (Field::Section, false) => self.section = Some(wanted),
            (_, false) => self.fields.push(wanted),
            (_, true) => self.without_fields.push(wanted),
        }
    }
}

/// Whether a word is a name: with digits or a capital inside, or with a capital where that counts.
fn is_name(word: &str, capitals: bool) -> bool {
    let letters = word.contains(char::is_alphabetic);
    let inside = word.chars().skip(1).any(char::is_uppercase) && word.contains(char::is_lowercase);
    let digits = letters && word.contains(|c: char| c.is_ascii_digit());
    letters
        && (digits
            || inside
            || word.contains('_')
            || (capitals && word.starts_with(char::is_uppercase)))
}

impl Wanted {
    /// Whatever begins as was typed.
    pub fn beginning(typed: &str, reader: &mut TermReader) -> Self {
        let mut folded = String::new();
        typed.chars().for_each(|c| super::fold::fold_into(c, &mut folded));
        folded.retain(|c| c != '_');
        let stems = reader.shorter_stems(&folded);
        Self::Beginning(folded, stems)
    }
}

/// The words of a text as they stand, to be found one after the other.
fn plain_words(text: &str, reader: &mut TermReader) -> Vec<String> {
    let mut words = Vec::new();
    reader.plain(text, &mut |word, _| words.push(word.to_owned()));
    if words.len() > 1 && words.last().is_some_and(|word| is_single_joined(word)) {
        words.pop();
    }
    words
}

fn is_single_joined(typed: &str) -> bool {
    let mut chars = typed.chars();
    chars.next().is_some_and(|c| c >= '\u{0e00}') && chars.next().is_none()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    File,
    Section,
    Plain(&'static str),
}

const FIELDS: [(&str, Field); 7] = [
    ("file", Field::File),
    ("section", Field::Section),
    ("kind", Field::Plain("kind")),
    ("tag", Field::Plain("tag")),
    ("tool", Field::Plain("tool")),
    ("name", Field::Plain("name")),
    ("branch", Field::Plain("branch")),
];

/// A word, phrase or field as it stands in the query.
struct Piece<'q> {
    text: &'q str,
    quoted: bool,
    not: bool,
    field: Option<Field>,
}

/// The pieces of a query that are still to come.
struct Pieces<'q>(&'q str);

impl<'q> Iterator for Pieces<'q> {
    type Item = Piece<'q>;

    fn next(&mut self) -> Option<Piece<'q>> {
        let mut rest = self.0.trim_start();
        if rest.is_empty() {
            return None;
        }
        let begins = |text: &str| text.starts_with(|c: char| c.is_alphanumeric() || c == '"');
        // The second is a minus sign, as some keyboards and pages have it.
        let without = rest.strip_prefix(['-', '−']).filter(|text| begins(text));
        let not = without.is_some();
        rest = without.unwrap_or(rest);
        let mut field = None;
        for (name, found) in FIELDS {
            let named = rest.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name));
            let value =
                rest.get(name.len()..).filter(|_| named).and_then(|text| text.strip_prefix(':'));
            if let Some(value) = value
                && !value.is_empty()
                && !value.starts_with(|c: char| c.is_whitespace() || c == ':')
            {
                field = Some(found);
                rest = value;
                break;
            }
        }
        if let Some(inside) = rest.strip_prefix('"') {
            let end = inside.find('"').unwrap_or(inside.len());
            self.0 = inside.get(end + 1..).unwrap_or_default();
            return Some(Piece { text: &inside[..end], quoted: true, not, field });
        }
        // Scripts without spaces may put a quotation mark right behind a word.
        let end = rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len());
        self.0 = &rest[end..];
        Some(Piece { text: &rest[..end], quoted: false, not, field })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Query {
        Query::parse(text, &mut TermReader::default())
    }

    fn exact(words: &[&str]) -> Vec<Wanted> {
        words.iter().map(|word| Wanted::Exactly((*word).to_owned())).collect()
    }

    fn wanted(query: &Query) -> Vec<Wanted> {
        query.terms.iter().map(|term| term.wanted.clone()).collect()
    }

    #[test]
    fn questions_are_what_they_ask_for() {
        let query = parse("Why did we choose the refresh_token?");
        assert_eq!(wanted(&query), exact(&["refreshtoken", "refresh", "token"]));
        assert_eq!(wanted(&parse("what is it")), exact(&["what"]));
    }

    #[test]
    fn phrases_nots_fields_and_beginnings() {
        let query = parse(
            "\"Token Bucket\" -docs -\"rate limit\" tag:Release file:auth/ refre* -tool:Codex",
        );
        assert_eq!(query.phrases, [["token", "bucket"]]);
        assert_eq!(query.without, exact(&["doc"]));
        assert_eq!(query.without_phrases, [["rate", "limit"]]);
        let file = Wanted::Beginning("file:auth/".to_owned(), Vec::new());
        assert_eq!(query.fields, [exact(&["tag:release"])[0].clone(), file]);
        assert_eq!(query.without_fields, exact(&["tool:codex"]));
        let mut terms = exact(&["token", "bucket"]);
        terms.push(Wanted::beginning("refre", &mut TermReader::default()));
        assert_eq!(wanted(&query), terms);
    }

    #[test]
    fn what_only_looks_like_syntax_is_text() {
        let query = parse("std::fs http://a.b --no-verify AND OR NEAR( ^x {y}: tag: \"");
        assert!(query.fields.is_empty() && query.without.is_empty() && query.phrases.is_empty());
        assert!(query.terms.len() > 5);
        assert!(parse("").is_empty() && parse(" - \" ** !?").is_empty());
        assert!(parse(&"word42 ".repeat(200_000)).terms.len() == 1);
        let many: String = (0..1000).map(|n| format!("w{n} ")).collect();
        let many = parse(&many);
        assert!(many.terms.len() == MAX_QUERY_TERMS && many.cut);
    }

    #[test]
    fn one_character_of_a_script_without_spaces_is_a_beginning() {
        assert_eq!(wanted(&parse("鍵")), [Wanted::Beginning("鍵".to_owned(), Vec::new())]);
        assert_eq!(wanted(&parse("認証鍵")), exact(&["認証", "証鍵"]));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_query(text: String) {
            let query = parse(&text);
            proptest::prop_assert!(query.terms.len() <= MAX_QUERY_TERMS);
        }
    }
}
