//! Decimal numbers of any length, exact: a float would round what has to be told apart.

use std::cmp::Ordering;

/// Integers up to here are exact as floats, so a model that writes one with a point has meant this very number.
const MAX_EXACT: u64 = 1 << 53;

/// `0.digits × 10^point`, and nothing else for the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    is_negative: bool,
    /// Neither the first nor the last is a zero; none at all are zero.
    digits: String,
    point: i64,
}

impl Decimal {
    /// Reads a JSON number; of other text it makes something.
    pub(super) fn parse(number: &str) -> Self {
        let (is_negative, number) = number.strip_prefix('-').map_or((false, number), |number| (true, number));
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = String::with_capacity(mantissa.len());
        digits.push_str(whole);
        digits.push_str(fraction);
        let significant = digits.trim_start_matches('0');
        if significant.is_empty() {
            return Self { is_negative: false, digits: String::new(), point: 0 };
        }
        let zeros = digits.len() - significant.len();
        let point = length(whole.len()) - length(zeros);
        let significant = significant.trim_end_matches('0').to_owned();
        Self { is_negative, digits: significant, point: point.saturating_add(exponent_of(exponent)) }
    }

    /// As text without point or exponent, where it is an integer that a float holds exactly.
    pub(super) fn exact_integer(&self) -> Option<String> {
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let zeros = usize::try_from(self.point).ok()?.checked_sub(self.digits.len()).filter(|&zeros| zeros < 20)?;
        let text = format!("{}{}", self.digits, "0".repeat(zeros));
        text.parse().is_ok_and(|value: u64| value <= MAX_EXACT).then(|| {
            let sign = if self.is_negative { "-" } else { "" };
            format!("{sign}{text}")
        })
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| if number.is_zero() { 0 } else { 1 - 2 * i8::from(number.is_negative) };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign.is_ne() || self.is_zero() {
            return by_sign;
        }
        let by_size = self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        if self.is_negative { by_size.reverse() } else { by_size }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// An exponent too long to count is as good as the greatest.
fn exponent_of(text: &str) -> i64 {
    let far = i64::MAX / 2;
    let digits = text.trim_start_matches(['-', '+']);
    let size = digits.parse().unwrap_or(far).min(far);
    if text.starts_with('-') { -size } else { size }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn integer(number: &str) -> Option<String> {
        Decimal::parse(number).exact_integer()
    }

    #[test]
    fn only_what_is_an_integer_to_the_last_digit_is_one() {
        for (number, expected) in [
            ("5.0", "5"),
            ("5e0", "5"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0e999999999999999999999", "0"),
            ("1.50e1", "15"),
            ("-12.5E+1", "-125"),
            ("500e-2", "5"),
            ("9007199254740992.000", "9007199254740992"),
            ("0.00000000000000000000001e23", "1"),
        ] {
            assert_eq!(integer(number).as_deref(), Some(expected), "{number}");
        }
        for number in [
            "5.5",
            "9007199254740993.0",
            "9007199254740992.4",
            "4503599627370497.25",
            "1.00000000000000000000001",
            "1e-400",
            "1e400",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "18446744073709551617.0",
        ] {
            assert_eq!(integer(number), None, "{number}");
        }
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let ascending = [
            "-1e400",
            "-18446744073709551617",
            "-18446744073709551616",
            "-1.5",
            "-0.1",
            "-1e-400",
            "0",
            "1e-400",
            "0.1",
            "1",
            "1.00000000000000000000001",
            "2",
            "9.99",
            "10",
            "1e400",
            "1e401",
        ];
        for (at, a) in ascending.iter().enumerate() {
            for (other, b) in ascending.iter().enumerate() {
                assert_eq!(Decimal::parse(a).cmp(&Decimal::parse(b)), at.cmp(&other), "{a} {b}");
            }
        }
        assert_eq!(Decimal::parse("1.50"), Decimal::parse("15e-1"));
        assert_eq!(Decimal::parse("-0.0"), Decimal::parse("0"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn floats_in_any_notation_are_the_same(float in -1e9..1e9_f64) {
            let (plain, scientific) = (Decimal::parse(&format!("{float}")), Decimal::parse(&format!("{float:e}")));
            prop_assert_eq!(&plain, &scientific);
            prop_assert_eq!(plain.exact_integer().is_some(), float.fract() == 0.0);
            prop_assert_eq!(plain.cmp(&Decimal::parse("1000")), float.total_cmp(&1000.0));
        }
    }
}
