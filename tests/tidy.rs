//! What must be true of the tree itself: who imports whom, what is not used, and how long a file may be.
//!
//! Each rule is a function from a text to what breaks it, and the last test shows that each one can find something.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

/// The modules from the top down: each imports only from a later line, or from its own module.
const LAYERS: [&[&str]; 6] = [
    &["main"],
    &["cli"],
    &["stdio"],
    &["mcp"],
    &["rpc", "schema", "catalog"],
    &["json"],
];

/// The one import between neighbours: a tool's schema is compiled as the tool is made, so that a bad one never starts.
const NEIGHBOURS: (&str, &str) = ("catalog", "schema");

const MAX_LINES: usize = 650;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `src`: its path from there, with slashes, and its text.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root().join("src")).unwrap();
                let name = name.to_str().unwrap().replace('\\', "/");
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(found.len() > 8, "{found:?}");
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The lines of code, without comments: what a rule is about is used there, and may be named anywhere.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| match line.split_once("//") {
        Some((code, _)) if !code.ends_with(':') => code,
        _ => line,
    })
}

/// The module of a file: `json` for `json/mod.rs`, `stdio` for `stdio.rs`.
fn module(file: &str) -> &str {
    let first = file.split('/').next().unwrap();
    first.strip_suffix(".rs").unwrap_or(first)
}

/// The modules of this crate that a file names after `crate::` or `barewire::`, alone or in braces.
fn imports(text: &str) -> Vec<String> {
    let text: String = code(text).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for start in ["crate::", "barewire::"] {
        for (at, _) in text.match_indices(start) {
            let rest = text.get(at + start.len()..).unwrap();
            let names = match rest.strip_prefix('{') {
                Some(list) => first_names(list),
                None => vec![word(rest)],
            };
            found.extend(names.into_iter().map(str::to_owned));
        }
    }
    found
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text.get(..end.unwrap_or(text.len())).unwrap()
}

/// The first name of each item of a list in braces, up to the brace that closes it.
fn first_names(list: &str) -> Vec<&str> {
    let mut names = vec![word(list.trim_start())];
    let mut depth = 0;
    for (at, sign) in list.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(word(list.get(at + 1..).unwrap().trim_start())),
            _ => {}
        }
    }
    names
}

fn upward_import(file: &str, text: &str) -> Option<String> {
    let layer = |module: &str| LAYERS.iter().position(|names| names.contains(&module));
    let own = module(file);
    if own == "lib" {
        return None;
    }
    let Some(own_layer) = layer(own) else {
        return Some(format!("{file}: no module of the design"));
    };
    let imports = imports(text);
    let bad = imports.iter().find(|name| {
        let is_lower = layer(name).is_some_and(|layer| layer > own_layer);
        layer(name).is_some() && !is_lower && *name != own && (own, &***name) != NEIGHBOURS
    });
    bad.map(|name| format!("{file} imports {name}"))
}

/// What a file must not hold, and where it may.
fn forbidden(file: &str, text: &str) -> Option<String> {
    let edge = matches!(module(file), "main" | "cli" | "stdio");
    // A catalog that touches the world says so in its header.
    let mut header = text.lines().take_while(|line| line.starts_with("//!"));
    let says_so = module(file) == "catalog" && header.any(|line| line.contains("input and output"));
    let world = [
        "std::io",
        "std::env",
        "std::time",
        "std::fs",
        "std::process",
    ];
    let printing = ["print!(", "println!(", "eprint!(", "eprintln!(", "dbg!("];
    for line in code(text) {
        let has = |word: &&&str| line.contains(**word);
        let nowhere = ["unsafe ", "unsafe{", "macro_rules!", "std::net"];
        if let Some(word) = nowhere.iter().find(has) {
            return Some(format!("{file}: {word}"));
        }
        if let Some(word) = world.iter().find(has).filter(|_| !edge && !says_so) {
            return Some(format!("{file}: {word}"));
        }
        if let Some(word) = printing.iter().find(has).filter(|_| file != "main.rs") {
            return Some(format!("{file}: {word}"));
        }
    }
    let lines = text.lines().count();
    (lines > MAX_LINES).then(|| format!("{file}: {lines} lines"))
}

