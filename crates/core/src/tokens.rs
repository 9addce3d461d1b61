//! How many tokens a text has for a model, estimated without a vocabulary.
//!
//! The text is cut into the pieces that the GPT tokenizers cut it into before they merge: words
//! with the blank or symbol before them, three digits, runs of symbols, runs of blanks, line ends.
//! A piece costs at least one token, and more the rarer its letters stand together. All costs are
//! in 64ths of a token; they were fitted to real counts and aim a tenth too high.
//! `docs/benchmarks.md` says how near they come.

mod letters;
mod symbols;

use letters::Context;

/// Whose tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokenizer {
    /// `o200k_base`, of the newer OpenAI models.
    O200k,
    /// `cl100k_base`, of the older ones.
    Cl100k,
}

/// Estimated number of tokens of a text.
pub fn estimate_tokens(text: &str, tokenizer: Tokenizer) -> usize {
    match tokenizer {
        Tokenizer::O200k => estimate(text, &O200K),
        Tokenizer::Cl100k => estimate(text, &CL100K),
    }
}

fn estimate(text: &str, costs: &Costs) -> usize {
    let mut scan = Scan {
        costs,
        total: 0,
        piece: Piece::None,
        cost: 0,
        length: 0,
        last: '\0',
        context: Context::after(false),
        symbols: [symbols::NONE; 2],
        held: 0,
    };
    for c in text.chars() {
        scan.take(c);
    }
    scan.close();
    scan.total.div_ceil(TOKEN)
}

/// The cost of one token.
const TOKEN: usize = 64;

/// Blanks that one token holds, and tabs.
const BLANKS: usize = 64;
const TABS: usize = 16;

/// Letters after which a word outside Latin is taken for none of a language: every other one
/// costs what it costs alone.
const LONG: usize = 14;

/// Letters of a Latin word after which every other one costs something.
const LONG_LATIN: usize = 18;

/// What one costs that repeats the one before it.
const REPEATED_LETTER: usize = 28;

/// What differs between the tokenizers and does not depend on the script.
struct Costs {
    /// Column of the tables of scripts and symbols.
    column: usize,
    /// A Latin word after a blank, and any other.
    spaced: usize,
    bare: usize,
    /// A small letter within a word, by how likely a token ends before it, and a capital one.
    small: [usize; 4],
    capital: [usize; 4],
    /// A letter after the first `LONG_LATIN`, at least.
    long: usize,
    /// A symbol that may belong to the three or more before it, and one that repeats them.
    fourth: usize,
    repeated: usize,
    /// A line end after blanks, one more line end, and a blank unlike the one before.
    line_end: usize,
    more_ends: usize,
    mixed: usize,
    /// A tab before a word.
    tab: usize,
}

const O200K: Costs = Costs {
    column: 0,
    spaced: 64,
    bare: 64,
    small: [0, 10, 43, 65],
    capital: [9, 38, 58, 60],
    long: 9,
    fourth: 32,
    repeated: 16,
    line_end: 8,
    more_ends: 5,
    mixed: 40,
    tab: 45,
};

const CL100K: Costs = Costs {
    column: 1,
    spaced: 66,
    bare: 64,
    small: [0, 6, 74, 76],
    capital: [8, 44, 65, 66],
    long: 9,
    fourth: 32,
    repeated: 16,
    line_end: 8,
    more_ends: 5,
    mixed: 40,
    tab: 45,
};

/// The piece that the scan is in.
#[derive(Clone, Copy, PartialEq)]
enum Piece {
    None,
    Word,
    Digits,
    /// Whether a blank stands before.
    Symbols {
        spaced: bool,
    },
    Blanks,
    LineEnd,
}

struct Scan<'a> {
    costs: &'a Costs,
    /// Of the pieces that are closed.
    total: usize,
    piece: Piece,
    /// Of the piece so far.
    cost: usize,
    /// Characters of the piece.
    length: usize,
    last: char,
    /// The letters before, within a word.
    context: Context,
    /// The last two symbols of a run, and how many are in the token so far.
    symbols: [u8; 2],
    held: usize,
}

