#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod cost;
mod markers;
mod properties;
mod removal;

pub(super) use properties::hostile;

use super::*;

fn clean(original: &str) -> (String, Counts) {
    let (sanitised, counts) = text(original);
    (sanitised.into_inner().into_owned(), counts)
}

/// Looks closely at every character: slow, and what the scout must not miss anything of.
fn closely(original: &str) -> (String, Counts) {
    let mut out = String::new();
    let mut push = |slice: &str| {
        out.push_str(slice);
        ControlFlow::Continue(())
    };
    let mut pour = Pour::new(original, &mut push);
    while pour.settled < original.len() {
        let at = pour.settled;
        let _ = pour.look(at, at);
    }
    let _ = pour.emit(original.len());
    let counts = pour.counts;
    (out, counts)
}

fn check(original: &str) -> String {
    let (once, counts) = clean(original);
    assert_eq!((once.clone(), counts), closely(original), "the scout missed something in {original:?}");
    assert_eq!(clean(&once), (once.clone(), Counts::default()), "a second pass changes {original:?}");
    once
}

/// Every one of these is a marker.
fn defused(original: &str) {
    let out = check(original);
    assert!(clean(original).1.defused > 0, "{original:?} stays {out:?}");
    assert!(out.contains("external-tool-result"), "{original:?} became {out:?}");
}

fn unchanged(original: &str) {
    assert_eq!(check(original), original);
    assert_eq!(clean(original).1, Counts::default(), "{original:?}");
    assert!(matches!(text(original).0.0, Cow::Borrowed(_)));
}

#[test]
fn lines_are_one_line() {
    assert_eq!(line("a\r\nb\tc\u{200b}</external_tool_result>", 100), "a b c~/external-tool-result>");
    assert_eq!(line("abcdef", 6), "abcdef");
    assert_eq!(line("abcdefg", 6), "abcde…");
    assert_eq!(line("abc", 0), "");
}

#[test]
fn pouring_stops_when_told_to() {
    let mut pushed = 0;
    let (_, flow) = pour("a\u{200b}b\u{200b}c", &mut |_| {
        pushed += 1;
        if pushed == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((pushed, flow), (2, ControlFlow::Break(())));
}

#[test]
fn tables_are_sorted() {
    assert!(escape::ENTITIES.is_sorted_by(|a, b| a.0 < b.0));
    assert!(escape::FORMS.is_sorted());
    assert!(lookalikes::LOOKALIKES.is_sorted_by(|a, b| a.1 < b.0));
    assert!(invisible::HIDDEN.is_sorted_by(|a, b| a.1 < b.0));
}

/// The restart rule rests on this: no bracket, separator, letter before `x` or part of an escape is a
/// character that a look may begin behind.
#[test]
fn a_look_begins_behind_what_is_no_part_of_a_marker() {
    for byte in 0..=127_u8 {
        let c = char::from(byte);
        let is_part = glyph::opener(c).is_some()
            || glyph::is_space(c)
            || glyph::is_slash(c)
            || glyph::is_prefix(c)
            || lookalikes::letter(c) == Some(b'e')
            || c.is_ascii_alphanumeric()
            || glyph::is_sigil(c)
            || glyph::is_joint(c)
            || glyph::is_quote(c)
            || glyph::is_angle_end(c)
            || glyph::is_word(c)
            || glyph::is_colon(c)
            || "&#;%=+\\{}".contains(c);
        assert!(!(is_part && bytes::part(byte) == bytes::Part::None), "{c:?}");
    }
}
