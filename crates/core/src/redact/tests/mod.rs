//! What is taken out and what stays.
