//! How a list or an object divides its room.

/// One member: what it costs whatever is shown of it (key, colon, comma), and its value at full length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub(super) fixed: usize,
    pub(super) value: usize,
}

impl Cost {
    /// What it takes to show at least `least` characters of the value, or all of it.
    fn need(self, least: usize) -> usize {
        self.fixed.saturating_add(self.value.min(least))
    }
}

/// The shortest sign that a value is missing: `"…"`.
pub(super) const SIGN: usize = 3;

/// Who gets room, and how much.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// Whose value is shown, in order.
    pub(super) kept: Vec<usize>,
    /// The most that any value gets.
    pub(super) level: usize,
}

/// For a list: as many from the beginning as fit, none but the very large ones cut. `marker` is what it takes to say
/// that some are missing, which it has to where `already` some are.
pub(super) fn list(costs: &[Cost], room: usize, marker: usize, already: bool) -> Option<Share> {
    let least = (room / 4).max(16);
    if !already {
        let all = prefix(costs, room, least);
        if all == costs.len() {
            return Some(share((0..all).collect(), costs, room));
        }
    }
    let room = room.checked_sub(marker)?;
    let mut kept = prefix(costs, room, least);
    if kept == 0 {
        kept = prefix(&costs[..costs.len().min(1)], room, SIGN);
    }
    Some(share((0..kept).collect(), costs, room))
}

/// How many from the beginning can have `least` each.
fn prefix(costs: &[Cost], room: usize, least: usize) -> usize {
    let mut taken = 0_usize;
    let beyond = costs.iter().position(|cost| {
        taken = taken.saturating_add(cost.need(least));
        taken > room
    });
    beyond.unwrap_or(costs.len())
}

/// For an object: all keys, if each can have at least a sign; else the members that need least.
pub(super) fn object(costs: &[Cost], room: usize, marker: usize, already: bool) -> Option<Share> {
    let all_need = costs.iter().fold(0_usize, |sum, cost| sum.saturating_add(cost.need(SIGN)));
    let rest = if already { room.checked_sub(marker) } else { Some(room) };
    if let Some(room) = rest.filter(|&room| all_need <= room) {
        return Some(share((0..costs.len()).collect(), costs, room));
    }
    let room = room.checked_sub(marker)?;
    let mut kept = smallest(costs, room, (room / 8).max(16));
    if kept.is_empty() {
        kept = smallest(costs, room, SIGN);
        kept.truncate(1);
    }
    Some(share(kept, costs, room))
}

fn smallest(costs: &[Cost], room: usize, least: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&index| costs[index].need(least));
    let mut taken = 0_usize;
    let beyond = order.iter().position(|&index| {
        taken = taken.saturating_add(costs[index].need(least));
        taken > room
    });
    order.truncate(beyond.unwrap_or(order.len()));
    order.sort_unstable();
    order
}

/// The values are cut to one length, the largest first.
fn share(kept: Vec<usize>, costs: &[Cost], room: usize) -> Share {
    let fixed: usize = kept.iter().map(|&index| costs[index].fixed).sum();
    let mut values: Vec<usize> = kept.iter().map(|&index| costs[index].value).collect();
    values.sort_unstable();
    let mut left = room.saturating_sub(fixed);
    for (index, &value) in values.iter().enumerate() {
        let level = left / (values.len() - index);
        if value > level {
            return Share { kept, level };
        }
        left -= value;
    }
    Share { kept, level: usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(values: &[usize]) -> Vec<Cost> {
        values.iter().map(|&value| Cost { fixed: 1, value }).collect()
    }

    #[test]
    fn a_list_shows_whole_values_from_the_beginning() {
        assert_eq!(list(&costs(&[100; 1_000]), 2_000, 13, false).map(|share| share.kept.len()), Some(19));
        // One giant is cut, its neighbours are not.
        let share = list(&costs(&[10, 60_000, 10]), 200, 13, false);
        assert_eq!(share, Some(Share { kept: vec![0, 1, 2], level: 177 }));
        assert_eq!(list(&costs(&[10]), 12, 13, true), None);
    }

    #[test]
    fn an_object_keeps_all_keys_or_loses_its_largest_members() {
        let share = object(&costs(&[10, 60_000, 10]), 40, 13, false);
        assert_eq!(share, Some(Share { kept: vec![0, 1, 2], level: 17 }));
        assert_eq!(object(&costs(&[100; 1_000]), 2_000, 13, false).map(|share| share.kept.len()), Some(19));
        let wide = [Cost { fixed: 9_000, value: 1 }, Cost { fixed: 5, value: 1 }, Cost { fixed: 6, value: 900 }];
        assert_eq!(object(&wide, 60, 13, false), Some(Share { kept: vec![1, 2], level: 35 }));
    }

    #[test]
    fn the_shares_never_exceed_the_room() {
        let costs: Vec<Cost> = [3, 70, 1, 0, 41, 900].map(|value| Cost { fixed: 4, value }).into();
        for room in 0..400 {
            for already in [false, true] {
                for share in [list(&costs, room, 13, already), object(&costs, room, 13, already)].into_iter().flatten()
                {
                    let taken: usize = share.kept.iter().map(|&kept| costs[kept].need(share.level)).sum();
                    let marker = if already || share.kept.len() < costs.len() { 13 } else { 0 };
                    assert!(taken + marker <= room, "{room} {share:?}");
                    assert!(share.kept.iter().all(|&kept| costs[kept].value.min(SIGN) <= share.level));
                }
            }
        }
    }
}
