//! What the desk keeps: the files that a person sees, and what crashes, faults, strangers and neighbours may not do.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;

use barewire::json::parse;

use crate::desk::{ANA, ANA_ON_DISK, Answer, Desk, Scratch, UNKNOWN, call_line, quote};

fn is_root() -> bool {
    let scratch = Scratch::new();
    set_writable(&scratch.0, false);
    let is_writable = fs::write(scratch.file("probe"), "").is_ok();
    set_writable(&scratch.0, true);
    is_writable
}

fn set_writable(path: &Path, is_writable: bool) {
    let mut permissions = fs::metadata(path).expect("the path is there").permissions();
    if is_writable {
        #[cfg(unix)]
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    } else {
        permissions.set_readonly(true);
    }
    fs::set_permissions(path, permissions).expect("permissions change");
}

#[test]
fn a_person_can_read_the_bookings() {
    let scratch = Scratch::new();
    let mut desk = Desk::open(Some(&scratch.0));
    assert_eq!(desk.book().id(), 1);
    let arguments = r#"{"room":"Studio","tier":"basic","hours":1,"member":"Íñigo \"Ñ\""}"#;
    assert_eq!(desk.call("book_room", arguments).id(), 2);
    assert_eq!(desk.cancel(1).id(), 1);
    assert_eq!(scratch.ls(), ["1.cancelled", "1.json", "2.json"]);
    assert_eq!(scratch.cat("1.json"), ANA_ON_DISK);
    assert_eq!(
        scratch.cat("2.json"),
        "{\"room\":\"Studio\",\"tier\":\"basic\",\"hours\":1,\"member\":\"Íñigo \\\"Ñ\\\"\",\"total_cents\":2500}\n"
    );
    assert_eq!(scratch.cat("1.cancelled"), "{\"status\":\"cancelled\"}\n");
}

#[test]
fn bookings_outlive_the_process() {
    let scratch = Scratch::new();
    for start in 0..3 {
        let mut desk = Desk::open(Some(&scratch.0));
        if start > 0 {
            desk.cancel(start * 2 - 1)
                .is_refused_with(&["ya estaba cancelada"]);
            assert_eq!(desk.cancel(start * 2).id(), start * 2);
        }
        assert_eq!(desk.book().id(), start * 2 + 1);
        assert_eq!(desk.book().id(), start * 2 + 2);
        assert_eq!(desk.cancel(start * 2 + 1).id(), start * 2 + 1);
    }
}

#[test]
fn a_number_never_comes_back() {
    // What is in the directory when the server starts, and the number that is booked next.
    let rows: [(&[&str], u64); 9] = [
        (&[], 1),
        (&["1.json", "2.json"], 3),
        (&["1.json", "7.json"], 8),
        (&["9.cancelled"], 10),
        (&["3.json", "12.cancelled"], 13),
        // No booking has such a name: leading zeros, signs, more than JSON's whole numbers, other endings, temporaries.
        (
            &[
                "007.json",
                "+8.json",
                "-9.json",
                "9.JSON",
                "9.json.bak",
                "json",
                ".json",
                "9.txt",
                "9",
                ".9.json",
                ".77-0.tmp",
                "ñ.json",
                "9007199254740992.json",
                "99999999999999999999.json",
                "99999999999999999999999999999999999999.cancelled",
            ],
            1,
        ),
        (&["4.json", "5.cancelled", "notes.txt"], 6),
        (&["0.json"], 1),
        (&["1000000.json"], 1_000_001),
    ];
    for (names, next) in rows {
        let scratch = Scratch::new();
        for name in names {
            scratch.put(name, ANA_ON_DISK);
        }
        let mut desk = Desk::open(Some(&scratch.0));
        assert_eq!(desk.book().id(), next, "{names:?}");
        assert_eq!(desk.book().id(), next + 1, "{names:?}");
        for name in names {
            assert_eq!(scratch.cat(name), ANA_ON_DISK, "{name} is as it was");
        }
    }
}

#[test]
fn a_number_of_which_only_the_cancellation_is_left_is_not_booked_later() {
    let scratch = Scratch::new();
    let mut desk = Desk::open(Some(&scratch.0));
    assert_eq!(desk.book().id(), 1);
    // The desk runs on and has not seen them; a booking of number 2 would be cancelled from the start.
    scratch.put("2.cancelled", "{\"status\":\"cancelled\"}\n");
    scratch.put("3.cancelled", "{\"status\":\"cancelled\"}\n");
    assert_eq!(desk.book().id(), 4);
}

#[test]
fn the_numbers_end_where_json_readers_mix_them_up() {
    let scratch = Scratch::new();
    scratch.put("9007199254740990.json", ANA_ON_DISK);
    let mut desk = Desk::open(Some(&scratch.0));
    assert_eq!(desk.book().id(), 9_007_199_254_740_991);
    desk.book().is_refused_with(&["9007199254740991"]);
    assert_eq!(
        desk.cancel(9_007_199_254_740_991).id(),
        9_007_199_254_740_991
    );
    assert_eq!(scratch.ls().len(), 3);
}

