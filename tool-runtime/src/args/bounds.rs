//! Limits of numbers: those in the schema, and those of the type that `format` names.

use std::{cmp::Ordering, fmt::Write};

use serde_json::{Number, Value};

use super::{
    decimal::Decimal,
    expect::{Keywords, types},
};
use crate::error::ProblemKind;

/// The limits of one schema.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    low: Option<Bound>,
    high: Option<Bound>,
    multiple: Option<Number>,
    /// Of the type in `format`; beyond them a number does not fit at all.
    fits: Option<(String, String)>,
}

#[derive(Debug)]
struct Bound {
    limit: String,
    exclusive: bool,
}

impl Bounds {
    pub(super) fn of(keywords: &Keywords) -> Self {
        let number = |key: &str| keywords.get(key).and_then(Value::as_number).map(Number::to_string);
        let bound = |limit, exclusive| Bound { limit, exclusive };
        let fits = keywords.get("format").and_then(Value::as_str).and_then(range_of);
        let mut low = tighter(
            number("minimum").map(|limit| bound(limit, false)),
            number("exclusiveMinimum").map(|limit| bound(limit, true)),
            Ordering::Greater,
        );
        let mut high = tighter(
            number("maximum").map(|limit| bound(limit, false)),
            number("exclusiveMaximum").map(|limit| bound(limit, true)),
            Ordering::Less,
        );
        if let Some((least, most)) = &fits {
            low = tighter(low, Some(bound(least.clone(), false)), Ordering::Greater);
            high = tighter(high, Some(bound(most.clone(), false)), Ordering::Less);
        }
        let multiple = keywords.get("multipleOf").and_then(Value::as_number).cloned();
        Self { low, high, multiple, fits }
    }

    /// What kind of problem the number has, if any.
    pub(super) fn judge(&self, number: &str) -> Option<ProblemKind> {
        let below = |limit: &str| compare(number, limit) == Ordering::Less;
        let above = |limit: &str| compare(number, limit) == Ordering::Greater;
        if is_too_large(number) || self.fits.as_ref().is_some_and(|(least, most)| below(least) || above(most)) {
            return Some(ProblemKind::NumberOutOfRange);
        }
        let touches = |bound: &Bound| bound.exclusive && compare(number, &bound.limit) == Ordering::Equal;
        let is_out = self.low.as_ref().is_some_and(|bound| below(&bound.limit) || touches(bound))
            || self.high.as_ref().is_some_and(|bound| above(&bound.limit) || touches(bound))
            || self.multiple.as_ref().is_some_and(|of| !is_multiple(number, of));
        is_out.then_some(ProblemKind::OutOfBounds)
    }

    /// The kind they belong to, and `integer 0..=255`.
    pub(super) fn describe(&self, keywords: &Keywords) -> (&'static str, String) {
        let kind = if types(keywords).any(|kind| kind == "integer") { "integer" } else { "number" };
        let mut text = kind.to_owned();
        match (&self.low, &self.high) {
            (Some(low), Some(high)) if !low.exclusive && !high.exclusive => {
                let _ = write!(text, " {}..={}", low.limit, high.limit);
            }
            (low, high) => {
                if let Some(low) = low {
                    let _ = write!(text, " {} {}", if low.exclusive { ">" } else { ">=" }, low.limit);
                }
                if let Some(high) = high {
                    let and = if low.is_some() { " and" } else { "" };
                    let _ = write!(text, "{and} {} {}", if high.exclusive { "below" } else { "up to" }, high.limit);
                }
            }
        }
        if let Some(multiple) = &self.multiple {
            let _ = write!(text, ", multiple of {multiple}");
        }
        if text == kind {
            text.push_str(" of a size that a computer can hold");
        }
        (kind, text)
    }
}

fn tighter(a: Option<Bound>, b: Option<Bound>, tight: Ordering) -> Option<Bound> {
    match (a, b) {
        (Some(a), Some(b)) => {
            let order = compare(&a.limit, &b.limit);
            Some(if order == tight || (order == Ordering::Equal && a.exclusive) { a } else { b })
        }
        (a, b) => a.or(b),
    }
}

fn compare(a: &str, b: &str) -> Ordering {
    Decimal::parse(a).cmp(&Decimal::parse(b))
}

/// Whether no float holds a number of this size: it is what `serde_json` refuses.
pub(super) fn is_too_large(number: &str) -> bool {
    serde_json::from_str::<f64>(number).is_err()
}

fn is_multiple(number: &str, of: &Number) -> bool {
    if let (Ok(number), Some(of)) = (number.parse::<i128>(), of.as_i64()) {
        return of == 0 || number % i128::from(of) == 0;
    }
    let (Ok(number), Some(of)) = (serde_json::from_str::<f64>(number), of.as_f64()) else { return true };
    let quotient = number / of;
    of == 0.0 || !quotient.is_finite() || (quotient - quotient.round()).abs() < 1e-9 * quotient.abs().max(1.0)
}

