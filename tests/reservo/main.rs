//! The room-booking desk, driven as a host drives it.
//!
//! What needs root, a compiler or minutes is in the scripts beside this file, which `.ci/run` runs.

mod desk;
mod rules;
mod store;