/// A section of dependencies, features or a build script in a manifest.
fn dependency(manifest: &str) -> Option<&str> {
    manifest.lines().map(str::trim).find(|line| {
        line.starts_with('[') && (line.contains("dependencies") || line.contains("features"))
            || line.starts_with("build ")
            || line.starts_with("build=")
    })
}

/// A name at the top level that has no place there.
fn stranger<'n>(names: &[&'n str]) -> Option<&'n str> {
    const PLACES: [&str; 11] = [
        "Cargo.toml",
        "Cargo.lock",
        "src",
        "tests",
        "fuzz",
        "README.md",
        ".gitignore",
        ".ci",
        "LICENSE",
        // What a clone and a build leave there, when git is not asked.
        ".git",
        "target",
    ];
    names.iter().copied().find(|name| !PLACES.contains(name))
}

/// The names at the top level: of what git keeps, or of all that is there if there is no git.
fn top_level() -> Vec<String> {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output();
    let listed = listed
        .ok()
        .filter(|output| output.status.success() && !output.stdout.is_empty());
    match listed {
        Some(output) => {
            let paths = String::from_utf8(output.stdout).unwrap();
            let paths = paths.split_terminator('\0');
            paths
                .map(|path| path.split('/').next().unwrap().to_owned())
                .collect()
        }
        None => entries(root())
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect(),
    }
}

#[test]
fn imports_point_down() {
    let bad: Vec<_> = sources()
        .iter()
        .filter_map(|(file, text)| upward_import(file, text))
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn nothing_forbidden_is_used() {
    let bad: Vec<_> = sources()
        .iter()
        .filter_map(|(file, text)| forbidden(file, text))
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn there_is_no_dependency() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert_eq!(dependency(&manifest), None);
    assert!(!root().join("build.rs").exists());
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap_or_default();
    assert!(lock.matches("[[package]]").count() <= 1, "{lock}");
}

#[test]
fn the_top_level_holds_what_it_must() {
    let names = top_level();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    assert!(names.contains(&"Cargo.toml"), "{names:?}");
    assert_eq!(stranger(&names), None);
}

/// The codes that JSON-RPC 2.0 and MCP give a meaning (field case 52): what else begins like them is a draft's.
const CODES: [&str; 6] = ["-32700", "-32600", "-32601", "-32602", "-32603", "-32022"];

/// A number in the reserved range that is none of the codes.
fn unknown_code(text: &str) -> Option<&str> {
    let codes =
        code(text).flat_map(|line| line.match_indices("-32").map(move |(at, _)| &line[at..]));
    let codes = codes.map(|rest| {
        let end = rest.find(|c: char| c != '-' && !c.is_ascii_digit());
        &rest[..end.unwrap_or(rest.len())]
    });
    codes
        .into_iter()
        .find(|found| found.len() == 6 && !CODES.contains(found))
}

#[test]
fn the_codes_of_errors_are_those_of_the_specifications() {
    for (file, text) in sources() {
        assert_eq!(unknown_code(&text), None, "{file}");
    }
    assert_eq!(unknown_code("Fault::new(-32001, text)"), Some("-32001"));
    assert_eq!(unknown_code("const PARSE_ERROR: i32 = -32700;"), None);
}

/// The cases of `field-cases.md`, what other people's servers broke on: each is held by a test, or has a reason.
#[test]
fn every_field_case_is_held_or_cannot_arise() {
    let table = std::fs::read_to_string(root().join("tests/field-cases.tsv")).unwrap();
    let mut numbers = Vec::new();
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let [number, file, words] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not three columns: {row}");
        };
        numbers.push(number.parse::<u32>().unwrap());
        if file == "-" {
            assert!(words.len() > 20, "no reason: {row}");
        } else {
            let text = std::fs::read_to_string(root().join(file)).expect(row);
            assert!(text.contains(words), "not found: {row}");
        }
    }
    let Some(shared) = std::env::var_os("BAREWIRE_SHARED") else {
        let note = "not run: that no field case is missing; set BAREWIRE_SHARED to the folder with field-cases.md\n";
        std::io::Write::write_all(&mut std::io::stderr(), note.as_bytes()).unwrap();
        return;
    };
    let cases = std::fs::read_to_string(Path::new(&shared).join("field-cases.md")).unwrap();
    let cases = cases
        .lines()
        .filter_map(|line| line.strip_prefix("**")?.split_once('.'));
    let cases: Vec<u32> = cases
        .filter_map(|(number, _)| number.parse().ok())
        .collect();
    assert!(cases.len() > 60, "{cases:?}");
    assert_eq!(numbers, cases);
}