#[test]
fn what_is_no_booking_is_not_cancelled() {
    let deep = "[".repeat(1000);
    let huge = format!("{{\"room\":\"{}\"}}", "x".repeat(70_000));
    let rows = [
        ("", "byte 0"),
        ("garbage", "byte"),
        ("{\"room\":\"Focus\"", "byte 15"),
        ("\0\0\0\0", "byte"),
        ("{}", "no room"),
        ("[]", "no room"),
        ("{\"room\":7}", "no room"),
        (deep.as_str(), "byte"),
        (huge.as_str(), "too large"),
    ];
    let scratch = Scratch::new();
    let path = scratch.file("17.json");
    let mut desk = Desk::open(Some(&scratch.0));
    for (text, reason) in rows {
        scratch.put("17.json", text);
        desk.cancel(17).is_refused_with(&[
            "No se canceló nada",
            &path.display().to_string(),
            reason,
        ]);
        assert_eq!(scratch.ls(), ["17.json"], "{text:.20}");
    }
    // It stands in the way of nothing else, and counts once it is a booking again.
    assert_eq!(desk.book().id(), 18);
    scratch.put("17.json", ANA_ON_DISK);
    assert_eq!(desk.cancel(17).id(), 17);
}

#[test]
fn a_directory_named_like_a_booking_is_none() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.file("5.json")).expect("a directory");
    let mut desk = Desk::open(Some(&scratch.0));
    let path = scratch.file("5.json").display().to_string();
    desk.cancel(5)
        .is_refused_with(&["No se canceló nada", &path]);
    assert_eq!(desk.book().id(), 6);
    assert_eq!(scratch.ls(), ["5.json", "6.json"]);
}

#[test]
#[cfg(unix)]
fn a_file_that_never_ends_is_no_booking() {
    // A link to a device, whose length says nothing: reading it to its end would take the server away for good.
    let scratch = Scratch::new();
    std::os::unix::fs::symlink("/dev/zero", scratch.file("5.json")).expect("a link");
    let mut desk = Desk::open(Some(&scratch.0));
    let path = scratch.file("5.json").display().to_string();
    desk.cancel(5)
        .is_refused_with(&["No se canceló nada", &path]);
    assert_eq!(desk.book().id(), 6);
}

/// What must work without a look at the directory.
fn asks_that_touch_nothing() -> Vec<String> {
    let mut lines: Vec<String> = [
        r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    ]
    .map(str::to_owned)
    .to_vec();
    lines.push(call_line("list_rooms", "{}"));
    let (tool, arguments) = quote("Focus", "pro", "1");
    lines.push(call_line(tool, &arguments));
    lines
}

