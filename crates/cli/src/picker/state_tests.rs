//! What keys do, without a terminal.
