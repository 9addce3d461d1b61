//! Draws the picker: query, list, preview, keys.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Style;
use ratatui_core::terminal::Frame;
use segue_lib::{Timestamp, age};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::look::Look;
use super::menu::{Kind, Menu};
use super::preview::{LABEL, Preview};
use super::state::{Over, State};
use crate::table::fit;

/// Side by side from here on.
const WIDE: u16 = 80;
/// Below the list if there are so many rows.
const TALL: u16 = 16;

/// What the picture needs besides the state.
pub(crate) struct View {
    pub(crate) now: Timestamp,
    pub(crate) colour: bool,
}

/// Where everything is.
struct Places {
    prompt: Rect,
    rule: Option<Rect>,
    list: Rect,
    /// The line between list and preview.
    divider: Option<Rect>,
    preview: Option<Rect>,
    footer: Option<Rect>,
}

fn places(area: Rect) -> Places {
    let row = |y: u16| Rect { y: area.y + y, height: 1, ..area };
    let footer = (area.height >= 4).then(|| row(area.height - 1));
    let rule = (area.height >= 8).then(|| row(1));
    let top = 1 + u16::from(rule.is_some());
    let middle = Rect {
        y: area.y + top.min(area.height),
        height: area.height.saturating_sub(top + u16::from(footer.is_some())),
        ..area
    };
    let mut places = Places {
        prompt: Rect { height: area.height.min(1), ..area },
        rule,
        list: middle,
        divider: None,
        preview: None,
        footer,
    };
    if area.width >= WIDE && middle.height >= 3 {
        let list = (area.width * 12 / 25).min(90);
        places.list.width = list;
        places.divider = Some(Rect { x: area.x + list, width: 1, ..middle });
        let (x, width) = (area.x + list + 2, area.width - list - 3);
        places.preview = Some(Rect { x, width, ..middle });
    } else if area.height >= TALL && area.width >= 24 {
        let list = middle.height * 2 / 5;
        places.list.height = list;
        places.divider = Some(Rect { y: middle.y + list, height: 1, ..middle });
        let (y, height) = (middle.y + list + 1, middle.height - list - 1);
        places.preview = Some(Rect { x: area.x + 1, width: area.width - 2, y, height });
    }
    places
}

impl View {
    pub(crate) fn draw(
        &self,
        frame: &mut Frame<'_>,
        state: &mut State,
        preview: Option<&mut Preview>,
    ) {
        let area = frame.area();
        if area.is_empty() {
            return;
        }
        let places = places(area);
        let cursor = self.prompt(frame.buffer_mut(), places.prompt, state);
        self.lines(frame.buffer_mut(), &places);
        self.list(frame.buffer_mut(), places.list, state);
        if let (Some(place), Some(preview)) = (places.preview, preview) {
            self.preview(frame.buffer_mut(), place, places.rule, state, preview);
        }
        if let Some(place) = places.footer {
            self.footer(frame.buffer_mut(), place, state);
        }
        match &state.over {
            Over::Nothing => frame.set_cursor_position(cursor),
            Over::Menu(menu) => {
                let cursor = self.menu(frame.buffer_mut(), area, menu, state);
                frame.set_cursor_position(cursor);
            }
            Over::Keys => self.keys(frame.buffer_mut(), area),
        }
    }

    fn style(&self, look: Look) -> Style {
        look.style(self.colour)
    }

    /// A text from here to the right, at most so wide; says how wide it is.
    fn put(&self, buf: &mut Buffer, at: (u16, u16), width: u16, text: &str, look: Look) -> u16 {
        if !buf.area.contains(Position::from(at)) {
            return 0;
        }
        let (end, _) = buf.set_stringn(at.0, at.1, text, usize::from(width), self.style(look));
        end - at.0
    }

    fn lines(&self, buf: &mut Buffer, places: &Places) {
        let across = |buf: &mut Buffer, place: Rect| {
            let line = "─".repeat(usize::from(place.width));
            self.put(buf, (place.x, place.y), place.width, &line, Look::Rule);
        };
        if let Some(rule) = places.rule {
            across(buf, rule);
        }
        match places.divider {
            Some(place) if place.width == 1 => {
                for y in place.top()..place.bottom() {
                    self.put(buf, (place.x, y), 1, "│", Look::Rule);
                }
                if let Some(rule) = places.rule {
                    self.put(buf, (place.x, rule.y), 1, "┬", Look::Rule);
                }
            }
            Some(place) => across(buf, place),
            None => {}
        }
    }

