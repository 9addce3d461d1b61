//! The full-screen picker: shows what is listed, takes keys, gives what was chosen.

mod item;
mod line_edit;
mod load;
mod look;
mod menu;
mod preview;
mod state;
#[cfg(test)]
mod state_tests;
mod terminal;
mod view;
#[cfg(test)]
mod view_tests;
mod wrap;

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use crossterm::event::{self, Event, KeyEventKind};
use segue_lib::Segue;
use segue_lib::handoffs::{HandoffId, ListOutcome, ListRequest};

use crate::error::CommandError;
use load::{Loaded, MOST, load};
use preview::Preview;
pub(crate) use state::Deed;
use state::{Effect, State};
use terminal::Screen;
pub(crate) use terminal::put_back;
use view::View;

/// A list that takes longer is waited for on the screen.
const PATIENCE: Duration = Duration::from_millis(120);
/// Items that are matched before the next look at the keyboard.
const STEP: usize = 2_000;
/// Steps until the screen shows how far it is.
const STEPS: usize = 8;
/// How long a key is waited for before the loader is asked again, and when nothing is loading.
const SOON: Duration = Duration::from_millis(15);
const LATER: Duration = Duration::from_secs(3600);

/// How the picker was left.
pub(crate) enum Left {
    Chosen(HandoffId, Deed),
    /// With nothing, by Esc.
    Empty,
    /// With nothing, by Ctrl-C.
    Interrupted,
    /// There was nothing to choose from.
    Nothing(Box<ListOutcome>),
}

/// Whether the picker can be drawn.
pub(crate) fn is_possible() -> bool {
    Screen::is_there()
}

/// Lets a person pick one of the handoffs that fit a request.
pub(crate) fn pick(
    request: &ListRequest,
    segue: &Segue,
    colour: bool,
    id_of: &dyn Fn(&HandoffId) -> String,
) -> Result<Left, CommandError> {
    let mut state = State::new(request.all_projects || request.id.is_some());
    let mut source = Source { request: request.clone(), receiver: load(request.clone()) };
    // What is quick to fail or empty does not flash on the screen.
    match source.receiver.recv_timeout(PATIENCE) {
        Ok(loaded) => {
            if let Some(outcome) = source.take(loaded, &mut state)? {
                return Ok(Left::Nothing(outcome));
            }
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
    }
    let mut picker = Picker {
        screen: Screen::take().map_err(broken)?,
        view: View { now: segue.env().now(), colour },
        preview: None,
        segue,
    };
    picker.run(&mut state, &mut source, id_of)
}

fn broken(error: io::Error) -> CommandError {
    CommandError::failed(format!("cannot use the terminal: {error}"))
        .hinted("'segue list' and 'segue select --print-id' need none")
}

/// Where the items come from.
struct Source {
    request: ListRequest,
    receiver: Receiver<Loaded>,
}

impl Source {
    /// Takes what was loaded; says if that was nothing at all.
    fn take(
        &self,
        loaded: Loaded,
        state: &mut State,
    ) -> Result<Option<Box<ListOutcome>>, CommandError> {
        let end = match loaded {
            Loaded::Items(items) => {
                state.add(items);
                return Ok(None);
            }
            Loaded::End(end) => *end,
        };
        let outcome = end?;
        state.loading = false;
        state.capped = outcome.more && outcome.count >= MOST;
        if outcome.count == 0 {
            return Ok(Some(Box::new(outcome)));
        }
        if outcome.elsewhere {
            state.wide = true;
            state.message = Some("nothing is saved here; this is the whole store".to_owned());
        }
        Ok(None)
    }
}

struct Picker<'a> {
    screen: Screen,
    view: View,
    preview: Option<Preview>,
    segue: &'a Segue,
}

impl Picker<'_> {
    fn run(
        &mut self,
        state: &mut State,
        source: &mut Source,
        id_of: &dyn Fn(&HandoffId) -> String,
    ) -> Result<Left, CommandError> {
        let mut steps = 0;
        let mut dirty = true;
        loop {
            let mut idle = true;
            match source.receiver.try_recv() {
                Ok(loaded) => {
                    if let Some(outcome) = source.take(loaded, state)? {
                        return Ok(Left::Nothing(outcome));
                    }
                    (idle, dirty) = (false, true);
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
            }
            let more = state.step(STEP);
            steps += 1;
            // Keys that wait come first: whoever types fast sees the last letter soon.
            let waiting = event::poll(Duration::ZERO).map_err(broken)?;
            if dirty && (steps >= STEPS || (!more && !waiting)) {
                self.draw(state, !waiting)?;
                (steps, dirty) = (0, more || !idle);
            }
            if !waiting {
                let patience = match () {
                    () if more || !idle => Duration::ZERO,
                    () if state.loading => SOON,
                    () => LATER,
                };
                if !event::poll(patience).map_err(broken)? {
                    continue;
                }
            }
            let effect = match event::read().map_err(broken)? {
                Event::Key(key) if key.kind != KeyEventKind::Release => state.key(key),
                Event::Paste(text) => {
                    state.paste(&text);
                    Effect::None
                }
                _ => Effect::None,
            };
            dirty = true;
            match effect {
                Effect::None => {}
                Effect::Choose(id, deed) => return Ok(Left::Chosen(id, deed)),
                Effect::Leave => return Ok(Left::Empty),
                Effect::Interrupt => return Ok(Left::Interrupted),
                Effect::Copy(id) => {
                    let id = id_of(&id);
                    self.screen.copy(&id).map_err(broken)?;
                    state.message = Some(format!("{id} is given to the terminal's clipboard"));
                }
                Effect::Widen => {
                    let project = segue_lib::ProjectRef::Here;
                    let mut request = source.request.clone();
                    request.all_projects = true;
                    request.project = project;
                    state.widen();
                    source.receiver = load(request);
                }
            }
        }
    }

    /// Draws everything; the preview is read anew only if there is time for it.
    fn draw(&mut self, state: &mut State, time: bool) -> Result<(), CommandError> {
        state.sort();
        match (state.chosen(), &self.preview) {
            (None, _) => self.preview = None,
            (Some(item), Some(preview)) if preview.id == item.id => {}
            (Some(item), _) if time => self.preview = Some(Preview::read(self.segue, &item.id)),
            _ => {}
        }
        let (view, preview) = (&self.view, self.preview.as_mut());
        self.screen.draw(|frame| view.draw(frame, state, preview)).map_err(broken)
    }
}
