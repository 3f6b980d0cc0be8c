//! The three literal names of JSON (RFC 8259 §3), resumable at any byte.

use super::lexer::Kind;

/// One of the three words of JSON, and how much of it has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    letters: &'static [u8],
    pub(super) kind: Kind,
    pub(super) matched: usize,
}

impl Word {
    const TRUE: Self = Self {
        letters: b"true",
        kind: Kind::True,
        matched: 1,
    };
    const FALSE: Self = Self {
        letters: b"false",
        kind: Kind::False,
        matched: 1,
    };
    pub(super) const NULL: Self = Self {
        letters: b"null",
        kind: Kind::Null,
        matched: 1,
    };

    pub(super) fn beginning_with(letter: u8) -> Self {
        match letter {
            b't' => Self::TRUE,
            b'f' => Self::FALSE,
            _ => Self::NULL,
        }
    }

    pub(super) fn next_letter(self) -> Option<u8> {
        self.letters.get(self.matched).copied()
    }
}
