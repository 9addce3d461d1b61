//! Placeholder until the estimator is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokenizer {
    O200k,
    Cl100k,
    Unpublished,
}
pub fn estimate_tokens(text: &str, _tokenizer: Tokenizer) -> usize {
    text.chars().count().div_ceil(3)
}
