//! The configuration of each host that README.md shows is one that the host can read: it parses, and names the program under
//! the key that this host looks at. `hosts/run.py` uses the same texts with real clients.
#![allow(
    clippy::unwrap_used,
    clippy::tests_outside_test_module,
    reason = "a test may panic"
)]

use std::path::Path;

use barewire::json;

/// Each host in the order of the README: its name, the key of its servers, and the `type` that it must be told.
const HOSTS: [(&str, &str, Option<&str>); 7] = [
    ("Claude Desktop", "mcpServers", None),
    ("Claude Code", "mcpServers", Some("stdio")),
    ("VS Code", "servers", Some("stdio")),
    ("Cursor", "mcpServers", None),
    ("Zed", "context_servers", None),
    ("Codex", "mcp_servers", None),
    ("LM Studio", "mcpServers", None),
];

const PROGRAM: &str = "/path/to/barewire";

/// The name of a host, the language of its block and the block.
fn snippets(readme: &str) -> Vec<(&str, &str, &str)> {
    let (_, section) = readme.split_once("\n## Set up a host\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let hosts = section.split("\n**").skip(1);
    let parts = hosts.map(|text| {
        let (name, rest) = text.split_once("**").unwrap();
        let (_, rest) = rest.split_once("\n```").expect("a host has a block");
        let (language, rest) = rest.split_once('\n').unwrap();
        let (block, rest) = rest.split_once("\n```").unwrap();
        assert!(!rest.contains("```"), "{name} has two blocks");
        (name, language, block)
    });
    parts.collect()
}

/// What a JSON block says of the server under `key`: command, type, and how many arguments.
fn json_entry(block: &str, key: &str) -> Option<(String, Option<String>, usize)> {
    let document = json::parse(block.as_bytes()).unwrap();
    let root = document.root().unwrap();
    assert_eq!(root.as_object()?.iter().count(), 1, "{block}");
    let entry = root.get(key)?.get("barewire")?;
    let kind = entry
        .get("type")
        .and_then(json::Value::as_str)
        .map(str::to_owned);
    let arguments = entry.get("args")?.as_array()?.iter().count();
    let command = entry.get("command")?.as_str()?.to_owned();
    Some((command, kind, arguments))
}

#[test]
fn each_host_is_shown_a_configuration_that_it_can_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let snippets = snippets(&readme);
    let names: Vec<&str> = snippets.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, HOSTS.map(|(name, ..)| name));
    for ((name, language, block), (_, key, kind)) in snippets.into_iter().zip(HOSTS) {
        match language {
            "json" => {
                let expected = (PROGRAM.to_owned(), kind.map(str::to_owned), 0);
                assert_eq!(json_entry(block, key), Some(expected), "{name}: {block}");
            }
            "toml" => {
                let expected = format!("[{key}.barewire]\ncommand = \"{PROGRAM}\"\nargs = []");
                assert_eq!(block, expected, "{name}");
            }
            _ => panic!("{name}: {language}"),
        }
    }
}

#[test]
fn a_wrong_key_is_found() {
    let block = r#"{"servers":{"barewire":{"command":"x","args":[]}}}"#;
    assert_eq!(json_entry(block, "mcpServers"), None);
    assert!(json_entry(block, "servers").is_some());
}
