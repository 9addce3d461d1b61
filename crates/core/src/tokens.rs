//! How many tokens a text has for a model, estimated without a vocabulary.
//!
//! The text is cut into the pieces that the GPT tokenizers cut it into before they merge: words
//! with the blank or symbol before them, three digits, runs of symbols, runs of blanks, line ends.
//! A piece costs at least one token, and more the rarer its letters stand together. All costs are
//! in 64ths of a token; they were fitted to real counts and aim a tenth too high.
//! `docs/benchmarks.md` says how near they come.

/// Whose tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokenizer {
    /// `o200k_base`, of the newer OpenAI models.
    O200k,
    /// `cl100k_base`, of the older ones.
    Cl100k,
    /// A tokenizer that is not public.
    Unpublished,
}

/// Percent of the cl100k estimate that agents with an unpublished tokenizer are taken to need. On
/// the safe side: others have measured that public tokenizers undercount for them.
const UNPUBLISHED_PERCENT: usize = 135;

/// Estimated number of tokens of a text.
pub fn estimate_tokens(text: &str, tokenizer: Tokenizer) -> usize {
    match tokenizer {
        Tokenizer::O200k => estimate(text, &O200K),
        Tokenizer::Cl100k => estimate(text, &CL100K),
        Tokenizer::Unpublished => (estimate(text, &CL100K) * UNPUBLISHED_PERCENT).div_ceil(100),
    }
}

fn estimate(text: &str, costs: &Costs) -> usize {
    let mut scan = Scan { costs, total: 0, piece: Piece::None, cost: 0, length: 0, last: '\0' };
    for c in text.chars() {
        scan.take(c);
    }
    scan.close();
    scan.total.div_ceil(TOKEN)
}

/// The cost of one token.
const TOKEN: usize = 64;

/// Blanks that one token holds.
const BLANKS: usize = 64;

/// Letters of a word after which more of them cost extra.
const LONG: usize = 8;

/// What differs between the tokenizers and does not depend on the script.
struct Costs {
    /// Column of the tables of scripts and symbols.
    column: usize,
    /// A Latin word after a blank, and any other, with the symbol before it if there is one.
    spaced: usize,
    bare: usize,
    /// A symbol before a word of another script, at least.
    symbol_before: usize,
    /// A capital letter within a word, beside what the pair costs.
    capital: usize,
    /// A letter after the first `LONG`.
    long: usize,
    /// A run of symbols, with or without a blank before it, and a symbol that repeats.
    symbols: usize,
    spaced_symbols: usize,
    repeated: usize,
    /// A line end after symbols or blanks, and a blank unlike the one before.
    line_end: usize,
    mixed: usize,
}

const O200K: Costs = Costs {
    column: 0,
    spaced: 51,
    bare: 81,
    symbol_before: 54,
    capital: 6,
    long: 4,
    symbols: 49,
    spaced_symbols: 68,
    repeated: 8,
    line_end: 5,
    mixed: 6,
};

const CL100K: Costs = Costs {
    column: 1,
    spaced: 64,
    bare: 79,
    symbol_before: 40,
    capital: 4,
    long: 7,
    symbols: 42,
    spaced_symbols: 49,
    repeated: 5,
    line_end: 14,
    mixed: 6,
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
}

