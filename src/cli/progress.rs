//! Shows progress on standard error if it is a terminal and the command takes over a second.

use crate::source::{Found, Input, Missing};
use crate::verify::{Options, Report, verify};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Delay before progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// Interval between updates.
const INTERVAL: Duration = Duration::from_millis(100);

/// The unit of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    Items,
}

/// Counters of work, and the thread that shows them until this is dropped. The progress line is
/// erased in the end.
#[derive(Debug)]
pub(super) struct Progress {
    counters: Arc<Counters>,
    /// The thread that draws. It ends when the sender is dropped.
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

#[derive(Debug, Default)]
struct Counters {
    done: Arc<AtomicU64>,
    /// 0 if unknown.
    total: AtomicU64,
}

impl Progress {
    /// Starts counting. A `total` of 0 means that it is unknown.
    pub(super) fn start(what: &'static str, unit: Unit, total: u64, quiet: bool) -> Self {
        let counters = Arc::new(Counters {
            total: total.into(),
            ..Counters::default()
        });
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_shown = !quiet && !is_dumb && std::io::stderr().is_terminal();
        let drawing = is_shown.then(|| {
            let (sender, receiver) = channel();
            let counters = Arc::clone(&counters);
            let thread = std::thread::spawn(move || {
                draw(
                    what,
                    unit,
                    &counters,
                    &receiver,
                    ProgressDrawTarget::stderr(),
                );
            });
            (sender, thread)
        });
        Self { counters, drawing }
    }

    /// Starts counting the bytes of inputs.
    pub(super) fn of_inputs<'i>(
        inputs: impl IntoIterator<Item = &'i Result<Found, Missing>>,
        quiet: bool,
    ) -> Self {
        let mut total = 0_u64;
        for input in inputs.into_iter().flatten() {
            if input.input == Input::Stdin {
                total = 0;
                break;
            }
            for (_, path) in input.files() {
                let size = path.metadata().map_or(0, |about| about.len());
                total = total.saturating_add(size);
            }
        }
        Self::start("replaying", Unit::Bytes, total, quiet)
    }

    /// Returns the counter of completed work.
    pub(super) fn done(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.counters.done)
    }

    /// Sets both counters.
    pub(super) fn set(&self, done: usize, total: usize) {
        self.counters.done.store(done as u64, Ordering::Relaxed);
        self.counters.total.store(total as u64, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.drawing.take() {
            drop(sender);
            // A panic while drawing must not change the result.
            let _ = thread.join();
        }
    }
}

/// Returns true if output is written to the terminal while it is made. A progress line would mix
/// with it.
pub(super) fn is_on_terminal(output: Option<&Path>) -> bool {
    output.is_none_or(|path| path.as_os_str() == "-") && std::io::stdout().is_terminal()
}

/// Verifies inputs and shows the progress.
pub(super) fn verify_inputs(
    inputs: &[Result<Found, Missing>],
    options: Options,
    quiet: bool,
) -> Report {
    let progress = Progress::of_inputs(inputs, quiet);
    let options = Options {
        bytes_read: Some(progress.done()),
        ..options
    };
    verify(inputs, &options)
}

/// Draws until the sender is dropped, then erases the line.
fn draw(
    what: &'static str,
    unit: Unit,
    counters: &Counters,
    stop: &Receiver<()>,
    target: ProgressDrawTarget,
) {
    if stop.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::with_draw_target(None, target).with_message(what);
    loop {
        let total = counters.total.load(Ordering::Relaxed);
        if total > 0 {
            bar.set_length(total);
        }
        let template = match (unit, total) {
            (Unit::Bytes, 0) => "{spinner} {msg}: {bytes}, {elapsed}",
            (Unit::Items, 0) => "{spinner} {msg}: {elapsed}",
            (Unit::Bytes, _) => "{msg} [{bar:20}] {bytes}/{total_bytes}, {elapsed}",
            (Unit::Items, _) => "{msg} [{bar:20}] {pos}/{len}, {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("##."));
        }
        bar.set_position(counters.done.load(Ordering::Relaxed));
        bar.tick();
        if stop.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Mutex, PoisonError};

    /// A terminal of two lines.
    #[derive(Clone)]
    struct Screen(Arc<Mutex<vt100::Parser>>);

    impl Screen {
        fn contents(&self) -> String {
            let parser = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            parser.screen().contents()
        }

        fn process(&self, text: &str) {
            let mut parser = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            parser.process(text.as_bytes());
        }
    }

    impl std::fmt::Debug for Screen {
        fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str(&self.contents())
        }
    }

    impl indicatif::TermLike for Screen {
        fn width(&self) -> u16 {
            60
        }
        fn move_cursor_up(&self, n: usize) -> io::Result<()> {
            self.process(&"\x1b[A".repeat(n));
            Ok(())
        }
        fn move_cursor_down(&self, n: usize) -> io::Result<()> {
            self.process(&"\x1b[B".repeat(n));
            Ok(())
        }
        fn move_cursor_right(&self, n: usize) -> io::Result<()> {
            self.process(&"\x1b[C".repeat(n));
            Ok(())
        }
        fn move_cursor_left(&self, n: usize) -> io::Result<()> {
            self.process(&"\x1b[D".repeat(n));
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.process(&format!("{text}\r\n"));
            Ok(())
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.process(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            self.process("\r\x1b[2K");
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_line_is_drawn_after_a_second_and_wiped() {
        let screen = Screen(Arc::new(Mutex::new(vt100::Parser::new(
            2.try_into().unwrap(),
            60.try_into().unwrap(),
            0,
        ))));
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        let counters = Counters::default();
        counters.total.store(2 << 20, Ordering::Relaxed);
        counters.done.store(1 << 20, Ordering::Relaxed);
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            let counters = &counters;
            scope.spawn(move || draw("replaying", Unit::Bytes, counters, &receiver, target));
            std::thread::sleep(PATIENCE / 2);
            assert_eq!(screen.contents(), "");
            std::thread::sleep(PATIENCE + INTERVAL * 4);
            let shown = screen.contents();
            assert!(
                shown.starts_with("replaying [###########.........] 1.00 MiB/2.00 MiB, "),
                "{shown}"
            );
            drop(sender);
        });
        assert_eq!(screen.contents(), "");
    }
}
