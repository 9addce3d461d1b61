//! The program as people and agents use it: a real binary, a real store, real git, real processes.

mod bad_input;
mod basics;
mod ground;
mod here;
mod index;
mod keep;
mod output;
mod peers;
mod terminal;
