//! What text looks like to a person: how wide the terminal is, what is bold, where lines break, where a caret stands.
//!
//! Nothing here writes: every function gives text back, so that the layout can be tested without a terminal.

use std::ffi::OsString;
use std::io::IsTerminal;

/// Columns of a terminal that does not say how many it has.
pub(crate) const COLUMNS: usize = 80;

/// How to write for whoever reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Where lines must break; `None` if a program reads, which wants a line whole.
    pub(crate) columns: Option<usize>,
    /// Whether bold is understood.
    pub(crate) is_styled: bool,
}

impl Look {
    pub(crate) const PLAIN: Self = Self {
        columns: None,
        is_styled: false,
    };

    /// Of what is written to `stream`.
    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        Self::read(stream.is_terminal(), |name| std::env::var_os(name))
    }

    /// `std` cannot ask a terminal for its size, so `COLUMNS` is taken if a terminal can have that many. A Windows console
    /// sets no `TERM` and may not understand escape sequences, so without one there are none.
    fn read(is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        if !is_terminal {
            return Self::PLAIN;
        }
        let columns = variable("COLUMNS").and_then(|text| text.to_str()?.trim().parse().ok());
        let columns = columns.filter(|columns| (20..=1000).contains(columns));
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        let is_dumb = variable("TERM").is_some_and(|term| term == "dumb");
        Self {
            columns: Some(columns.unwrap_or(COLUMNS)),
            is_styled: is_set("TERM") && !is_dumb && !is_set("NO_COLOR"),
        }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        if self.is_styled {
            format!("\x1b[1m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// The columns that a character takes: none if it joins the one before, two if it is wide (Unicode UAX #11), else one.
fn columns_of(character: char) -> usize {
    match u32::from(character) {
        0x0300..=0x036f | 0x1ab0..=0x1aff | 0x20d0..=0x20ff | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1faff
        | 0x2_0000..=0x3_fffd => 2,
        _ => 1,
    }
}

/// The columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// `text` with its control characters, and those that turn or hide what is beside them, in a form that shows them.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    text.chars()
        .for_each(|character| show(character, &mut shown));
    shown
}

/// The same, but line breaks and tabs stay.
pub(crate) fn visible_lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            _ => show(character, &mut shown),
        }
    }
    shown
}

fn show(character: char, shown: &mut String) {
    let code = u32::from(character);
    match code {
        // Unicode has a picture of one column for each.
        0x00..=0x1f => shown.extend(char::from_u32(0x2400 + code)),
        0x7f => shown.push('\u{2421}'),
        _ if is_unseen(character) => shown.extend(["<U+", &format!("{code:04X}"), ">"]),
        _ => shown.push(character),
    }
}

/// Whether a reader of the text does not see the character, although a model or a terminal does: controls, marks of
/// direction, characters without width, tags.
pub(crate) fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(
            u32::from(character),
            0xad | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xe0000..=0xe0fff
        )
}

/// `text` in lines of at most `columns`, broken at spaces, or inside a word that is longer. Its own line breaks stay.
pub(crate) fn wrap(text: &str, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else {
        return text.lines().map(visible).collect();
    };
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        let mut used = 0;
        for word in paragraph.split_whitespace() {
            let word = visible(word);
            let len = width(&word);
            if used > 0 && used + 1 + len > columns {
                lines.push(std::mem::take(&mut line));
                used = 0;
            } else if used > 0 {
                line.push(' ');
                used += 1;
            }
            for character in word.chars() {
                let len = columns_of(character);
                if used + len > columns && used > 0 {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                line.push(character);
                used += len;
            }
        }
        lines.push(line);
    }
    lines
}

/// Adds `text` to `out` as a column that begins at `indent`: beside what takes `used` columns of the line already, if that
/// leaves two free, else below it.
pub(crate) fn column(out: &mut String, used: usize, indent: usize, text: &str, look: Look) {
    let columns = look
        .columns
        .map(|columns| columns.saturating_sub(indent).max(16));
    for (index, line) in wrap(text, columns).iter().enumerate() {
        let is_beside = index == 0 && (used == 0 || used + 2 <= indent);
        if !is_beside {
            out.push('\n');
        }
        if !line.is_empty() {
            let at = if is_beside { used } else { 0 };
            out.push_str(&" ".repeat(indent - at));
            out.push_str(line);
        }
    }
    out.push('\n');
}

