//! Arguments of a tool: models send a number as a text, one text for a list, null for what they leave out.
//! What is meant is taken; what is not understood is told by its name.

use serde_json::{Map, Value};

use super::answer::Trouble;

/// Arguments as a tool takes them.
pub(super) type Arguments = Map<String, Value>;

/// The arguments as the schema of a tool wants them.
pub(super) fn fitted(schema: &Value, given: Arguments) -> Result<Arguments, Trouble> {
    let known = &schema["properties"];
    let names = || -> String {
        let names = known.as_object().into_iter().flatten().map(|(name, _)| format!("`{name}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let mut fitted = Map::new();
    for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
        let wanted = known.get(&name).and_then(|property| property["type"].as_str());
        let Some(wanted) = wanted else {
            return Err(Trouble::new(format!(
                "There is no argument `{name}`; there are {}. Call again.",
                names()
            )));
        };
        match as_wanted(wanted, value) {
            Some(value) => fitted.insert(name, value),
            None => {
                let what = in_words(wanted);
                return Err(Trouble::new(format!("`{name}` has to be {what}. Call again.")));
            }
        };
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !fitted.contains_key(name) {
            return Err(Trouble::new(format!("`{name}` is missing. Call again.")));
        }
    }
    Ok(fitted)
}

fn in_words(wanted: &str) -> &'static str {
    match wanted {
        "integer" => "a whole number of 0 or more",
        "boolean" => "true or false",
        "array" => "a list of texts",
        _ => "a text",
    }
}

fn as_wanted(wanted: &str, value: Value) -> Option<Value> {
    match (wanted, value) {
        ("integer", value) => whole(&value).map(Value::from),
        ("boolean", Value::String(word)) => {
            word.trim().to_lowercase().parse::<bool>().ok().map(Value::from)
        }
        ("boolean", value @ Value::Bool(_)) => Some(value),
        // Some send a list as its text.
        ("array", Value::String(text)) => {
            let list = serde_json::from_str::<Vec<String>>(&text);
            Some(list.map_or_else(|_| Value::from(vec![text]), Value::from))
        }
        ("array", Value::Array(all)) => {
            all.iter().all(Value::is_string).then_some(Value::Array(all))
        }
        ("string", value @ Value::String(_)) => Some(value),
        // Ids of digits alone are often sent as a number.
        ("string", Value::Number(number)) => Some(Value::String(number.to_string())),
        _ => None,
    }
}

/// A number, as such or as a text.
pub(super) fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_u64().or_else(|| {
            let number = value.as_f64()?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and within bounds"
            )]
            let whole = number as u64;
            (number.fract() == 0.0 && (0.0..1e15).contains(&number)).then_some(whole)
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fit(given: Value) -> Result<Value, String> {
        let schema = json!({"properties": {
            "id": {"type": "string"}, "limit": {"type": "integer"}, "all": {"type": "boolean"},
            "tags": {"type": "array"},
        }, "required": ["id"]});
        let Value::Object(given) = given else { return Err("no object".to_owned()) };
        fitted(&schema, given).map(Value::Object).map_err(|Trouble(text)| text)
    }

    #[test]
    fn what_is_meant_is_taken() {
        let given = json!({"id": 12345678, "limit": "3", "all": "True", "tags": "a"});
        let taken = json!({"id": "12345678", "limit": 3, "all": true, "tags": ["a"]});
        assert_eq!(fit(given), Ok(taken));
        let given = json!({"id": "x", "tags": "[\"a\", \"b c\"]"});
        assert_eq!(fit(given), Ok(json!({"id": "x", "tags": ["a", "b c"]})));
        let given = json!({"id": "x", "tags": "[a] mend it"});
        assert_eq!(fit(given), Ok(json!({"id": "x", "tags": ["[a] mend it"]})));
        let given = json!({"id": "x", "limit": 2.0, "all": null, "tags": null});
        assert_eq!(fit(given), Ok(json!({"id": "x", "limit": 2})));
    }

    #[test]
    fn what_is_not_understood_is_told_by_its_name() {
        for (given, told) in [
            (json!({}), "`id` is missing"),
            (json!({"id": null}), "`id` is missing"),
            (json!({"id": ["a"]}), "`id` has to be a text"),
            (json!({"id": "x", "limit": -1}), "`limit` has to be a whole number of 0 or more"),
            (json!({"id": "x", "limit": true}), "`limit` has to be a whole number of 0 or more"),
            (json!({"id": "x", "all": 1}), "`all` has to be true or false"),
            (json!({"id": "x", "tags": [1]}), "`tags` has to be a list of texts"),
            (json!({"id": "x", "tags": {}}), "`tags` has to be a list of texts"),
            (
                json!({"id": "x", "ld": 1}),
                "no argument `ld`; there are `id`, `limit`, `all`, `tags`",
            ),
        ] {
            let said = fit(given).unwrap_err();
            assert!(said.contains(told), "{said}");
        }
    }
}
