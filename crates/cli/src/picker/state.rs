//! What the picker knows and what a key does to it. No terminal, no store.

use std::collections::HashSet;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};
use segue_lib::handoffs::HandoffId;

use super::item::Item;
use super::line_edit::LineEdit;
use super::menu::{Kind, Menu, Pick};

/// What is done with the handoff that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Print its id.
    Id,
    Show,
    Resume,
    Export,
}

/// What a key asks of whoever runs the picker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    /// Leave with this handoff.
    Choose(HandoffId, Deed),
    /// Leave without one.
    Leave,
    /// The same by Ctrl-C.
    Interrupt,
    /// Put the id on the clipboard.
    Copy(HandoffId),
    /// List every project.
    Widen,
}

/// An item that fits the query.
#[derive(Clone, Copy, Debug)]
struct Hit {
    score: u32,
    item: u32,
}

/// What lies over the list.
#[derive(Debug)]
pub(crate) enum Over {
    Nothing,
    Menu(Menu),
    Keys,
}

/// The state of the picker.
pub(crate) struct State {
    items: Vec<Item>,
    pub(crate) query: LineEdit,
    pub(crate) tag: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) over: Over,
    /// Something to say until the next key.
    pub(crate) message: Option<String>,
    /// Whether more items may come.
    pub(crate) loading: bool,
    /// Whether there are more than are listed.
    pub(crate) capped: bool,
    /// Whether every project is listed.
    pub(crate) wide: bool,
    projects: HashSet<String>,
    matcher: Matcher,
    pattern: Pattern,
    /// Items that may fit; those before `next` have been matched.
    todo: Vec<u32>,
    next: usize,
    hits: Vec<Hit>,
    sorted: bool,
    selected: usize,
    /// Whether somebody has moved the selection since the query changed.
    moved: bool,
    /// First row of the list that is shown.
    pub(crate) offset: usize,
    /// Rows of the list and of the preview, as they were drawn.
    pub(crate) rows: usize,
    pub(crate) preview_rows: usize,
    /// First line of the preview that is shown, and the last that may be.
    pub(crate) scroll: usize,
    pub(crate) scroll_most: usize,
}

impl State {
    pub(crate) fn new(wide: bool) -> Self {
        Self {
            items: Vec::new(),
            query: LineEdit::default(),
            tag: None,
            project: None,
            over: Over::Nothing,
            message: None,
            loading: true,
            capped: false,
            wide,
            projects: HashSet::new(),
            matcher: Matcher::new(Config::DEFAULT),
            pattern: Pattern::default(),
            todo: Vec::new(),
            next: 0,
            hits: Vec::new(),
            sorted: true,
            selected: 0,
            moved: false,
            offset: 0,
            rows: 10,
            preview_rows: 10,
            scroll: 0,
            scroll_most: 0,
        }
    }

    /// Takes more items, which are older than those that are here.
    pub(crate) fn add(&mut self, items: Vec<Item>) {
        for item in items {
            if !self.projects.contains(&item.project) {
                self.projects.insert(item.project.clone());
            }
            let Ok(number) = u32::try_from(self.items.len()) else { return };
            self.items.push(item);
            self.todo.push(number);
        }
    }

    /// Begins anew with the handoffs of every project.
    pub(crate) fn widen(&mut self) {
        self.wide = true;
        self.loading = true;
        self.capped = false;
        self.items.clear();
        self.projects.clear();
        self.project = None;
        self.rematch();
    }

    /// Matches some of the items that have not been matched yet; says whether any are left.
    pub(crate) fn step(&mut self, count: usize) -> bool {
        let end = (self.next + count).min(self.todo.len());
        for at in self.next..end {
            let number = self.todo[at];
            let Some(item) = self.items.get(number as usize) else { continue };
            let fits = self.tag.as_ref().is_none_or(|tag| item.tags.contains(tag))
                && self.project.as_ref().is_none_or(|project| item.project == *project);
            if !fits {
                continue;
            }
            let haystack = item.haystack.slice(..);
            if let Some(score) = self.pattern.score(haystack, &mut self.matcher) {
                self.hits.push(Hit { score, item: number });
                self.sorted = false;
            }
        }
        self.next = end;
        end < self.todo.len()
    }

