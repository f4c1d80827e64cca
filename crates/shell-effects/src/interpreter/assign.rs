//! Assignments to variables, arrays and their elements.

use super::engine::Engine;
use super::expand::Var;
use crate::chars::UNKNOWN;
use crate::syntax::ast::{Assign, AssignValue, Part};

impl Engine<'_> {
    pub(super) fn assign(&mut self, a: &Assign, for_program: bool) {
        self.burn(4);
        if let Some(ix) = &a.index {
            let (text, _) = self.text(ix);
            self.arithmetic(&text, ix.span);
        }
        let (var, text) = match &a.value {
            AssignValue::Word(w) => {
                let (t, obfuscated) = self.text(w);
                (
                    Var {
                        text: t.clone(),
                        array: None,
                        obfuscated,
                        computed: t.contains(UNKNOWN)
                            && w.parts.iter().any(|p| matches!(p, Part::Cmd(..))),
                    },
                    t,
                )
            }
            AssignValue::Array(ws) => {
                let mut items = Vec::new();
                for w in ws {
                    self.element_subscript(w);
                    self.fields(w, &mut items);
                }
                let obfuscated = items.iter().any(|i| i.obfuscated);
                let list: Vec<String> = items.into_iter().map(|i| i.text).collect();
                (
                    Var {
                        text: list.first().cloned().unwrap_or_default(),
                        array: Some(list),
                        obfuscated,
                        computed: false,
                    },
                    String::new(),
                )
            }
        };
        let inherits = |part: &Part| matches!(part, Part::Param(p, _) if p.name == a.name);
        match &a.value {
            AssignValue::Word(w)
                if w.parts.iter().any(inherits)
                    && !super::unlisted_variables::is_inherited(&a.name) =>
            {
                self.known_env_effect(&a.name, &text, a.span);
            }
            AssignValue::Word(_) => self.env_effect(&a.name, &text, a.span),
            AssignValue::Array(_) => self.env_effect(&a.name, &var.text.clone(), a.span),
        }
        self.assign_integer(&a.name, &text, a.span);
        if a.index.is_some() {
            let ix = a
                .index
                .as_ref()
                .map(crate::syntax::word::literal)
                .unwrap_or_default();
            let entry = self.shell.var_mut(&a.name);
            let arr = entry.array.get_or_insert_with(Vec::new);
            match ix.trim().parse::<usize>() {
                Ok(i) if i < 1024 => {
                    if arr.len() <= i {
                        arr.resize(i + 1, String::new());
                    }
                    if let Some(slot) = arr.get_mut(i) {
                        *slot = text;
                    }
                }
                _ => entry.array = Some(vec![UNKNOWN.to_string()]),
            }
            return;
        }
        let old = self.shell.var(&a.name);
        let value = if a.append {
            match old {
                Some(o) => match (&o.array, &var.array) {
                    (Some(x), Some(y)) => {
                        let mut l = x.clone();
                        l.extend(y.iter().cloned());
                        Var {
                            array: Some(l),
                            ..o.clone()
                        }
                    }
                    _ => Var {
                        text: if o.text.len() > 1 << 16 {
                            UNKNOWN.to_string()
                        } else {
                            format!("{}{}", o.text, var.text)
                        },
                        array: None,
                        obfuscated: true,
                        computed: o.computed || var.computed,
                    },
                },
                None if var.array.is_some() => var,
                None => Var {
                    text: format!("{UNKNOWN}{}", var.text),
                    array: None,
                    obfuscated: true,
                    computed: false,
                },
            }
        } else if !for_program
            && self.shell.is_in_branch()
            && old.is_some_and(|o| o.text != var.text)
        {
            // Which of the values applies isn't known.
            Var {
                text: UNKNOWN.to_string(),
                array: None,
                obfuscated: false,
                computed: false,
            }
        } else {
            var
        };
        self.burn(value.text.len() / 8);
        self.shell.set_var(a.name.clone(), value);
    }
}
