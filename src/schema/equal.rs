//! Equality of JSON values (JSON Schema Core §4.2.2): numbers by their mathematical value, objects in any order.

use crate::json::Value;

/// Whether `a` and `b` are the same value. The pairs still to be compared stand in a list, so nothing recurses.
pub(super) fn equal(a: Value<'_>, b: Value<'_>) -> bool {
    let mut pairs = Vec::new();
    let mut next = Some((a, b));
    while let Some((a, b)) = next {
        let same = match (a, b) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a.compare(b).is_eq(),
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => {
                pairs.extend(a.iter().zip(b));
                a.iter().count() == b.iter().count()
            }
            (Value::Object(a), Value::Object(b)) => {
                // No name occurs twice, so as many names that are all found are the same names.
                let found = a
                    .iter()
                    .map(|(name, value)| b.get(name).map(|other| (value, other)));
                let found: Option<Vec<_>> = found.collect();
                let same_names = found.is_some() && a.iter().count() == b.iter().count();
                pairs.extend(found.unwrap_or_default());
                same_names
            }
            _ => false,
        };
        if !same {
            return false;
        }
        next = pairs.pop();
    }
    true
}
