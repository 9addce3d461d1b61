//! The program as people and agents use it: a real binary, a real store, real git, real processes.

mod basics;
mod ground;
mod here;
mod index;
mod keep;
mod peers;
