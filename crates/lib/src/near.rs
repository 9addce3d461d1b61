//! The known word that somebody may have meant.

/// The one of these that a word is most like, if it is like one at all.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let far = known.into_iter().map(|known| (distance(word, known), known));
    // Of a short word not every letter may be another.
    let most = (word.chars().count() / 2).clamp(1, 3);
    far.min_by_key(|(far, _)| *far).filter(|(far, _)| *far <= most).map(|(_, known)| known)
}

/// How many letters have to be put in, taken out or changed.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().take(64).enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = corner + usize::from(from != *to);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