impl Scan<'_> {
    fn take(&mut self, c: char) {
        match c {
            'a'..='z' | 'A'..='Z' => self.letter(c, None),
            ' ' | '\t' => self.blank(c),
            '\n' | '\r' => self.line_end(c),
            '0'..='9' => self.digit(),
            '\0'..='\u{7f}' => self.symbol(c, symbols::INDEX[c as usize], TOKEN),
            // No letters for cl100k.
            '\u{300}'..='\u{36f}' if self.costs.column == 1 => {
                self.symbol(c, symbols::NONE, self.alone(c));
            }
            _ => match script(c) {
                Some(script) => self.letter(c, Some(script)),
                None if c.is_whitespace() => self.blank(c),
                None if c.is_numeric() => self.other_digit(c),
                None => self.symbol(c, symbols::NONE, self.alone(c)),
            },
        }
        self.last = c;
    }

    fn letter(&mut self, c: char, script: Option<&Script>) {
        let costs = self.costs;
        // As in camelCase.
        let hump = c.is_uppercase() && self.last.is_lowercase();
        if self.piece == Piece::Word && !hump {
            self.cost += match script {
                Some(script) => {
                    self.context = Context::after(script.first == UNMEASURED);
                    self.next_letter(c, script)
                }
                None => {
                    let level = self.context.level(c);
                    let capital = self.length > 1 && self.last.is_ascii_uppercase();
                    let cost = if capital || c.is_ascii_uppercase() {
                        costs.capital[level]
                    } else {
                        costs.small[level]
                    };
                    match self.length {
                        0..LONG_LATIN => cost,
                        _ if c == self.last => REPEATED_LETTER,
                        _ => cost.max(costs.long),
                    }
                }
            };
            self.length += 1;
            return;
        }
        // The last blank, or a symbol that stands alone, belongs to the word.
        let (latin, other) = match self.piece {
            Piece::Blanks => {
                self.close_blanks_but_one();
                match self.last {
                    ' ' => (costs.spaced, 0),
                    '\t' => (costs.bare + costs.tab, TOKEN),
                    blank => (costs.bare + self.alone(blank), self.alone(blank)),
                }
            }
            Piece::Symbols { spaced: false } if self.length == 1 => {
                if self.last.is_ascii() {
                    (costs.bare + symbols::lead_cost(self.last), TOKEN)
                } else {
                    (costs.bare + self.cost, self.cost)
                }
            }
            _ => {
                self.close();
                (costs.bare, 0)
            }
        };
        let cost = match script {
            None => latin,
            Some(script) if script.first == LATIN => latin + self.next_letter(c, script),
            Some(script) => other + self.first_letter(c, script),
        };
        self.context = match script {
            None => Context::first(c),
            Some(script) => Context::after(script.first == UNMEASURED),
        };
        self.open(Piece::Word, cost);
    }

    fn first_letter(&self, c: char, script: &Script) -> usize {
        if script.first == UNMEASURED {
            // The blank before is within its first token for some of them.
            self.alone(c) + if self.last == ' ' { TOKEN / 2 } else { 0 }
        } else if is_rare_hangul(c) {
            self.alone(c)
        } else {
            script.first[self.costs.column]
        }
    }

    fn next_letter(&self, c: char, script: &Script) -> usize {
        if script.first == UNMEASURED || is_rare_hangul(c) {
            return self.alone(c);
        }
        let familiar = script.next == script.strange || letters::is_familiar(self.last, c);
        let next = if familiar { script.next } else { script.strange }[self.costs.column];
        if script.spaced && script.next == script.strange && self.length >= LONG {
            next.max(self.alone(c))
        } else if c.is_uppercase() {
            next + 2 * TOKEN / 3
        } else {
            next
        }
    }

    /// What a character outside ASCII costs alone.
    fn alone(&self, c: char) -> usize {
        let tokens =
            if symbols::is_frequent(c) { 1 } else { symbols::tokens_alone(c)[self.costs.column] };
        tokens * TOKEN
    }

    fn digit(&mut self) {
        if self.piece == Piece::Digits && self.length < 3 {
            self.length += 1;
            return;
        }
        if self.piece == Piece::Blanks && self.length > 1 {
            // The last blank stays alone before a digit.
            self.total += TOKEN;
        }
        self.close();
        self.open(Piece::Digits, TOKEN);
    }

    fn other_digit(&mut self, c: char) {
        self.digit();
        if self.length > 1 {
            self.cost += self.alone(c);
        } else {
            self.cost = self.alone(c);
        }
    }

    /// `index` is that of the tables, `alone` the cost of the symbol as a token of its own.
    fn symbol(&mut self, c: char, index: u8, alone: usize) {
        if let Piece::Symbols { .. } = self.piece {
            self.cost += self.symbol_cost(c, index, alone);
            self.length += 1;
            return;
        }
        let spaced = self.piece == Piece::Blanks && self.last == ' ';
        if spaced {
            self.close_blanks_but_one();
        } else {
            self.close();
        }
        let before = if spaced { symbols::BLANK } else { symbols::NONE };
        self.symbols = [before, index];
        self.held = if spaced { 2 } else { 1 };
        self.open(Piece::Symbols { spaced }, alone);
    }

    /// Of a symbol within a run: nothing if it is in one token with those before it.
    fn symbol_cost(&mut self, c: char, index: u8, alone: usize) -> usize {
        let [before, last] = self.symbols;
        self.symbols = [last, index];
        let same = c == self.last && (self.held > 2 || index == symbols::NONE);
        let repeated = if same { symbols::repeated_cost(c, self.costs.column) } else { None };
        let joins = match self.held {
            1 => symbols::is_pair(last, index),
            _ => symbols::is_triple(before, last, index),
        };
        self.held += 1;
        match repeated {
            Some(cost) => cost,
            None if joins && self.held > 3 && c == self.last => match c {
                '"' | '\'' | '`' => TOKEN / 2,
                _ => self.costs.repeated,
            },
            None if joins && self.held > 3 => self.costs.fourth,
            None if joins => 0,
            None => {
                self.held = 1;
                alone
            }
        }
    }

    fn blank(&mut self, c: char) {
        let most = if c == '\t' { TABS } else { BLANKS };
        let cost = match c {
            ' ' | '\t' => TOKEN,
            _ => self.alone(c),
        };
        if self.piece == Piece::Blanks && self.length < most {
            self.cost += match c {
                _ if !c.is_ascii() => cost,
                _ if c == self.last => 0,
                _ => self.costs.mixed,
            };
            self.length += 1;
            return;
        }
        self.close();
        self.open(Piece::Blanks, cost);
    }

    /// Line ends belong to the symbols or blanks before them.
    fn line_end(&mut self, c: char) {
        match self.piece {
            Piece::Symbols { .. } => {
                self.cost += self.symbol_cost(c, symbols::LINE_END, TOKEN);
                self.piece = Piece::LineEnd;
            }
            Piece::Blanks => {
                self.cost += self.costs.line_end;
                self.piece = Piece::LineEnd;
            }
            Piece::LineEnd if self.last == '\r' && c == '\n' => {}
            Piece::LineEnd if c == '\r' && self.last == '\r' => self.cost += TOKEN,
            Piece::LineEnd if c == '\r' => self.cost += TOKEN / 2,
            Piece::LineEnd => self.cost += self.costs.more_ends,
            _ => {
                self.close();
                self.open(Piece::LineEnd, TOKEN);
            }
        }
    }

    fn open(&mut self, piece: Piece, cost: usize) {
        self.piece = piece;
        self.cost = cost;
        self.length = 1;
    }

    fn close(&mut self) {
        if self.piece != Piece::None {
            self.total += self.cost.max(TOKEN);
        }
    }

    fn close_blanks_but_one(&mut self) {
        if self.length > 1 {
            self.close();
        }
    }
}

