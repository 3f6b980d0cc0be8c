//! `subscriptions/listen` (MCP 2026-07-28, basic/patterns/subscriptions): a request that stays open.
//!
//! Nothing that can be listened to changes while the process lives, so a subscription is acknowledged with
//! nothing in it and carries no notifications. It ends when the host cancels it, without an answer, or when the host
//! closes the pipe, with one.

use super::{Server, write_server_info};
use crate::catalog::Catalog;
use crate::json::{Object, Value, Writer, written};
use crate::rpc::{self, Fault, Id};

/// The most subscriptions that are open at once, so that no host can fill the memory with them.
const MAX_OPEN: usize = 64;

/// The most bytes of the id of one.
const MAX_ID_BYTES: usize = 1024;

/// The ids of the open subscriptions, as JSON text.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    open: Vec<String>,
}

impl Subscriptions {
    pub(super) fn cancel(&mut self, id: Id<'_>) {
        if !self.open.is_empty() {
            let id = written(|writer| id.write(writer));
            self.open.retain(|open| *open != id);
        }
    }

    pub(super) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.open)
    }
}

impl Server<'_> {
    pub(super) fn listen(
        &mut self,
        id: Id<'_>,
        params: Option<Object<'_>>,
        writer: &mut Writer<'_>,
    ) -> Result<(), Fault> {
        let filter = params.and_then(|params| params.get("notifications"));
        if !matches!(filter, Some(Value::Object(_))) {
            return Err(Fault::invalid_params(
                "/params/notifications",
                "object",
                filter,
            ));
        }
        let id = written(|writer| id.write(writer));
        // The answer that ends it is the longest of its lines, and at the end nothing can be refused any more.
        let end = written(|writer| write_end(writer, &id, self.catalog));
        if end.len() > self.bytes_max {
            return Err(self.too_long());
        }
        let open = &mut self.subscriptions.open;
        if open.contains(&id) {
            return Err(Fault::invalid_request(
                "/id: expected one that no open subscription has",
            ));
        }
        if open.len() == MAX_OPEN || id.len() > MAX_ID_BYTES {
            let text = format!(
                "expected at most {MAX_OPEN} open subscriptions, with ids of at most {MAX_ID_BYTES} bytes"
            );
            return Err(Fault::with_text(
                rpc::INTERNAL_ERROR,
                "Internal error",
                &text,
            ));
        }
        rpc::start_notification(writer, "notifications/subscriptions/acknowledged");
        writer.object_start();
        writer.name("_meta");
        writer.object_start();
        write_subscription_id(writer, &id);
        writer.object_end();
        writer.name("notifications");
        writer.object_start();
        writer.object_end();
        writer.object_end();
        rpc::end_answer(writer);
        open.push(id);
        Ok(())
    }
}

/// Writes the answer that ends the subscription `id`, which is JSON text.
pub(super) fn write_end(writer: &mut Writer<'_>, id: &str, catalog: &dyn Catalog) {
    writer.object_start();
    writer.name("jsonrpc");
    writer.string("2.0");
    writer.name("id");
    writer.json(id);
    writer.name("result");
    writer.object_start();
    writer.name("resultType");
    writer.string("complete");
    writer.name("_meta");
    writer.object_start();
    write_subscription_id(writer, id);
    write_server_info(writer, "io.modelcontextprotocol/serverInfo", catalog);
    writer.object_end();
    writer.object_end();
    writer.object_end();
}

fn write_subscription_id(writer: &mut Writer<'_>, id: &str) {
    writer.name("io.modelcontextprotocol/subscriptionId");
    writer.json(id);
}