#[test]
fn lists_and_quotes_touch_no_directory() {
    let scratch = Scratch::new();
    let missing = scratch.file("missing");
    let empty = Scratch::new();
    let mut in_memory = Desk::open(None);
    let mut in_missing = Desk::open(Some(&missing));
    let mut in_empty = Desk::open(Some(&empty.0));
    for line in asks_that_touch_nothing() {
        let wanted = in_memory.ask(&line);
        assert!(
            wanted.contains(r#""result":"#) && !wanted.contains(r#""isError":true"#),
            "{wanted}"
        );
        assert_eq!(in_missing.ask(&line), wanted);
        assert_eq!(in_empty.ask(&line), wanted);
    }
    assert!(!missing.exists());
    assert!(empty.ls().is_empty());
}

#[test]
fn a_fault_of_the_directory_is_told_and_passes() {
    let scratch = Scratch::new();
    let data = scratch.file("reservas");
    let path = data.display().to_string();
    let mut desk = Desk::open(Some(&data));
    let refused = |desk: &mut Desk| {
        desk.book().is_refused_with(&["No se reservó nada", &path]);
        desk.cancel(1)
            .is_refused_with(&["No se canceló nada", &path]);
    };

    refused(&mut desk);
    assert!(!data.exists(), "a missing directory is not made");

    fs::write(&data, "a file\n").expect("a file");
    refused(&mut desk);
    assert_eq!(scratch.cat("reservas"), "a file\n");
    fs::remove_file(&data).expect("the file goes");

    fs::create_dir(&data).expect("a directory");
    assert_eq!(desk.book().id(), 1);
    assert_eq!(desk.cancel(1).id(), 1);
    desk.cancel(2).is_refused_with(&[UNKNOWN]);

    // As when a disk is unplugged while the desk runs.
    fs::rename(&data, scratch.file("away")).expect("the directory goes");
    refused(&mut desk);
    fs::rename(scratch.file("away"), &data).expect("the directory comes back");
    assert_eq!(desk.book().id(), 2);
}

#[test]
fn a_directory_that_may_not_be_written_books_nothing() {
    if is_root() {
        println!("skipped: this user may write everywhere; tests/reservo/faults.py covers it");
        return;
    }
    let scratch = Scratch::new();
    let mut desk = Desk::open(Some(&scratch.0));
    assert_eq!(desk.book().id(), 1);
    set_writable(&scratch.0, false);
    let path = scratch.0.display().to_string();
    desk.book()
        .is_refused_with(&["No se reservó nada", &path, "ermission"]);
    desk.cancel(1)
        .is_refused_with(&["No se canceló nada", &path, "ermission"]);
    assert_eq!(scratch.ls(), ["1.json"]);
    set_writable(&scratch.0, true);
    assert_eq!(desk.book().id(), 2);
    assert_eq!(desk.cancel(1).id(), 1);
}

#[test]
fn desks_that_share_a_directory_give_every_number_once() {
    const DESKS: u64 = 4;
    const EACH: u64 = 50;
    let scratch = Scratch::new();
    let booked: Vec<u64> = thread::scope(|scope| {
        let desks: Vec<_> = (0..DESKS)
            .map(|_| {
                scope.spawn(|| {
                    let mut desk = Desk::open(Some(&scratch.0));
                    let ids: Vec<u64> = (0..EACH).map(|_| desk.book().id()).collect();
                    ids
                })
            })
            .collect();
        desks
            .into_iter()
            .flat_map(|desk| desk.join().expect("a desk is served"))
            .collect()
    });
    let once: BTreeSet<u64> = booked.iter().copied().collect();
    // Without a gap: what one desk has booked, the others count from.
    assert!(once.into_iter().eq(1..=DESKS * EACH));
    assert_eq!(booked.len().to_string(), (DESKS * EACH).to_string());
    let wanted: BTreeSet<String> = (1..=DESKS * EACH).map(|id| format!("{id}.json")).collect();
    assert!(scratch.ls().into_iter().collect::<BTreeSet<_>>() == wanted);
}

#[test]
fn of_two_cancellations_one_wins_and_the_other_says_so() {
    let scratch = Scratch::new();
    let mut first = Desk::open(Some(&scratch.0));
    let mut second = Desk::open(Some(&scratch.0));
    for _ in 0..60 {
        let id = first.book().id();
        let line = call_line("cancel_booking", &format!(r#"{{"id":{id}}}"#));
        first.tell(&line);
        second.tell(&line);
        let answers = [first.hear(), second.hear()].map(|line| Answer::read(&line));
        let lost: Vec<&Answer> = answers.iter().filter(|answer| answer.is_error).collect();
        let [lost] = lost.as_slice() else {
            panic!("{id}: {answers:?}")
        };
        assert!(lost.text.contains("ya estaba cancelada"), "{}", lost.text);
    }
}

#[test]
fn a_killed_desk_loses_nothing_that_it_confirmed() {
    let scratch = Scratch::new();
    let mut booked = BTreeSet::new();
    let mut cancelled = BTreeSet::new();
    for cycle in 0_usize..40 {
        let mut desk = Desk::open(Some(&scratch.0));
        // Asked in advance, so that the desk is at work when it is killed: after none, one, two… of the answers.
        for _ in 0..8 {
            desk.tell(&call_line("book_room", ANA));
        }
        for _ in 0..cycle % 7 {
            let id = Answer::read(&desk.hear()).id();
            assert!(booked.insert(id), "{id} was given out twice");
        }
        let to_cancel = booked.iter().copied().find(|id| !cancelled.contains(id));
        if let Some(id) = to_cancel.filter(|_| cycle % 7 == 6) {
            // The rest of the answers come first.
            for _ in 6..8 {
                assert!(booked.insert(Answer::read(&desk.hear()).id()));
            }
            assert_eq!(desk.cancel(id).id(), id);
            cancelled.insert(id);
        }
        desk.child.kill().expect("the desk is killed");
        desk.child.wait().expect("the desk is gone");
    }
    assert!(booked.len() > 100, "{}", booked.len());
    for name in scratch.ls() {
        if name.starts_with('.') {
            continue;
        }
        let text = scratch.cat(&name);
        parse(text.as_bytes()).unwrap_or_else(|fault| panic!("{name}: {fault}: {text:?}"));
        assert!(text.ends_with('\n'), "{name}");
    }
    for id in &booked {
        assert_eq!(scratch.cat(&format!("{id}.json")), ANA_ON_DISK);
        let is_cancelled = scratch.file(&format!("{id}.cancelled")).exists();
        assert_eq!(is_cancelled, cancelled.contains(id), "{id}");
    }
    assert!(!booked.contains(&Desk::open(Some(&scratch.0)).book().id()));
}

#[test]
#[cfg(unix)]
fn a_directory_may_have_a_name_that_is_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new();
    let data = scratch.0.join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    if fs::create_dir(&data).is_err() {
        println!("skipped: this file system has only names in UTF-8");
        return;
    }
    let mut desk = Desk::open(Some(&data));
    assert_eq!(desk.book().id(), 1);
    assert_eq!(
        fs::read_to_string(data.join("1.json")).expect("it is there"),
        ANA_ON_DISK
    );
    fs::remove_dir_all(&data).expect("the directory goes");
    // Told as far as it can be in JSON, which is UTF-8.
    desk.book()
        .is_refused_with(&["No se reservó nada", "caf\u{fffd}"]);
}
