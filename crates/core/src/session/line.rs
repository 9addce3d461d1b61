//! A command line of a shell in its parts: which commands it runs, and what stands between them.

use std::borrow::Cow;

use super::scripts::kind_of_script;

/// Programs that only run another one.
const RUNNERS: &[&str] = &[
    "npx", "bunx", "pnpx", "uvx", "time", "timeout", "env", "sudo", "nice", "xvfb-run", "nohup",
    "stdbuf", "command", "exec", "then", "do", "else", "!", "{",
];
/// Runners of which two words are theirs.
const TWO_WORD_RUNNERS: &[(&str, &str)] = &[
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("bundle", "exec"),
    ("mise", "exec"),
    ("rye", "run"),
];
/// Runners that also run scripts of a project by their names, which say what these check.
const SCRIPT_RUNNERS: &[&str] = &["hatch", "pdm", "rye"];
/// Options of runners whose value is the next word.
const OPTIONS_WITH_VALUE: &[&str] = &[
    "--with",
    "--group",
    "--extra",
    "--python",
    "--package",
    "--directory",
    "--project",
    "--env-file",
    "-p",
];

/// Options of other runners whose value is the next word.
const RUNNER_VALUES: &[&str] =
    &["-u", "--unset", "-C", "--chdir", "--user", "-s", "-e", "-f", "-o", "--server-args"];

/// Programs that are told of one pipe.
const MOST_PIPES: usize = 8;

/// What stands before a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Joint {
    /// Nothing, `;` or the end of a line: it runs whatever was before.
    #[default]
    Then,
    And,
    Or,
}

/// A line that is taken apart once, for all that is asked of it. What it feeds to commands must be out of it.
#[derive(Clone, Debug)]
pub(super) struct CommandLine<'l> {
    pub text: &'l str,
    pub parts: Vec<Part<'l>>,
}

impl<'l> CommandLine<'l> {
    pub(super) fn of(text: &'l str) -> Self {
        Self { text, parts: parts(text) }
    }
}

/// One command of a line. What follows a pipe only reads and is none.
#[derive(Clone, Debug)]
pub(super) struct Part<'l> {
    pub text: &'l str,
    /// The words that say what it does.
    pub words: Vec<&'l str>,
    pub joint: Joint,
    /// Whether it may not have run though the line passed: what stands after `||`.
    pub maybe: bool,
    /// The programs that its output goes through, and the same with what they are told.
    pub into: Vec<&'l str>,
    pub pipes: Vec<&'l str>,
    /// Whether nobody waits for it.
    pub beside: bool,
    /// Whether it stands in parentheses.
    pub grouped: bool,
    /// Whether it is of a loop, a condition or a function.
    pub blocked: bool,
}

/// A line without the texts that it feeds to commands: what stands between `<<EOF` and `EOF`.
pub(super) fn without_fed(line: &str) -> Cow<'_, str> {
    if !line.contains("<<") {
        return line.into();
    }
    let bytes = line.as_bytes();
    let mut out = String::new();
    let mut kept = 0;
    // What is open: quotes, and commands in parentheses.
    let mut open: Vec<u8> = Vec::new();
    let mut marks: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match open.last() {
            Some(b'\'') => {
                if byte == b'\'' {
                    open.pop();
                }
            }
            _ if byte == b'\\' => at += 1,
            _ if byte == b'$' && bytes.get(at + 1) == Some(&b'(') => {
                open.push(b'(');
                at += 1;
            }
            Some(b'"') => {
                if byte == b'"' {
                    open.pop();
                }
            }
            _ => match byte {
                b'\'' | b'"' | b'(' => open.push(byte),
                b')' => {
                    open.pop();
                }
                b'#' if is_comment(bytes, at) => at = line_end(line, at) - 1,
                b'<' if line[at..].starts_with("<<<") => at += 2,
                b'<' if bytes.get(at + 1) == Some(&b'<') => {
                    at += 1;
                    if let Some((mark, long)) = mark(&line[at + 1..]) {
                        out.push_str(&line[kept..at - 1]);
                        at += long;
                        kept = at + 1;
                        marks.push(mark);
                    }
                }
                b'\n' => {
                    if !marks.is_empty() {
                        out.push_str(&line[kept..=at]);
                        kept = at + 1;
                    }
                    for mark in marks.drain(..) {
                        kept = after_fed(line, kept, mark);
                        at = kept - 1;
                    }
                }
                _ => {}
            },
        }
        at += 1;
    }
    out.push_str(line.get(kept..).unwrap_or_default());
    out.into()
}

