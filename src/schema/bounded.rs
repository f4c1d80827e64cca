//! Schemas of manifests, which anybody may have written: the work to compile and apply them is
//! bounded, and nothing outside of them is read.

use super::validate::{NoRetriever, SchemaError, Validator};
use jsonschema::PatternOptions;
use serde_json::{Map, Value};

/// Maximum number of values in all schemas of a manifest, with references followed.
const VALUES: usize = 100_000;
/// Maximum number of regular expressions in all schemas of a manifest.
const PATTERNS: usize = 256;
/// Maximum size of a regular expression, in bytes.
const PATTERN_BYTES: usize = 1_000;
/// Maximum size of a compiled regular expression, in bytes.
const COMPILED_BYTES: usize = 1 << 20;
/// Maximum number of `unevaluatedProperties` and `unevaluatedItems` in one schema. Each level of
/// them doubles the work.
const UNEVALUATED: usize = 8;
/// Maximum depth of a schema, with references followed.
const DEPTH: usize = 256;
/// Maximum product of the values of a schema and the bytes of the text that it is applied to.
const WORK: usize = 1 << 30;

/// The remaining size of the schemas of one manifest.
#[derive(Debug, Clone)]
pub struct SchemaBudget {
    values: usize,
    patterns: usize,
}

impl Default for SchemaBudget {
    fn default() -> Self {
        Self {
            values: VALUES,
            patterns: PATTERNS,
        }
    }
}

/// A schema whose application takes bounded work.
#[derive(Debug)]
pub struct BoundedValidator {
    validator: Validator,
    /// Number of values in the schema, with references followed.
    values: usize,
}

impl BoundedValidator {
    /// Compiles a schema, and takes its size from the budget.
    ///
    /// # Errors
    /// When the value isn't a schema, refers to itself or to something outside, has a pattern that
    /// can't be matched in linear time, or is too large.
    pub fn new(schema: &Value, budget: &mut SchemaBudget) -> Result<Self, SchemaError> {
        let before = budget.values;
        let mut measure = Measure {
            root: schema,
            budget,
            unevaluated: UNEVALUATED,
            depth: DEPTH,
            open: Vec::new(),
        };
        measure
            .value(schema)
            .map_err(|why| SchemaError::Schema(why.to_owned()))?;
        let values = before.saturating_sub(budget.values);
        let patterns = PatternOptions::regex()
            .size_limit(COMPILED_BYTES)
            .dfa_size_limit(COMPILED_BYTES);
        let inner = jsonschema::options()
            .with_pattern_options(patterns)
            .with_retriever(NoRetriever)
            .build(schema)
            .map_err(|e| SchemaError::Schema(e.to_string()))?;
        Ok(Self {
            validator: Validator::from_inner(inner),
            values,
        })
    }

    /// Returns the violations in a text that is valid JSON, as a pointer and a message each.
    /// Returns `None` if the text is too long to apply the schema to it.
    #[must_use]
    pub fn violations(&self, text: &str) -> Option<Vec<(String, String)>> {
        if self.values.saturating_mul(text.len()) > WORK {
            return None;
        }
        let all = self.validator.violations(text).into_iter();
        Some(all.map(|v| (v.pointer, v.message)).collect())
    }
}

/// Measures a schema with its references followed.
struct Measure<'s, 'b> {
    root: &'s Value,
    budget: &'b mut SchemaBudget,
    unevaluated: usize,
    /// The remaining depth.
    depth: usize,
    /// The references that lead to the current value.
    open: Vec<&'s str>,
}