impl Scan<'_> {
    fn take(&mut self, c: char) {
        match c {
            'a'..='z' | 'A'..='Z' => self.letter(c, None),
            ' ' | '\t' | '\u{b}' | '\u{c}' => self.blank(c),
            '\n' | '\r' => self.line_end(c),
            '0'..='9' => self.digit(),
            '\0'..='\u{7f}' => self.symbol(c, mark_cost(c)),
            _ => match script(c) {
                Some(script) => self.letter(c, Some(script)),
                None if c.is_numeric() => self.digit(),
                None if c.is_whitespace() => self.blank(c),
                None => self.symbol(c, symbol_cost(c)[self.costs.column]),
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
                Some(script) => script.next[costs.column],
                None => {
                    let capital = if c.is_ascii_uppercase() { costs.capital } else { 0 };
                    let long = if self.length >= LONG { costs.long } else { 0 };
                    pair_cost(self.last, c) + capital + long
                }
            };
            self.length += 1;
            return;
        }
        // The last blank, or a symbol that stands alone, belongs to the word.
        let (latin, other) = match self.piece {
            Piece::Blanks => {
                self.close_blanks_but_one();
                (costs.spaced, 0)
            }
            Piece::Symbols { spaced: false } if self.length == 1 => {
                let ascii = self.last.is_ascii();
                let symbol = if ascii { 0 } else { symbol_cost(self.last)[costs.column] };
                (costs.bare + symbol, symbol.max(costs.symbol_before))
            }
            _ => {
                self.close();
                (costs.bare, 0)
            }
        };
        let cost = match script {
            None => latin,
            Some(script) if script.first == LATIN => latin + script.next[costs.column],
            Some(script) => other + script.first[costs.column],
        };
        self.open(Piece::Word, cost);
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

    /// `cost` is that of the symbol within a run.
    fn symbol(&mut self, c: char, cost: usize) {
        if let Piece::Symbols { .. } = self.piece {
            self.cost += if c == self.last { self.costs.repeated } else { cost };
            self.length += 1;
            return;
        }
        let spaced = self.piece == Piece::Blanks && self.last == ' ';
        if spaced {
            self.close_blanks_but_one();
        } else {
            self.close();
        }
        let run = if spaced { self.costs.spaced_symbols } else { self.costs.symbols };
        self.open(Piece::Symbols { spaced }, run + if c.is_ascii() { 0 } else { cost });
    }

    fn blank(&mut self, c: char) {
        if self.piece == Piece::Blanks && self.length < BLANKS {
            self.cost += if c == self.last { 0 } else { self.costs.mixed };
            self.length += 1;
            return;
        }
        self.close();
        self.open(Piece::Blanks, TOKEN);
    }

    /// Line ends belong to the symbols or blanks before them.
    fn line_end(&mut self, c: char) {
        match self.piece {
            Piece::Symbols { .. } | Piece::Blanks => {
                self.cost += self.costs.line_end;
                self.piece = Piece::LineEnd;
            }
            Piece::LineEnd if c == self.last || self.last == '\r' => {}
            Piece::LineEnd => self.cost += self.costs.mixed,
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

/// Eighths of a token that a letter (column) adds to a word after another (row). Pairs that are
/// frequent in English and in code add nothing: they are within a token.
const PAIRS: &[u8; 26 * 26] = b"\
    00008506024000202000141108\
    31630233103004033702033303\
    03450060230034054370042430\
    03500345430035033037042201\
    06006026857000430000400008\
    03350222043111033050051303\
    83230480233230044203033341\
    03350434054025033041173333\
    60001003888200000000712410\
    53350433235235133303143433\
    53520510148323842518853443\
    31400043134552011203312103\
    13460443044150004303333313\
    03002001433031004300300408\
    40004065000400401040040112\
    04410430641014023000222204\
    33333333233032133423043334\
    04050204035100033020307302\
    64200320155324003300044305\
    14100140023315203007240303\
    70000022223001802000614112\
    23320253533235843541444333\
    04430620034250063053132813\
    43042433034232202830233332\
    25020235034410002102150334\
    82330233833242532334433306";

/// Nothing after a letter with an accent or of another script, which was dear already.
fn pair_cost(before: char, letter: char) -> usize {
    if !before.is_ascii_alphabetic() || !letter.is_ascii_alphabetic() {
        return 0;
    }
    let index = |c: char| usize::from(c.to_ascii_lowercase() as u8 - b'a');
    usize::from(PAIRS[index(before) * 26 + index(letter)] - b'0') * TOKEN / 8
}

/// What an ASCII symbol adds to a run of them.
fn mark_cost(c: char) -> usize {
    let eighths = match c {
        '"' | '*' | '.' | '/' | ';' | '>' | ']' | '{' | '}' => 0,
        '!' | '&' | '=' | '?' | '^' | '~' => 2,
        '%' | '\'' | ',' | '[' => 3,
        '<' | '\\' | '`' => 4,
        '#' => 6,
        '-' => 7,
        '$' | '+' | '|' => 8,
        _ => 1,
    };
    eighths * TOKEN / 8
}

/// Letters outside ASCII. The columns are o200k and cl100k.
struct Script {
    from: char,
    to: char,
    /// The first letter of a word.
    first: [usize; 2],
    /// Every other letter.
    next: [usize; 2],
}

/// `first` of scripts whose words begin as ASCII words do.
const LATIN: [usize; 2] = [0, 0];

static SCRIPTS: [Script; 14] = [
    // Latin with accents, as in French and German.
    Script { from: '\u{c0}', to: '\u{ff}', first: [0, 0], next: [57, 112] },
    // Latin with the accents of Polish, Czech, Turkish.
    Script { from: '\u{100}', to: '\u{24f}', first: [0, 0], next: [86, 124] },
    // Greek.
    Script { from: '\u{370}', to: '\u{3ff}', first: [58, 51], next: [25, 78] },
    // Cyrillic, as in Russian.
    Script { from: '\u{410}', to: '\u{44f}', first: [90, 163], next: [6, 9] },
    // Cyrillic of other languages.
    Script { from: '\u{400}', to: '\u{52f}', first: [46, 80], next: [96, 128] },
    // Hebrew.
    Script { from: '\u{590}', to: '\u{5ff}', first: [28, 58], next: [32, 94] },
    // Arabic.
    Script { from: '\u{600}', to: '\u{6ff}', first: [52, 62], next: [17, 61] },
    // Devanagari and its relatives.
    Script { from: '\u{900}', to: '\u{dff}', first: [22, 68], next: [26, 92] },
    // Thai.
    Script { from: '\u{e00}', to: '\u{e7f}', first: [38, 41], next: [29, 71] },
    // Vietnamese.
    Script { from: '\u{1e00}', to: '\u{1eff}', first: [0, 0], next: [0, 42] },
    // Hiragana.
    Script { from: '\u{3041}', to: '\u{309f}', first: [46, 44], next: [59, 70] },
    // Katakana.
    Script { from: '\u{30a1}', to: '\u{30ff}', first: [41, 44], next: [32, 71] },
    // Han, but for FREQUENT_HAN.
    Script { from: '\u{3400}', to: '\u{9fff}', first: [121, 141], next: [84, 161] },
    // Hangul.
    Script { from: '\u{ac00}', to: '\u{d7af}', first: [96, 156], next: [32, 48] },
];

static FREQUENT_HAN: Script =
    Script { from: '\u{4e00}', to: '\u{9fff}', first: [106, 147], next: [28, 25] };

/// Not measured: about what their bytes come to.
static OTHER_SCRIPT: Script =
    Script { from: '\0', to: char::MAX, first: [64, 128], next: [64, 128] };

/// The script of a letter; nothing if it is none.
fn script(c: char) -> Option<&'static Script> {
    if is_frequent_han(c) {
        return Some(&FREQUENT_HAN);
    }
    let known = SCRIPTS.iter().find(|script| script.from <= c && c <= script.to);
    match c {
        '×' | '÷' => None,
        '\u{300}'..='\u{36f}' => Some(&OTHER_SCRIPT),
        _ => known.or_else(|| c.is_alphabetic().then_some(&OTHER_SCRIPT)),
    }
}

/// What a symbol outside ASCII costs.
fn symbol_cost(c: char) -> [usize; 2] {
    match c {
        // Of Latin-1.
        '\0'..='\u{ff}' => [65, 64],
        // Dashes, quotes, bullets.
        '\u{2010}'..='\u{2027}' => [18, 48],
        // Arrows.
        '\u{2190}'..='\u{21ff}' => [69, 64],
        // Lines and blocks.
        '\u{2500}'..='\u{259f}' => [97, 90],
        // Punctuation of Chinese, Japanese and Korean.
        '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' => [92, 102],
        // Pictures.
        '\u{1f000}'..=char::MAX => [80, 132],
        _ => [77, 75],
    }
}

/// The characters most frequent in Chinese and Japanese texts, software among them: these are
/// tokens of their own, the thousands of others are two or three.
const HAN: &str = "\
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
    let (bytes, mut bits, mut at) = (HAN.as_bytes(), [0; HAN_WORDS], 0);
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
