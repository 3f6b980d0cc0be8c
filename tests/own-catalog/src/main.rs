//! Reservo with one change: `list_rooms` takes an optional `city`. The rest works as it does there.

use barewire::catalog::{Arguments, Call, Catalog, Info, Tool, ToolError, reservo::Reservo};
use barewire::stdio::Options;

const ROOMS: [(&str, &str); 3] = [
    ("Quito", r#"{"room":"Focus","base_rate_cents":1500}"#),
    ("Lima", r#"{"room":"Studio","base_rate_cents":2500}"#),
    ("Quito", r#"{"room":"Boardroom","base_rate_cents":6000}"#),
];

struct Desk(Reservo, Vec<Tool>);

impl Catalog for Desk {
    fn info(&self) -> &Info {
        self.0.info()
    }
    fn tools(&self) -> &[Tool] {
        &self.1
    }
    fn call(&self, name: &str, given: Arguments, call: &mut Call) -> Result<(), ToolError> {
        if name != "list_rooms" {
            return self.0.call(name, given, call);
        }
        let city = given.string("city").ok();
        let rooms = ROOMS
            .iter()
            .filter(|(place, _)| city.is_none_or(|city| city == *place));
        let rooms: Vec<&str> = rooms.map(|(_, room)| *room).collect();
        call.object(&format!(r#"{{"rooms":[{}]}}"#, rooms.join(",")));
        Ok(())
    }
}

fn main() -> Result<std::process::ExitCode, barewire::catalog::DefinitionError> {
    let tools: Vec<&str> = include_str!("tools.jsonl").lines().collect();
    let desk = Desk(Reservo::new(None)?, Tool::parse_all(&tools)?);
    Ok(barewire::stdio::run(&desk, Options::default()))
}
