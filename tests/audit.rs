//! The figures of "Audit it" in README.md are what the tree holds.
//!
//! `BAREWIRE_REWRITE=1 cargo test --test audit` writes them anew. What is measured on a built program is in `audit.py`.
#![allow(
    clippy::unwrap_used,
    clippy::tests_outside_test_module,
    reason = "a test may panic"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What the table of the source begins with.
const HEAD: &str = "| in `src` | |";

/// What the row beside others begins with; its last cell, the size, is held by `audit.py`.
const ROW: &str = "| barewire | ";

#[derive(Debug, Default, PartialEq, Eq)]
struct Figures {
    files: usize,
    code: usize,
    comments: usize,
    blank: usize,
    tests: usize,
    public: usize,
    unsafe_lines: usize,
}

impl Figures {
    fn add(&mut self, text: &str) {
        self.files += 1;
        let mut is_test = false;
        for line in text.lines() {
            // A module of tests stands at the left edge and ends with the brace there.
            is_test |= line == "#[cfg(test)]";
            if is_test {
                self.tests += 1;
                is_test = line != "}";
                continue;
            }
            let line = line.trim();
            if line.is_empty() {
                self.blank += 1;
            } else if line.starts_with("//") {
                self.comments += 1;
            } else {
                self.code += 1;
                self.public += usize::from(is_public_item(line));
                self.unsafe_lines += usize::from(has_unsafe(line));
            }
        }
    }

    fn lines(&self) -> usize {
        self.code + self.comments + self.blank + self.tests
    }

    fn row(&self, dependencies: usize) -> String {
        let lines = grouped(self.lines());
        format!("{ROW}{dependencies} | {lines} | {} |", self.unsafe_lines)
    }

    fn table(&self, dependencies: usize) -> String {
        let rows = [
            ("files", self.files),
            ("lines of code", self.code),
            ("lines of comments", self.comments),
            ("blank lines", self.blank),
            ("lines of unit tests", self.tests),
            ("lines in all", self.lines()),
            ("public items", self.public),
            ("lines with `unsafe`", self.unsafe_lines),
            ("dependencies", dependencies),
        ];
        let mut table = format!("{HEAD}\n|---|---|\n");
        for (name, count) in rows {
            writeln!(table, "| {name} | {} |", grouped(count)).unwrap();
        }
        table
    }
}

/// A function, type, trait, constant or module that is offered to other crates.
fn is_public_item(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let kinds = ["fn", "struct", "enum", "trait", "const", "type", "mod"];
    matches!(words.as_slice(), ["pub", kind, ..] if kinds.contains(kind))
}

/// The word, outside a comment at the end of the line.
fn has_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap();
    let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == "unsafe")
}

/// `12345` as `12,345`.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The lines of a manifest's sections of dependencies, of any kind.
fn dependencies(manifest: &str) -> usize {
    let mut is_in = false;
    let mut count = 0;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            is_in = line.contains("dependencies");
        } else {
            count += usize::from(is_in && line.contains('='));
        }
    }
    count
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn measured() -> Figures {
    let mut figures = Figures::default();
    let mut paths: Vec<PathBuf> = vec![root().join("src")];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(
                std::fs::read_dir(&path)
                    .unwrap()
                    .map(|it| it.unwrap().path()),
            );
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            figures.add(&std::fs::read_to_string(&path).unwrap());
        }
    }
    figures
}

/// `readme` with the figures as they are now.
fn rewritten(readme: &str, figures: &Figures, dependencies: usize) -> String {
    let (before, rest) = readme.split_once(HEAD).expect("README has the table");
    let (_, rest) = rest.split_once("\n\n").expect("text stands below it");
    let (between, rest) = rest.split_once(ROW).expect("README has the row");
    let (row, after) = rest.split_once('\n').unwrap();
    let cells: Vec<&str> = row.split('|').collect();
    let size = cells.get(3).expect("a row has four cells");
    let table = figures.table(dependencies);
    let row = figures.row(dependencies);
    format!("{before}{table}\n{between}{row}{size}|\n{after}")
}

#[test]
fn the_readme_states_what_the_source_holds() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (figures, dependencies) = (measured(), dependencies(&manifest));
    assert_eq!((figures.unsafe_lines, dependencies), (0, 0));
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let expected = rewritten(&readme, &figures, dependencies);
    if std::env::var_os("BAREWIRE_REWRITE").is_some() {
        std::fs::write(&path, expected).unwrap();
        return;
    }
    let advice = "BAREWIRE_REWRITE=1 cargo test --test audit writes README anew";
    for (stated, counted) in readme.lines().zip(expected.lines()) {
        assert_eq!(stated, counted, "{advice}");
    }
    assert_eq!(readme, expected, "{advice}");
}

#[test]
fn each_kind_of_line_is_counted_as_the_readme_says() {
    let text = "//! x\n\npub fn f() {} // unsafe\npub(crate) fn g() {}\n    pub const fn h() {}\n\
                unsafe { x }\npub use y;\n#[cfg(test)]\nmod tests {\n\n    // pub fn\n}\nconst A: u8 = 1;\n";
    let mut figures = Figures::default();
    figures.add(text);
    let expected = Figures {
        files: 1,
        code: 6,
        comments: 1,
        blank: 1,
        tests: 5,
        public: 2,
        unsafe_lines: 1,
    };
    assert_eq!(figures, expected);
    assert_eq!(grouped(1_234_567), "1,234,567");
    assert_eq!(dependencies("[a]\nx=1\n[dev-dependencies]\ny = 2\n"), 1);
}
