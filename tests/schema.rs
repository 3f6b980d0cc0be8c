//! What the schema checker says, as rows of a schema, a value, and the mismatches.

#![allow(
    clippy::unwrap_used,
    clippy::tests_outside_test_module,
    clippy::too_many_lines,
    reason = "a test may panic, and a table may be long"
)]

use barewire::json::parse;
use barewire::schema::Schema;

/// The mismatches of `value`, or why `schema` is refused.
fn check(schema: &str, value: &str) -> String {
    let (schema, value) = (
        parse(schema.as_bytes()).unwrap(),
        parse(value.as_bytes()).unwrap(),
    );
    match Schema::compile(schema.root().unwrap()) {
        Ok(schema) => {
            let mismatches = schema.check(value.root().unwrap());
            let texts: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
            texts.join("; ")
        }
        Err(error) => format!("refused {error}"),
    }
}

fn hold(rows: &[(&str, &str, &str)]) {
    for (schema, value, mismatches) in rows {
        assert_eq!(
            check(schema, value),
            *mismatches,
            "{schema} against {value}"
        );
    }
}

/// A row for each of `values` that fits.
fn fit(schema: &str, values: &[&str]) {
    for value in values {
        assert_eq!(check(schema, value), "", "{schema} against {value}");
    }
}

/// The values that do not fit, whatever the words.
fn differ(schema: &str, values: &[&str]) {
    for value in values {
        assert_ne!(check(schema, value), "", "{schema} against {value}");
    }
}

const EACH_TYPE: [&str; 6] = ["null", "true", "1.5", "\"1\"", "[1]", "{\"a\":1}"];

#[test]
fn a_boolean_or_empty_schema_takes_all_or_nothing() {
    fit("{}", &EACH_TYPE);
    fit("true", &EACH_TYPE);
    for (value, got) in EACH_TYPE
        .iter()
        .zip(["null", "boolean", "number", "string", "array", "object"])
    {
        assert_eq!(
            check("false", value),
            format!("expected nothing, got {got}")
        );
    }
}