/// The range of a format, as decimal text.
fn range_of(format: &str) -> Option<(String, String)> {
    if format == "float" {
        // Read from a number that is larger, an `f32` is infinite without a word. An `f64` is refused by `serde_json`.
        return Some(("-3.4028235e38".to_owned(), "3.4028235e38".to_owned()));
    }
    let (size, is_signed) = match format.strip_prefix("uint") {
        Some(size) => (size, false),
        None => (format.strip_prefix("int")?, true),
    };
    let unused = match size {
        "8" => 120,
        "16" => 112,
        "32" => 96,
        "64" => 64,
        "128" => 0,
        "" => u128::BITS - usize::BITS,
        _ => return None,
    };
    Some(if is_signed {
        ((i128::MIN >> unused).to_string(), (i128::MAX >> unused).to_string())
    } else {
        ("0".to_owned(), (u128::MAX >> unused).to_string())
    })
}

/// The range of an integer type that serde calls by its name in Rust.
pub(super) fn range_of_type(name: &str) -> Option<(String, String)> {
    let (kind, size) =
        name.strip_prefix('i').map(|size| ("int", size)).or(name.strip_prefix('u').map(|size| ("uint", size)))?;
    range_of(&format!("{kind}{}", if size == "size" { "" } else { size }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(schema: &Value, number: &str) -> (Option<ProblemKind>, String) {
        let keywords = schema.as_object().unwrap();
        let bounds = Bounds::of(keywords);
        (bounds.judge(number), bounds.describe(keywords).1)
    }

    #[test]
    fn the_tightest_bound_counts() {
        let u8_up_to_7 = json!({"type": "integer", "format": "uint8", "minimum": 1, "maximum": 7});
        assert_eq!(judged(&u8_up_to_7, "7"), (None, "integer 1..=7".into()));
        assert_eq!(judged(&u8_up_to_7, "8").0, Some(ProblemKind::OutOfBounds));
        assert_eq!(judged(&u8_up_to_7, "300").0, Some(ProblemKind::NumberOutOfRange));
        let positive = json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1.5});
        assert_eq!(judged(&positive, "0").0, Some(ProblemKind::OutOfBounds));
        assert_eq!(judged(&positive, "1.5"), (None, "number > 0 and up to 1.5".into()));
        assert_eq!(judged(&json!({"type": "integer", "multipleOf": 5}), "7").0, Some(ProblemKind::OutOfBounds));
        assert_eq!(judged(&json!({"type": "number", "multipleOf": 0.1}), "0.3").0, None);
    }

    #[test]
    fn integers_compare_exactly_at_any_length() {
        let wide = json!({"type": "integer", "format": "uint64", "minimum": 0});
        assert_eq!(judged(&wide, "18446744073709551615").0, None);
        assert_eq!(judged(&wide, "18446744073709551616").0, Some(ProblemKind::NumberOutOfRange));
        assert_eq!(
            judged(&json!({"type": "integer", "format": "int64"}), "-9223372036854775809").0,
            Some(ProblemKind::NumberOutOfRange)
        );
        assert_eq!(judged(&json!({"type": "number"}), "1e999").0, Some(ProblemKind::NumberOutOfRange));
    }

    #[test]
    fn the_range_of_a_format_is_that_of_its_type() {
        fn range<T: ToString>(least: &T, most: &T) -> (String, String) {
            (least.to_string(), most.to_string())
        }
        assert_eq!(range_of("int8"), Some(range(&i8::MIN, &i8::MAX)));
        assert_eq!(range_of("int32"), Some(range(&i32::MIN, &i32::MAX)));
        assert_eq!(range_of("int128"), Some(range(&i128::MIN, &i128::MAX)));
        assert_eq!(range_of("int"), Some(range(&isize::MIN, &isize::MAX)));
        assert_eq!(range_of("uint16"), Some(range(&u16::MIN, &u16::MAX)));
        assert_eq!(range_of("uint64"), Some(range(&u64::MIN, &u64::MAX)));
        assert_eq!(range_of("uint128"), Some(range(&u128::MIN, &u128::MAX)));
        assert_eq!(range_of("uint"), Some(range(&usize::MIN, &usize::MAX)));
        for other in ["int7", "integer", "uint256", "date", ""] {
            assert_eq!(range_of(other), None, "{other}");
        }
    }

    #[test]
    fn too_large_is_what_no_float_holds() {
        for large in ["1e309", "-1e309", "1e99999999999999999999", &"9".repeat(400)] {
            assert!(is_too_large(large), "{large}");
        }
        for held in ["0", "-0", "1.5", "1e308", "-1.7e308", "1e-400", "0e99999999999999999999", &"9".repeat(300)] {
            assert!(!is_too_large(held), "{held}");
        }
    }
}
