//! Effects on paths: reads, writes and deletions, with their risk.

use super::engine::Engine;
use super::expand::Arg;
use crate::chars::{UNKNOWN, has_glob, has_unknown, show};
use crate::effect::{Certainty, Effect, EffectKind, RiskLevel, Span};
use crate::paths::path::{self, PathClass, PathInfo};
use crate::paths::private::is_above_private;
use crate::paths::protected;

const WRITES_AUTORUN: &str = "changes a file that runs automatically or decides what is checked";
const WRITES_AUTORUN_DIRECTORY: &str =
    "changes a directory of files that run automatically or decide what is checked";

/// A path in an expanded word, with the part of the line that causes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpannedPath<'t> {
    text: &'t str,
    span: Span,
}

impl<'t> From<&'t Arg> for SpannedPath<'t> {
    fn from(arg: &'t Arg) -> Self {
        Self {
            text: &arg.text,
            span: arg.span,
        }
    }
}

impl<'t> From<&'t str> for SpannedPath<'t> {
    /// A path that isn't in the line; its span is empty.
    fn from(text: &'t str) -> Self {
        Self {
            text,
            span: Span::default(),
        }
    }
}

impl Engine<'_> {
    /// Returns whether a path inside the work tree is run automatically or decides what is checked.
    fn is_autorun(&self, info: &PathInfo) -> bool {
        let inside = info.absolute.strip_prefix(&*self.ctx.workdir);
        inside
            .and_then(protected::find)
            .is_some_and(|path| path.risk == RiskLevel::High)
    }

    /// Returns whether a path inside the work tree is a directory of such files.
    fn is_autorun_directory(&self, text: &str) -> bool {
        let info = self.classify(text);
        let inside = info.absolute.strip_prefix(&*self.ctx.workdir);
        info.class == PathClass::Inside && inside.is_some_and(protected::is_protected_directory)
    }

    /// Adds an effect if a directory of such files is replaced or filled with unnamed files. An
    /// ordinary directory gets no effect here.
    pub(crate) fn path_fill<'t>(&mut self, at: impl Into<SpannedPath<'t>>) {
        let at = at.into();
        if self.is_autorun_directory(at.text) {
            let info = self.classify(at.text);
            self.emit_change(
                EffectKind::Write,
                at,
                info,
                RiskLevel::High,
                WRITES_AUTORUN_DIRECTORY,
            );
        }
    }

    /// Adds an effect for the destination of a copy, if its own name is riskier than its directory.
    pub(crate) fn path_copy_target<'t>(&mut self, at: impl Into<SpannedPath<'t>>) {
        let at = at.into();
        let info = self.classify(at.text);
        let why = match info.class {
            PathClass::Inside if self.is_autorun(&info) => WRITES_AUTORUN,
            PathClass::GitInternal => "writes into git's own directory",
            _ if self.is_autorun_directory(at.text) => WRITES_AUTORUN_DIRECTORY,
            _ => return,
        };
        self.emit_change(EffectKind::Write, at, info, RiskLevel::High, why);
    }

    fn certainty(text: &str) -> Certainty {
        if text.contains(UNKNOWN) || has_glob(text) {
            Certainty::Possible
        } else {
            Certainty::Certain
        }
    }

    /// Adds an effect on a path that is only read.
    fn emit_read(
        &mut self,
        kind: EffectKind,
        at: SpannedPath<'_>,
        info: PathInfo,
        risk: RiskLevel,
        why: &'static str,
    ) {
        self.emit_path(kind, at, (info, false), risk, why);
    }

    /// Adds an effect on a path that is changed.
    fn emit_change(
        &mut self,
        kind: EffectKind,
        at: SpannedPath<'_>,
        info: PathInfo,
        risk: RiskLevel,
        why: &'static str,
    ) {
        self.emit_path(kind, at, (info, true), risk, why);
    }

    /// Adds the effect of a classified path; `changes` tells whether the path is changed.
    fn emit_path(
        &mut self,
        kind: EffectKind,
        at: SpannedPath<'_>,
        (info, changes): (PathInfo, bool),
        risk: RiskLevel,
        why: &'static str,
    ) {
        let certainty = Self::certainty(at.text);
        if has_unknown(at.text) || has_glob(at.text) {
            // The shown text is less precise than the classified one, so `emit_raw` classifies
            // again.
            return self.emit_raw(kind, Some(show(at.text)), certainty, at.span, risk, why);
        }
        self.sink.add(Effect {
            kind,
            target: Some(at.text.to_owned()),
            certainty,
            span: at.span,
            risk,
            why: why.into(),
            path_info: Some(info),
            changes,
        });
    }

    /// Adds the effects of reading a path's contents.
    pub(crate) fn path_read<'t>(&mut self, at: impl Into<SpannedPath<'t>>) {
        self.read_at(at.into(), false);
    }

    /// Like [`Engine::path_read`], for a program that may read all files below a directory.
    pub(crate) fn tree_read<'t>(&mut self, at: impl Into<SpannedPath<'t>>) {
        self.read_at(at.into(), true);
    }

    fn read_at(&mut self, at: SpannedPath<'_>, whole_trees: bool) {
        self.burn(at.text.len() / 8 + 4);
        if at.text == "-" || at.text.is_empty() || at.text.starts_with("/dev/fd/proc") {
            return;
        }
        let info = self.classify(at.text);
        if info.secret {
            self.emit_read(
                EffectKind::Credential,
                at,
                info,
                RiskLevel::High,
                "reads a file that holds secrets",
            );
            return;
        }
        let elsewhere = matches!(
            info.class,
            PathClass::Home | PathClass::Outside | PathClass::System
        );
        if whole_trees && elsewhere && is_above_private(&info.absolute, &self.ctx.home) {
            self.emit_read(
                EffectKind::Credential,
                at,
                info,
                RiskLevel::High,
                "reads a directory with secrets below it",
            );
            return;
        }
        if info.class == PathClass::Sink {
            return;
        }
        if raw_device(&info.absolute) {
            self.emit_read(
                EffectKind::System,
                at,
                info,
                RiskLevel::High,
                "reads a device directly",
            );
            return;
        }
        self.emit_read(EffectKind::Read, at, info, RiskLevel::Low, "reads");
    }

    /// Adds the effects of reading a path's name or metadata.
    pub(crate) fn path_stat<'t>(&mut self, at: impl Into<SpannedPath<'t>>) {
        let at = at.into();
        if at.text == "-" || at.text.is_empty() {
            return;
        }
        let info = self.classify(at.text);
        self.emit_read(EffectKind::Read, at, info, RiskLevel::Low, "inspects");
    }

    /// Adds the effects of a container mount: `SRC:DST[:OPTIONS]`, or `type=bind,source=SRC,…`.
    /// Programs in the container may do anything to the source, unless it is mounted read-only.
    pub(crate) fn mounted(&mut self, arg: &Arg) {
        let text = arg.text.as_str();
        let keyed = text
            .split(',')
            .any(|p| p.starts_with("type=") || p.starts_with("source=") || p.starts_with("src="));
        let (source, options) = if keyed {
            let source = text
                .split(',')
                .find_map(|p| p.strip_prefix("source=").or_else(|| p.strip_prefix("src=")));
            (source, text)
        } else {
            let source = text.split_once(':').map(|(source, _)| source);
            (
                source,
                text.rsplit_once(':').map_or("", |(_, options)| options),
            )
        };
        let Some(source) = source else { return };
        // A name without a slash is a volume of the daemon.
        if !(source.contains('/') || source.starts_with(['.', '~', UNKNOWN])) {
            return;
        }
        let source = Arg {
            text: source.to_owned(),
            at: None,
            ..arg.clone()
        };
        if options
            .split(',')
            .any(|o| matches!(o, "ro" | "readonly" | "readonly=true" | "ro=true"))
        {
            self.path_read(&source);
        } else {
            self.path_write(&source);
        }
    }

    /// Adds the effects of creating, changing or replacing a path.
    pub(crate) fn path_write<'t>(&mut self, at: impl Into<SpannedPath<'t>>) {
        let at = at.into();
        self.burn(at.text.len() / 8 + 4);
        if at.text == "-" || at.text.is_empty() {
            return;
        }
        let info = self.classify(at.text);
        let (kind, risk, why) = match info.class {
            PathClass::Sink => return,
            PathClass::Inside | PathClass::Root if may_climb(at.text) => (
                EffectKind::Write,
                RiskLevel::High,
                "writes to a path that isn't known",
            ),
            PathClass::Inside if self.is_autorun(&info) => {
                (EffectKind::Write, RiskLevel::High, WRITES_AUTORUN)
            }
            PathClass::Inside | PathClass::Root => (
                EffectKind::Write,
                RiskLevel::Medium,
                "writes inside the work tree",
            ),
            PathClass::Temporary => (
                EffectKind::Write,
                RiskLevel::Medium,
                "writes a temporary file",
            ),
            PathClass::GitInternal => (
                EffectKind::Write,
                RiskLevel::High,
                "writes into git's own directory",
            ),
            PathClass::Home => (
                EffectKind::Write,
                RiskLevel::High,
                "writes into the home directory, outside the work tree",
            ),
            PathClass::Outside => (
                EffectKind::Write,
                RiskLevel::High,
                "writes outside the work tree",
            ),
            PathClass::System
                if info.absolute.starts_with("/dev")
                    || info.absolute.starts_with("/proc")
                    || info.absolute.starts_with("/sys") =>
            {
                (
                    EffectKind::System,
                    RiskLevel::High,
                    "writes to a device or the kernel",
                )
            }
            PathClass::System => (
                EffectKind::Write,
                RiskLevel::High,
                "writes into a system directory",
            ),
            PathClass::Unknown => (
                EffectKind::Write,
                RiskLevel::High,
                "writes to a path that isn't known",
            ),
        };
        self.emit_change(kind, at, info, risk, why);
    }

    /// Adds the effects of writing a path. With `puts`, the program only adds files to a directory,
    /// which is less risky for a shared temporary directory.
    pub(crate) fn path_put<'t>(&mut self, at: impl Into<SpannedPath<'t>>, puts: bool) {
        let at = at.into();
        let info = self.classify(at.text);
        // A directory above the work tree isn't only for temporary files.
        let inside = self.ctx.workdir.strip_prefix(&info.absolute);
        let contains_tree = inside.is_some_and(|rest| rest.starts_with('/'));
        let shared = puts && !contains_tree && path::is_temporary(&info.absolute);
        if shared && !self.location.machine.is_remote() && info.class == PathClass::Outside {
            let why = "writes a temporary file";
            return self.emit_change(EffectKind::Write, at, info, RiskLevel::Medium, why);
        }
        self.path_write(at);
    }

    /// Adds the effects of removing a path; `recursive` for whole directory trees.
    pub(crate) fn path_delete<'t>(&mut self, at: impl Into<SpannedPath<'t>>, recursive: bool) {
        let at = at.into();
        self.burn(at.text.len() / 8 + 4);
        if at.text.is_empty() {
            return;
        }
        let info = self.classify(at.text);
        let (risk, why) = match info.class {
            _ if recursive => (RiskLevel::High, "removes a whole tree"),
            PathClass::Inside | PathClass::Temporary
                if path::is_sweeping(at.text) || has_glob(at.text) =>
            {
                (RiskLevel::High, "removes whatever matches")
            }
            PathClass::Inside if info.secret => {
                (RiskLevel::High, "removes a file that holds secrets")
            }
            PathClass::Inside if self.is_autorun(&info) => (RiskLevel::High, WRITES_AUTORUN),
            PathClass::Inside => (RiskLevel::Medium, "removes a file inside the work tree"),
            PathClass::Temporary => (RiskLevel::Medium, "removes a temporary file"),
            PathClass::Root => (RiskLevel::High, "removes the work tree itself"),
            PathClass::Sink | PathClass::System => (RiskLevel::High, "removes a system file"),
            PathClass::GitInternal => (RiskLevel::High, "removes from git's own directory"),
            PathClass::Home | PathClass::Outside => {
                (RiskLevel::High, "removes outside the work tree")
            }
            PathClass::Unknown => (RiskLevel::High, "removes a path that isn't known"),
        };
        self.emit_change(EffectKind::Delete, at, info, risk, why);
    }

    /// Adds the effects of truncating a file, which itself remains.
    pub(crate) fn path_empty<'t>(&mut self, at: impl Into<SpannedPath<'t>>) {
        let at = at.into();
        let info = self.classify(at.text);
        if info.class == PathClass::Sink && !info.absolute.starts_with("/dev/z") {
            return;
        }
        self.emit_change(
            EffectKind::Delete,
            at,
            info,
            RiskLevel::High,
            "destroys the contents of a file",
        );
    }

    /// Adds the effects of moving a path away.
    pub(crate) fn path_move<'t>(&mut self, at: impl Into<SpannedPath<'t>>) {
        let at = at.into();
        let info = self.classify(at.text);
        if info.secret {
            self.emit_change(
                EffectKind::Credential,
                at,
                info.clone(),
                RiskLevel::High,
                "moves a file that holds secrets",
            );
        }
        let (risk, why) = match info.class {
            PathClass::Inside if self.is_autorun(&info) || self.is_autorun_directory(at.text) => (
                RiskLevel::High,
                "moves away a file that runs automatically or decides what is checked",
            ),
            PathClass::Inside | PathClass::Temporary => (RiskLevel::Medium, "moves away"),
            PathClass::Unknown => (RiskLevel::High, "moves away a path that isn't known"),
            _ => (RiskLevel::High, "moves away a path outside the work tree"),
        };
        self.emit_change(EffectKind::Write, at, info, risk, why);
    }

    /// Adds the effects of changing the mode or owner of a path.
    pub(crate) fn path_mode(&mut self, arg: &Arg, recursive: bool) {
        self.path_write(arg);
        if recursive {
            let info = self.classify(&arg.text);
            self.emit_change(
                EffectKind::Write,
                arg.into(),
                info,
                RiskLevel::High,
                "changes a whole tree",
            );
        }
    }
}

/// Returns whether the text may climb out of its directory. An unknown part may; a glob such as
/// `*/x` can't.
fn may_climb(text: &str) -> bool {
    text.contains(UNKNOWN)
}

fn raw_device(abs: &str) -> bool {
    if !(abs.starts_with("/dev/") || abs.starts_with("/proc/")) {
        return false;
    }
    [
        "/dev/sd",
        "/dev/hd",
        "/dev/nvme",
        "/dev/vd",
        "/dev/xvd",
        "/dev/mem",
        "/dev/kmem",
        "/dev/mapper",
        "/dev/disk",
        "/dev/mmcblk",
        "/dev/input",
        "/proc/kcore",
    ]
    .iter()
    .any(|d| abs.starts_with(d))
}
