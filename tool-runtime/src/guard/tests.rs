#![allow(clippy::unwrap_used, clippy::panic)]

use std::hash::RandomState;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    request::Arguments,
    spec::{Hints, LoopKey, ToolSpec},
};

const OTHERS: Limits = Limits { note: 3, block: 5, halt: 7 };
const READS: Limits = Limits { note: 5, block: 8, halt: 12 };

/// A call as it went, in letters: `.` ran, `n` ran with a notice, `b` blocked, `u` a probe that changed nothing,
/// `h` halted.
fn play(guard: &mut Guard, calls: &[(u64, u64, Limits)]) -> String {
    let step = |&(call, result, limits): &(u64, u64, Limits)| {
        let key = CallKey { call, limits };
        let asked = guard.ask(key);
        assert_eq!(asked, guard.ask(key), "asking changes nothing");
        match guard.admit(key) {
            Err(Refusal::Blocked(_)) => {
                assert_eq!(asked, LoopVerdict::Block);
                'b'
            }
            Err(_) => {
                assert_eq!(asked, LoopVerdict::Halt);
                'h'
            }
            Ok(admitted) => {
                assert_eq!(asked, admitted);
                match guard.record(key, result, admitted) {
                    None => '.',
                    Some(Note::Repeats(_)) => 'n',
                    Some(Note::Unchanged(_)) => 'u',
                }
            }
        }
    };
    calls.iter().map(step).collect()
}

fn repeated(pattern: &[(u64, u64)], rounds: usize, limits: Limits) -> Vec<(u64, u64, Limits)> {
    (0..rounds).flat_map(|_| pattern.iter().map(move |&(call, result)| (call, result, limits))).collect()
}

#[test]
fn a_streak_is_noted_blocked_probed_and_halted() {
    assert_eq!(play(&mut Guard::default(), &repeated(&[(1, 1)], 9, OTHERS)), "..n.buhhh");
    assert_eq!(play(&mut Guard::default(), &repeated(&[(1, 1)], 13, READS)), "....n..bubuhh");
}

#[test]
fn rounds_of_a_cycle_count_like_calls_of_a_streak() {
    assert_eq!(play(&mut Guard::default(), &repeated(&[(1, 1), (2, 2)], 7, OTHERS)), ".....n...bubuh");
    let play = play(&mut Guard::default(), &repeated(&[(1, 1), (2, 2), (3, 3)], 7, OTHERS));
    assert_eq!(play, "........n.....bububuh");
}

#[test]
fn a_cycle_is_as_strict_as_its_strictest_call() {
    let cycle: Vec<_> = (0..3).flat_map(|_| [(1, 1, READS), (2, 2, OTHERS)]).collect();
    assert_eq!(play(&mut Guard::default(), &cycle), ".....n");
}

#[test]
fn a_result_that_changes_is_no_loop() {
    let polls: Vec<_> = (0..100).map(|result| (1, result, OTHERS)).collect();
    assert_eq!(play(&mut Guard::default(), &polls), ".".repeat(100));
    let cycle: Vec<_> = (0..100).flat_map(|result| [(1, 1, OTHERS), (2, result, OTHERS)]).collect();
    assert_eq!(play(&mut Guard::default(), &cycle), ".".repeat(200));
}

#[test]
fn a_probe_with_a_new_result_starts_afresh() {
    let mut guard = Guard::default();
    assert_eq!(play(&mut guard, &repeated(&[(1, 1)], 5, OTHERS)), "..n.b");
    assert_eq!(play(&mut guard, &[(1, 2, OTHERS); 5]), "..n.b");
}

#[test]
fn another_call_between_ends_a_streak() {
    let calls: Vec<_> = (0..20).flat_map(|other| [(1, 1, OTHERS), (1, 1, OTHERS), (100 + other, 0, OTHERS)]).collect();
    assert_eq!(play(&mut Guard::default(), &calls), ".".repeat(60));
}

