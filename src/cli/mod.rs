//! What the program does for a person: its help, its tools as a list, one call, a check of definitions and transcripts.
//!
//! In: words of the command line, already sorted by `main`. Out: text on standard output, reasons on standard error and
//! an exit code. The server itself knows nothing of this: who vendors it can leave this folder out.

pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod help;
pub(crate) mod sbom;
pub(crate) mod terminal;
pub(crate) mod tools;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use terminal::visible_lines;

/// Prints to standard output; a reader that has gone is no failure.
pub(crate) fn print(text: &str) -> ExitCode {
    match io::stdout()
        .lock()
        .write_all(text.as_bytes())
        .and_then(|()| io::stdout().flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => fail(&error.to_string(), 1),
        _ => ExitCode::SUCCESS,
    }
}

/// Says on standard error what went wrong.
pub(crate) fn fail(reason: &str, status: u8) -> ExitCode {
    // What was typed may be part of the reason, and must not move the cursor or the colours of the terminal.
    let reason = visible_lines(reason);
    let _ = io::stderr().write_all(format!("barewire: {reason}\n").as_bytes());
    ExitCode::from(status)
}

/// ` (did you mean add?)`, if one of `known` is spelled much like `word`; else nothing.
pub(crate) fn suggestion<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let distances = known
        .into_iter()
        .map(|known| (distance(word, known), known));
    let nearest = distances.min_by_key(|(distance, _)| *distance);
    match nearest {
        // One slip in a short word, two in a longer one; more is another word.
        Some((distance, known)) if distance <= known.trim_start_matches('-').len().div_ceil(4) => {
            format!(" (did you mean {known}?)")
        }
        _ => String::new(),
    }
}

/// How many characters must be added, dropped, changed or swapped with their neighbour to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    // No word of the command line is this long: what is compared stays small, whatever is typed.
    if from.len().max(to.len()) > 128 {
        return usize::MAX;
    }
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX);
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let changed = at(&last, j) + usize::from(a != b);
            let mut fewest = changed.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let is_swap = i > 0 && j > 0 && from.get(i - 1) == Some(b) && to.get(j - 1) == Some(a);
            if is_swap {
                fewest = fewest.min(at(&before_last, j - 1) + 1);
            }
            row.push(fewest);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    at(&last, to.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_suggested_if_it_is_near() {
        let known = [
            "serve", "tools", "call", "check", "help", "--json", "--data",
        ];
        let rows = [
            ("tool", "tools"),
            ("chekc", "check"),
            ("cal", "call"),
            ("hlep", "help"),
            ("sevre", "serve"),
            ("--jsn", "--json"),
            ("--datas", "--data"),
            ("nope", ""),
            ("--nope", ""),
            ("", ""),
            ("list", ""),
        ];
        for (word, expected) in rows {
            let expected = match expected {
                "" => String::new(),
                known => format!(" (did you mean {known}?)"),
            };
            assert_eq!(suggestion(word, known), expected, "{word}");
        }
        assert_eq!(suggestion(&"x".repeat(1 << 20), known), "");
    }

    #[test]
    fn a_swap_of_neighbours_is_one_step() {
        let rows = [
            ("", "", 0),
            ("abc", "", 3),
            ("", "abc", 3),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
            ("áb", "áb", 0),
        ];
        for (from, to, steps) in rows {
            assert_eq!(distance(from, to), steps, "{from} {to}");
        }
    }
}
