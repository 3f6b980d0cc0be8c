//! The software bill of materials, as SPDX 2.3 JSON: one package, and that it depends on nothing.

use barewire::json::{Writer, written};

// Not from Cargo's environment, so that the compiler alone can build this with no more than a version to be told.
const NAME: &str = "barewire";
const LICENSE: &str = "MIT OR Apache-2.0";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// SPDX wants a time of creation. The same program must always print the same bytes, so there is no clock to ask: this
/// constant is the time that says nothing.
const CREATED: &str = "1970-01-01T00:00:00Z";

const PACKAGE: &str = "SPDXRef-Package";

/// The document, on one line.
pub(crate) fn document() -> String {
    let mut text = written(|writer| {
        writer.object_start();
        member(writer, "spdxVersion", "SPDX-2.3");
        member(writer, "dataLicense", "CC0-1.0");
        member(writer, "SPDXID", "SPDXRef-DOCUMENT");
        member(writer, "name", &format!("{NAME}-{VERSION}"));
        // The place that the specification sets aside for who has no domain.
        let namespace = format!("https://spdx.org/spdxdocs/{NAME}-{VERSION}");
        member(writer, "documentNamespace", &namespace);
        writer.name("creationInfo");
        writer.object_start();
        member(writer, "created", CREATED);
        strings(writer, "creators", &[&format!("Tool: {NAME}-{VERSION}")]);
        writer.object_end();
        writer.name("packages");
        writer.array_start();
        package(writer);
        writer.array_end();
        writer.name("relationships");
        writer.array_start();
        relationship(writer, "SPDXRef-DOCUMENT", "DESCRIBES", PACKAGE);
        // `NONE` is more than silence: it says that there is no dependency.
        relationship(writer, PACKAGE, "DEPENDS_ON", "NONE");
        writer.array_end();
        writer.object_end();
    });
    text.push('\n');
    text
}

fn package(writer: &mut Writer<'_>) {
    writer.object_start();
    member(writer, "name", NAME);
    member(writer, "SPDXID", PACKAGE);
    member(writer, "versionInfo", VERSION);
    member(writer, "downloadLocation", "NOASSERTION");
    writer.name("filesAnalyzed");
    writer.bool(false);
    member(writer, "licenseConcluded", "NOASSERTION");
    member(writer, "licenseDeclared", LICENSE);
    member(writer, "copyrightText", "NOASSERTION");
    member(writer, "primaryPackagePurpose", "APPLICATION");
    let comment = "No dependencies. The compiler links its own standard library into the program.";
    member(writer, "comment", comment);
    writer.object_end();
}

fn relationship(writer: &mut Writer<'_>, from: &str, kind: &str, to: &str) {
    writer.object_start();
    member(writer, "spdxElementId", from);
    member(writer, "relationshipType", kind);
    member(writer, "relatedSpdxElement", to);
    writer.object_end();
}

fn member(writer: &mut Writer<'_>, name: &str, value: &str) {
    writer.name(name);
    writer.string(value);
}

fn strings(writer: &mut Writer<'_>, name: &str, values: &[&str]) {
    writer.name(name);
    writer.array_start();
    for value in values {
        writer.string(value);
    }
    writer.array_end();
}
