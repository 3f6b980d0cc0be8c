//! A Model Context Protocol server over stdio, with no dependencies.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "a test may panic"
    )
)]

pub mod catalog;
pub mod json;
pub mod mcp;
pub mod rpc;
pub mod schema;
pub mod stdio;