/// The word that ends a text that is fed, and the bytes up to its end.
fn mark(rest: &str) -> Option<(&str, usize)> {
    let from = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches([' ', '\t']);
    let word = from.split([' ', '\t', '\n', ';', '|', '>', '<', ')', '&']).next()?;
    let long = rest.len() - from.len() + word.len();
    let word = word.trim_matches(['\'', '"', '\\']);
    // `1 << 2` is a number.
    let is_mark = !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit());
    is_mark.then_some((word, long))
}

/// Where the line goes on after a text that is fed.
fn after_fed(line: &str, from: usize, mark: &str) -> usize {
    let mut at = from.min(line.len());
    for one in line[at..].split_inclusive('\n') {
        at += one.len();
        if one.trim() == mark {
            break;
        }
    }
    at
}

fn is_comment(bytes: &[u8], at: usize) -> bool {
    at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b';' | b'(')
}

fn line_end(line: &str, at: usize) -> usize {
    line[at..].find('\n').map_or(line.len(), |end| at + end)
}

/// The commands of a line: what stands between `&&`, `||`, `;`, `&`, `|` and line ends, outside of
/// quotes.
fn parts(line: &str) -> Vec<Part<'_>> {
    let mut parts = Parts::default();
    let bytes = line.as_bytes();
    let mut start = 0;
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        let (byte, next) = (bytes[at], bytes.get(at + 1));
        match quote {
            Some(open) if byte == open => quote = None,
            Some(b'"') if byte == b'\\' => at += 1,
            Some(_) => {}
            None => {
                // How many bytes stand between this command and the next one, and as what.
                let between = match byte {
                    b'\'' | b'"' => {
                        quote = Some(byte);
                        None
                    }
                    b'\\' => {
                        at += 1;
                        None
                    }
                    b'#' if is_comment(bytes, at) => {
                        Some((line_end(line, at) - at, Between::Joint(Joint::Then)))
                    }
                    b'&' if next == Some(&b'&') => Some((2, Between::Joint(Joint::And))),
                    // `2>&1` and `&>file`
                    b'&' if next == Some(&b'>')
                        || at > 0 && matches!(bytes[at - 1], b'>' | b'<') =>
                    {
                        None
                    }
                    b'&' => Some((1, Between::Beside)),
                    b'|' if next == Some(&b'|') => Some((2, Between::Joint(Joint::Or))),
                    b'|' if next == Some(&b'&') => Some((2, Between::Pipe)),
                    b'|' if at > 0 && bytes[at - 1] == b'>' => None,
                    b'|' => Some((1, Between::Pipe)),
                    b';' | b'\n' => Some((1, Between::Joint(Joint::Then))),
                    b'(' => Some((1, Between::Open)),
                    b')' => Some((1, Between::Close)),
                    _ => None,
                };
                if let Some((long, between)) = between {
                    parts.cut(line[start..at].trim(), between);
                    start = at + long;
                    at = start - 1;
                }
            }
        }
        at += 1;
    }
    parts.cut(line[start.min(line.len())..].trim(), Between::Joint(Joint::Then));
    parts.all
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Joint(Joint),
    Pipe,
    Beside,
    Open,
    Close,
}

#[derive(Default)]
struct Parts<'l> {
    all: Vec<Part<'l>>,
    joint: Joint,
    /// Whether what is read comes out of a pipe, and from where on the parts are that it reads.
    reads: Option<usize>,
    /// Where groups began, and the one that just ended.
    groups: Vec<usize>,
    closed: Option<usize>,
    blocks: usize,
}

impl<'l> Parts<'l> {
    fn cut(&mut self, text: &'l str, between: Between) {
        let first = text.split_whitespace().next().unwrap_or_default();
        let closes = matches!(first, "fi" | "done" | "esac" | "}");
        if closes {
            self.blocks = self.blocks.saturating_sub(1);
        }
        let opens = matches!(
            first,
            "if" | "while" | "until" | "for" | "case" | "select" | "function" | "{"
        );
        self.blocks += usize::from(opens);
        let mut from = self.closed.take().unwrap_or(self.all.len());
        if let Some(reads) = self.reads {
            from = reads;
            if self.all.get(reads).is_some_and(|part| part.into.len() < MOST_PIPES)
                && !first.is_empty()
            {
                let program = first.rsplit('/').next().unwrap_or(first);
                for part in &mut self.all[reads..] {
                    part.into.push(program);
                    part.pipes.push(text);
                }
            }
        // What stands after a group is only where its output goes.
        } else if !text.is_empty() && from == self.all.len() {
            let (joint, grouped) = (self.joint, !self.groups.is_empty());
            let goes_on = |before: &Part<'_>| {
                before.maybe && (joint == Joint::And || grouped && before.grouped)
            };
            self.all.push(Part {
                text,
                words: words(text),
                joint,
                maybe: joint == Joint::Or || self.all.last().is_some_and(goes_on),
                into: Vec::new(),
                pipes: Vec::new(),
                beside: false,
                grouped,
                blocked: self.blocks > 0,
            });
            self.joint = Joint::And;
        }
        if self.reads.take().is_some() && text.is_empty() {
            self.reads = Some(from);
            return;
        }
        match between {
            // What ends with `&&` or `|` goes on in the next line.
            Between::Joint(Joint::Then) if text.is_empty() && from == self.all.len() => {}
            Between::Joint(joint) => self.joint = joint,
            Between::Pipe => self.reads = Some(from),
            Between::Beside => {
                for part in self.all.iter_mut().rev().take_while(|part| !part.beside) {
                    part.beside = true;
                    if part.joint == Joint::Then {
                        break;
                    }
                }
                self.joint = Joint::Then;
            }
            Between::Open => self.groups.push(self.all.len()),
            Between::Close => self.closed = self.groups.pop(),
        }
    }
}

