//! One pass over a text: words that begin a known shape, names with values, addresses, blocks.

use std::ops::Range;

use super::alphabet::{Alphabet, Runs, is_word, span, span_back};
use super::judge::{is_placeholder, is_reference};
use super::mark::mark_length;
use super::name::{Class, Meaning, has_stem, meaning};
use super::near::{follows, precedes, quoted_before};
use super::random::{is_hex, is_random};
use super::shape::Shapes;
use super::shapes::is_uuid;
use super::value::{LONGEST, Link, Named, Value, changed, made_up_for, value_of};
use super::verdict::is_secret;
use super::{
    address, block, call, fallback, header, infix, jwk, list, manifest, near, output, pairs, pipe,
    said, seed, table, terminal, tool,
};

/// A secret in the text that was looked through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) kind: String,
    pub(super) range: Range<usize>,
}

pub(super) struct Scan<'t> {
    pub(super) bytes: &'t [u8],
    shapes: Shapes,
    runs: Runs,
    hits: Vec<Hit>,
    /// Names up to here have been looked at.
    names_until: usize,
    /// Commands up to here have been looked at, and so many that run others in this line.
    commands: (usize, usize),
    /// Manifests up to here have been looked at.
    manifest_until: usize,
    /// Where the last value ends that was none, and how many names in a row stand in such a value.
    rejected: (usize, usize),
    /// Keys as JSON up to here have been looked at.
    pub(super) jwk_until: usize,
    /// How often values were looked for in lists.
    pub(super) lists: usize,
    /// Long documents that commands read were looked at up to here.
    pub(super) document_until: usize,
    /// The table that was looked at last.
    pub(super) tables: table::Tables,
    /// Words that may be some of a seed phrase, and up to where they have been looked at.
    seed_words: u32,
    seed_until: usize,
    /// The last name of a secret in this line, and where it ends.
    last_name: Option<(usize, Meaning)>,
    /// The last long string in this line that is not known to be a secret.
    last_random: Option<Range<usize>>,
}

/// Everything secret in a text, in no order.
pub(super) fn scan(text: &str) -> Vec<Hit> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        shapes: Shapes::all(),
        runs: Runs::default(),
        hits: Vec::new(),
        names_until: 0,
        commands: (0, 0),
        manifest_until: 0,
        rejected: (0, 0),
        jwk_until: 0,
        lists: 0,
        document_until: 0,
        tables: table::Tables::default(),
        seed_words: 0,
        seed_until: 0,
        last_name: None,
        last_random: None,
    };
    let mut at = 0;
    while at < scan.bytes.len() {
        at = scan.step(at);
    }
    scan.hits
}

/// A text that is all names, each in the value of the one before, is not read to its end for each.
const MOST_REJECTED: usize = 16;
const SHORT: usize = 128;

/// A random string near a name is at least this long.
const LONG: usize = 20;
const LONGEST_RANDOM: usize = 512;

