//! A call allocates nothing once the buffers have grown. The crate `tests/bench/allocations` counts, since a counting
//! allocator needs `unsafe`; with the argument `sites` it says where each allocation comes from.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;

#[test]
fn a_call_allocates_nothing_in_the_steady_state() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/allocations/Cargo.toml");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("allocations");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let counted = Command::new(cargo)
        .args(["run", "--offline", "--quiet", "--manifest-path"])
        .arg(manifest)
        .env("CARGO_TARGET_DIR", &target)
        .output()
        .unwrap();
    let rows = String::from_utf8_lossy(&counted.stdout);
    let errors = String::from_utf8_lossy(&counted.stderr);
    assert!(counted.status.success(), "{rows}{errors}");
    assert_eq!(rows.lines().count(), 16, "{rows}");
    assert!(rows.lines().all(|row| row.starts_with("0\t")), "{rows}");
}
