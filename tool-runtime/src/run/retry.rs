//! When a call that failed for the moment is tried again.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

/// The pause before attempt 2; each further one is twice the last.
const FIRST: Duration = Duration::from_millis(200);

/// No pause of ours is longer.
const LONGEST: Duration = Duration::from_secs(10);

/// No pause that an error asks for is longer; one that asks for more is final.
const LONGEST_ASKED: Duration = Duration::from_secs(60);

/// How long to wait after this failed attempt, counted from 1; `None` where that is too long.
pub(super) fn pause(attempt: u32, asked: Option<Duration>, call_id: &str) -> Option<Duration> {
    if let Some(asked) = asked {
        return (asked <= LONGEST_ASKED).then_some(asked);
    }
    let doubled = 1_u32.checked_shl(attempt.saturating_sub(1)).and_then(|factor| FIRST.checked_mul(factor));
    let pause = doubled.map_or(LONGEST, |pause| pause.min(LONGEST));
    // Calls that failed together come back apart, and the same call always in the same time.
    let mut hasher = DefaultHasher::new();
    (call_id, attempt).hash(&mut hasher);
    let off = u32::try_from(hasher.finish() % 256).unwrap_or(0);
    Some(pause.saturating_sub(pause * off / 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_ten_seconds_less_a_quarter_at_most() {
        for (attempt, millis) in
            [(1, 200), (2, 400), (3, 800), (6, 6400), (7, 10_000), (40, 10_000), (u32::MAX, 10_000)]
        {
            let whole = Duration::from_millis(millis);
            for id in ["", "call_1", "call_2", "call_3"] {
                let pause = pause(attempt, None, id).unwrap_or_default();
                assert!(pause <= whole && pause >= whole * 3 / 4, "{attempt} {id}: {pause:?}");
            }
        }
        assert_eq!(pause(3, None, "call_1"), pause(3, None, "call_1"));
        let apart: std::collections::HashSet<_> = (0..100).map(|id| pause(1, None, &id.to_string())).collect();
        assert!(apart.len() > 50, "calls that failed together come back apart");
    }

    #[test]
    fn what_an_error_asks_for_is_waited_to_the_letter_or_not_at_all() {
        for asked in [0, 1, 59, 60].map(Duration::from_secs) {
            assert_eq!(pause(5, Some(asked), "call_1"), Some(asked));
        }
        assert_eq!(pause(1, Some(Duration::from_millis(60_001)), "call_1"), None);
        assert_eq!(pause(1, Some(Duration::MAX), "call_1"), None);
    }
}
