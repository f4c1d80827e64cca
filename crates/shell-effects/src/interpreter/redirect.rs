//! Redirections: the files that they read, write and empty.

use super::engine::{Engine, Stream};
use super::expand::Arg;
use crate::chars::{UNKNOWN, show};
use crate::effect::{Certainty, EffectKind, RiskLevel, Span};
use crate::syntax::ast::{Redir, RedirOp};

impl Engine<'_> {
    /// Evaluates the redirections. Returns the input, and the file that output goes to.
    pub(super) fn redirections(
        &mut self,
        redirs: &[Redir],
        stdin: &Stream,
        command: bool,
    ) -> (Option<Stream>, Option<String>) {
        let mut input = None;
        let mut output = None;
        for r in redirs {
            if let Some(name) = &r.variable {
                self.assign_number(name, r.span);
            }
            match r.op {
                RedirOp::Dup => {
                    let _ = self.text(&r.target);
                }
                RedirOp::HereString => {
                    let (t, obfuscated) = self.text(&r.target);
                    let known = !t.contains(UNKNOWN) || t.len() > 1;
                    input = Some(Stream {
                        text: known.then(|| t + "\n"),
                        present: true,
                        obfuscated,
                        inline: true,
                    });
                }
                RedirOp::HereDoc => {
                    let body = r.body.as_ref().and_then(|b| b.get());
                    let (t, obfuscated) = match body {
                        Some(w) => self.text(w),
                        None => (String::new(), false),
                    };
                    input = Some(Stream {
                        text: Some(t),
                        present: true,
                        obfuscated,
                        inline: true,
                    });
                }
                RedirOp::Read => {
                    let mut fields = Vec::new();
                    self.fields(&r.target, &mut fields);
                    let texts: Vec<&str> = fields.iter().map(|f| f.text.as_str()).collect();
                    let arg = Arg {
                        text: texts.join(" "),
                        span: r.span,
                        ..Arg::default()
                    };
                    if arg.text.starts_with("/dev/tcp/") || arg.text.starts_with("/dev/udp/") {
                        self.network_device(&arg);
                    } else {
                        self.path_read(&arg);
                    }
                    let known = self.file_text(&arg.text);
                    if r.fd.is_none() || r.fd == Some(0) {
                        let empty = matches!(arg.text.as_str(), "/dev/null");
                        input = Some(Stream {
                            text: if empty { Some(String::new()) } else { known },
                            present: !empty,
                            ..Stream::default()
                        });
                    }
                }
                RedirOp::Write | RedirOp::Append | RedirOp::ReadWrite => {
                    let mut fields = Vec::new();
                    self.fields(&r.target, &mut fields);
                    for f in fields {
                        let arg = Arg { span: r.span, ..f };
                        if arg.text.starts_with("/dev/tcp/") || arg.text.starts_with("/dev/udp/") {
                            self.network_device(&arg);
                            continue;
                        }
                        self.path_write(&arg);
                        if r.fd.is_some_and(|fd| fd > 2)
                            && let Some(p) = self.resolve(&arg.text)
                        {
                            self.history.write(p, None);
                        }
                        if r.fd.is_none_or(|fd| fd == 1) {
                            let sink = crate::paths::path::classify(
                                &arg.text,
                                self.shell.cwd(),
                                &self.ctx.workdir,
                                &self.ctx.home,
                            );
                            if sink.class != crate::paths::path::PathClass::Sink {
                                output = Some(self.resolve(&arg.text).unwrap_or(arg.text));
                            }
                        }
                    }
                }
            }
        }
        let _ = (stdin, command);
        (input, output)
    }

    /// Adds the effect of emptying a file without removing it, as in `: > file`.
    pub(super) fn note_emptied(&mut self, path: &str, out: &Stream, redirs: &[Redir], span: Span) {
        let writes = redirs.iter().any(|r| r.op == RedirOp::Write);
        let empty = out.text.as_deref() == Some("");
        if !(writes && empty) || self.history.has_written(path) {
            return;
        }
        let info =
            crate::paths::path::classify(path, self.shell.cwd(), &self.ctx.workdir, &self.ctx.home);
        if info.class != crate::paths::path::PathClass::Sink {
            self.emit_raw(
                EffectKind::Delete,
                Some(show(path)),
                Certainty::Certain,
                span,
                RiskLevel::High,
                "empties a file without removing it",
            );
        }
    }

    fn network_device(&mut self, arg: &Arg) {
        let host = arg.text.split('/').nth(3).unwrap_or_default().to_owned();
        self.emit_raw(
            EffectKind::Network,
            Some(show(&host)),
            Certainty::Certain,
            arg.span,
            RiskLevel::High,
            "the shell exchanges unknown data over a socket",
        );
    }
}
