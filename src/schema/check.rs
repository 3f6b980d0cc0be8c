//! A value against the rules of its schema.
//!
//! The containers that the check is inside of stand in a list, so that neither the depth of the value nor that of the schema
//! can overflow the stack. Nothing is allocated unless containers lie in containers or something does not fit.

use std::fmt;
use std::iter::Enumerate;

use super::compile::{INTEGER, pointer_part};
use super::equal::equal;
use super::{Choice, Limits, Rules, Schema, Types};
use crate::json::{Document, Elements, Member, Members, Object, Value};

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
    Member(Member<'d>),
    Index(usize),
}

/// A container that is being gone through, and the position of its rules.
struct Container<'d> {
    place: Place<'d>,
    rules: usize,
    rest: Rest<'d>,
}

/// What is still to be looked at.
enum Rest<'d> {
    Members(Members<'d>),
    Elements(Enumerate<Elements<'d>>),
}

impl<'d> Rest<'d> {
    #[inline]
    fn next(&mut self) -> Option<(Place<'d>, Value<'d>)> {
        match self {
            Self::Members(members) => {
                let member = members.next_member()?;
                Some((Place::Member(member), member.value()))
            }
            Self::Elements(elements) => {
                let (index, value) = elements.next()?;
                Some((Place::Index(index), value))
            }
        }
    }
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
            let Some((place, value)) = container.rest.next() else {
                check.inner = check.outer.pop();
                continue;
            };
            let Some(rules) = self.rules(container.rules).for_value_at(place) else {
                continue;
            };
            if let Some(nested) = check.value(place, rules, value) {
                check.outer.extend(check.inner.replace(nested));
            }
            if check.found.len() >= MAX_MISMATCHES {
                break;
            }
        }
        check.found
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "positions come from the compiler of the schema alone"
    )]
    #[inline]
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
    /// Checks all but what is inside a container, and gives the container if its inside is worth a look.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "most values are no containers, for which this is a few instructions"
    )]
    fn value(&mut self, place: Place<'d>, at: usize, value: Value<'d>) -> Option<Container<'d>> {
        let rules = self.schema.rules(at);
        if !rules.types.fit(value) {
            self.other_type(place, rules, value);
            return None;
        }
        if let Some(limits) = &rules.limits {
            self.limits(limits, place, value);
        }
        let rest = match value {
            Value::Object(object) => self.members(rules, place, object)?,
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

    /// Checks which members there are, and gives them if their values are worth a look.
    #[inline(never)]
    fn members(
        &mut self,
        rules: &'s Rules,
        place: Place<'d>,
        object: Object<'d>,
    ) -> Option<Rest<'d>> {
        let mut members = object.members();
        for name in &rules.required {
            // Most objects begin with those that are required, in the same order.
            let is_next = members.next().is_some_and(|member| member.is(name));
            if !is_next && !object.has(name) {
                self.missing(place, rules, name);
            }
        }
        let has_rules = !rules.properties.is_empty() || rules.additional.is_some();
        has_rules.then(|| Rest::Members(object.iter()))
    }

    #[cold]
    fn missing(&mut self, place: Place<'d>, rules: &'s Rules, name: &str) {
        let known = rules.properties.iter().find(|(known, _)| known == name);
        let expected = known.map_or("any value", |(_, at)| self.schema.rules(*at).expected());
        let pointer = format!("{}/{}", self.pointer(place), pointer_part(name));
        self.report(pointer, expected, "nothing");
    }

    #[cold]
    fn other_type(&mut self, place: Place<'d>, rules: &'s Rules, value: Value<'d>) {
        if rules.is_never() {
            self.mismatch(place, &self.nothing_but_known(), value.type_name());
        } else {
            self.mismatch(place, &rules.types.text, value.type_name());
        }
    }

    #[inline(never)]
    fn limits(&mut self, limits: &'s Limits, place: Place<'d>, value: Value<'d>) {
        for choice in [&limits.one_of, &limits.constant].into_iter().flatten() {
            if !choice.has(value) {
                self.mismatch(place, &choice.text, value.type_name());
            }
        }
        match value {
            Value::Number(number) => {
                let against = |bound: &Document| {
                    let bound = bound.root().and_then(Value::as_number)?;
                    Some((number.compare(bound), bound.as_str().to_owned()))
                };
                match limits.minimum.as_ref().and_then(against) {
                    Some((order, bound)) if order.is_lt() => {
                        self.mismatch(place, &format!("at least {bound}"), "a smaller number");
                    }
                    _ => {}
                }
                match limits.maximum.as_ref().and_then(against) {
                    Some((order, bound)) if order.is_gt() => {
                        self.mismatch(place, &format!("at most {bound}"), "a larger number");
                    }
                    _ => {}
                }
            }
            Value::String(text) if limits.min_length.is_some() || limits.max_length.is_some() => {
                let count = text.chars().count();
                if let Some(bound) = limits.min_length.filter(|bound| count < *bound) {
                    self.mismatch(
                        place,
                        &format!("at least {bound} characters"),
                        "a shorter string",
                    );
                }
                if let Some(bound) = limits.max_length.filter(|bound| count > *bound) {
                    self.mismatch(
                        place,
                        &format!("at most {bound} characters"),
                        "a longer string",
                    );
                }
            }
            _ => {}
        }
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
            .filter(|(_, at)| !self.schema.rules(*at).is_never())
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
                Place::Member(member) => {
                    let short: String = member.name().chars().take(MAX_NAME).collect();
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
    /// The position of the rules for what stands at `place` in a container with these rules, if there are any.
    #[inline]
    fn for_value_at(&self, place: Place<'_>) -> Option<usize> {
        match place {
            Place::Root => None,
            Place::Member(member) => {
                let known = self.properties.iter().find(|(name, _)| member.is(name));
                known.map(|(_, at)| *at).or(self.additional)
            }
            Place::Index(_) => self.items,
        }
    }

    fn is_never(&self) -> bool {
        self.types.set == 0
    }

    /// What a value should be, in a few words.
    fn expected(&self) -> &str {
        let limits = self.limits.as_ref();
        let choice = limits.and_then(|limits| limits.one_of.as_ref().or(limits.constant.as_ref()));
        choice.map_or(&self.types.text, |choice| &choice.text)
    }
}

impl Types {
    #[inline]
    fn fit(&self, value: Value<'_>) -> bool {
        match value {
            Value::Null => self.has(0),
            Value::Bool(_) => self.has(1),
            Value::Number(number) => self.has(2) || (self.has(INTEGER) && number.is_integer()),
            Value::String(_) => self.has(4),
            Value::Array(_) => self.has(5),
            Value::Object(_) => self.has(6),
        }
    }

    #[inline]
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