impl<'s> Measure<'s, '_> {
    fn value(&mut self, value: &'s Value) -> Result<(), &'static str> {
        self.budget.values = self
            .budget
            .values
            .checked_sub(1)
            .ok_or("the schemas are too large, with their references followed")?;
        self.depth = self
            .depth
            .checked_sub(1)
            .ok_or("the schema is too deep, with its references followed")?;
        match value {
            Value::Object(members) => self.object(members)?,
            Value::Array(elements) => elements.iter().try_for_each(|e| self.value(e))?,
            _ => {}
        }
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    fn object(&mut self, members: &'s Map<String, Value>) -> Result<(), &'static str> {
        for (name, value) in members {
            match (name.as_str(), value) {
                ("$ref", Value::String(reference)) => self.reference(reference)?,
                ("$dynamicRef" | "$recursiveRef", Value::String(_)) => {
                    return Err("references that depend on the caller aren't followed");
                }
                ("$id", Value::String(_)) if !std::ptr::eq(members, self.root_members()) => {
                    return Err("only the whole schema may have an `$id`");
                }
                ("pattern", Value::String(pattern)) => self.pattern(pattern)?,
                ("patternProperties", Value::Object(patterns)) => {
                    patterns.keys().try_for_each(|p| self.pattern(p))?;
                }
                ("unevaluatedProperties" | "unevaluatedItems", _) => {
                    self.unevaluated = self
                        .unevaluated
                        .checked_sub(1)
                        .ok_or("more than 8 `unevaluatedProperties` or `unevaluatedItems`")?;
                }
                _ => {}
            }
            self.value(value)?;
        }
        Ok(())
    }

    fn root_members(&self) -> *const Map<String, Value> {
        self.root
            .as_object()
            .map_or(std::ptr::null(), std::ptr::from_ref)
    }

    fn pattern(&mut self, pattern: &str) -> Result<(), &'static str> {
        if pattern.len() > PATTERN_BYTES {
            return Err("a pattern is longer than 1,000 bytes");
        }
        self.budget.patterns = self
            .budget
            .patterns
            .checked_sub(1)
            .ok_or("more than 256 patterns, with references followed")?;
        Ok(())
    }

    fn reference(&mut self, reference: &'s str) -> Result<(), &'static str> {
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| self.root.pointer(pointer))
            .ok_or("a reference doesn't lead to a part of the schema, as `#/$defs/name`")?;
        if reference == "#" || self.open.contains(&reference) {
            return Err("a part of the schema refers to itself");
        }
        self.open.push(reference);
        self.value(target)?;
        self.open.pop();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compile(schema: &Value) -> Result<BoundedValidator, String> {
        BoundedValidator::new(schema, &mut SchemaBudget::default()).map_err(|e| e.to_string())
    }

    #[test]
    fn plain_schemas_are_applied() {
        let schema = json!({"type":"object","required":["city"],"additionalProperties":false,
            "properties":{"city":{"$ref":"#/$defs/name"},"near":{"$ref":"#/$defs/name"}},
            "$defs":{"name":{"type":"string","pattern":"^[a-z]+$"}}});
        let mut schema = compile(&schema).unwrap();
        assert_eq!(schema.violations(r#"{"city":"rome"}"#), Some(vec![]));
        for (text, pointer) in [
            (r#"{"city":17}"#, "/city"),
            ("{}", ""),
            (r#"{"city":"Rome"}"#, "/city"),
            (r#"{"city":"rome","x":1}"#, "/x"),
        ] {
            let found = schema.violations(text).unwrap();
            assert_eq!(
                found.first().map(|(p, _)| p.as_str()),
                Some(pointer),
                "{text}"
            );
        }
        schema.values = WORK;
        assert_eq!(schema.violations("{}"), None, "the work is too much");
    }

    #[test]
    fn hostile_schemas_are_refused() {
        // Each level refers to the next one twice.
        let mut doubling = json!({"$ref":"#/$defs/d0"});
        for n in 0..40 {
            let next = format!("#/$defs/d{}", n + 1);
            doubling["$defs"][format!("d{n}")] = json!({"allOf":[{"$ref":next},{"$ref":next}]});
        }
        doubling["$defs"]["d40"] = json!(true);
        // Each part refers to the next one.
        let mut chain = json!({"$ref":"#/$defs/c0"});
        for n in 0..20_000 {
            chain["$defs"][format!("c{n}")] = json!({"$ref":format!("#/$defs/c{}", n + 1)});
        }
        chain["$defs"]["c20000"] = json!(true);
        let mut nested = json!({});
        for _ in 0..9 {
            nested = json!({"anyOf":[nested],"unevaluatedProperties":false});
        }
        for schema in [
            doubling,
            chain,
            nested,
            json!({"$ref":"#"}),
            json!({"properties":{"a":{"$ref":"#/properties/a"}}}),
            json!({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}),
            json!({"$ref":"https://example.com/schema.json"}),
            json!({"$ref":"file:///etc/passwd"}),
            json!({"$ref":"other.json#/a"}),
            json!({"$schema":"https://example.com/meta"}),
            json!({"$dynamicRef":"#a"}),
            json!({"properties":{"a":{"$id":"https://example.com/","$ref":"#/b"}}}),
            json!({"pattern":"(a+)+\\1"}),
            json!({"pattern":"(?=a)b"}),
            json!({"pattern":"((a{1,100}){1,100}){1,100}"}),
            json!({"pattern":"a".repeat(1_001)}),
            json!({"patternProperties":{"a".repeat(1_001):true}}),
            json!({"type":"strin"}),
            json!({"anyOf":vec![json!({"pattern":"a"}); 257]}),
        ] {
            assert!(compile(&schema).is_err(), "{schema:.200}");
        }
        // The budget is that of the manifest.
        let mut budget = SchemaBudget::default();
        let large = json!({"enum":vec![0; 60_000]});
        assert!(BoundedValidator::new(&large, &mut budget).is_ok());
        assert!(BoundedValidator::new(&large, &mut budget).is_err());
    }

    #[test]
    fn a_pattern_takes_linear_time() {
        let schema = compile(&json!({"pattern":"^(a|a)*$"})).unwrap();
        let text = format!("\"{}b\"", "a".repeat(50_000));
        assert_eq!(schema.violations(&text).unwrap().len(), 1);
    }
}
