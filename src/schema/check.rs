//! A value against the rules of its schema.
//!
//! The containers that the check is inside of stand in a list, so that neither the depth of the value nor that of the schema
//! can overflow the stack. Nothing is allocated unless containers lie in containers or something does not fit.

use std::fmt;

use super::compile::{INTEGER, pointer_part};
use super::equal::equal;
use super::{Choice, Rules, Schema, Types};
use crate::json::{Document, Elements, Members, Value};

/// The most mismatches that one check reports.
const MAX_MISMATCHES: usize = 8;

/// The most characters of a name of the input that a message repeats.
const MAX_NAME: usize = 64;

/// One thing in a value that does not fit its schema: `/a: expected number, got string`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON Pointer into the value (RFC 6901).
    pub pointer: String,
    /// What was expected there.
    pub expected: String,
    /// The type that came, or `nothing`.
    pub got: &'static str,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.pointer.is_empty() { "" } else { ": " };
        write!(
            f,
            "{}{colon}expected {}, got {}",
            self.pointer, self.expected, self.got
        )
    }
}

/// Where a value stands in its container.
#[derive(Clone, Copy)]
enum Place<'d> {
    Root,
    Name(&'d str),
    Index(usize),
}

/// A container that is being gone through.
struct Container<'d> {
    place: Place<'d>,
    rules: usize,
    rest: Rest<'d>,
}

enum Rest<'d> {
    Members(Members<'d>),
    Elements(std::iter::Enumerate<Elements<'d>>),
}

impl Schema {
    /// Checks `value`; an empty list means that it fits. At most eight mismatches are reported.
    #[must_use]
    pub fn check(&self, value: Value<'_>) -> Vec<Mismatch> {
        let mut check = Check {
            schema: self,
            outer: Vec::new(),
            inner: None,
            found: Vec::new(),
        };
        check.inner = check.value(Place::Root, 0, value);
        while let Some(container) = &mut check.inner {
            // The container inside this one that is to be gone through first, if there is one.
            let nested = match &mut container.rest {
                Rest::Members(members) => {
                    let (mut rest, rules) = (members.clone(), container.rules);
                    let nested = check.members(&mut rest, rules);
                    if let (Some(_), Some(container)) = (&nested, &mut check.inner) {
                        container.rest = Rest::Members(rest);
                    }
                    nested
                }
                Rest::Elements(elements) => {
                    let (mut rest, rules) = (elements.clone(), container.rules);
                    let nested = check.elements(&mut rest, rules);
                    if let (Some(_), Some(container)) = (&nested, &mut check.inner) {
                        container.rest = Rest::Elements(rest);
                    }
                    nested
                }
            };
            if check.found.len() >= MAX_MISMATCHES {
                break;
            }
            if nested.is_some() {
                check
                    .outer
                    .extend(std::mem::replace(&mut check.inner, nested));
            } else {
                check.inner = check.outer.pop();
            }
        }
        check.found
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "positions come from the compiler of the schema alone"
    )]
    fn rules(&self, at: usize) -> &Rules {
        &self.rules[at]
    }
}

struct Check<'d, 's> {
    schema: &'s Schema,
    /// The containers around the innermost one.
    outer: Vec<Container<'d>>,
    inner: Option<Container<'d>>,
    found: Vec<Mismatch>,
}

impl<'d, 's> Check<'d, 's> {
    /// Checks members until one has an inside to go through.
    fn members(&mut self, members: &mut Members<'d>, rules: usize) -> Option<Container<'d>> {
        let rules = self.schema.rules(rules);
        for (name, value) in members {
            let known = rules.properties.iter().find(|(known, _)| known == name);
            if let Some(at) = known.map(|(_, at)| *at).or(rules.additional) {
                let nested = self.value(Place::Name(name), at, value);
                if nested.is_some() || self.found.len() >= MAX_MISMATCHES {
                    return nested;
                }
            }
        }
        None
    }

    /// Checks elements until one has an inside to go through.
    fn elements(
        &mut self,
        elements: &mut std::iter::Enumerate<Elements<'d>>,
        rules: usize,
    ) -> Option<Container<'d>> {
        let at = self.schema.rules(rules).items?;
        for (index, value) in elements {
            let nested = self.value(Place::Index(index), at, value);
            if nested.is_some() || self.found.len() >= MAX_MISMATCHES {
                return nested;
            }
        }
        None
    }