/// The words of one command that say what it does: without variables set before it, runners and
/// their options, and the directories of the program. What is quoted is one word.
pub(super) fn words(part: &str) -> Vec<&str> {
    program_words(split(part))
}

/// The same of words that were split already.
pub(super) fn program_words(mut words: Vec<&str>) -> Vec<&str> {
    loop {
        let skip = match words[..] {
            [first, ..] if is_assignment(first) => 1,
            [runner, ref rest @ ..]
                if matches!(runner.rsplit('/').next(), Some("timeout" | "gtimeout" | "nice")) =>
            {
                1 + limits(rest)
            }
            [one, two, ref rest @ ..] if TWO_WORD_RUNNERS.contains(&(one, two)) => {
                let skip = 2 + options(rest);
                let is_script = SCRIPT_RUNNERS.contains(&one)
                    && words.get(skip).is_some_and(|name| kind_of_script(name).is_some());
                if is_script { 0 } else { skip }
            }
            ["npx" | "bunx" | "pnpx" | "uvx", ref rest @ ..] => 1 + options(rest),
            // This only asks where a program is.
            ["command", "-v" | "-V", ..] => 0,
            [one, ref rest @ ..]
                if !rest.is_empty() && RUNNERS.contains(&one.trim_start_matches("/usr/bin/")) =>
            {
                1 + options_of_runner(rest)
            }
            _ => 0,
        };
        if skip == 0 || skip >= words.len() {
            break;
        }
        words.drain(..skip);
    }
    if let Some(first) = words.first_mut() {
        let name = first.rsplit(['/', '\\']).next().unwrap_or(first);
        *first = match name.strip_suffix(".exe").unwrap_or(name) {
            name if is_python(name) => "python",
            name => name,
        };
    }
    words
}

/// How many words say for how long, or how nicely, something may run: `-k 5 --signal KILL 60s`.
fn limits(words: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| is_option_or_number(word)) {
        at += if matches!(*word, "-s" | "--signal") { 2 } else { 1 };
    }
    at
}

/// How many words are options of `env`, `sudo`, `time` or `xvfb-run`.
fn options_of_runner(words: &[&str]) -> usize {
    let mut at = 0;
    while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if RUNNER_VALUES.contains(option) { 2 } else { 1 };
    }
    at
}

/// How many words are options of a runner.
fn options(words: &[&str]) -> usize {
    let mut at = 0;
    while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if OPTIONS_WITH_VALUE.contains(option) { 2 } else { 1 };
    }
    at
}

/// `python`, `python3`, `python3.12`
fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    version.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

fn split(part: &str) -> Vec<&str> {
    if !part.contains(['\'', '"', '\\']) {
        return part.split_whitespace().collect();
    }
    let bytes = part.as_bytes();
    let mut words = Vec::new();
    let (mut start, mut at, mut quote) = (0, 0, None);
    while at < bytes.len() {
        let byte = bytes[at];
        match quote {
            Some(open) if byte == open => quote = None,
            Some(b'"') | None if byte == b'\\' => at += 1,
            Some(_) => {}
            None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
            None if byte.is_ascii_whitespace() => {
                words.push(&part[start..at]);
                start = at + 1;
            }
            None => {}
        }
        at += 1;
    }
    words.push(&part[start..]);
    words.retain(|word| !word.is_empty() && *word != "\\\n");
    words
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_option_or_number(word: &str) -> bool {
    word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit())
}

/// A command of git.
pub(super) struct Git<'w, 'l> {
    pub sub: &'l str,
    /// The directory that it is told to work in.
    pub dir: Option<&'l str>,
    pub rest: &'w [&'l str],
}

