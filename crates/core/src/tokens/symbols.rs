//! Which symbols are one token together, and what a symbol costs alone.

/// The symbols of ASCII, the blank and the line end, as rows of the tables.
const COUNT: usize = 34;
pub(super) const BLANK: u8 = 32;
pub(super) const LINE_END: u8 = 33;
/// Any other character.
pub(super) const NONE: u8 = COUNT as u8;

/// Symbols, each followed by those that make one token with it in both vocabularies.
const PAIRS: &[u8] = br##"
!!"'()*,./:=?[\] ""#$%&'()*+,-./:;<>?[\]_`{|} #!"#$+,./:[{ $$(,./:\_{ %!"%'(),-.;=@\^ &#&(),_
'"#$%'()*+,-./:;<=>?[\]^_{} (!"#$%&'()*+-./:;<?@[\^_`{|~ )!"#$%&'()*+,-./:;<=>?[\]^_`{|}
*"$&()*,-./:=>@[\_ +"#$'()+,-./:=[\] ,!"#$%&'()*+,-./:<@[\_{ -"$%&'()*,-./=>[\_{
.!"#$%&'()*+,-./:;<=?@[\]^_`{| /"#$%&'()*+,-./:<=>?@[\]^_{~ :"#$%&'()*+,-./:<=?@[\]^_`{
;"$%&'(),-./;<\} <!$&'(-/<=>?[_{ =!"#$%&'(*-./:<=>?@[\_`{} >"#$%&'()*,-./:;<=>?@[\]`{|}
?!"$'(),-.:<>?[\ @"$(@[\ ["#$%'(*,-/:@[\]^_`{ \"$'(-./:<[\ ]"%&'()*+,-./:;<=>?[\]^{|} ^(-.[\^{
_"$%'()*,-./:;<=[\]^_{| `),.:;\]`} {"$%'-/:@\{|} |"(-\| }"$%&'(),-./:;<=>?@[\]_`{|} ~,-/=~
"##;

/// Pairs of symbols, each followed by those that make one token with it; `s` is a blank before
/// them, `n` a line end after them.
const TRIPLES: &[u8] = br##"
s!n!"$(=_ s"n!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~ s#n"#%'(-:[{ s$n"#$(.?\_{ s%n"#%(+-.=@[{
s&n#$&'(),:=[_ s'n!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~ s(n!"#$%&'()*+-./:;<=>?@[\^_`{~ s)n(),.:;[{
s*n()*,./=>@_ s+n"'(+-= s,n"',-[ s-n(*,-.=> s.n"$'*./= s/n(*./=>\^ s:n"'(),-:=] s;n)-;
s<n!$%-/:<=>? s=n"$&'(=>[{~ s>n&(/<=> s?n,.:>? s@"$(@[_{ s[n"$%&'(+,-./:[]_`{ s\n"$'(/<\
s]n),.;[] s^n=^ s_n$(),.:_ s`n"$%'(./<[_`{ s{n!"$%'(*-.:?@[\_{|} s|n-=>\_| s}n),.:;>\]} s~(/=~
!!n!. !"n),. !'n, !(n": !)n,. !,n !-- !;n !</ !="'(-= """,: "${ "%( "', ")n()+,.:;[]{} "+n"
",n"$&'(-[{ "-- ".n"$./ "/> ":n"[ ";n "</<? "=> ">n$%&'(<@\{ "]n(),./:;=[] "`n "}n),} #!/ #",
##n#_ #__ $", $', $("' $/, %"n,> %%n% %'n, %),. %;n" %</ &&!( &)n '"n, '%( ''n',.
')n"(),.:;[]{} ',n"$'([{ '.n$ ':n'[ ';n '</ '=> '>n"$<{ ']n),./:;=[]} '|| '}n),} (!$(_
("n"#$%&'(*+,-./:;<>?@[\^_{| ($"(._{ (&$(:_ ('"#$%&(*+,-./:;<?@[\_{| (("$&'()*-[_{
()n"%()*+,-./:;<>?[\]`{} (*()* (++ (-(- (.). (/*[\^ (:,: (?: (@" ([n"$'(-[\]^{ (\"' (_),.:_
(`n/< ({n"'_ (|| )!n= )"n),:> )$/ )&& )'n,: )(n"(_ ))n()*+,-./:;[{ )*(* )+"'( ),n"'( )-(->
).n"'*.[\^_ )/(/ ):n(-: );n"\} )</<= )="=> )>n=> )?n. )["' )\n )]n),.[ )__ )`n ){n )|(| )}n,>}
*", *((- *)n"&() **n)*, */n), *</ *>&( +"&'),./:\]_ +'"&),./\_ +)/ ++n)+,.;] +</ +="'( ,"n%,\
,$_ ,'"%' ,)n, ,,, ,// ,:), ,[' ,\n" ,__ ,{n -"+, -${ -'+, --n)-;> -<? ->$[_{ ."n"')+,./;<[\_
.$${ .'n"&'),./_ .(* .)n,. .*n, .,n .-- ..n"./<\ .;n .</ .=" .\" ._n_ /"n+,> /#{ /${ /'n)+,.
/(? /)n /*n!*. /,n /.n //n!#$'*/=@ /<? />n< /__ /{{ :"n#+, :${ :'#'+,/ :)n :** :// ::n$*-.<_{~
:;n" :</ :@" :[n"'[ :\"\ :]n,. :^( :{n} ;"n,> ;&# ;',> ;++ ;// ;;n; ;</ ;?> ;\n ;]/ ;}n <::
<<"(< <>n( <?n,=> <\/ ="n"#$%'+,-./<?@[\_{ =#{ =$(_{ ='"#$%'+,./<\_{ =("'(- =*/ =<? ==n"$'(-=
=>"$' =?, =[n"'[] =\"' ={n!"$'(<[`{} >"n+,.; >${ >'n+,.; >(n"&'()*_ >)n.: >,n >.n >//< >:: >;n
></? >>n&(),> >[n] >\n< >`n >{n"$@{ >}n' ?"n, ?', ?(: ?)n,.: ?,n ?;n ?</ ?>n"<> ??? @", ["+@_
['_ [(( [++ [,] [.. [:,-] [@" [[' []n"(),.=>[{} \""),:>\] \', \<^ \\"./ ]!= ]"n, ]'n, ]()
])n()*+,-./:;[] ]*() ]+"=\ ],n"'[ ]-> ].n[_ ]:n ];n ]</<= ]="$'(-={ ]>n= ]?. ]["$'-/:]_ ]\\
]]n),.=[ ]}n", ^{- _"+, _## _${ _'+, _(" _)n, _,n _-> _:* _;n _<? _^( __n$(),./:;[_ `${ `()
`)n. `,n` `.n` `;n `]( ``` `}n {!! {-# {/*/ {\" {{$ {}n),.\_ |(n |)n |,n |.n |;n |=n |`n |{n
||n( |}n }"n),. }$/{ }'n),. })n(),.; },n"{ }->{ }.n{ }//>{ }:{ };n }</ }>n<{ }\"\ }]n, }_{
}`n,} }{n$ }}n",>
"##;

/// Row or column of an ASCII character.
pub(super) static INDEX: [u8; 128] = {
    let (mut index, mut c, mut next) = ([NONE; 128], 0, 0);
    while c < 128 {
        if (c as u8).is_ascii_punctuation() {
            index[c] = next;
            next += 1;
        }
        c += 1;
    }
    index[b' ' as usize] = BLANK;
    index[b'\n' as usize] = LINE_END;
    index
};

const fn index(name: u8) -> usize {
    match name {
        b's' => BLANK as usize,
        b'n' => LINE_END as usize,
        _ => INDEX[name as usize] as usize,
    }
}

/// A bit for every symbol that can follow. Rows are those before it: one, or two of them.
const fn rows<const ROWS: usize>(groups: &[u8], key: usize) -> [u64; ROWS] {
    let (mut rows, mut at, mut row, mut read) = ([0; ROWS], 0, 0, 0);
    while at < groups.len() {
        if groups[at] == b' ' || groups[at] == b'\n' {
            (row, read) = (0, 0);
        } else if read < key {
            (row, read) = (row * COUNT + index(groups[at]), read + 1);
        } else {
            rows[row] |= 1 << index(groups[at]);
        }
        at += 1;
    }
    rows
}

static PAIR_ROWS: [u64; COUNT] = rows(PAIRS, 1);
static TRIPLE_ROWS: [u64; COUNT * COUNT] = rows(TRIPLES, 2);

/// Whether a symbol after another is within one token. A line end is, but for one symbol.
pub(super) fn is_pair(last: u8, next: u8) -> bool {
    if next == LINE_END {
        return last < LINE_END && last != INDEX[b'^' as usize];
    }
    last < NONE && next < NONE && PAIR_ROWS[usize::from(last)] >> next & 1 == 1
}

pub(super) fn is_triple(before: u8, last: u8, next: u8) -> bool {
    let row = usize::from(before) * COUNT + usize::from(last);
    before < NONE && last < NONE && next < NONE && TRIPLE_ROWS[row] >> next & 1 == 1
}

/// What a symbol costs that repeats within a token of three or more.
pub(super) fn repeated_cost(c: char, column: usize) -> Option<usize> {
    match c {
        '-' | '=' | '*' | '#' | '_' | '/' | '.' | '~' | '+' | '%' => Some(2),
        '\0'..='\u{7f}' => None,
        '\u{a0}' | '─' | '—' | '…' | '█' => Some(16),
        '━' | '═' | '\u{3000}' => [Some(16), None][column],
        _ => None,
    }
}

/// What the symbol right before a word adds to it.
pub(super) fn lead_cost(c: char) -> usize {
    match c {
        '.' | '_' => 5,
        '(' => 13,
        '-' => 24,
        '/' => 32,
        '<' => 46,
        '\'' | '\\' => 56,
        ',' | ':' | '=' | '[' | '$' => 46,
        _ => 62,
    }
}

/// Symbols that are one token in both vocabularies.
const FREQUENT: &str = "\u{a0}¡¢£¤¥¦§¨©«¬®¯°±´¶·»¿×،\u{200b}\u{200c}‐‑–—―‘’‚“”„†•…‰′″›※€™←↑→↓−\
    ─━│═║╗╝█░■►●★☆♀♥♪✔\u{3000}、。《》「」『』【】〜・\u{feff}！（），－．／：；＞？～￥�";

/// The tokens of a character outside ASCII that stands alone, for o200k and cl100k: as many as
/// its bytes, if the vocabularies do not know how characters of its kind begin.
pub(super) fn tokens_alone(c: char) -> [usize; 2] {
    match u32::from(c) {
        0..=0x7f => [1, 1],
        // Letters of two bytes; Thai, Khmer and others of which a vocabulary knows many.
        0x80..=0x7ff | 0x900..=0xaff | 0xb80..=0xebf | 0xf00..=0xf7f => [2, 2],
        0x1000..=0x103f | 0x10a0..=0x10ff | 0x1780..=0x17ff | 0x1e80..=0x1eff => [2, 2],
        // Punctuation, arrows, mathematics, lines, dingbats, Japanese.
        0x2000..=0x20bf | 0x2100..=0x21bf | 0x2200..=0x227f | 0x2440..=0x247f => [2, 2],
        0x2500..=0x267f | 0x2700..=0x27bf | 0x3000..=0x30ff | 0x3140..=0x317f => [2, 2],
        0xfe00..=0xfe3f | 0xff00..=0xffff => [2, 2],
        // Emoji.
        0x1f480..=0x1f4bf | 0x1f600..=0x1f63f => [2, 2],
        0x1f1c0..=0x1f1ff | 0x1f300..=0x1f53f | 0x1f640..=0x1f6bf | 0x1f900..=0x1f97f => [2, 3],
        0xb00..=0xb7f | 0xec0..=0xeff | 0xf80..=0xfbf | 0x1040..=0x109f => [2, 3],
        0x1200..=0x137f | 0x1d00..=0x1d3f | 0x1e00..=0x1e7f | 0x1f00..=0x1f7f => [2, 3],
        0x1fc0..=0x1fff | 0x20c0..=0x20ff | 0x21c0..=0x21ff | 0x2280..=0x233f => [2, 3],
        0x2480..=0x24ff | 0x2680..=0x26bf | 0x2b00..=0x2b3f | 0x3100..=0x313f => [2, 3],
        0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf000..=0xf0ff | 0xfe40..=0xfeff => [2, 3],
        0xe000..=0xefff => [3, 4],
        0x1d000..=0x1dfff | 0x1f000..=0x1faff | 0..=0xffff => [3, 3],
        _ => [4, 4],
    }
}

pub(super) fn is_frequent(c: char) -> bool {
    FREQUENT.contains(c)
}