/// Letters outside ASCII. The columns are o200k and cl100k.
struct Script {
    from: char,
    to: char,
    /// The first letter of a word.
    first: [usize; 2],
    /// Every other letter, after a letter that often stands before it in a language.
    next: [usize; 2],
    /// After any other.
    strange: [usize; 2],
    /// Whether blanks stand between words.
    spaced: bool,
}

/// `first` of scripts whose words begin as ASCII words do.
const LATIN: [usize; 2] = [0, 0];

/// `first` of scripts whose letters cost what they cost alone.
const UNMEASURED: [usize; 2] = [1, 1];

const fn letters(range: [char; 2], first: [usize; 2], next: [usize; 2]) -> Script {
    Script { from: range[0], to: range[1], first, next, strange: next, spaced: true }
}

const fn pairs(
    range: [char; 2],
    first: [usize; 2],
    next: [usize; 2],
    strange: [usize; 2],
) -> Script {
    Script { from: range[0], to: range[1], first, next, strange, spaced: true }
}

const fn unspaced(script: Script) -> Script {
    Script { spaced: false, ..script }
}

/// The first whose range holds a letter is its script.
static SCRIPTS: [Script; 25] = [
    // Latin with accents, as in French and German.
    letters(['\u{c0}', '\u{ff}'], LATIN, [48, 100]),
    // Vietnamese.
    letters(['ơ', 'ơ'], LATIN, [14, 60]),
    letters(['ư', 'ư'], LATIN, [14, 60]),
    letters(['đ', 'đ'], LATIN, [14, 60]),
    letters(['\u{1ea0}', '\u{1eff}'], LATIN, [14, 60]),
    // Latin with the accents of Polish, Czech, Turkish.
    letters(['\u{100}', '\u{17f}'], LATIN, [64, 104]),
    // Azerbaijani.
    letters(['ə', 'ə'], LATIN, [48, 104]),
    // Greek.
    pairs(['\u{370}', '\u{3ff}'], [75, 60], [16, 75], [88, 106]),
    // Cyrillic, as in Russian.
    pairs(['\u{410}', '\u{44f}'], [74, 150], [9, 13], [66, 76]),
    // Cyrillic of other languages.
    pairs(['\u{400}', '\u{52f}'], [76, 150], [36, 128], [124, 144]),
    // Armenian.
    pairs(['\u{531}', '\u{587}'], [105, 132], [9, 132], [80, 132]),
    // Hebrew.
    pairs(['\u{590}', '\u{5ff}'], [50, 60], [22, 92], [86, 140]),
    // Arabic.
    pairs(['\u{600}', '\u{6ff}'], [40, 78], [20, 60], [96, 128]),
    // Devanagari.
    pairs(['\u{900}', '\u{97f}'], [36, 90], [23, 80], [94, 140]),
    // Its relatives: Bengali and Tamil, then the others.
    pairs(['\u{980}', '\u{9ff}'], [105, 150], [10, 90], [80, 124]),
    pairs(['\u{b80}', '\u{bff}'], [110, 150], [12, 100], [72, 122]),
    pairs(['\u{a00}', '\u{aff}'], [125, 140], [18, 136], [90, 136]),
    pairs(['\u{c00}', '\u{d7f}'], [125, 140], [14, 136], [88, 136]),
    // Thai.
    unspaced(pairs(['\u{e00}', '\u{e7f}'], [68, 60], [23, 64], [84, 118])),
    // Burmese and Khmer.
    unspaced(pairs(['\u{1000}', '\u{109f}'], [150, 110], [32, 140], [84, 150])),
    unspaced(pairs(['\u{1780}', '\u{17ff}'], [131, 150], [34, 114], [88, 130])),
    // Georgian.
    pairs(['\u{10d0}', '\u{10ff}'], [40, 140], [20, 136], [84, 136]),
    // Hiragana.
    unspaced(pairs(['\u{3041}', '\u{309f}'], [46, 56], [56, 70], [94, 118])),
    // Katakana.
    unspaced(pairs(['\u{30a1}', '\u{30ff}'], [60, 80], [26, 58], [76, 100])),
    // Hangul.
    letters(['\u{ac00}', '\u{d7af}'], [96, 156], [32, 48]),
];