    /// The query, and at the right what is filtered by and how many fit; says where the cursor is.
    fn prompt(&self, buf: &mut Buffer, place: Rect, state: &State) -> Position {
        let (hits, all) = state.counts();
        let more = if state.capped { "+" } else { "" };
        let busy = if state.loading { "…" } else { "" };
        let count = format!("{hits}/{all}{more}{busy}");
        let mut right = Vec::new();
        for (word, filter, look) in
            [("tag ", &state.tag, Look::Tag), ("project ", &state.project, Look::Project)]
        {
            if let Some(filter) = filter {
                right.push((word.to_owned(), Look::Faint));
                right.push((format!("{}  ", fit(filter, filter.width().min(20))), look));
            }
        }
        right.push((count, Look::Faint));
        let taken = |right: &[(String, Look)]| right.iter().map(|(text, _)| text.width()).sum();
        let width = usize::from(place.width);
        // On a narrow terminal the query is what matters.
        while taken(&right) + 16 > width && right.len() > 1 {
            right.remove(0);
        }
        let mut used: usize = taken(&right);
        if used + 12 > width {
            right.clear();
            used = 0;
        }
        let mut x = place.right() - u16::try_from(used + 1).unwrap_or(0).min(place.width);
        for (text, look) in &right {
            x += self.put(buf, (x, place.y), place.right() - x, text, *look);
        }

        let start = place.x + self.put(buf, (place.x, place.y), place.width, " › ", Look::Pointer);
        let space = width.saturating_sub(used + 3 + 3).max(1);
        // A query longer than its place is shown from where the cursor is in it.
        let mut hidden = 0;
        let before = state.query.before_cursor();
        while before[hidden..].width() >= space {
            hidden += before[hidden..].graphemes(true).next().map_or(1, str::len);
        }
        let (shown, look) = match state.query.text() {
            "" => ("type to search", Look::Faint),
            text => (&text[hidden..], Look::Title),
        };
        let room = u16::try_from(space).unwrap_or(place.width).min(place.right() - start);
        self.put(buf, (start, place.y), room, shown, look);
        let ahead = u16::try_from(before[hidden..].width()).unwrap_or(0);
        Position::new((start + ahead).min(place.right().saturating_sub(1)), place.y)
    }

    fn list(&self, buf: &mut Buffer, place: Rect, state: &mut State) {
        state.sort();
        state.rows = usize::from(place.height);
        let (hits, _) = state.counts();
        let selected = state.selected();
        // A terminal without a row for the list has a selection all the same.
        let rows = state.rows.max(1);
        let most = hits.saturating_sub(rows);
        state.offset = state.offset.clamp((selected + 1).saturating_sub(rows), selected);
        state.offset = state.offset.min(most);
        if hits == 0 {
            let words = if state.loading { "reading the store …" } else { "nothing fits" };
            self.put(
                buf,
                (place.x + 2, place.y),
                place.width.saturating_sub(2),
                words,
                Look::Faint,
            );
            return;
        }
        let several = state.several_projects();
        let visible = (state.offset..hits).take(state.rows);
        let width = usize::from(place.width);
        let project_width = match several && width >= 36 {
            true => {
                let widths = visible.clone().filter_map(|row| state.hit(row));
                widths.map(|item| item.project.width()).max().unwrap_or(0).min(width / 5).max(4)
            }
            false => 0,
        };
        for (row, y) in visible.zip(place.top()..) {
            self.row(buf, Rect { y, height: 1, ..place }, state, row, project_width);
        }
    }

    /// A row: age, title, tags where there is room, project if there are several.
    fn row(&self, buf: &mut Buffer, place: Rect, state: &mut State, row: usize, project: usize) {
        let marks = state.marks(row);
        let chosen = row == state.selected();
        let Some(item) = state.hit(row) else { return };
        if chosen {
            self.put(buf, (place.x, place.y), 1, "▌", Look::Pointer);
        }
        let old = age(item.created, self.now);
        let old = format!("{}{old}", " ".repeat(4usize.saturating_sub(old.width())));
        let mut x = place.x + 1;
        x += self.put(buf, (x, place.y), place.right().saturating_sub(x), &old, Look::Faint) + 2;
        let gap = if project > 0 { project + 2 } else { 0 };
        let right = place.right().saturating_sub(u16::try_from(gap).unwrap_or(0) + 1);
        let space = usize::from(right.saturating_sub(x));
        let title_look = match (chosen, item.faded) {
            (_, true) => Look::Faint,
            (true, _) => Look::Title,
            _ => Look::Plain,
        };
        let tags = item.tags.join(",");
        let from = item.title.chars().count() + 1;
        // Where the query fits a tag, the tags have their place; else what the title leaves them.
        let tagged = from..from + tags.chars().count();
        let kept = match marks.iter().any(|mark| tagged.contains(&(*mark as usize))) {
            true => (tags.width() + 2).min(space * 2 / 5),
            false => 0,
        };
        let most = space - kept;
        let used = self.marked(buf, (x, place.y), most, &item.title, title_look, &marks, 0);
        let left = space.saturating_sub(used + 2);
        if !tags.is_empty() && left >= tags.width().min(8) {
            let at = (x + u16::try_from(used + 2).unwrap_or(0), place.y);
            self.marked(buf, at, left, &tags, Look::Tag, &marks, from);
        }
        if project > 0 {
            let from = from + tags.chars().count() + 1;
            let at = (right + 2, place.y);
            self.marked(buf, at, project, &item.project, Look::Project, &marks, from);
        }
    }

