//! How each piece of the picker looks, with colours and without.

use ratatui_core::style::{Color, Modifier, Style};

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Title,
    Faint,
    Id,
    Label,
    Project,
    Tag,
    Code,
    /// A line across.
    Rule,
    /// A character that fits the query.
    Mark,
    /// The sign before the selected row.
    Pointer,
    /// A key in the footer.
    Key,
    Good,
    Warning,
}

impl Look {
    /// Only the sixteen colours of the terminal: they suit its background, light or dark.
    pub(crate) fn style(self, colour: bool) -> Style {
        let plain = Style::new();
        let tint = |wanted: Color| if colour { plain.fg(wanted) } else { plain };
        match self {
            Self::Plain => plain,
            Self::Title | Self::Key => plain.add_modifier(Modifier::BOLD),
            Self::Faint | Self::Label | Self::Rule => plain.add_modifier(Modifier::DIM),
            Self::Id => tint(Color::Yellow),
            Self::Project => tint(Color::Blue),
            Self::Tag => tint(Color::Magenta),
            Self::Code => tint(Color::Cyan),
            Self::Mark if colour => tint(Color::Green).add_modifier(Modifier::BOLD),
            Self::Mark => plain.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            Self::Pointer => tint(Color::Cyan).add_modifier(Modifier::BOLD),
            Self::Good => tint(Color::Green),
            Self::Warning => tint(Color::Yellow).add_modifier(Modifier::BOLD),
        }
    }
}