static FREQUENT_HAN: Script = unspaced(letters(['\u{4e00}', '\u{9fff}'], [100, 128], [30, 50]));

static HAN: Script = unspaced(letters(['\u{4e00}', '\u{9fff}'], [121, 141], [90, 132]));

static OTHER_SCRIPT: Script = letters(['\0', char::MAX], UNMEASURED, UNMEASURED);

/// The script of a letter; nothing if it is none.
fn script(c: char) -> Option<&'static Script> {
    match c {
        '\u{4e00}'..='\u{9fff}' if is_frequent_han(c) => return Some(&FREQUENT_HAN),
        '\u{4e00}'..='\u{9fff}' => return Some(&HAN),
        '×' | '÷' => return None,
        '\u{300}'..='\u{36f}' => return Some(&OTHER_SCRIPT),
        '\u{600}'..='\u{17ff}' if c.is_numeric() => return None,
        _ => {}
    }
    let known = SCRIPTS.iter().find(|script| script.from <= c && c <= script.to);
    known.or_else(|| c.is_alphabetic().then_some(&OTHER_SCRIPT))
}

/// Whether a syllable ends as few do in Korean.
fn is_rare_hangul(c: char) -> bool {
    const ENDS: u32 = 28;
    let syllable = matches!(c, '\u{ac00}'..='\u{d7a3}');
    syllable && !matches!((u32::from(c) - 0xac00) % ENDS, 0 | 1 | 4 | 8 | 16 | 17 | 19..=21)
}