    /// A text in at most so many columns, those of its characters marked that fit the query. `from` is
    /// its first character in what was searched.
    #[expect(clippy::too_many_arguments, reason = "where, what and how, each in its own words")]
    fn marked(
        &self,
        buf: &mut Buffer,
        at: (u16, u16),
        width: usize,
        text: &str,
        look: Look,
        marks: &[u32],
        from: usize,
    ) -> usize {
        let most = if text.width() > width { width.saturating_sub(1) } else { width };
        let (mut used, mut number) = (0, from);
        for part in text.graphemes(true) {
            if used + part.width() > most {
                break;
            }
            let next = number + part.chars().count();
            let fits = |mark: &u32| (number..next).contains(&(*mark as usize));
            let look = if marks.iter().any(fits) { Look::Mark } else { look };
            let x = at.0 + u16::try_from(used).unwrap_or(0);
            used += usize::from(self.put(buf, (x, at.1), buf.area.right() - x, part, look));
            number = next;
        }
        if most < width {
            let x = at.0 + u16::try_from(used).unwrap_or(0);
            used += usize::from(self.put(buf, (x, at.1), 1, "…", Look::Faint));
        }
        used
    }

    fn preview(
        &self,
        buf: &mut Buffer,
        place: Rect,
        rule: Option<Rect>,
        state: &mut State,
        preview: &mut Preview,
    ) {
        let lines = preview.lines(usize::from(place.width));
        state.preview_rows = usize::from(place.height);
        state.scroll_most = lines.len().saturating_sub(state.preview_rows);
        state.scroll = state.scroll.min(state.scroll_most);
        for (line, y) in lines.iter().skip(state.scroll).zip(place.top()..place.bottom()) {
            let mut x = place.x;
            if let Some(label) = line.label {
                self.put(buf, (x, y), place.width, label, Look::Label);
                x += u16::try_from(LABEL).unwrap_or(0);
            }
            let across = "─".repeat(usize::from(place.width));
            let text = if line.look == Look::Rule { &across } else { &line.text };
            self.put(buf, (x, y), place.right().saturating_sub(x), text, line.look);
        }
        if let (Some(rule), 1..) = (rule, state.scroll_most) {
            let text = format!(" {}% ", state.scroll * 100 / state.scroll_most);
            let at = rule.right().saturating_sub(u16::try_from(text.len() + 1).unwrap_or(0));
            self.put(buf, (at, rule.y), rule.right() - at, &text, Look::Faint);
        }
    }

    fn footer(&self, buf: &mut Buffer, place: Rect, state: &State) {
        if let Some(message) = &state.message {
            let at = (place.x + 1, place.y);
            self.put(buf, at, place.width.saturating_sub(1), message, Look::Good);
            return;
        }
        let mut keys: Vec<(&str, &str)> = match &state.over {
            Over::Menu(_) => vec![("enter", "choose"), ("esc", "back")],
            _ => vec![
                ("enter", "id"),
                ("^s", "show"),
                ("^r", "resume"),
                ("^e", "export"),
                ("^y", "copy"),
                ("tab", "tag"),
                ("^g", "project"),
                ("esc", "leave"),
                ("?", "keys"),
            ],
        };
        let wide = |keys: &[(&str, &str)]| -> usize {
            keys.iter().map(|(key, word)| key.len() + word.len() + 3).sum()
        };
        while wide(&keys) + 1 > usize::from(place.width) && keys.len() > 1 {
            keys.remove(keys.len() - 2);
        }
        let mut x = place.x + 1;
        for (key, word) in keys {
            x += self.put(buf, (x, place.y), place.right().saturating_sub(x), key, Look::Key) + 1;
            x +=
                self.put(buf, (x, place.y), place.right().saturating_sub(x), word, Look::Faint) + 2;
        }
    }

