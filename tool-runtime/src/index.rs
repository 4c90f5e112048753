//! Texts by where they stand: in a map, or in order.
//!
//! Whoever looks names up or sorts by them does it here. A map or a sort of one's own is compiled once more for each
//! type of element, at some 5 to 30 KB.

use std::collections::HashMap;

/// Where each text stands. Hashed with keys of the process: nobody outside can make texts collide.
pub(crate) type Places = HashMap<String, usize>;

/// Sorts by a text of each item; equal ones keep their order.
pub(crate) fn sort_by_text<T>(items: &mut [T], text: impl Fn(&T) -> &str) {
    let mut texts = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        texts.push((text(item), place));
    }
    let mut ranks = ranks(texts).into_iter();
    items.sort_by_cached_key(|_| ranks.next().unwrap_or_default());
}

/// The place of each text once they are sorted.
#[inline(never)]
fn ranks(mut texts: Vec<(&str, usize)>) -> Vec<usize> {
    texts.sort_unstable();
    let mut ranks = vec![0; texts.len()];
    for (rank, (_, place)) in texts.into_iter().enumerate() {
        ranks[place] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::sort_by_text;

    #[test]
    fn equal_texts_keep_their_order() {
        let mut items = [("b", 1), ("a", 2), ("", 3), ("b", 4), ("a", 5), ("aa", 6)];
        sort_by_text(&mut items, |(text, _)| text);
        assert_eq!(items, [("", 3), ("a", 2), ("a", 5), ("aa", 6), ("b", 1), ("b", 4)]);
        sort_by_text(&mut [] as &mut [&str], |text| text);
    }

    #[test]
    fn the_order_is_that_of_a_stable_sort() {
        let mut items: Vec<(String, usize)> = (0..500).map(|at| (format!("{}", at * 7919 % 61), at)).collect();
        let mut sorted = items.clone();
        sorted.sort_by(|one, other| one.0.cmp(&other.0));
        sort_by_text(&mut items, |(text, _)| text);
        assert_eq!(items, sorted);
    }
}
