//! Passes every kept text to a visitor that masks secrets.
//!
//! Each type is destructured without `..`, so the compiler requires every new member to be handled
//! here.

use super::command::CommandRun;
use super::turn::{
    CallEnd, Context, ContextDiff, Deed, Frame, Item, Observation, Opening, Result, Shown, Stop,
    Text, Thought, Turn, Verdict,
};
use std::sync::Arc;

/// A visitor that receives a text and may change it.
type Visit<'v> = &'v mut dyn FnMut(&mut String);

fn id(id: &mut Arc<str>, visit: Visit<'_>) {
    let mut text = id.to_string();
    visit(&mut text);
    if *text != **id {
        *id = text.into();
    }
}

impl Text {
    fn each_text(&mut self, visit: Visit<'_>) {
        visit(&mut self.text);
    }
}

impl Shown {
    fn each_text(&mut self, visit: Visit<'_>) {
        let Self {
            id,
            deed,
            paths,
            risk: _,
            hash: _,
        } = self;
        id.iter_mut().for_each(&mut *visit);
        match deed {
            Deed::Command(text) | Deed::Diff(text) | Deed::Answer(text) => text.each_text(visit),
            Deed::Tool {
                tool: word,
                payload,
            }
            | Deed::Other { word, payload } => {
                visit(word);
                payload.each_text(visit);
            }
        }
        paths.iter_mut().for_each(visit);
    }
}

impl Context {
    fn each_text(&mut self, visit: Visit<'_>) {
        let Self {
            input_hash,
            prompt_version,
            tool_set_version,
            messages: _,
            asked,
            items,
            items_cut: _,
        } = self;
        input_hash
            .iter_mut()
            .chain(prompt_version)
            .chain(tool_set_version)
            .for_each(&mut *visit);
        if let Some(text) = asked {
            text.each_text(visit);
        }
        for Item {
            path,
            hash,
            tokens: _,
        } in items.iter_mut().flatten()
        {
            visit(path);
            visit(hash);
        }
    }
}

impl Verdict {
    fn each_text(&mut self, visit: Visit<'_>) {
        let Self {
            ruling: _,
            by: _,
            signer,
            rule,
            reason,
            time: _,
            signed: _,
            modified,
        } = self;
        signer
            .iter_mut()
            .chain(rule)
            .chain(reason)
            .for_each(&mut *visit);
        if let Some(m) = modified {
            m.each_text(visit);
        }
    }
}

impl Result {
    fn each_text(&mut self, visit: Visit<'_>) {
        let Self {
            success: _,
            marked_failed: _,
            output,
            error,
            error_type,
            exit_code: _,
            duration_ms: _,
            cost: _,
        } = self;
        output.each_text(visit);
        if let Some(e) = error {
            e.each_text(visit);
        }
        error_type.iter_mut().for_each(visit);
    }
}

impl Turn {
    /// Passes every text that comes from the trace to `visit`.
    pub(super) fn each_text(&mut self, visit: Visit<'_>) {
        let Self {
            file: _,
            execution,
            number: _,
            counted: _,
            line: _,
            last_line: _,
            start: _,
            end: _,
            path,
            context,
            context_diff,
            thoughts,
            used_context,
            used_skills,
            proposed,
            proposed_at: _,
            declared_changes,
            judged_risk: _,
            decision,
            ran,
            result,
            observed_changes,
            observation,
            evaluation,
            frames,
            decision_broken: _,
            call,
        } = self;
        if let Some(CallEnd {
            id,
            tool,
            outcome: _,
            decided: _,
            cwd,
        }) = call
        {
            visit(id);
            cwd.iter_mut().for_each(&mut *visit);
            tool.iter_mut().for_each(&mut *visit);
        }
        id(execution, visit);
        for Stop {
            state: _,
            at: _,
            illegal,
        } in path
        {
            illegal.iter_mut().for_each(&mut *visit);
        }
        if let Some(c) = context {
            c.each_text(visit);
        }
        if let Some(ContextDiff {
            added,
            removed,
            changed,
            cut: _,
        }) = context_diff
        {
            added
                .iter_mut()
                .chain(removed)
                .chain(changed)
                .for_each(&mut *visit);
        }
        for Thought {
            agent,
            done: _,
            reasoning,
            model,
        } in thoughts
        {
            agent.iter_mut().chain(model).for_each(&mut *visit);
            if let Some(r) = reasoning {
                r.each_text(visit);
            }
        }
        let lists = [
            used_context,
            used_skills,
            declared_changes,
            observed_changes,
        ];
        lists.into_iter().flatten().flatten().for_each(&mut *visit);
        for shown in proposed.iter_mut().chain(ran) {
            shown.each_text(visit);
        }
        if let Some(d) = decision {
            d.each_text(visit);
        }
        if let Some(r) = result {
            r.each_text(visit);
        }
        if let Some(Observation {
            summary,
            artifacts,
            truncated: _,
        }) = observation
        {
            summary.each_text(visit);
            artifacts.iter_mut().for_each(&mut *visit);
        }
        evaluation.iter_mut().for_each(&mut *visit);
        for Frame {
            line: _,
            time: _,
            what,
            text,
        } in frames
        {
            visit(what);
            text.each_text(visit);
        }
    }
}

impl Opening {
    /// Passes every text that comes from the trace to `visit`.
    pub(super) fn each_text(&mut self, visit: Visit<'_>) {
        let Self {
            file: _,
            execution,
            line: _,
            time: _,
            intent,
            runtime,
            agents,
            governor,
            policy_digest,
            policy_path,
            policy_revision,
            max_turns: _,
            parent,
            workdir,
            not_recorded: _,
        } = self;
        id(execution, visit);
        if let Some(i) = intent {
            i.each_text(visit);
        }
        let single = [
            runtime,
            governor,
            policy_digest,
            policy_path,
            policy_revision,
            parent,
            workdir,
        ];
        single.into_iter().flatten().chain(agents).for_each(visit);
    }
}

impl CommandRun {
    /// Passes every text that comes from the trace to `visit`.
    pub(super) fn each_text(&mut self, visit: Visit<'_>) {
        let Self {
            file: _,
            line: _,
            id: name,
            name: command_name,
            time: _,
            tool_version,
            project,
            mode,
            asked,
            command,
            required,
            preferred,
            candidates,
            model,
            used_fallback: _,
            fallback_reason,
            strategy,
            reason,
            skills,
            success: _,
            failure,
            tokens: _,
            latency_ms: _,
            reward: _,
            config,
        } = self;
        id(name, visit);
        visit(command_name);
        visit(tool_version);
        visit(project);
        let single = [mode, model, fallback_reason, strategy, reason, failure];
        single
            .into_iter()
            .flatten()
            .chain(required)
            .chain(preferred)
            .chain(candidates)
            .for_each(&mut *visit);
        for text in asked.iter_mut().chain(command).chain([config]) {
            text.each_text(visit);
        }
        for skill in skills {
            visit(&mut skill.name);
        }
    }
}
