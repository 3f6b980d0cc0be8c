//! Reservo: a room-booking desk in Spanish. The bookings are kept by `store`, which does input and output.
//!
//! Money is in whole cents. A result is one JSON object, as text and as structured content.

use std::path::PathBuf;

use super::store::{Cancelled, Failure, Store};
use super::{Arguments, Call, Catalog, DefinitionError, Info, Tool, ToolError};
use crate::json::{Number, Writer, written};

/// The definitions, as they go on the wire.
const DEFINITIONS: [&str; 4] = [
    r#"{"name":"list_rooms","description":"Lista todas las salas de Reservo con su tarifa base por hora en centavos. Usa esta tool cuando el usuario pregunta que salas hay disponibles, sin haber elegido todavia una sala especifica.","inputSchema":{"type":"object","properties":{}}}"#,
    r#"{"name":"get_quote","description":"Cotiza el precio de una sala para un tier y una cantidad de horas, sin reservar nada. Usa esta tool cuando el usuario pregunta cuanto cuesta una reserva.","inputSchema":{"type":"object","properties":{"room":{"type":"string","enum":["Focus","Studio","Boardroom"]},"tier":{"type":"string","enum":["basic","pro"]},"hours":{"type":"integer"}},"required":["room","tier","hours"]}}"#,
    r#"{"name":"book_room","description":"Crea una reserva CONFIRMADA para una sala, un tier y una cantidad de horas, a nombre de un miembro. Tiene efectos reales: genera una reserva de verdad. Usa esta tool solo cuando el usuario pide reservar explicitamente, no cuando solo pregunta el precio.","inputSchema":{"type":"object","properties":{"room":{"type":"string","enum":["Focus","Studio","Boardroom"]},"tier":{"type":"string","enum":["basic","pro"]},"hours":{"type":"integer"},"member":{"type":"string"}},"required":["room","tier","hours","member"]}}"#,
    r#"{"name":"cancel_booking","description":"Cancela una reserva existente a partir de su id. Es una accion destructiva e irreversible. Usa esta tool cuando el usuario pide cancelar o anular una reserva que ya hizo.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}}"#,
];

/// The rooms, in cents an hour.
const ROOMS: [(&str, i64); 3] = [("Focus", 1500), ("Studio", 2500), ("Boardroom", 6000)];

/// The tiers, in percent of the room's price.
const TIERS: [(&str, i64); 2] = [("basic", 100), ("pro", 80)];

/// The most hours of one booking; the least is one.
const MAX_HOURS: u32 = 24;

/// The most characters of a member's name.
const MAX_MEMBER: usize = 200;

/// The four tools of the desk.
#[derive(Debug)]
pub struct Reservo {
    info: Info,
    tools: Vec<Tool>,
    store: Store,
}

impl Reservo {
    /// A desk whose bookings are kept as files in `data`, or in memory.
    ///
    /// The directory is not touched before the first booking or cancellation.
    ///
    /// # Errors
    /// A definition is refused.
    pub fn new(data: Option<PathBuf>) -> Result<Self, DefinitionError> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Self {
            info: Info {
                name: "reservo".to_owned(),
                version,
                instructions: None,
            },
            tools: Tool::parse_all(&DEFINITIONS)?,
            store: data.map_or_else(Store::in_memory, Store::in_directory),
        })
    }

    fn book(&self, quote: &Quote<'_>, member: &str, call: &mut Call<'_>) -> Result<(), ToolError> {
        let record = object(|writer| {
            quote.write(writer);
            writer.name("member");
            writer.string(member);
            writer.name("total_cents");
            writer.integer(quote.total_cents());
        });
        let id = self
            .store
            .book(&format!("{record}\n"))
            .map_err(|failure| not_done("No se reservó nada", &failure))?;
        call.object(&object(|writer| {
            write_id(writer, id);
            quote.write(writer);
            writer.name("member");
            writer.string(member);
            writer.name("total_cents");
            writer.integer(quote.total_cents());
            writer.name("status");
            writer.string("confirmed");
        }));
        Ok(())
    }

    fn cancel(&self, id: Number<'_>, call: &mut Call<'_>) -> Result<(), ToolError> {
        let unknown =
            || ToolError("Esa reserva no existe: usa el id que devolvió book_room.".to_owned());
        let id = whole(id).ok_or_else(unknown)?;
        match self
            .store
            .cancel(id)
            .map_err(|failure| not_done("No se canceló nada", &failure))?
        {
            Cancelled::Unknown => Err(unknown()),
            Cancelled::Unsure(failure) => Err(not_done(
                &format!("La reserva {id} está cancelada, pero un corte de luz podría deshacerlo"),
                &failure,
            )),
            Cancelled::Before => Err(format!(
                "La reserva {id} ya estaba cancelada: no hay nada más que hacer."
            )
            .into()),
            Cancelled::Now => {
                call.object(&object(|writer| {
                    write_id(writer, id);
                    writer.name("status");
                    writer.string("cancelled");
                }));
                Ok(())
            }
        }
    }
}