/// What git is told to do, if the words are a command of it.
pub(super) fn git<'w, 'l>(words: &'w [&'l str]) -> Option<Git<'w, 'l>> {
    let (program, mut rest) = words.split_first()?;
    if *program != "git" {
        return None;
    }
    let mut dir = None;
    loop {
        rest = match rest {
            ["-C", to, rest @ ..] => {
                dir = Some(*to);
                rest
            }
            ["-c" | "--git-dir" | "--work-tree" | "--namespace", _, rest @ ..] => rest,
            [option, rest @ ..] if option.starts_with('-') => rest,
            [sub, rest @ ..] => return Some(Git { sub, dir, rest }),
            [] => return None,
        }
    }
}

impl Git<'_, '_> {
    pub(super) fn has(&self, word: &str) -> bool {
        self.rest.contains(&word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fed_to_a_command_is_no_part_of_the_line() {
        for (line, left) in [
            ("cat > t.py <<'EOF'\nit's\n\"\nEOF\npytest -q", "cat > t.py \npytest -q"),
            (
                "git commit -m \"$(cat <<'EOF'\nDon't \"x\n\nEOF\n)\" && cargo test",
                "git commit -m \"$(cat \n)\" && cargo test",
            ),
            ("cat <<A <<-B\n1\nA\n2\n\tB\nls", "cat  \nls"),
            ("cat <<< x\nls", "cat <<< x\nls"),
            ("echo $((1 << 2))\nls", "echo $((1 << 2))\nls"),
            ("echo 'a << b'\nls", "echo 'a << b'\nls"),
            ("# don't\ncat <<E\nx\nE\nls", "# don't\ncat \nls"),
            ("cat <<E\nnever ends", "cat \n"),
            ("cat <<E > x\na\nE\n", "cat  > x\n"),
        ] {
            assert_eq!(without_fed(line), left);
            assert_eq!(without_fed(left), left);
        }
        let fed = "cat <<E\nx\nE\n".repeat(50_000);
        assert_eq!(without_fed(&fed).len(), 5 * 50_000);
    }

    #[test]
    fn a_line_falls_into_its_commands() {
        let told = |line: &str| {
            let parts = parts(line);
            let told = parts.iter().map(|part| {
                let joint = match part.joint {
                    Joint::Then => "",
                    Joint::And => "&& ",
                    Joint::Or => "|| ",
                };
                let mut text = format!("{joint}{}", part.text);
                part.into.iter().for_each(|into| text.push_str(&format!(" | {into}")));
                for (is, mark) in
                    [(part.beside, " &"), (part.grouped, " ()"), (part.blocked, " {}")]
                {
                    text.push_str(if is { mark } else { "" });
                }
                text
            });
            told.collect::<Vec<_>>().join("\n")
        };
        for (line, parts) in [
            ("cd x && make 2>&1 | /bin/tail -3 | cat; ls", "cd x\n&& make 2>&1 | tail | cat\nls"),
            ("a || b &\nc &> d", "a &\n|| b &\nc &> d"),
            ("(cd x && make) 2>&1 | tail && ls", "cd x | tail ()\n&& make | tail ()\n&& ls"),
            ("a |\n tail\nb", "a | tail\nb"),
            ("a &&\n  b # don't\nc", "a\n&& b\nc"),
            ("for f in *; do rm $f; done; ls", "for f in * {}\ndo rm $f {}\ndone\nls"),
            ("f() { rm x; }\nls", "f\n&& { rm x {}\n}\nls"),
            ("echo 'a; b' \"c && d\" e\\;f", "echo 'a; b' \"c && d\" e\\;f"),
            ("", ""),
        ] {
            assert_eq!(told(line), parts, "{line}");
        }
    }

    #[test]
    fn what_git_does_is_its_first_word_that_is_no_option() {
        let words = words("GIT_X=1 git -C ../a -c x=y --no-pager commit -m 'revert it' --amend");
        let git = git(&words).unwrap();
        assert_eq!((git.sub, git.dir, git.rest.len()), ("commit", Some("../a"), 3));
        assert!(git.has("--amend") && !git.has("revert"));
    }

    #[test]
    fn long_lines_are_read_once() {
        for piece in ["a && ", "& ", "(a;", "a|", "<<E ", "<<'", "a)", "\"$(", "# ", "a || b & "] {
            let line = "a && ".repeat(50_000) + &piece.repeat(100_000);
            let _ = parts(&without_fed(&line)).len();
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read(line in "([ -~\n]|<<E\n|\\$\\(|é){0,60}") {
            let line = without_fed(&line);
            for part in parts(&line) {
                git(&part.words);
            }
        }
    }
}
