use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn sketch(text: &str, limit: usize) -> Sketch {
    sketch_of(&[text], limit).unwrap()
}

fn sketch_of(pieces: &[&str], limit: usize) -> Option<Sketch> {
    Sketch::of(limit, |push| {
        for piece in pieces {
            let _ = push(piece);
        }
        Ok(())
    })
}

fn show(value: &Value, limit: usize) -> String {
    sketch(&value.to_string(), limit).show(limit, Snap::Chars)
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// A document of which one string alone is over the limit.
#[test]
fn t08_one_giant_leaves_everything_else_whole() {
    let value = json!({"fields": ["id", "txt"], "rows": [{"id": 1, "txt": "z".repeat(60_000)}]});
    for limit in [50_000, 200] {
        let text = show(&value, limit);
        let shown: Value = serde_json::from_str(&text).unwrap();
        assert!((limit - 4..=limit).contains(&chars(&text)), "{limit} {}", chars(&text));
        assert_eq!(shown["fields"], value["fields"]);
        assert_eq!(shown["rows"][0]["id"], 1);
        assert_eq!(shown["_missing"], 1);
        let (head, rest) = shown["rows"][0]["txt"].as_str().unwrap().split_once("… ").unwrap();
        let (missing, tail) = rest.split_once(" chars more …").unwrap();
        assert_eq!(head.len() + missing.parse::<usize>().unwrap() + tail.len(), 60_000);
    }
    assert_eq!(show(&value, 40), r#"{"fields":"…","rows":"…","_missing":4}"#);
    assert_eq!(show(&value, 37), r#"{"…":"2 more","_missing":4}"#);
    assert_eq!(show(&value, 10), "null");
}

#[test]
fn lists_end_with_a_count() {
    let rows: Vec<Value> = (0..5_000).map(|id| json!({"id": id, "name": "row"})).collect();
    let shown: Vec<Value> = serde_json::from_str(&show(&json!(rows), 300)).unwrap();
    let kept = shown.len() - 2;
    assert_eq!(shown[..kept], rows[..kept]);
    assert_eq!(shown[kept], format!("… {} more", 5_000 - kept));
    assert_eq!(shown[kept + 1], json!({"_missing": 2 * (5_000 - kept)}));
    assert_eq!(show(&json!([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 1]), 28), r#"["… 2 more",{"_missing":12}]"#);
}

#[test]
fn objects_keep_their_keys_or_count_the_lost() {
    let value = json!({"a": "x".repeat(100), "b": "y".repeat(100), "c": true, "d": 1.5});
    assert_eq!(show(&value, 66), r#"{"a":"xxxxxxxxx…","b":"yyyyyyyyy…","c":true,"d":1.5,"_missing":2}"#);
    let value = json!({"k".repeat(10_000): 1, "a": "short", "…": 0, "_missing": false});
    assert_eq!(show(&value, 80), r#"{"a":"short","…":0,"_missing":false,"……":"1 more","_missing_":1}"#);
}

#[test]
fn spelling_is_kept_and_half_pairs_are_no_characters() {
    let text = r#"{ "n" : 1.10e+5, "s":"\ud83d\ude00 \u00e9 \/ \ud83d x \u0007\n\"", "l": [ ] , "w":null}"#;
    let compact = "{\"n\":1.10e+5,\"s\":\"😀 é / \u{fffd} x \\u0007\\n\\\"\",\"l\":[],\"w\":null}";
    assert_eq!(sketch(text, 200).show(200, Snap::Chars), compact);
    let pieces: Vec<String> = text.chars().map(String::from).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    assert_eq!(sketch_of(&pieces, 200).unwrap().show(200, Snap::Chars), compact);
}

#[test]
fn what_is_no_json_has_no_sketch() {
    let deep = "[".repeat(600) + &"]".repeat(600);
    let sketch = |text: &str| {
        Sketch::of(100, |push| match push(text) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Fault::Stopped),
        })
    };
    for text in [&deep, "", "[1", "\"a", "{\"a\":"] {
        assert!(sketch(text).is_none(), "{text}");
    }
    assert!(sketch("12").is_some());
    assert!(sketch(&deep[88..1_112]).is_some());
}

#[test]
fn memory_is_for_the_limit_and_not_for_the_text() {
    let mut reader = Reader::new(500);
    let mut widest = 0;
    let row = format!(r#"{{"id":1,"tags":["a","b",["c"]],"text":"{}"}},"#, "é".repeat(300));
    assert!(reader.read(r#"{"first":[["#));
    for _ in 0..5_000 {
        assert!(reader.read(&row));
        widest = widest.max(reader.held());
    }
    assert!(reader.read(&format!(r#"0],1],"text":"{}","last":{{"#, "x".repeat(1_000_000))));
    for index in 0..5_000 {
        assert!(reader.read(&format!(r#""key {index}":{{"id":{index}}},"#)));
        widest = widest.max(reader.held());
    }
    assert!(reader.read(r#""end":true}}"#));
    assert!(widest < 12_000, "{widest}");
    let text = Sketch { root: reader.finish().unwrap() }.show(500, Snap::Chars);
    let shown: Value = serde_json::from_str(&text).unwrap();
    assert!((400..=500).contains(&chars(&text)), "{text}");
    assert!(shown["first"].is_array() && shown["text"].is_string() && shown["last"].is_object(), "{text}");
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1_000_000..1_000_000_i32).prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
        "[a-z \"\\\\\n\u{1}é漢🦀\u{301}…]{0,60}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 120, 12, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
            proptest::collection::vec(("[a-c…_]{0,12}|_missing|…", inner), 0..12)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// How many values are shown as they are; strings may have lost their middle, and more is lost only where it says so.
fn compare(whole: &Value, shown: &Value) -> usize {
    if whole == shown {
        return values(whole);
    }
    match (whole, shown) {
        (_, Value::String(shown)) if shown == "…" => 0,
        (Value::String(whole), Value::String(shown)) => {
            let (head, rest) = shown.split_once('…').unwrap();
            assert!(whole.starts_with(head) || whole.contains('…'), "{shown}");
            assert!(chars(&json!(shown).to_string()) < chars(&json!(whole).to_string()), "{shown}");
            assert!(rest.is_empty() || rest.contains(" chars more …") || whole.contains('…'), "{shown}");
            0
        }
        (Value::Array(whole), Value::Array(shown)) => {
            let kept = if whole.len() == shown.len() && shown.last().and_then(Value::as_str) != Some("… 1 more") {
                shown.len()
            } else {
                let marker = shown.last().and_then(Value::as_str).unwrap();
                assert_eq!(marker, format!("… {} more", whole.len() + 1 - shown.len()));
                shown.len() - 1
            };
            whole.iter().zip(&shown[..kept]).map(|(whole, shown)| compare(whole, shown)).sum()
        }
        (Value::Object(whole), Value::Object(shown)) => {
            let marker = Value::from(format!("{} more", whole.len() + 1 - shown.len()));
            let is_marked = shown.iter().next_back().is_some_and(|(key, last)| key.starts_with('…') && *last == marker);
            let kept = shown.len() - usize::from(is_marked);
            assert!(is_marked || kept == whole.len());
            shown.iter().take(kept).map(|(key, shown)| compare(&whole[key], shown)).sum()
        }
        other => panic!("{other:?}"),
    }
}

fn values(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Object(members) => members.values().map(values).sum(),
        _ => 1,
    };
    usize::max(inside, 1)
}

/// Takes the flag off the outermost value.
fn take_flag(shown: &mut Value) -> Option<u64> {
    match shown {
        Value::Array(items) => items.pop()?.get(FLAG)?.as_u64(),
        Value::Object(members) => {
            let key = members.keys().next_back().filter(|key| key.starts_with(FLAG))?.clone();
            members.remove(&key)?.as_u64()
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn it_is_json_within_the_limit_and_says_what_is_missing(
        value in document(),
        limit in 1_usize..=400,
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let whole = value.to_string();
        let text = show(&value, limit);
        prop_assert!(chars(&text) <= limit, "{} {}", limit, text);
        let mut shown: Value = serde_json::from_str(&text).unwrap();
        if chars(&whole) <= limit {
            prop_assert_eq!(text, whole);
            return Ok(());
        }
        // However it comes, and whatever more could have been kept.
        let mut at: Vec<usize> = cuts.iter().map(|at| crate::cut::boundary(&whole, at % (whole.len() + 1))).collect();
        at.extend([0, whole.len()]);
        at.sort_unstable();
        let pieces: Vec<&str> = at.windows(2).map(|pair| &whole[pair[0]..pair[1]]).collect();
        prop_assert_eq!(&sketch_of(&pieces, limit).unwrap().show(limit, Snap::Chars), &text);
        prop_assert_eq!(sketch(&whole, limit).show(limit, Snap::Lines), sketch_of(&pieces, limit).unwrap().show(limit, Snap::Lines));
        if text == nothing(limit) {
            return Ok(());
        }
        if value.is_string() || value.is_number() || value.is_boolean() || value.is_null() {
            compare(&value, &shown);
            return Ok(());
        }
        let missing = take_flag(&mut shown);
        prop_assert_eq!(missing, Some((values(&value) - compare(&value, &shown)) as u64), "{}\n{}", whole, text);
    }

    #[test]
    fn a_sketch_for_more_shows_as_much_for_less(value in document(), limit in 1_usize..=400, more in 0_usize..400) {
        let text = sketch(&value.to_string(), limit + more).show(limit, Snap::Chars);
        prop_assert!(chars(&text) <= limit);
        serde_json::from_str::<Value>(&text).unwrap();
    }
}
