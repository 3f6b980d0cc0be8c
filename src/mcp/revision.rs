//! Protocol revisions, and which of them a request is served by.

use crate::json::{Object, Value};
use crate::rpc::Fault;

/// A revision of the protocol, in the order of their dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Revision {
    November2024,
    March2025,
    June2025,
    November2025,
    /// The first of the modern era: each request says all that it needs served by.
    July2026,
}

impl Revision {
    pub(super) const LEGACY: [Self; 4] = [
        Self::November2024,
        Self::March2025,
        Self::June2025,
        Self::November2025,
    ];
    pub(super) const NEWEST_LEGACY: Self = Self::November2025;

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::November2024 => "2024-11-05",
            Self::March2025 => "2025-03-26",
            Self::June2025 => "2025-06-18",
            Self::November2025 => "2025-11-25",
            Self::July2026 => "2026-07-28",
        }
    }

    pub(super) fn is_modern(self) -> bool {
        self == Self::July2026
    }

    /// The revision to answer an `initialize` with that asks for `version`: never an error, as hosts lock out servers
    /// that refuse.
    pub(super) fn negotiate(version: Option<Value<'_>>) -> Self {
        let asked = version.and_then(Value::as_str);
        let known = Self::LEGACY
            .into_iter()
            .find(|revision| asked == Some(revision.as_str()));
        known.unwrap_or(Self::NEWEST_LEGACY)
    }

    /// The revision that a request is served by: the modern one if its `_meta` names a protocol version or its method is
    /// `server/discover`, else `legacy`, the one of the last handshake.
    ///
    /// # Errors
    /// -32602 for a `_meta` that is not as it must be, -32022 for a version that is not served this way.
    pub(super) fn of_request(
        method: &str,
        params: Option<Object<'_>>,
        legacy: Self,
    ) -> Result<Self, Fault> {
        let meta = match params.and_then(|params| params.get("_meta")) {
            None | Some(Value::Null) => None,
            Some(Value::Object(meta)) => Some(meta),
            Some(other) => {
                return Err(Fault::invalid_params(
                    "/params/_meta",
                    "object",
                    Some(other),
                ));
            }
        };
        let member = |name: &str| meta.and_then(|meta| meta.get(name));
        if let Some(token) = member("progressToken").filter(|token| !is_progress_token(*token)) {
            return Err(Fault::invalid_params(
                "/params/_meta/progressToken",
                "string or integer",
                Some(token),
            ));
        }
        let version = member("io.modelcontextprotocol/protocolVersion");
        if version.is_none() && method != "server/discover" {
            return Ok(legacy);
        }
        let Some(Value::String(version)) = version else {
            let pointer = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
            return Err(Fault::invalid_params(pointer, "string", version));
        };
        if version != Self::July2026.as_str() {
            return Err(unsupported(version));
        }
        let capabilities = member("io.modelcontextprotocol/clientCapabilities");
        if !matches!(capabilities, Some(Value::Object(_))) {
            let pointer = "/params/_meta/io.modelcontextprotocol~1clientCapabilities";
            return Err(Fault::invalid_params(pointer, "object", capabilities));
        }
        Ok(Self::July2026)
    }
}

/// `null` is no token, as any member that is `null` counts as absent.
fn is_progress_token(token: Value<'_>) -> bool {
    match token {
        Value::Null | Value::String(_) => true,
        Value::Number(number) => number.is_integer(),
        _ => false,
    }
}

/// MCP 2026-07-28, basic/versioning. Only what such a request could name instead is listed, so that no client asks for
/// a version again that its kind of request cannot have.
fn unsupported(version: &str) -> Fault {
    let data = crate::json::written(|writer| {
        writer.object_start();
        writer.name("supported");
        writer.array_start();
        writer.string(Revision::July2026.as_str());
        writer.array_end();
        writer.name("requested");
        writer.string(version);
        writer.object_end();
    });
    Fault {
        data: Some(data),
        ..Fault::new(-32022, "Unsupported protocol version")
    }
}
