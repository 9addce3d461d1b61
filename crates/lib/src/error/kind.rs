//! What kind of failure something is, which decides the exit code.

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It was asked for wrongly.
    Usage,
    /// What came in cannot be taken.
    Input,
    /// What was asked for is not there.
    NotFound,
    /// Another process has it; later it will work.
    Busy,
    /// Segue itself is at fault.
    Internal,
    /// Anything else.
    Failed,
}
