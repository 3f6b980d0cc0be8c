//! A document and its values.
//!
//! A [`Document`] is the tokens of one text as a flat list of nodes, and one buffer in which their texts stand. A [`Value`] is a view into it: `Copy`, nothing to drop. Both buffers are reused from text to text, so a
//! message costs no allocation once they have grown. A node knows where its container ends, so that a value can be passed
//! over in one step.

use super::lexer::Kind;
use super::{Number, index};

/// One JSON text that was read, or as much of it as came before a fault.
#[derive(Clone, Debug, Default)]
pub struct Document {
    pub(super) nodes: Vec<Node>,
    pub(super) text: String,
}

static NOTHING: Document = Document {
    nodes: Vec::new(),
    text: String::new(),
};

/// One token. Texts are `text[start..end]`. The start of a container has the position of its last node in `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Document {
    /// The value that is the whole text. After a fault: what was read of it, with members that lack a value left
    /// out; `None` if nothing was.
    #[must_use]
    pub fn root(&self) -> Option<Value<'_>> {
        (!self.nodes.is_empty()).then(|| self.value(0))
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "positions of nodes come from the parser alone"
    )]
    #[inline]
    pub(super) fn node(&self, at: u32) -> Node {
        self.nodes[index(at)]
    }

    #[expect(
        clippy::string_slice,
        reason = "the parser appended each text whole and noted its bounds"
    )]
    #[inline]
    pub(super) fn text_of(&self, node: Node) -> &str {
        &self.text[index(node.start)..index(node.end)]
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "most callers look for one kind, and the rest of this goes away"
    )]
    fn value(&self, at: u32) -> Value<'_> {
        let node = self.node(at);
        let span = Span {
            document: self,
            at: at + 1,
            end: node.end,
        };
        match node.kind {
            Kind::ObjectStart => Value::Object(Object { span }),
            Kind::ArrayStart => Value::Array(Array { span }),
            Kind::String => Value::String(self.text_of(node)),
            Kind::Number => Value::Number(Number::new(self.text_of(node))),
            Kind::True => Value::Bool(true),
            Kind::False => Value::Bool(false),
            Kind::Null => Value::Null,
            Kind::Name | Kind::ObjectEnd | Kind::ArrayEnd => {
                unreachable!("no value begins with such a node")
            }
        }
    }

    /// As [`text_of`](Self::text_of), for a reader that needs no `str`.
    #[inline]
    pub(super) fn bytes_of(&self, node: Node) -> &[u8] {
        let text = self.text.as_bytes();
        text.get(index(node.start)..index(node.end))
            .unwrap_or_default()
    }

    /// The position behind the value at `at`.
    #[inline]
    fn skip(&self, at: u32) -> u32 {
        let node = self.node(at);
        match node.kind {
            Kind::ObjectStart | Kind::ArrayStart => node.end + 1,
            _ => at + 1,
        }
    }
}

/// A JSON value inside a [`Document`].
#[derive(Clone, Copy, Debug)]
pub enum Value<'d> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was spelled.
    Number(Number<'d>),
    /// A string, unescaped.
    String(&'d str),
    /// An array.
    Array(Array<'d>),
    /// An object.
    Object(Object<'d>),
}

impl<'d> Value<'d> {
    /// The type's name in JSON Schema: `null`, `boolean`, `number`, `string`, `array` or `object`.
    #[must_use]
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_str(self) -> Option<&'d str> {
        if let Self::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// The object, if it is one.
    #[must_use]
    pub fn as_object(self) -> Option<Object<'d>> {
        if let Self::Object(object) = self {
            Some(object)
        } else {
            None
        }
    }

    /// The array, if it is one.
    #[must_use]
    pub fn as_array(self) -> Option<Array<'d>> {
        if let Self::Array(array) = self {
            Some(array)
        } else {
            None
        }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_number(self) -> Option<Number<'d>> {
        if let Self::Number(number) = self {
            Some(number)
        } else {
            None
        }
    }

    /// The value of the member `name`, if this is an object that has it.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Value<'d>> {
        self.as_object().and_then(|object| object.get(name))
    }
}

/// The nodes between the first and the last one of a container; `at` moves when they are gone through.
#[derive(Clone, Copy, Debug)]
struct Span<'d> {
    document: &'d Document,
    at: u32,
    end: u32,
}