#[test]
fn a_halted_guard_halts_everything() {
    let mut guard = Guard::default();
    play(&mut guard, &repeated(&[(1, 1)], 7, OTHERS));
    assert!(guard.is_halted());
    assert_eq!(play(&mut guard, &[(2, 2, OTHERS)]), "h");
}

/// The whole history, looked at from the start each time.
#[derive(Default)]
struct Oracle {
    steps: Vec<(u64, u64, Limits)>,
}

impl Oracle {
    /// The longest run of this period that ends with the last of `steps`, if it is one.
    fn run(steps: &[(u64, u64, Limits)], period: usize) -> Option<(u32, Limits)> {
        let same = |a: &(u64, u64, Limits), b: &(u64, u64, Limits)| (a.0, a.1) == (b.0, b.1);
        let start = (0..steps.len()).find(|&start| {
            let run = &steps[start..];
            run.len() > period && run.iter().zip(&run[period..]).all(|(a, b)| same(a, b))
        })?;
        let run = &steps[start..];
        let last = &run[run.len() - period..];
        if period > 1 && last.iter().all(|step| same(step, &last[0])) {
            return None;
        }
        Some((u32::try_from(run.len()).unwrap(), last.iter().map(|step| step.2).reduce(Limits::strictest).unwrap()))
    }