impl Catalog for Reservo {
    fn info(&self) -> &Info {
        &self.info
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn list_note(&self) -> String {
        format!("devolviendo {} tools", self.tools.len())
    }

    fn call(
        &self,
        name: &str,
        arguments: Arguments<'_>,
        call: &mut Call<'_>,
    ) -> Result<(), ToolError> {
        match name {
            "list_rooms" => call.object(&rooms()),
            "get_quote" => {
                let quote = Quote::read(arguments)?;
                call.object(&object(|writer| {
                    quote.write(writer);
                    writer.name("rate_cents");
                    writer.integer(quote.rate_cents);
                    writer.name("total_cents");
                    writer.integer(quote.total_cents());
                }));
            }
            "book_room" => self.book(&Quote::read(arguments)?, member(arguments)?, call)?,
            "cancel_booking" => self.cancel(arguments.number("id")?, call)?,
            _ => return Err("Esa tool no existe.".into()),
        }
        Ok(())
    }
}

/// What a room costs.
struct Quote<'d> {
    room: &'d str,
    tier: &'d str,
    hours: u32,
    rate_cents: i64,
}

impl<'d> Quote<'d> {
    fn read(arguments: Arguments<'d>) -> Result<Self, ToolError> {
        let (room, base_rate_cents) = priced(&ROOMS, "room", arguments.string("room")?)?;
        let (tier, percent) = priced(&TIERS, "tier", arguments.string("tier")?)?;
        let hours = arguments.number("hours")?.to_f64();
        let hours = (1..=MAX_HOURS).find(|known| f64::from(*known).total_cmp(&hours).is_eq());
        let hours =
            hours.ok_or_else(|| format!("hours debe ser un número entero de 1 a {MAX_HOURS}."))?;
        Ok(Self {
            room,
            tier,
            hours,
            rate_cents: base_rate_cents * percent / 100,
        })
    }

    /// At most the dearest room for the most hours.
    fn total_cents(&self) -> i64 {
        self.rate_cents * i64::from(self.hours)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.name("room");
        writer.string(self.room);
        writer.name("tier");
        writer.string(self.tier);
        writer.name("hours");
        writer.integer(self.hours.into());
    }
}

/// The line of a price table that `wanted` names.
fn priced<'t>(
    table: &'t [(&'static str, i64)],
    argument: &str,
    wanted: &str,
) -> Result<(&'t str, i64), ToolError> {
    let known = table.iter().find(|(name, _)| *name == wanted).copied();
    let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    known.ok_or_else(|| ToolError(format!("{argument} debe ser uno de {}.", names.join(", "))))
}

fn member(arguments: Arguments<'_>) -> Result<&str, ToolError> {
    let member = arguments.string("member")?;
    let is_name = !member.trim().is_empty() && !member.contains(char::is_control);
    if is_name && member.chars().count() <= MAX_MEMBER {
        return Ok(member);
    }
    let reason = format!(
        "member debe ser el nombre del miembro: de 1 a {MAX_MEMBER} caracteres, sin caracteres de control."
    );
    Err(reason.into())
}

fn rooms() -> String {
    object(|writer| {
        writer.name("rooms");
        writer.array_start();
        for (room, base_rate_cents) in ROOMS {
            writer.object_start();
            writer.name("room");
            writer.string(room);
            writer.name("base_rate_cents");
            writer.integer(base_rate_cents);
            writer.object_end();
        }
        writer.array_end();
    })
}

fn object(members: impl FnOnce(&mut Writer<'_>)) -> String {
    written(|writer| {
        writer.object_start();
        members(writer);
        writer.object_end();
    })
}

fn write_id(writer: &mut Writer<'_>, id: u64) {
    writer.name("id");
    writer.integer(i64::try_from(id).unwrap_or(i64::MAX));
}

/// An id that a booking can have: a whole number from 1, however it is spelled.
fn whole(id: Number<'_>) -> Option<u64> {
    match id.as_str().parse() {
        Ok(id) => Some(id),
        // Spelled with a point or an exponent: what an f64 holds exactly is what JavaScript would have sent.
        Err(_) if id.is_integer() => {
            let mut text = Vec::new();
            crate::json::format_number(id.to_f64(), &mut text);
            std::str::from_utf8(&text).ok()?.parse().ok()
        }
        Err(_) => None,
    }
}

fn not_done(what: &str, failure: &Failure) -> ToolError {
    ToolError(format!(
        "{what}: {}: {}. Inténtalo de nuevo cuando esté resuelto.",
        failure.path.display(),
        failure.reason
    ))
}
