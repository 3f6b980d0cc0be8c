#![no_main]

#[path = "../tests/judges/mod.rs"]
mod judges;

libfuzzer_sys::fuzz_target!(|data: &[u8]| judges::agree(data));