/// The line of `text` that holds the byte at `offset`, cut to `columns` around it, and below it a caret at that byte.
pub(crate) fn caret(text: &[u8], offset: usize, columns: usize) -> String {
    // The dots of both cuts, and the caret behind the end.
    const SPARE: usize = 7;
    let budget = columns.saturating_sub(SPARE).max(8);
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, &[]));
    // A line break is shown only if it is the fault itself.
    let start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let before = before.get(start..).unwrap_or_default();
    let after = match after.iter().skip(1).position(|byte| *byte == b'\n') {
        Some(len) => after.get(..=len).unwrap_or_default(),
        None => after,
    };
    // No character takes more bytes than this for a column that it fills.
    let near = 16 * budget;
    let before_start = character_start(before, before.len().saturating_sub(near));
    let mut left = cells(before.get(before_start..).unwrap_or_default());
    let mut right = cells(after.get(..near.min(after.len())).unwrap_or_default());
    let room_right = fitting(right.iter(), budget / 2).1;
    let (kept_left, used_left) = fitting(left.iter().rev(), budget - room_right);
    let (kept_right, _) = fitting(right.iter(), budget - used_left);
    let is_cut_left = kept_left < left.len() || before_start > 0;
    let is_cut_right = kept_right < right.len() || after.len() > near;
    left.drain(..left.len() - kept_left);
    right.truncate(kept_right);
    let dots = |is_cut| if is_cut { "..." } else { "" };
    let (left, right) = (left.concat(), right.concat());
    let line = format!("{}{left}{right}{}", dots(is_cut_left), dots(is_cut_right));
    let spaces = width(dots(is_cut_left)) + width(&left);
    format!("{line}\n{}^", " ".repeat(spaces))
}

/// The start of the character that the byte at `at` is part of.
fn character_start(bytes: &[u8], at: usize) -> usize {
    let is_inside = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    // Four bytes at most: what is longer is no character, and any place in it will do.
    (0..4)
        .map_while(|back| at.checked_sub(back))
        .find(|at| !is_inside(at))
        .unwrap_or(at)
}

/// Each character as it is shown, with what joins it; what is no UTF-8 as one replacement character a piece.
fn cells(bytes: &[u8]) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    for character in String::from_utf8_lossy(bytes).chars() {
        match cells.last_mut() {
            Some(last) if columns_of(character) == 0 => last.push(character),
            _ => cells.push(visible(character.encode_utf8(&mut [0; 4]))),
        }
    }
    cells
}