impl Scan<'_> {
    pub(super) fn hit(&mut self, kind: impl Into<String>, range: Range<usize>) {
        self.hits.push(Hit { kind: kind.into(), range });
    }

    /// Notes a value that was none, or may be none.
    pub(super) fn reject(&mut self, named: &Named, end: usize) {
        let (until, count) = self.rejected;
        let within = named.start < until;
        self.rejected = (end.max(until), if within { count + 1 } else { 0 });
    }

    /// A hit that is called by its shape if it has one.
    pub(super) fn known_or(&mut self, kind: &str, range: Range<usize>) {
        let kind = self.shaped_kind(&range).unwrap_or_else(|| kind.to_owned());
        self.hit(kind, range);
    }

    /// Looks at what stands here, and says where to go on.
    #[inline]
    fn step(&mut self, at: usize) -> usize {
        let byte = self.bytes[at];
        if is_word(byte) {
            return self.word(at);
        }
        match byte {
            b' ' | b',' => at + 1,
            b'\n' => {
                self.forget();
                at + 1
            }
            b'-' if self.bytes[at..].starts_with(b"----") => self.dashes(at),
            b'[' => match mark_length(&self.bytes[at..]) {
                Some(length) => {
                    self.forget();
                    at + length
                }
                None => at + 1,
            },
            b':' if self.bytes[at..].starts_with(b"://") => address::look(self, at),
            b'$' => self.shape(at).unwrap_or(at + 1),
            b'@' if self.bytes[at..].starts_with(b"@tcp(")
                || self.bytes[at..].starts_with(b"@unix(") =>
            {
                infix::go_source(self, at);
                at + 1
            }
            b'@' => {
                infix::mail_login(self, at);
                at + 1
            }
            b'~' => {
                infix::azure_secret(self, at);
                at + 1
            }
            b'+' if self.bytes[at..].starts_with(b"+A") => {
                infix::azure_marked(self, at).unwrap_or(at + 1)
            }
            b'\\' => self.escape(at),
            b'%' if self.bytes[at..].get(1..3).is_some_and(is_hex) => at + 3,
            0x1b => colour(self.bytes, at + 1),
            b'-' if self.bytes[at..].starts_with(b"-u ") => {
                tool::any_pair(self, at);
                at + 2
            }
            0x80.. if said::may_begin(self.bytes, at) => {
                said::other_word(self, at).unwrap_or(at + 1)
            }
            _ => at + 1,
        }
    }

    /// What is near does not reach over the end of a line or a mark.
    fn forget(&mut self) {
        self.last_name = None;
        self.last_random = None;
        self.commands.1 = 0;
    }

    /// `\n` and the like end a word, though they end in a letter.
    fn escape(&mut self, at: usize) -> usize {
        match self.bytes.get(at + 1) {
            Some(b'n' | b'r') => {
                self.forget();
                at + 2
            }
            Some(b't' | b'b' | b'f' | b'v' | b'e' | b'a' | b'\\' | b'"' | b'\'') => at + 2,
            Some(b'x') if self.bytes.get(at + 2..at + 4).is_some_and(is_hex) => {
                colour(self.bytes, at + 4)
            }
            Some(b'u') if self.bytes.get(at + 2..at + 6).is_some_and(is_hex) => {
                colour(self.bytes, at + 6)
            }
            Some(b'0') if self.bytes.get(at + 1..at + 4) == Some(b"033") => {
                colour(self.bytes, at + 4)
            }
            _ => at + 1,
        }
    }

    fn dashes(&mut self, at: usize) -> usize {
        match block::private_key(self.bytes, at) {
            Some((kind, end)) => {
                self.hit(kind, at..end);
                end
            }
            None => {
                let end = at + span(&self.bytes[at..], usize::MAX, |byte| byte == b'-');
                if self.bytes[end..].starts_with(b"END ")
                    && let Some((kind, range)) = block::end_of_key(self.bytes, at)
                {
                    self.hit(kind, range);
                }
                end
            }
        }
    }

    /// The secret of a known shape that begins here.
    fn shape(&mut self, at: usize) -> Option<usize> {
        let shaped = self.shapes.at(self.bytes, at, &mut self.runs)?;
        let range = at..shaped.end;
        if !shaped.sure && !self.is_named(&range) {
            self.last_random = Some(range);
            return None;
        }
        if shaped.kind == "aws access key id"
            && let Some(secret) = near::aws_secret(self.bytes, &range)
        {
            self.hit("aws secret key", secret);
        }
        self.hit(shaped.kind, range);
        Some(shaped.end)
    }

    fn is_named(&self, range: &Range<usize>) -> bool {
        self.last_name.as_ref().is_some_and(|(end, _)| follows(self.bytes, *end, range.start))
    }

    fn word(&mut self, at: usize) -> usize {
        let length = span(&self.bytes[at..], usize::MAX, is_word);
        let end = at + length;
        let bytes = self.bytes;
        if let Some(end) = self.shape(at) {
            return end;
        }
        let word = &bytes[at..end];
        if let Some(end) = infix::look(self, at, end) {
            return end;
        }
        if seed::has_length(length) {
            self.seed_words += 1;
            if self.seed_words >= seed::EVERY && at >= self.seed_until {
                self.seed_words = 0;
                self.seed_until = seed::look(self, at, end).unwrap_or(0).max(self.seed_until);
            }
        }
        if said::may_be_name(bytes, word, end)
            && let Some(end) = said::word(self, at, end)
        {
            return end;
        }
        if has_stem(word) {
            if infix::may_be_azure(word)
                && let Some(end) = infix::azure_marked(self, at)
            {
                return end;
            }
            if let Some(end) = self.name(at, end) {
                return end;
            }
        }
        if let Some(b' ' | b'"' | b'\'') = bytes.get(end)
            && end > self.commands.0
            && tool::is_tool(word)
            && let Some(from) = tool::begins(bytes, end)
        {
            self.commands = tool::look_nested(self, word, from, self.commands.1);
        }
        if word == b"user" {
            let flag = bytes[..at].ends_with(b"--");
            let first = at == 0 || bytes[at - 1] == b'\n';
            let sign = end + if first { span(&bytes[end..], 1, |byte| byte == b' ') } else { 0 };
            if bytes.get(sign) == Some(&b'=') && (flag || first) {
                tool::user_flag(self, sign + 1);
            }
        }
        if word == b"thin" && bytes.get(end) == Some(&b':') {
            tool::oracle(self, end + 1);
        }
        if pipe::is_reader(word) {
            pipe::look(self, at, end);
        }
        if terminal::is_one(word) {
            terminal::look(self, at, end);
        }
        match word {
            b"kty" => jwk::look(self, at),
            b"Private" => jwk::putty(self, end),
            b"toCharArray" => call::characters(self, at),
            _ => {}
        }
        if let Some(b'(' | b'=' | b':' | b']' | b' ') = bytes.get(end)
            && call::is_call(word)
        {
            call::look(self, word, end);
        }
        if word == b"Secret" && at >= self.manifest_until {
            self.manifest_until =
                manifest::look(self, at, self.manifest_until).max(self.manifest_until);
        }
        if length >= 8
            && (self.last_name.is_some() || word.iter().any(u8::is_ascii_digit))
            && let Some(end) = self.random(at)
        {
            return end;
        }
        end
    }

    /// A long string: a secret if it is random and a name stands near it.
    fn random(&mut self, at: usize) -> Option<usize> {
        let near = self.last_name.as_ref().filter(|(end, _)| follows(self.bytes, *end, at));
        let alphabet = if near.is_some() { Alphabet::Wide } else { Alphabet::Base64Url };
        let end = self.runs.end(self.bytes, at, alphabet);
        let trailing = |byte: u8| matches!(byte, b'.' | b':' | b'-' | b'%');
        let range = at..end - span_back(&self.bytes[at..end], 8, trailing);
        if !(LONG..=LONGEST_RANDOM).contains(&range.len()) {
            return None;
        }
        let Some((_, meaning)) = near else {
            // Looked at when a name follows, which is seldom.
            self.last_random = Some(range);
            return None;
        };
        let text = &self.bytes[range.clone()];
        let hash = is_hex(text.strip_prefix(b"0x").unwrap_or(text)) || is_uuid(text);
        if hash || !self.is_random_string(&range) {
            return None;
        }
        let kind = meaning.kind();
        let end = range.end;
        self.hit(kind, range);
        Some(end)
    }

    /// Whether it is random, whole, and no public key, hash or placeholder.
    fn is_random_string(&self, range: &Range<usize>) -> bool {
        let text = &self.bytes[range.clone()];
        let joined = |byte: Option<&u8>| {
            byte.is_some_and(|byte| {
                matches!(byte, b'/' | b'.' | b'#' | b'@' | b':' | b'(' | b'+' | b'=' | b'-')
            })
        };
        let before = range.start.checked_sub(1).map(|before| &self.bytes[before]);
        let goes_on = joined(self.bytes.get(range.end))
            && self.bytes.get(range.end + 1).is_some_and(|byte| is_word(*byte));
        let pair = |pair: &[u8]| matches!(pair[0], b'=' | b':') && is_word(pair[1]);
        !joined(before)
            && !goes_on
            && !text.starts_with(b"AAAA")
            && !text.windows(2).any(pair)
            && is_random(text, LONG)
            && !is_reference(text)
            && !is_placeholder(text)
    }

    /// A word of a name: the whole name, what it says, and its value.
    fn name(&mut self, at: usize, end: usize) -> Option<usize> {
        if at < self.names_until {
            return None;
        }
        let bytes = self.bytes;
        let part = |byte: u8| is_word(byte) || matches!(byte, b'-' | b'.');
        let mut start = at - span_back(&bytes[..at], 64, part);
        start += span(&bytes[start..at], 64, |byte| matches!(byte, b'-' | b'.'));
        // In a string of JSON the line before ends in `\n`.
        if start > 0
            && start < at
            && bytes[start - 1] == b'\\'
            && matches!(bytes[start], b'n' | b'r' | b't')
        {
            start += 1;
        }
        if bytes.get(end) == Some(&b'(') {
            // A method is called by its own name.
            start = bytes[start..at]
                .iter()
                .rposition(|byte| *byte == b'.')
                .map_or(start, |dot| start + dot + 1);
        }
        let mut stop = end + span(&bytes[end..], 64, part);
        stop -= span_back(&bytes[end..stop], 64, |byte| matches!(byte, b'-' | b'.'));
        self.names_until = stop;
        let meaning = self.meaning(start, stop)?;
        stop = with_encoding(bytes, stop);
        self.names_until = stop;
        if let Some(range) = self.last_random.take_if(|range| precedes(bytes, range, start))
            && self.is_random_string(&range)
        {
            self.known_or(&meaning.kind(), range);
        }
        let mut named = named(bytes, start, stop, meaning);
        if self.rejected.1 > MOST_REJECTED {
            named.longest = SHORT;
        }
        if let Some(value) = pairs::before(bytes, &named)
            && is_secret(bytes, &named, value)
        {
            self.known_or(&named.meaning.kind(), value.start..value.end);
        }
        if let Some(range) = quoted_before(bytes, start) {
            let value =
                Value { start: range.start, end: range.end, quoted: true, link: Link::Says };
            if is_secret(bytes, &named, value) {
                self.known_or(&named.meaning.kind(), range);
            }
        }
        if named.meaning.class == Class::Password
            && let Some(range) = said::before(bytes, &(start..stop))
        {
            self.known_or(&named.meaning.kind(), range);
        }
        if let Some(value) = output::printed(bytes, &named)
            && is_secret(bytes, &named, value)
        {
            self.known_or(&named.meaning.kind(), value.start..value.end);
        }
        table::look(self, start..stop, &named.meaning);
        list::look(self, start..stop, &named.meaning);
        call::further(self, &named);
        let after = match named.meaning.class {
            Class::Header => header::authorization(self, &named),
            Class::Cookie => header::cookies(self, &named),
            _ => self.value(&named),
        };
        // `auth` is a name only where the value follows at once.
        self.last_name = (&bytes[start..stop] != b"auth").then_some((stop, named.meaning));
        after
    }

    /// What a name says, together with up to two words before it: `Datadog API key`.
    fn meaning(&self, start: usize, end: usize) -> Option<Meaning> {
        let alone = meaning(&self.bytes[start..end]);
        let mut first = start;
        for _ in 0..2 {
            if first < 2 || self.bytes[first - 1] != b' ' {
                break;
            }
            let length =
                span_back(&self.bytes[..first - 1], 24, |byte| byte.is_ascii_alphanumeric());
            if length == 0 {
                break;
            }
            first -= length + 1;
        }
        let spaced = (first < start).then(|| meaning(&self.bytes[first..end])).flatten();
        // `pass` alone is a verb: whose it is makes it a password.
        let fits = |alone: &Meaning, spaced: &Meaning| {
            alone.class == spaced.class
                || alone.noun() == "password" && spaced.class == Class::Password
        };
        spaced.filter(|spaced| alone.as_ref().is_none_or(|alone| fits(alone, spaced))).or(alone)
    }

    fn shaped_kind(&mut self, range: &Range<usize>) -> Option<String> {
        let shaped = self.shapes.at(self.bytes, range.start, &mut self.runs)?;
        (shaped.end == range.end).then(|| shaped.kind.to_owned())
    }

    /// The value of a name, if it is a secret.
    fn value(&mut self, named: &Named) -> Option<usize> {
        if let Some(made) = made_up_for(self.bytes, named) {
            self.known_or("password", made);
        }
        let value = value_of(self.bytes, named)?;
        // `arn:…:secret:…` names a place, and `sig` is short for other things too.
        let before = &self.bytes[..named.start];
        let part = before.ends_with(b":") && !before.ends_with(b"::");
        let query_only = matches!(&self.bytes[named.start..named.end], b"sig" | b"Signature");
        let query = named.query || self.bytes.get(value.end) == Some(&b'&');
        if query_only && !query || part && self.bytes.get(named.end) == Some(&b':') {
            return None;
        }
        let range = value.start..value.end;
        // Its shape tells more than its name.
        if let Some(shaped) = self.shapes.at(self.bytes, value.start, &mut self.runs)
            && (shaped.sure || shaped.end == value.end)
        {
            self.hit(shaped.kind, value.start..shaped.end);
            return Some(shaped.end);
        }
        if call::is_other_word(self.bytes, named, value)
            || !is_secret(self.bytes, named, value) && !tool::is_netrc(self.bytes, named, value)
        {
            self.reject(named, value.end);
            let other = fallback::otherwise(self.bytes, value, named)
                .filter(|other| is_secret(self.bytes, named, *other))?;
            self.known_or(&named.meaning.kind(), other.start..other.end);
            return None;
        }
        self.hit(named.meaning.kind(), range);
        // `"old" -> "new"`, as in a plan of Terraform.
        if let Some(next) = changed(self.bytes, value, named)
            && is_secret(self.bytes, named, next)
        {
            self.known_or(&named.meaning.kind(), next.start..next.end);
            return Some(next.end);
        }
        Some(value.end)
    }
}