    /// A box in the middle with a word on its upper edge; gives what is inside.
    fn boxed(&self, buf: &mut Buffer, area: Rect, size: (u16, u16), word: &str) -> Rect {
        let (width, height) = ((size.0 + 4).min(area.width), (size.1 + 2).min(area.height));
        let place = Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        };
        for y in place.top()..place.bottom() {
            // Half of a wide character must not stick out from under the box.
            let left = buf.cell_mut((place.x.saturating_sub(1), y));
            if let Some(left) = left.filter(|cell| place.x > 0 && cell.symbol().width() > 1) {
                left.reset();
            }
            for x in place.left()..place.right() {
                if let Some(cell) = buf.cell_mut((x, y)) {
                    cell.reset();
                }
            }
            self.put(buf, (place.x, y), 1, "│", Look::Rule);
            self.put(buf, (place.right() - 1, y), 1, "│", Look::Rule);
        }
        let across = "─".repeat(usize::from(width.saturating_sub(2)));
        for (y, ends) in [(place.top(), ["┌", "┐"]), (place.bottom() - 1, ["└", "┘"])] {
            let edge = format!("{}{across}{}", ends[0], ends[1]);
            self.put(buf, (place.x, y), width, &edge, Look::Rule);
        }
        self.put(buf, (place.x + 2, place.y), width.saturating_sub(4), word, Look::Faint);
        Rect {
            x: (place.x + 2).min(place.right()),
            y: (place.y + 1).min(place.bottom()),
            width: width.saturating_sub(4),
            height: height.saturating_sub(2),
        }
    }

    fn menu(&self, buf: &mut Buffer, area: Rect, menu: &Menu, state: &State) -> Position {
        let shown = menu.shown();
        let count = |count: Option<usize>| count.map_or(String::new(), |count| count.to_string());
        let widest = shown.iter().map(|choice| choice.label.width()).max().unwrap_or(0);
        let width = u16::try_from(widest + 12).unwrap_or(u16::MAX).clamp(30, 60);
        let height = u16::try_from(shown.len() + 1).unwrap_or(u16::MAX).clamp(3, 18);
        let word = match menu.kind {
            Kind::Tag => " only with this tag ",
            Kind::Project => " only of this project ",
        };
        let place = self.boxed(buf, area, (width, height), word);
        let mut x = place.x + self.put(buf, (place.x, place.y), place.width, "› ", Look::Pointer);
        x += self.put(buf, (x, place.y), place.right() - x, &menu.typed, Look::Title);
        let rows = usize::from(place.height.saturating_sub(1));
        let selected = menu.selected();
        let from = (selected + 1).saturating_sub(rows);
        let now = match menu.kind {
            Kind::Tag => &state.tag,
            Kind::Project => &state.project,
        };
        for ((at, choice), y) in
            shown.iter().enumerate().skip(from).take(rows).zip(place.top() + 1..)
        {
            if at == selected {
                self.put(buf, (place.x, y), 1, "▌", Look::Pointer);
            }
            let number = count(choice.count);
            let space = usize::from(place.width).saturating_sub(number.len() + 4);
            let look = match (at == selected, now.as_deref() == Some(&choice.label)) {
                (true, _) => Look::Title,
                (_, true) => Look::Good,
                _ => Look::Plain,
            };
            let label = fit(&choice.label, space);
            self.put(buf, (place.x + 2, y), place.width.saturating_sub(2), &label, look);
            let right = place.right().saturating_sub(u16::try_from(number.len()).unwrap_or(0));
            self.put(buf, (right, y), place.right() - right, &number, Look::Faint);
        }
        Position::new(x.min(place.right().saturating_sub(1)), place.y)
    }

    fn keys(&self, buf: &mut Buffer, area: Rect) {
        let height = u16::try_from(KEYS.len()).unwrap_or(0);
        let place = self.boxed(buf, area, (54, height), " keys ");
        for ((key, words), y) in KEYS.iter().zip(place.top()..place.bottom()) {
            self.put(buf, (place.x, y), place.width, key, Look::Key);
            let x = place.x + 19;
            self.put(buf, (x, y), place.right().saturating_sub(x), words, Look::Plain);
        }
    }
}

const KEYS: [(&str, &str); 17] = [
    ("enter", "print the id and leave"),
    ("ctrl-s", "show the handoff"),
    ("ctrl-r", "resume from it: print its briefing"),
    ("ctrl-e", "export it to standard output"),
    ("ctrl-y", "copy the id to the clipboard"),
    ("", ""),
    ("up, ctrl-p, -k", "one up"),
    ("down, ctrl-n, -j", "one down"),
    ("pgup, pgdn", "a page"),
    ("home, end", "the first, the last"),
    ("shift-up, -down", "scroll the preview; alt too"),
    ("shift-pgup, -pgdn", "a page of it"),
    ("", ""),
    ("tab, ctrl-t", "only with a tag"),
    ("ctrl-g", "only of a project, or of every one"),
    ("ctrl-u, ctrl-w", "clear the query, its last word"),
    ("esc, ctrl-c", "leave without a choice"),
];