#[test]
fn every_rule_finds_what_breaks_it() {
    for (file, text) in [
        ("json/mod.rs", "use crate::schema::Schema;"),
        ("json/writer.rs", "fn f() { crate::rpc::read() }"),
        ("rpc.rs", "use crate::{json::Value, mcp::Server};"),
        ("rpc/mod.rs", "use crate::catalog::Tool;"),
        ("schema/mod.rs", "use crate::catalog::Tool;"),
        ("schema/mod.rs", "use crate::{\n    json,\n    rpc,\n};"),
        ("mcp/tools.rs", "use crate::stdio;"),
        ("stdio.rs", "use crate::main;"),
        ("stdio.rs", "use crate::cli::print;"),
        ("cli/check/mod.rs", "use crate::main;"),
        ("json/mod.rs", "use barewire::mcp;"),
        ("utility.rs", ""),
    ] {
        assert!(upward_import(file, text).is_some(), "{file}: {text}");
    }
    for (file, text) in [
        (
            "main.rs",
            "use barewire::{catalog::{demo, reservo}, stdio};",
        ),
        (
            "cli/check/report.rs",
            "use crate::cli::terminal; use barewire::{mcp, stdio};",
        ),
        ("mcp/mod.rs", "use crate::{json::{Value, Writer}, rpc};"),
        (
            "json/mod.rs",
            "/// See `crate::mcp`.\nuse crate::json::Error;",
        ),
    ] {
        assert_eq!(upward_import(file, text), None);
    }
    let long = "\n".repeat(MAX_LINES + 1);
    for (file, text) in [
        ("stdio.rs", "unsafe { f() }"),
        ("json/mod.rs", "unsafe fn f() {}"),
        ("main.rs", "macro_rules! m { () => {} }"),
        ("stdio.rs", "use std::net::TcpStream;"),
        ("mcp/mod.rs", "use std::io::Write;"),
        ("catalog/demo.rs", "//! Adds.\nuse std::fs;"),
        ("json/mod.rs", "let t = std::time::Instant::now();"),
        ("rpc.rs", "std::env::args()"),
        ("schema/mod.rs", "std::process::exit(1)"),
        ("stdio.rs", "eprintln!(\"x\")"),
        ("json/mod.rs", "println!(\"x\") // shown"),
        ("json/mod.rs", &long),
    ] {
        assert!(forbidden(file, text).is_some(), "{file}: {text}");
    }
    for (file, text) in [
        ("main.rs", "use std::io; fn f() { println!(\"x\") }"),
        ("stdio/mod.rs", "use std::process::exit;"),
        ("cli/mod.rs", "use std::io;"),
        (
            "catalog/store.rs",
            "//! Bookings. This file does input and output.\nuse std::fs;",
        ),
        ("json/mod.rs", "// not unsafe at all: std::io"),
    ] {
        assert_eq!(forbidden(file, text), None);
    }
    for manifest in [
        "[dependencies]",
        "[dev-dependencies]",
        "[target.'cfg(unix)'.dependencies]",
        "[dependencies.serde]",
        "[features]",
        "build = \"build.rs\"",
    ] {
        assert!(dependency(manifest).is_some(), "{manifest}");
    }
    assert_eq!(dependency("# No dependencies\n[package]"), None);
    assert_eq!(stranger(&["src", "rustfmt.toml"]), Some("rustfmt.toml"));
}