/// How many of the cells fit into `columns`, and the columns that they take.
fn fitting<'c>(cells: impl Iterator<Item = &'c String>, columns: usize) -> (usize, usize) {
    let (mut count, mut used) = (0, 0);
    for cell in cells {
        let len = width(cell);
        if used + len > columns {
            break;
        }
        count += 1;
        used += len;
    }
    (count, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_depends_on_the_terminal_and_four_variables() {
        // Whether it is a terminal, COLUMNS, TERM, NO_COLOR; columns, whether it is styled.
        let rows = [
            (false, Some("40"), Some("xterm"), None, None, false),
            (true, None, Some("xterm"), None, Some(80), true),
            (true, Some("40"), Some("xterm"), None, Some(40), true),
            (true, Some("19"), Some("xterm"), None, Some(80), true),
            (true, Some("1001"), Some("xterm"), None, Some(80), true),
            (true, Some("wide"), Some("xterm"), None, Some(80), true),
            (true, Some(""), Some("dumb"), None, Some(80), false),
            (true, Some("-5"), None, None, Some(80), false),
            (true, None, Some("xterm"), Some("1"), Some(80), false),
            (true, None, Some("xterm"), Some(""), Some(80), true),
        ];
        for (is_terminal, columns, term, no_color, expected, is_styled) in rows {
            let variable = |name: &str| match name {
                "COLUMNS" => columns.map(OsString::from),
                "TERM" => term.map(OsString::from),
                "NO_COLOR" => no_color.map(OsString::from),
                _ => panic!("{name}"),
            };
            let look = Look::read(is_terminal, variable);
            assert_eq!(
                (look.columns, look.is_styled),
                (expected, is_styled),
                "{columns:?} {term:?} {no_color:?}"
            );
            assert_eq!(look.bold("x") == "x", !is_styled);
        }
    }

    #[test]
    fn lines_break_at_spaces_and_inside_what_is_too_long() {
        // Columns, text, lines.
        let rows: &[(usize, &str, &[&str])] = &[
            (10, "one two three", &["one two", "three"]),
            (7, "one two", &["one two"]),
            (6, "one two", &["one", "two"]),
            (4, "abcdefghij", &["abcd", "efgh", "ij"]),
            (4, "a bcdefg", &["a", "bcde", "fg"]),
            (9, "  one \t two  ", &["one two"]),
            (9, "one\n\ntwo", &["one", "", "two"]),
            (6, "漢字漢字", &["漢字漢", "字"]),
            (5, "漢字漢字", &["漢字", "漢字"]),
            (
                4,
                "e\u{301}e\u{301}e\u{301}e\u{301}e",
                &["e\u{301}e\u{301}e\u{301}e\u{301}", "e"],
            ),
            (9, "", &[]),
        ];
        for (columns, text, lines) in rows {
            assert_eq!(wrap(text, Some(*columns)), *lines, "{text:?}");
            assert!(
                wrap(text, Some(*columns))
                    .iter()
                    .all(|line| width(line) <= *columns)
            );
        }
        assert_eq!(wrap("one  two\nthree\x07", None), ["one  two", "three␇"]);
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        let rows = [
            ("plain é 漢", "plain é 漢"),
            ("\x1b[2J\r\n\t\0\x7f", "␛[2J␍␊␉␀␡"),
            (
                "a\u{202e}b\u{200b}\u{e0041}\u{85}\u{feff}",
                "a<U+202E>b<U+200B><U+E0041><U+0085><U+FEFF>",
            ),
        ];
        for (text, shown) in rows {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(visible_lines("a\n\tb\x1b"), "a\n\tb␛");
    }

    #[test]
    fn a_column_stands_beside_what_is_short_and_below_what_is_not() {
        let look = Look {
            columns: Some(26),
            is_styled: false,
        };
        let laid = |start: &str, text| {
            let mut out = start.to_owned();
            column(&mut out, width(start), 6, text, look);
            out
        };
        assert_eq!(
            laid("add", "one two three four five six"),
            "add   one two three four\n      five six\n"
        );
        assert_eq!(laid("four", "x"), "four  x\n");
        assert_eq!(laid("fives", "x"), "fives\n      x\n");
        assert_eq!(laid("", "x\n\ny"), "      x\n\n      y\n");
        assert_eq!(laid("add", ""), "add\n");
    }

    #[test]
    fn the_caret_stands_below_the_byte() {
        let rows: &[(&[u8], usize, &str)] = &[
            (b"{bad", 1, "{bad\n ^"),
            (b"{\"a\":", 5, "{\"a\":\n     ^"),
            (b"", 0, "\n^"),
            // A wide character takes two columns, a combining one none, an unseen one as many as its picture.
            ("\"漢\x01".as_bytes(), 4, "\"漢␁\n   ^"),
            ("\"e\u{301}\x01".as_bytes(), 4, "\"e\u{301}␁\n  ^"),
            (
                "\"\u{202e}x\t\"".as_bytes(),
                5,
                "\"<U+202E>x␉\"\n          ^",
            ),
            (b"\"\xff\xfe\"", 1, "\"\u{fffd}\u{fffd}\"\n ^"),
            // Of several lines the one with the fault; a line break that is the fault is seen.
            (b"{\"a\":1,\n\"b\" 2,\n\"c\":3}", 12, "\"b\" 2,\n    ^"),
            (b"[\"a\nb\"]", 3, "[\"a␊b\"]\n   ^"),
            // Past the end of the text: at its end.
            (b"[1", 9, "[1\n  ^"),
        ];
        for (text, offset, expected) in rows {
            assert_eq!(caret(text, *offset, 80), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let text = "[0,1,2,3,4,5,6,7,8,9,x,1,2,3,4,5,6,7,8,9]";
        assert_eq!(
            caret(text.as_bytes(), 21, 20),
            "...,7,8,9,x,1,2,...\n          ^"
        );
        assert_eq!(caret(text.as_bytes(), 1, 20), "[0,1,2,3,4,5,...\n ^");
        assert_eq!(
            caret(text.as_bytes(), 41, 20),
            "...,4,5,6,7,8,9]\n                ^"
        );
        for text in [
            "漢".repeat(400_000),
            "x".repeat(1 << 20),
            "\u{301}".repeat(1 << 19),
            "\x01".repeat(1 << 20),
        ] {
            for offset in [0, 3, text.len() / 6 * 3, text.len()] {
                let shown = caret(text.as_bytes(), offset, 40);
                assert!(
                    shown.lines().all(|line| width(line) <= 40),
                    "{offset}: {shown}"
                );
            }
        }
    }
}