    /// Checks all but what is inside a container, and gives the container if its inside is worth a look.
    #[inline]
    fn value(&mut self, place: Place<'d>, at: usize, value: Value<'d>) -> Option<Container<'d>> {
        let rules = self.schema.rules(at);
        if !self.rules(rules, place, value) {
            return None;
        }
        let rest = match value {
            Value::Object(object)
                if !(rules.properties.is_empty() && rules.additional.is_none()) =>
            {
                Rest::Members(object.iter())
            }
            Value::Array(array) if rules.items.is_some() => {
                Rest::Elements(array.iter().enumerate())
            }
            _ => return None,
        };
        Some(Container {
            place,
            rules: at,
            rest,
        })
    }

    /// Checks a value but for its inside; whether the type fits.
    fn rules(&mut self, rules: &'s Rules, place: Place<'d>, value: Value<'d>) -> bool {
        if rules.never {
            self.mismatch(place, &self.nothing_but_known(), value.type_name());
            return false;
        }
        if let Some(types) = rules.types.as_ref().filter(|types| !types.fit(value)) {
            self.mismatch(place, &types.text, value.type_name());
            return false;
        }
        for choice in [&rules.one_of, &rules.constant].into_iter().flatten() {
            if !choice.has(value) {
                self.mismatch(place, &choice.text, value.type_name());
            }
        }
        match value {
            Value::Object(object) => {
                for name in rules.required.iter().filter(|name| !object.has(name)) {
                    let known = rules.properties.iter().find(|(known, _)| known == name);
                    let expected =
                        known.map_or("any value", |(_, at)| self.schema.rules(*at).expected());
                    self.missing(place, name, expected);
                }
            }
            Value::Number(number) => {
                let against = |bound: &Document| {
                    let bound = bound.root().and_then(Value::as_number)?;
                    Some((number.compare(bound), bound.as_str().to_owned()))
                };
                match rules.minimum.as_ref().and_then(against) {
                    Some((order, bound)) if order.is_lt() => {
                        self.mismatch(place, &format!("at least {bound}"), "a smaller number");
                    }
                    _ => {}
                }
                match rules.maximum.as_ref().and_then(against) {
                    Some((order, bound)) if order.is_gt() => {
                        self.mismatch(place, &format!("at most {bound}"), "a larger number");
                    }
                    _ => {}
                }
            }
            Value::String(text) if rules.min_length.is_some() || rules.max_length.is_some() => {
                let count = text.chars().count();
                if let Some(bound) = rules.min_length.filter(|bound| count < *bound) {
                    self.mismatch(
                        place,
                        &format!("at least {bound} characters"),
                        "a shorter string",
                    );
                }
                if let Some(bound) = rules.max_length.filter(|bound| count > *bound) {
                    self.mismatch(
                        place,
                        &format!("at most {bound} characters"),
                        "a longer string",
                    );
                }
            }
            _ => {}
        }
        true
    }

    /// What to say of a member that may not be: which names its object knows.
    fn nothing_but_known(&self) -> String {
        let container = self
            .inner
            .as_ref()
            .map(|container| self.schema.rules(container.rules));
        let names: Vec<&str> = container
            .iter()
            .flat_map(|rules| &rules.properties)
            .filter(|(_, at)| !self.schema.rules(*at).never)
            .map(|(name, _)| name.as_str())
            .collect();
        if names.is_empty() {
            "nothing".to_owned()
        } else {
            format!("no member but {}", names.join(", "))
        }
    }

    fn mismatch(&mut self, place: Place<'d>, expected: &str, got: &'static str) {
        self.report(self.pointer(place), expected, got);
    }

    fn missing(&mut self, place: Place<'d>, name: &str, expected: &str) {
        let pointer = format!("{}/{}", self.pointer(place), pointer_part(name));
        self.report(pointer, expected, "nothing");
    }

    fn report(&mut self, pointer: String, expected: &str, got: &'static str) {
        if self.found.len() < MAX_MISMATCHES {
            self.found.push(Mismatch {
                pointer,
                expected: expected.to_owned(),
                got,
            });
        }
    }

    fn pointer(&self, place: Place<'d>) -> String {
        let containers = self
            .outer
            .iter()
            .chain(&self.inner)
            .map(|container| container.place);
        let mut pointer = String::new();
        for place in containers.chain([place]) {
            match place {
                Place::Root => {}
                Place::Name(name) => {
                    let short: String = name.chars().take(MAX_NAME).collect();
                    pointer.push('/');
                    pointer.push_str(&pointer_part(&short));
                }
                Place::Index(index) => pointer.extend(["/", &index.to_string()]),
            }
        }
        pointer
    }
}

impl Rules {
    /// What a value should be, in a few words.
    fn expected(&self) -> &str {
        let choice = self
            .one_of
            .as_ref()
            .or(self.constant.as_ref())
            .map(|choice| choice.text.as_str());
        choice
            .or(self.types.as_ref().map(|types| types.text.as_str()))
            .unwrap_or("any value")
    }
}

impl Types {
    #[inline]
    fn fit(&self, value: Value<'_>) -> bool {
        let place = match value {
            Value::Null => 0,
            Value::Bool(_) => 1,
            Value::Number(number) if self.has(INTEGER) && number.is_integer() => return true,
            Value::Number(_) => 2,
            Value::String(_) => 4,
            Value::Array(_) => 5,
            Value::Object(_) => 6,
        };
        self.has(place)
    }

    fn has(&self, place: usize) -> bool {
        self.set >> place & 1 == 1
    }
}

impl Choice {
    fn has(&self, value: Value<'_>) -> bool {
        let values = self.values.root().and_then(Value::as_array);
        values
            .into_iter()
            .flatten()
            .any(|allowed| equal(allowed, value))
    }
}