/// The characters most frequent in Chinese and Japanese texts, software among them: these are
/// tokens of their own, the thousands of others are two or three.
const FREQUENT: &str = "\
    一三上下不与个中为主么之也了事二于人今他代令以们件会但位体何作你使例保信修個値值像入全\
    公关其内写出分列利到制削前力加动効動包化原参发取可号合同名后含告和器回因国图在地块型場\
    変复外多大天失女好如始子字存学它完定実家密对将小少就展已常年并应度建开式引張当录形得必\
    思性意成我或所手找択拡择持指接改效数整文新方无日时明是時更書最月有期未本来板构果查标格\
    案档模次正此気没法注源点無照版现理生用由画登的目相看知码确確示空立符第管类索经置者能自\
    行表被要見解言設認語认该语误说请象路输込过这选通選部都配重错間関问间限除面页项题高";

const HAN_FIRST: u32 = 0x4e00;
const HAN_WORDS: usize = 0x5200 / 64;

/// A bit for every character from `HAN_FIRST` on.
static HAN_BITS: [u64; HAN_WORDS] = {
    let (bytes, mut bits, mut at) = (FREQUENT.as_bytes(), [0; HAN_WORDS], 0);
    // Each has three bytes of UTF-8.
    while at < bytes.len() {
        let high = (bytes[at] as u32 & 0x0f) << 12;
        let middle = (bytes[at + 1] as u32 & 0x3f) << 6;
        let bit = (high | middle | (bytes[at + 2] as u32 & 0x3f)) - HAN_FIRST;
        bits[bit as usize / 64] |= 1 << (bit % 64);
        at += 3;
    }
    bits
};

fn is_frequent_han(c: char) -> bool {
    (c as u32).checked_sub(HAN_FIRST).is_some_and(|bit| {
        HAN_BITS.get(bit as usize / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    })
}