fn named(bytes: &[u8], start: usize, end: usize, meaning: Meaning) -> Named {
    let name = &bytes[start..end];
    let quotes = span_back(&bytes[..start], 4, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\'));
    let before = start - quotes;
    let dashes = span_back(&bytes[..start], 2, |byte| byte == b'-');
    let flag = dashes > 0
        && start.checked_sub(dashes + 1).is_none_or(|at| {
            bytes[at].is_ascii_whitespace()
                || matches!(bytes[at], b'`' | b'"' | b'\'' | b'[' | b',')
        });
    let sign = before.checked_sub(1).map(|at| bytes[at]);
    let blanks = span_back(&bytes[..before], 64, |byte| matches!(byte, b' ' | b'\t'));
    let sign_before_blanks = (before - blanks).checked_sub(1).map(|at| bytes[at]);
    Named {
        start,
        end,
        flag,
        first: begins_line(bytes, before),
        argument: quotes == 0 && matches!(sign_before_blanks, Some(b'(' | b',')),
        query: matches!(sign, Some(b'?' | b'&')),
        tag: sign == Some(b'<') || sign == Some(b':') && is_prefixed_tag(&bytes[..before]),
        longest: LONGEST,
        shouting: !name.iter().any(u8::is_ascii_lowercase),
        meaning,
    }
}

/// Whether `<wsse:` stands before the name of a tag.
fn is_prefixed_tag(before: &[u8]) -> bool {
    let prefix = span_back(&before[..before.len() - 1], 24, is_word);
    prefix > 0 && before[..before.len() - 1 - prefix].ends_with(b"<")
}

/// The end of a name that says how its value is written: `secret key base`, `deploy key base64`.
fn with_encoding(bytes: &[u8], end: usize) -> usize {
    // `Unseal Key 1: …`.
    if let [b' ', b'0'..=b'9', b':', b' ', ..] = bytes[end..] {
        return end + 2;
    }
    if &bytes[end.saturating_sub(6)..end] == b"Secret" && bytes[end..].starts_with(b" ID ") {
        return end + 3;
    }
    let more = [" base64", " base", " b64", " hex"].iter().find(|more| {
        bytes[end..].starts_with(more.as_bytes())
            && !bytes.get(end + more.len()).is_some_and(|byte| is_word(*byte))
    });
    end + more.map_or(0, |more| more.len())
}

/// Whether only indentation, the mark of a list, or `export` and the like stand before.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(48);
    let window = &bytes[from..at];
    let line = match window.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => &window[end + 1..],
        None if from == 0 => window,
        None => return false,
    };
    // In a string of JSON the lines end in `\n`.
    let line =
        line.windows(2).rposition(|pair| pair == b"\\n").map_or(line, |end| &line[end + 2..]);
    let line = line.trim_ascii();
    matches!(
        line,
        b"" | b"-"
            | b"*"
            | b"+"
            | b">"
            | b"export"
            | b"set"
            | b"ENV"
            | b"ARG"
            | b"setx"
            | b"#"
            | b"$"
            | b"declare -x"
            | b"$env:"
            | b"set -x"
            | b"set -gx"
            | b"set -Ux"
    )
}

/// Where a sequence that changes colours ends, which begins with `[` here.
fn colour(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) != Some(&b'[') {
        return at;
    }
    let end = at + 1 + span(&bytes[at + 1..], 24, |byte| byte.is_ascii_digit() || byte == b';');
    end + usize::from(bytes.get(end).is_some_and(u8::is_ascii_alphabetic))
}