#[test]
fn a_type_is_one_of_seven_or_several() {
    for (at, name) in ["null", "boolean", "number", "string", "array", "object"]
        .iter()
        .enumerate()
    {
        for (of, value) in EACH_TYPE.iter().enumerate() {
            assert_eq!(
                check(&format!(r#"{{"type":"{name}"}}"#), value).is_empty(),
                at == of,
                "{name} {value}"
            );
        }
    }
    hold(&[
        (r#"{"type":"string"}"#, "5", "expected string, got number"),
        (
            r#"{"type":"number"}"#,
            "\"5\"",
            "expected number, got string",
        ),
        (r#"{"type":["string","null"]}"#, "null", ""),
        (
            r#"{"type":["string","null"]}"#,
            "5",
            "expected string or null, got number",
        ),
        (r#"{"type":["string","null","integer"]}"#, "5", ""),
        (
            r#"{"type":["string","null","integer"]}"#,
            "5.5",
            "expected string or null or integer, got number",
        ),
    ]);
}

/// An integer is a number without a fraction, however it is spelled.
#[test]
fn an_integer_is_one_mathematically() {
    let schema = r#"{"type":"integer"}"#;
    fit(
        schema,
        &[
            "0",
            "-0",
            "1",
            "1.0",
            "1e2",
            "1.50e1",
            "150e-1",
            "-3",
            "9007199254740993",
            "1e400",
            "0e-400",
            "0.0e5",
        ],
    );
    differ(
        schema,
        &[
            "0.5",
            "1e-1",
            "1.5",
            "155e-1",
            "1e-400",
            "9007199254740993.5",
            "\"1\"",
            "true",
        ],
    );
    hold(&[(schema, "1.5", "expected integer, got number")]);
}

#[test]
fn bounds_of_numbers_are_compared_mathematically() {
    fit(
        r#"{"minimum":1}"#,
        &["1", "1.0", "10e-1", "2", "1e400", "\"0\"", "null", "[0]"],
    );
    differ(
        r#"{"minimum":1}"#,
        &["0", "-0", "0.9999999999999999999999999", "-1e400", "1e-400"],
    );
    fit(r#"{"maximum":1e2}"#, &["100", "100.0", "-1e400", "99.9"]);
    differ(
        r#"{"maximum":1e2}"#,
        &["101", "100.0000000000000000000000001", "1e400"],
    );
    // No `f64` can tell these apart.
    hold(&[
        (
            r#"{"minimum":9007199254740993}"#,
            "9007199254740992",
            "expected at least 9007199254740993, got a smaller number",
        ),
        (
            r#"{"maximum":9007199254740992}"#,
            "9007199254740993",
            "expected at most 9007199254740992, got a larger number",
        ),
        (
            r#"{"minimum":1e400}"#,
            "1e399",
            "expected at least 1e400, got a smaller number",
        ),
        (r#"{"minimum":1e400}"#, "1e401", ""),
        (
            r#"{"maximum":-1e-400}"#,
            "0",
            "expected at most -1e-400, got a larger number",
        ),
        (r#"{"minimum":0}"#, "-0", ""),
        (
            r#"{"minimum":2,"maximum":1}"#,
            "1.5",
            "expected at least 2, got a smaller number; expected at most 1, got a larger number",
        ),
        (
            r#"{"minimum":-1.50}"#,
            "-2",
            "expected at least -1.50, got a smaller number",
        ),
    ]);
}

/// Characters are Unicode scalar values, neither bytes nor UTF-16 units.
#[test]
fn bounds_of_strings_count_characters() {
    hold(&[
        (
            r#"{"minLength":2}"#,
            "\"a\"",
            "expected at least 2 characters, got a shorter string",
        ),
        (
            r#"{"minLength":2}"#,
            "\"😀\"",
            "expected at least 2 characters, got a shorter string",
        ),
        (r#"{"minLength":2}"#, "\"é😀\"", ""),
        (
            r#"{"maxLength":2}"#,
            "\"漢字漢\"",
            "expected at most 2 characters, got a longer string",
        ),
        (r#"{"maxLength":2}"#, "\"漢字\"", ""),
        (r#"{"maxLength":1}"#, "\"\\ud83d\\ude00\"", ""),
        (
            r#"{"maxLength":1}"#,
            "\"e\\u0301\"",
            "expected at most 1 characters, got a longer string",
        ),
        (r#"{"maxLength":0}"#, "\"\"", ""),
        (r#"{"maxLength":0}"#, "123", ""),
        (r#"{"minLength":5}"#, "[1]", ""),
        (r#"{"minLength":2.0,"maxLength":1e1}"#, "\"ab\"", ""),
        (
            r#"{"minLength":2.0,"maxLength":1e1}"#,
            "\"a\"",
            "expected at least 2 characters, got a shorter string",
        ),
        (r#"{"maxLength":1e400}"#, "\"ab\"", ""),
    ]);
}

#[test]
fn members_are_required_known_or_refused() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"number"},"b":{"enum":["x","y"]},"c":{"const":1}},"required":["a","b","c","d"]}"#;
    hold(&[
        (
            schema,
            "{}",
            "/a: expected number, got nothing; /b: expected one of \"x\", \"y\", got nothing; /c: expected 1, got nothing; /d: expected any value, got nothing",
        ),
        (
            schema,
            r#"{"a":"1","b":"z","c":2,"d":null}"#,
            "/a: expected number, got string; /b: expected one of \"x\", \"y\", got string; /c: expected 1, got number",
        ),
        (schema, r#"{"d":0,"c":1.0,"b":"y","a":1,"e":[]}"#, ""),
        (schema, "[]", "expected object, got array"),
        // Each rule is about its own type of value.
        (
            r#"{"properties":{"a":false},"required":["a"],"additionalProperties":false}"#,
            "[1]",
            "",
        ),
        (r#"{"required":["a"]}"#, "null", ""),
        (r#"{"required":[]}"#, "{}", ""),
        (
            r#"{"required":["a"]}"#,
            r#"{"A":1,"a\u0000":1}"#,
            "/a: expected any value, got nothing",
        ),
        (r#"{"required":["a"]}"#, r#"{"\u0061":1}"#, ""),
        (
            r#"{"properties":{"a":{},"b":{}},"additionalProperties":false}"#,
            r#"{"c":1}"#,
            "/c: expected no member but a, b, got number",
        ),
        (
            r#"{"additionalProperties":false}"#,
            r#"{"c":1}"#,
            "/c: expected nothing, got number",
        ),
        (
            r#"{"properties":{},"additionalProperties":false}"#,
            r#"{"c":{}}"#,
            "/c: expected nothing, got object",
        ),
        (
            r#"{"properties":{"a":false}}"#,
            r#"{"a":1}"#,
            "/a: expected nothing, got number",
        ),
        (
            r#"{"properties":{"a":false,"b":{}},"additionalProperties":false}"#,
            r#"{"c":1}"#,
            "/c: expected no member but b, got number",
        ),
        (
            r#"{"properties":{"a":false,"b":{}}}"#,
            r#"{"a":1}"#,
            "/a: expected no member but b, got number",
        ),
        (
            r#"{"properties":{"a":{}},"additionalProperties":{"type":"string"}}"#,
            r#"{"a":1,"b":"x","c":2}"#,
            "/c: expected string, got number",
        ),
        (r#"{"additionalProperties":true}"#, r#"{"c":1}"#, ""),
    ]);
}

#[test]
fn items_are_checked_each() {
    hold(&[
        (
            r#"{"items":{"type":"string"}}"#,
            r#"["a",1,"b",null]"#,
            "/1: expected string, got number; /3: expected string, got null",
        ),
        (r#"{"items":{"type":"string"}}"#, "[]", ""),
        (r#"{"items":{"type":"string"}}"#, r#"{"0":1}"#, ""),
        (r#"{"items":false}"#, "[]", ""),
        (
            r#"{"items":false}"#,
            "[[]]",
            "/0: expected nothing, got array",
        ),
        (
            r#"{"type":"array","items":{"type":"array","items":{"type":"integer"}}}"#,
            "[[1],[2,2.5],3]",
            "/1/1: expected integer, got number; /2: expected array, got number",
        ),
    ]);
}

/// What is inside a value of the wrong type is nobody's matter any more.
#[test]
fn the_inside_of_a_misfit_is_not_looked_at() {
    hold(&[
        (
            r#"{"type":"string","items":{"type":"null"}}"#,
            "[1]",
            "expected string, got array",
        ),
        (
            r#"{"type":"string","properties":{"a":{"type":"null"}},"required":["b"]}"#,
            r#"{"a":1}"#,
            "expected string, got object",
        ),
    ]);
}

/// RFC 6901: `~` is `~0` and `/` is `~1` in a pointer.
#[test]
fn a_pointer_leads_to_the_place() {
    hold(&[
        (
            r#"{"properties":{"a/b":{"properties":{"m~n":{"items":{"type":"null"}}}}}}"#,
            r#"{"a/b":{"m~n":[null,1]}}"#,
            "/a~1b/m~0n/1: expected null, got number",
        ),
        (
            r#"{"properties":{"":{"required":["~1"]}}}"#,
            r#"{"":{}}"#,
            "//~01: expected any value, got nothing",
        ),
        (
            r#"{"properties":{"é\"":{"type":"null"}}}"#,
            r#"{"\u00e9\u0022":1}"#,
            "/é\": expected null, got number",
        ),
    ]);
    // A name of the input is repeated up to 64 characters.
    let long = "漢".repeat(65);
    let short = "漢".repeat(64);
    assert_eq!(
        check(
            r#"{"additionalProperties":false}"#,
            &format!(r#"{{"{long}":1}}"#)
        ),
        format!("/{short}: expected nothing, got number")
    );
}

/// JSON Schema Core §4.2.2: numbers by their value, members in any order, elements in theirs.
#[test]
fn equal_values_are_equal_however_they_are_spelled() {
    fit(r#"{"const":1}"#, &["1", "1.0", "10e-1", "0.1e1"]);
    differ(
        r#"{"const":1}"#,
        &[
            "2",
            "\"1\"",
            "true",
            "[1]",
            "1.0000000000000000000000001",
            "-1",
            "null",
        ],
    );
    fit(r#"{"const":0}"#, &["0", "-0", "0.0", "0e400"]);
    differ(
        r#"{"const":0}"#,
        &["1e-400", "false", "null", "\"\"", "[]", "{}"],
    );
    differ(
        r#"{"const":9007199254740993}"#,
        &["9007199254740992", "9007199254740994"],
    );
    fit(r#"{"const":1e400}"#, &["1e400", "10e399", "0.1e401"]);
    differ(r#"{"const":1e400}"#, &["1e401", "-1e400"]);
    fit(r#"{"const":"\u00e9"}"#, &["\"é\"", "\"\\u00E9\""]);
    differ(r#"{"const":"\u00e9"}"#, &["\"e\\u0301\"", "\"É\""]);
    fit(r#"{"const":null}"#, &["null"]);
    fit(r#"{"const":true}"#, &["true"]);
    differ(r#"{"const":true}"#, &["false", "1", "\"true\""]);
    differ(r#"{"const":null}"#, &["false", "0", "{}"]);
    let nested = r#"{"const":{"a":[1,{"b":null,"c":"x"}],"d":{}}}"#;
    fit(
        nested,
        &[
            r#"{"d":{},"a":[1.0,{"c":"x","b":null}]}"#,
            r#"{"a":[1,{"b":null,"c":"\u0078"}],"d":{}}"#,
        ],
    );
    differ(
        nested,
        &[
            r#"{"a":[{"b":null,"c":"x"},1],"d":{}}"#,
            r#"{"a":[1,{"b":null,"c":"x"}]}"#,
            r#"{"a":[1,{"b":null,"c":"x"}],"d":{},"e":1}"#,
            r#"{"a":[1,{"b":null,"c":"x"}],"D":{}}"#,
            r#"{"a":[1,{"b":null,"c":"x"}],"d":[]}"#,
            r#"{"a":[1,{"b":null}],"d":{}}"#,
            r#"{"a":[1,{"b":null,"c":"x"},2],"d":{}}"#,
            r#"{"a":[1],"d":{}}"#,
        ],
    );
    fit(r#"{"const":[1,2]}"#, &["[1,2]", "[ 1.0 , 2 ]"]);
    differ(
        r#"{"const":[1,2]}"#,
        &["[2,1]", "[1]", "[1,2,3]", "[]", "{}"],
    );
    let choice = r#"{"enum":["a",1,null,[],{"x":1}]}"#;
    fit(choice, &["\"a\"", "1.0", "null", "[]", r#"{"x":1e0}"#]);
    differ(choice, &["\"A\"", "2", "false", "[1]", r#"{"x":2}"#, "{}"]);
    hold(&[
        (
            choice,
            "2",
            r#"expected one of "a", 1, null, [], {"x":1}, got number"#,
        ),
        (r#"{"enum":["a"]}"#, "2", r#"expected "a", got number"#),
        (
            r#"{"const":1,"type":"number"}"#,
            "2",
            "expected 1, got number",
        ),
        (
            r#"{"const":1,"type":"number"}"#,
            "\"2\"",
            "expected number, got string",
        ),
        (
            r#"{"enum":[1,2],"const":3}"#,
            "3",
            "expected one of 1, 2, got number",
        ),
    ]);
}

/// What says something about a schema asks nothing of a value.
#[test]
fn annotations_ask_nothing() {
    let schema = r#"{"title":"t","description":"d","default":5,"examples":[1],"deprecated":true,"readOnly":true,"writeOnly":true,"$comment":"c"}"#;
    fit(schema, &EACH_TYPE);
}

/// A rule that is not understood must not look as if it held.
#[test]
fn a_schema_that_is_not_understood_is_refused() {
    let rows = [
        ("null", ": expected an object or a boolean"),
        ("5", ": expected an object or a boolean"),
        ("\"object\"", ": expected an object or a boolean"),
        ("[]", ": expected an object or a boolean"),
        (r#"{"Type":"object"}"#, "/Type: unknown keyword"),
        (r#"{"pattern":"a"}"#, "/pattern: unknown keyword"),
        (r##"{"$ref":"#"}"##, "/$ref: unknown keyword"),
        (r#"{"anyOf":[{}]}"#, "/anyOf: unknown keyword"),
        (r#"{"a~/b":1}"#, "/a~0~1b: unknown keyword"),
        (r#"{"type":"text"}"#, "/type: expected types of JSON Schema"),
        (
            r#"{"type":"Object"}"#,
            "/type: expected types of JSON Schema",
        ),
        (r#"{"type":[]}"#, "/type: expected types of JSON Schema"),
        (
            r#"{"type":["object","x"]}"#,
            "/type: expected types of JSON Schema",
        ),
        (
            r#"{"type":["object",5]}"#,
            "/type: expected an array of strings",
        ),
        (r#"{"type":5}"#, "/type: expected an array of strings"),
        (r#"{"type":null}"#, "/type: expected an array of strings"),
        (r#"{"properties":[]}"#, "/properties: expected an object"),
        (
            r#"{"properties":{"a":5}}"#,
            "/properties/a: expected an object or a boolean",
        ),
        (
            r#"{"properties":{"a/b":{"properties":{"c~":{"x":1}}}}}"#,
            "/properties/a~1b/properties/c~0/x: unknown keyword",
        ),
        (
            r#"{"required":"a"}"#,
            "/required: expected an array of strings",
        ),
        (
            r#"{"required":[1]}"#,
            "/required: expected an array of strings",
        ),
        (
            r#"{"required":true}"#,
            "/required: expected an array of strings",
        ),
        (
            r#"{"additionalProperties":"no"}"#,
            "/additionalProperties: expected an object or a boolean",
        ),
        (
            r#"{"additionalProperties":{"y":1}}"#,
            "/additionalProperties/y: unknown keyword",
        ),
        (
            r#"{"items":[{}]}"#,
            "/items: expected an object or a boolean",
        ),
        (
            r#"{"items":{"items":{"z":1}}}"#,
            "/items/items/z: unknown keyword",
        ),
        (r#"{"enum":"a"}"#, "/enum: expected an array"),
        (r#"{"minimum":"1"}"#, "/minimum: expected a number"),
        (r#"{"maximum":null}"#, "/maximum: expected a number"),
        (
            r#"{"minLength":-1}"#,
            "/minLength: expected a count of characters",
        ),
        (
            r#"{"minLength":1.5}"#,
            "/minLength: expected a count of characters",
        ),
        (
            r#"{"maxLength":"1"}"#,
            "/maxLength: expected a count of characters",
        ),
        (
            r#"{"maxLength":true}"#,
            "/maxLength: expected a count of characters",
        ),
    ];
    for (schema, error) in rows {
        assert_eq!(
            check(schema, "null"),
            format!("refused {error}"),
            "{schema}"
        );
    }
}

#[test]
fn at_most_eight_mismatches_are_told() {
    let values = format!("[{}]", ["1"; 100].join(","));
    let found = check(r#"{"items":{"type":"string"}}"#, &values);
    assert_eq!(found.split("; ").count(), 8);
    assert!(found.ends_with("/7: expected string, got number"));

    let names: Vec<String> = (0..100).map(|at| format!("\"n{at}\"")).collect();
    let found = check(&format!(r#"{{"required":[{}]}}"#, names.join(",")), "{}");
    assert_eq!(found.split("; ").count(), 8);
}

/// As deep as the reader reads, in the schema and in the value, through each kind of container.
#[test]
fn nothing_recurses() {
    let schema = format!(
        "{}{{\"type\":\"null\"}}{}",
        "{\"items\":".repeat(127),
        "}".repeat(127)
    );
    let value = |inner: &str| format!("{}{inner}{}", "[".repeat(127), "]".repeat(127));
    hold(&[
        (&schema, &value("null"), ""),
        (
            &schema,
            &value("5"),
            &format!("{}: expected null, got number", "/0".repeat(127)),
        ),
    ]);
    let schema = format!(
        "{}{{\"type\":\"null\"}}{}",
        "{\"properties\":{\"a\":".repeat(63),
        "}}".repeat(63)
    );
    let value = |inner: &str| format!("{}{inner}{}", "{\"a\":".repeat(63), "}".repeat(63));
    hold(&[
        (&schema, &value("null"), ""),
        (
            &schema,
            &value("5"),
            &format!("{}: expected null, got number", "/a".repeat(63)),
        ),
    ]);
    let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(127), "]".repeat(127));
    fit(&format!(r#"{{"const":{}}}"#, deep("1")), &[&deep("1.0")]);
    differ(
        &format!(r#"{{"const":{}}}"#, deep("1")),
        &[&deep("2"), &deep("[]")],
    );
}

/// A schema that is used again and again says the same: checks leave nothing behind.
#[test]
fn a_check_leaves_nothing_behind() {
    let document =
        parse(br#"{"type":"object","properties":{"a":{"items":{"type":"null"}}}}"#).unwrap();
    let schema = Schema::compile(document.root().unwrap()).unwrap();
    for (value, count) in [
        (r#"{"a":[1,2]}"#, 2),
        (r#"{"a":[null]}"#, 0),
        ("[]", 1),
        (r#"{"a":[3]}"#, 1),
    ] {
        let value = parse(value.as_bytes()).unwrap();
        assert_eq!(schema.check(value.root().unwrap()).len(), count);
        assert_eq!(schema.clone().check(value.root().unwrap()).len(), count);
    }
}