impl<'d> Span<'d> {
    #[inline]
    fn next_value(&mut self) -> Option<Value<'d>> {
        if self.at == self.end {
            return None;
        }
        let at = self.at;
        self.at = self.document.skip(at);
        Some(self.document.value(at))
    }

    /// The nodes, and the document that their texts stand in.
    fn nodes(self) -> (&'d Document, &'d [Node]) {
        let nodes = self.document.nodes.get(index(self.at)..index(self.end));
        (self.document, nodes.unwrap_or_default())
    }

    #[inline]
    fn next_member(&mut self) -> Option<Member<'d>> {
        if self.at == self.end {
            return None;
        }
        let Self { document, at, .. } = *self;
        self.at = document.skip(at + 1);
        Some(Member { document, at })
    }
}

/// A member of an object, whose name and value are looked at when they are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'d> {
    document: &'d Document,
    at: u32,
}

impl<'d> Member<'d> {
    /// Whether its name is `name`.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "with a name that is known, this is a few instructions"
    )]
    pub(crate) fn is(self, name: &str) -> bool {
        let node = self.document.node(self.at);
        let (start, end) = (index(node.start), index(node.end));
        // Most names differ in length from the one that is looked for.
        end - start == name.len()
            && self.document.text.as_bytes().get(start..end) == Some(name.as_bytes())
    }

    #[inline]
    pub(crate) fn name(self) -> &'d str {
        self.document.text_of(self.document.node(self.at))
    }

    #[inline]
    pub(crate) fn value(self) -> Value<'d> {
        self.document.value(self.at + 1)
    }
}

/// An array inside a [`Document`].
#[derive(Clone, Copy, Debug)]
pub struct Array<'d> {
    span: Span<'d>,
}

impl<'d> Array<'d> {
    /// What stands between the brackets.
    pub(super) fn nodes(self) -> (&'d Document, &'d [Node]) {
        self.span.nodes()
    }

    /// The elements, in order.
    #[must_use]
    pub fn iter(self) -> Elements<'d> {
        Elements { span: self.span }
    }
}

impl<'d> IntoIterator for Array<'d> {
    type Item = Value<'d>;
    type IntoIter = Elements<'d>;

    fn into_iter(self) -> Elements<'d> {
        self.iter()
    }
}

/// The elements of an [`Array`], in order.
#[derive(Clone, Debug)]
pub struct Elements<'d> {
    span: Span<'d>,
}

impl<'d> Iterator for Elements<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        self.span.next_value()
    }
}

/// An object inside a [`Document`]. No two of its names are the same.
#[derive(Clone, Copy, Debug)]
pub struct Object<'d> {
    span: Span<'d>,
}

impl<'d> Object<'d> {
    /// `{}`
    pub const EMPTY: Object<'static> = Object {
        span: Span {
            document: &NOTHING,
            at: 0,
            end: 0,
        },
    };

    /// What stands between the braces.
    pub(super) fn nodes(self) -> (&'d Document, &'d [Node]) {
        self.span.nodes()
    }

    /// The members, in the order of the text.
    #[must_use]
    pub fn iter(self) -> Members<'d> {
        Members { span: self.span }
    }

    /// The value of the member `name`, which must match exactly.
    #[must_use]
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "with a name that is known, the comparison is a few instructions"
    )]
    pub fn get(self, name: &str) -> Option<Value<'d>> {
        let mut members = self.members();
        members.find(|member| member.is(name)).map(Member::value)
    }

    /// Whether there is a member `name`.
    #[must_use]
    #[inline]
    pub fn has(self, name: &str) -> bool {
        self.members().any(|member| member.is(name))
    }

    /// The members, in the order of the text, none of them looked at.
    #[inline]
    pub(crate) fn members(self) -> impl Iterator<Item = Member<'d>> {
        let mut span = self.span;
        std::iter::from_fn(move || span.next_member())
    }
}

impl<'d> IntoIterator for Object<'d> {
    type Item = (&'d str, Value<'d>);
    type IntoIter = Members<'d>;

    fn into_iter(self) -> Members<'d> {
        self.iter()
    }
}

/// The members of an [`Object`], in the order of the text.
#[derive(Clone, Debug)]
pub struct Members<'d> {
    span: Span<'d>,
}

impl<'d> Members<'d> {
    /// The next member, not looked at.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Option<Member<'d>> {
        self.span.next_member()
    }
}

impl<'d> Iterator for Members<'d> {
    type Item = (&'d str, Value<'d>);

    #[inline]
    fn next(&mut self) -> Option<(&'d str, Value<'d>)> {
        let member = self.span.next_member()?;
        Some((member.name(), member.value()))
    }
}