    /// Brings the hits into order: the best first, then the newest. A selection that somebody made
    /// stays on its item.
    pub(crate) fn sort(&mut self) {
        if self.sorted {
            return;
        }
        self.sorted = true;
        let chosen = self.hits.get(self.selected).filter(|_| self.moved).map(|hit| hit.item);
        self.hits.sort_unstable_by_key(|hit| (std::cmp::Reverse(hit.score), hit.item));
        if let Some(chosen) = chosen {
            self.selected = self.hits.iter().position(|hit| hit.item == chosen).unwrap_or(0);
        }
    }

    /// How many fit, and of how many.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.hits.len(), self.items.len())
    }

    pub(crate) fn several_projects(&self) -> bool {
        self.projects.len() > 1
    }

    pub(crate) fn selected(&self) -> usize {
        self.selected
    }

    pub(crate) fn chosen(&self) -> Option<&Item> {
        self.hits.get(self.selected).and_then(|hit| self.items.get(hit.item as usize))
    }

    /// The item in a row of the list.
    pub(crate) fn hit(&self, row: usize) -> Option<&Item> {
        self.hits.get(row).and_then(|hit| self.items.get(hit.item as usize))
    }

    /// Which characters of a row's haystack fit the query, in order.
    pub(crate) fn marks(&mut self, row: usize) -> Vec<u32> {
        let mut marks = Vec::new();
        let item = self.hits.get(row).and_then(|hit| self.items.get(hit.item as usize));
        if let Some(item) = item.filter(|_| !self.pattern.atoms.is_empty()) {
            self.pattern.indices(item.haystack.slice(..), &mut self.matcher, &mut marks);
            marks.sort_unstable();
            marks.dedup();
        }
        marks
    }

    /// What a key does.
    pub(crate) fn key(&mut self, key: KeyEvent) -> Effect {
        self.message = None;
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL)
            && !key.modifiers.contains(KeyModifiers::ALT);
        if ctrl && key.code == KeyCode::Char('c') {
            return Effect::Interrupt;
        }
        match &mut self.over {
            Over::Keys => {
                self.over = Over::Nothing;
                Effect::None
            }
            Over::Menu(_) => self.menu_key(key, ctrl),
            Over::Nothing => {
                self.sort();
                self.list_key(key, ctrl)
            }
        }
    }

    /// What a pasted text does.
    pub(crate) fn paste(&mut self, text: &str) {
        match &mut self.over {
            Over::Menu(menu) => {
                text.chars().filter(|c| !c.is_control()).for_each(|c| menu.type_char(c));
            }
            Over::Keys => {}
            Over::Nothing => {
                let before = self.query.text().to_owned();
                if self.query.insert(text) {
                    self.requery(&before);
                }
            }
        }
    }

    fn list_key(&mut self, key: KeyEvent, ctrl: bool) -> Effect {
        let aside = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Up if aside => self.scroll_by(-3),
            KeyCode::Down if aside => self.scroll_by(3),
            KeyCode::PageUp if aside => self.scroll_by(-self.preview_page()),
            KeyCode::PageDown if aside => self.scroll_by(self.preview_page()),
            KeyCode::Char(c) if ctrl => return self.ctrl_key(c),
            KeyCode::Up => self.go(-1),
            KeyCode::Down => self.go(1),
            KeyCode::PageUp => self.go(-self.page()),
            KeyCode::PageDown => self.go(self.page()),
            KeyCode::Home => self.go(isize::MIN),
            KeyCode::End => self.go(isize::MAX),
            KeyCode::Enter => return self.choose(Deed::Id),
            KeyCode::Esc => return Effect::Leave,
            KeyCode::Tab | KeyCode::BackTab => self.open(Kind::Tag),
            KeyCode::F(1) => self.over = Over::Keys,
            KeyCode::Char('?') if self.query.text().is_empty() => self.over = Over::Keys,
            KeyCode::Left => self.query.left(),
            KeyCode::Right => self.query.right(),
            KeyCode::Backspace if aside => self.edit(LineEdit::delete_word),
            KeyCode::Backspace => self.edit(LineEdit::backspace),
            KeyCode::Delete => self.edit(LineEdit::delete),
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::ALT) => {
                let mut buffer = [0; 4];
                let typed = c.encode_utf8(&mut buffer);
                self.edit(|query| query.insert(typed));
            }
            _ => {}
        }
        Effect::None
    }

    fn ctrl_key(&mut self, c: char) -> Effect {
        match c {
            'p' | 'k' => self.go(-1),
            'n' | 'j' => self.go(1),
            'u' => self.edit(LineEdit::delete_line),
            'w' => self.edit(LineEdit::delete_word),
            'h' => self.edit(LineEdit::backspace),
            't' => self.open(Kind::Tag),
            'g' => self.open(Kind::Project),
            's' => return self.choose(Deed::Show),
            'r' => return self.choose(Deed::Resume),
            'e' => return self.choose(Deed::Export),
            'y' => {
                return self.chosen().map_or(Effect::None, |item| Effect::Copy(item.id.clone()));
            }
            _ => {}
        }
        Effect::None
    }

    fn menu_key(&mut self, key: KeyEvent, ctrl: bool) -> Effect {
        let Over::Menu(menu) = &mut self.over else { return Effect::None };
        match key.code {
            KeyCode::Esc => self.over = Over::Nothing,
            KeyCode::Char('p' | 'k') if ctrl => menu.go(-1),
            KeyCode::Char('n' | 'j' | 't' | 'g') if ctrl => menu.go(1),
            KeyCode::Char('h') if ctrl => menu.backspace(),
            KeyCode::Up | KeyCode::BackTab => menu.go(-1),
            KeyCode::Down | KeyCode::Tab => menu.go(1),
            KeyCode::Backspace if menu.typed.is_empty() => self.over = Over::Nothing,
            KeyCode::Backspace => menu.backspace(),
            KeyCode::Char(c) if !ctrl => menu.type_char(c),
            KeyCode::Enter => {
                let (kind, pick) = (menu.kind, menu.picked());
                if let Some(pick) = pick {
                    self.over = Over::Nothing;
                    return self.filter(kind, pick);
                }
            }
            _ => {}
        }
        Effect::None
    }

    fn filter(&mut self, kind: Kind, pick: Pick) -> Effect {
        let chosen = match pick {
            Pick::EveryProject => return Effect::Widen,
            Pick::All => None,
            Pick::One(label) => Some(label),
        };
        match kind {
            Kind::Tag => self.tag = chosen,
            Kind::Project => self.project = chosen,
        }
        self.rematch();
        Effect::None
    }

    fn open(&mut self, kind: Kind) {
        let now = match kind {
            Kind::Tag => self.tag.as_deref(),
            Kind::Project => self.project.as_deref(),
        };
        let menu = Menu::new(kind, &self.items, self.wide, now);
        if menu.shown().len() == 1 && kind == Kind::Tag {
            self.message = Some("nothing here has a tag".to_owned());
            return;
        }
        self.over = Over::Menu(menu);
    }

    fn choose(&self, deed: Deed) -> Effect {
        self.chosen().map_or(Effect::None, |item| Effect::Choose(item.id.clone(), deed))
    }

    fn edit(&mut self, change: impl FnOnce(&mut LineEdit) -> bool) {
        let before = self.query.text().to_owned();
        if change(&mut self.query) {
            self.requery(&before);
        }
    }

    /// A query that only grew at its end can fit nothing new: what did not fit is left out. A
    /// backslash before a blank has a meaning of its own, which may be lost by typing on.
    fn requery(&mut self, before: &str) {
        let query = self.query.text();
        let narrower = query.starts_with(before) && !query.contains('\\');
        self.pattern =
            Pattern::new(query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        if narrower {
            let rest = self.todo.split_off(self.next);
            self.todo.clear();
            self.todo.extend(self.hits.iter().map(|hit| hit.item));
            self.todo.extend(rest);
            self.restart();
        } else {
            self.rematch();
        }
    }

    /// Matches all items again.
    fn rematch(&mut self) {
        self.todo.clear();
        self.todo.extend((0..self.items.len()).filter_map(|number| u32::try_from(number).ok()));
        self.restart();
    }

    fn restart(&mut self) {
        self.next = 0;
        self.hits.clear();
        self.sorted = true;
        self.selected = 0;
        self.moved = false;
        self.scroll = 0;
    }

    fn page(&self) -> isize {
        self.rows.saturating_sub(1).max(1).cast_signed()
    }

    fn preview_page(&self) -> isize {
        self.preview_rows.saturating_sub(1).max(1).cast_signed()
    }

    fn go(&mut self, lines: isize) {
        let last = self.hits.len().saturating_sub(1);
        let to = self.selected.saturating_add_signed(lines).min(last);
        self.moved = true;
        if to != self.selected {
            self.selected = to;
            self.scroll = 0;
        }
    }

    fn scroll_by(&mut self, lines: isize) {
        self.scroll = self.scroll.saturating_add_signed(lines).min(self.scroll_most);
    }
}