    fn step(&mut self, (call, result, limits): (u64, u64, Limits)) -> char {
        let mut worst = ('.', 0, 0);
        for period in 1..=3 {
            let Some(&(earlier, same, _)) = self.steps.iter().rev().nth(period - 1) else { continue };
            if earlier != call {
                continue;
            }
            let mut steps = self.steps.clone();
            steps.push((call, same, limits));
            let Some((length, limits)) = Self::run(&steps, period) else { continue };
            let p = u32::try_from(period).unwrap();
            let (letter, severity) = match length {
                _ if length >= limits.halt * p => ('h', 3),
                _ if length >= limits.block * p && (length - limits.block * p) % 2 == 0 => ('b', 2),
                _ if length >= limits.block * p => ('u', 1),
                _ => ('.', 0),
            };
            if severity > worst.1 {
                worst = (letter, severity, same);
            }
        }
        match worst {
            ('h', ..) => 'h',
            ('b', _, same) => {
                self.steps.push((call, same, limits));
                'b'
            }
            (letter, ..) => {
                self.steps.push((call, result, limits));
                let runs: Vec<_> = (1..=3_u32).filter_map(|p| Some((p, Self::run(&self.steps, p as usize)?))).collect();
                if runs.iter().any(|(p, (length, limits))| *length == limits.note * p) {
                    return 'n';
                }
                let still = runs.iter().any(|(p, (length, limits))| *length >= limits.block * p);
                if letter == 'u' && still { 'u' } else { '.' }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn counting_equals_looking_at_the_whole_history(calls in proptest::collection::vec((0_u64..3, 0_u64..2, any::<bool>()), 0..60)) {
        let (mut guard, mut oracle) = (Guard::default(), Oracle::default());
        for (call, result, strict) in calls {
            // The result is often the same, so that there are loops to find.
            let step = (call, result * u64::from(call == 0), if strict { Limits { note: 2, block: 3, halt: 5 } } else { OTHERS });
            let expected = oracle.step(step);
            prop_assert_eq!(play(&mut guard, &[step]), expected.to_string());
            if expected == 'h' {
                break;
            }
        }
    }

    #[test]
    fn what_is_assumed_is_never_better_than_what_comes(
        before in proptest::collection::vec((0_u64..2, 0_u64..2), 0..12),
        turn in proptest::collection::vec((0_u64..2, 0_u64..2), 1..12),
    ) {
        let limits = Limits { note: 2, block: 3, halt: 5 };
        let mut guard = Guard::default();
        play(&mut guard, &before.iter().map(|&(call, result)| (call, result, limits)).collect::<Vec<_>>());
        let mut worst = guard.clone();
        for (call, result) in turn {
            let key = CallKey { call, limits };
            if guard.is_halted() {
                break;
            }
            if guard.ask(key) >= LoopVerdict::Probe {
                prop_assert!(worst.ask(key) >= LoopVerdict::Probe);
            }
            if guard.ask(key) == LoopVerdict::Halt {
                prop_assert_eq!(worst.ask(key), LoopVerdict::Halt);
            }
            worst.assume(key);
            play(&mut guard, &[(call, result, limits)]);
        }
    }
}

fn key_of(spec: &ToolSpec, arguments: impl Into<Arguments>, guard: &LoopGuard, keys: &RandomState) -> u64 {
    CallKey::new(Some(spec), "ignored", &arguments.into(), 1 << 20, guard, keys).call
}

#[test]
fn arguments_are_compared_by_what_they_say() {
    let (keys, guard) = (RandomState::new(), LoopGuard::new());
    let spec = ToolSpec::new("search", "Searches.");
    let same = |a: &str, b: &str| key_of(&spec, a, &guard, &keys) == key_of(&spec, b, &guard, &keys);
    for (a, b) in [
        (r#"{"q":"a","n":1}"#, r#"{ "n" : 1, "q" : "a" }"#),
        (r#"{"q":"a","n":1}"#, r#"{"n":1.0,"q":"a"}"#),
        (r#"{"n":1e2}"#, r#"{"n":100}"#),
        (r#"{"n":-0.0}"#, r#"{"n":0}"#),
        (r#"{"q":"\u0061\n"}"#, r#"{"q":"a\u000a"}"#),
        (r#"{"a":{"x":[1,{"y":2,"z":3}]}}"#, r#"{"a":{"x":[1.0,{"z":3,"y":2}]}}"#),
        ("{}", ""),
        ("{}", "null"),
        ("{}", " "),
        ("not json", "not json"),
    ] {
        assert!(same(a, b), "{a} {b}");
    }
    for (a, b) in [
        (r#"{"n":1}"#, r#"{"n":"1"}"#),
        (r#"{"n":[1]}"#, r#"{"n":1}"#),
        (r#"{"n":[1,2]}"#, r#"{"n":[2,1]}"#),
        (r#"{"n":[[1],2]}"#, r#"{"n":[[1,2]]}"#),
        (r#"{"n":null}"#, r"{}"),
        (r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#),
        (r#"{"a":{"b":1},"c":2}"#, r#"{"a":{"b":2},"c":1}"#),
        (r#"{"a":1.5}"#, r#"{"a":1}"#),
        (r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#),
        (r#"{"a":true}"#, r#"{"a":"true"}"#),
        ("not json", "not json either"),
    ] {
        assert!(!same(a, b), "{a} {b}");
    }
    assert_eq!(key_of(&spec, json!({"n": 1}), &guard, &keys), key_of(&spec, r#"{"n":1.0}"#, &guard, &keys));
    let other = ToolSpec::new("find", "Finds.");
    assert_ne!(key_of(&spec, "{}", &guard, &keys), key_of(&other, "{}", &guard, &keys));
}

#[test]
fn only_the_arguments_that_count_are_compared() {
    let keys = RandomState::new();
    let (plain, ignoring) = (LoopGuard::new(), LoopGuard::new().ignore(["request_id"]));
    let by = |key: LoopKey, guard: &LoopGuard, arguments: Value| {
        key_of(&ToolSpec::new("t", "T.").loop_key(key), arguments, guard, &keys)
    };
    let (a, b) = (json!({"q": "a", "request_id": 1}), json!({"request_id": 2, "q": "a"}));
    let same = |key: LoopKey, guard: &LoopGuard| by(key.clone(), guard, a.clone()) == by(key, guard, b.clone());
    assert!(!same(LoopKey::All, &plain));
    assert!(same(LoopKey::All, &ignoring));
    assert!(same(["q"].into(), &plain));
    assert!(!same(["request_id"].into(), &plain));
    assert!(same(LoopKey::except(["request_id"]), &plain));
    assert!(same(LoopKey::By(|arguments| arguments["q"].clone()), &plain));
    assert!(!same(LoopKey::By(|_| panic!("a bug of the user's")), &plain));
    assert_ne!(by(["q"].into(), &plain, json!({"q": 1})), by(["q"].into(), &plain, json!({"q": 2})));
}

#[test]
fn thresholds_go_by_the_hints() {
    let guard = LoopGuard::new();
    assert_eq!(guard.limits(Hints::default()), OTHERS);
    assert_eq!(guard.limits(ToolSpec::new("t", "").read_only().hints()), READS);
    assert_eq!(guard.limits(ToolSpec::new("t", "").idempotent().hints()), READS);
    assert!(guard.is_in_order() && LoopGuard::new().others(2, 2, 2).is_in_order());
    assert!(!LoopGuard::new().others(1, 2, 3).is_in_order());
    assert!(!LoopGuard::new().read_only(4, 3, 5).is_in_order());
}

/// The hash of JSON that comes in these pieces.
fn digest_of(value: &Value, keys: &RandomState) -> u64 {
    let mut digest = Digest::new(keys);
    digest.json(value);
    digest.finish()
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        r#"[a-c"\\\n{}\[\]:,é]{0,6}"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((r#"[a-c"\\:]{0,2}"#, inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Every object's members the other way round.
fn turned(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(turned).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().rev().map(|(key, value)| (key.clone(), turned(value))).collect())
        }
        scalar => scalar.clone(),
    }
}

/// The same but for whole numbers written as `1.0`, and in one form.
fn normal(value: &Value) -> String {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e18 => {
                format!("{float:.0}").replace("-0", "0")
            }
            _ => number.to_string(),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(normal).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(k, v)| format!("{}:{}", Value::from(k.as_str()), normal(v))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        scalar => scalar.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn json_is_hashed_by_what_it_says(a in values(), b in values()) {
        let keys = RandomState::new();
        prop_assert_eq!(digest_of(&a, &keys), digest_of(&turned(&a), &keys));
        prop_assert_eq!(digest_of(&a, &keys) == digest_of(&b, &keys), normal(&a) == normal(&b), "{} {}", a, b);
    }
}

#[test]
fn long_values_are_hashed_alike_however_they_are_cut_up() {
    use std::collections::HashMap;
    let keys = RandomState::new();
    // Each with an order of its own, and longer than a piece.
    let maps = || (0..3000).map(|n| (format!("key {n} é"), "\\\"é".repeat(n % 7))).collect::<HashMap<_, _>>();
    let hash = |map: &HashMap<String, String>| {
        let mut digest = Digest::new(&keys);
        digest.json(map);
        digest.finish()
    };
    let first = hash(&maps());
    for _ in 0..5 {
        assert_eq!(hash(&maps()), first);
    }
    let mut other = maps();
    other.insert("key 17 é".to_owned(), "else".to_owned());
    assert_ne!(hash(&other), first);
}

#[test]
fn texts_say_what_to_do_and_no_more() {
    let streak = Run { period: 1, length: 5 };
    let cycle = Run { period: 3, length: 15 };
    assert_eq!(
        Note::Repeats(Run { period: 1, length: 3 }).text(),
        "this is call 3 in a row with the same arguments and the same result; change the arguments, take another \
         tool, or tell the user what is missing"
    );
    assert_eq!(
        Refusal::Blocked(streak).text(),
        "[Not run] This is call 5 in a row with the same arguments, and the result was always the same. Don't repeat \
         it: change the arguments, take another tool, or tell the user what is missing."
    );
    assert!(Note::Repeats(cycle).text().starts_with("the same 3 calls were made 5 times in turn"));
    assert!(Refusal::Blocked(cycle).text().contains("for round 5 in turn"));
}
