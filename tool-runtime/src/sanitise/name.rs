//! The marker's name behind a bracket, however it is spelled.

use super::{
    escape::Unit,
    glyph::{self, Opener},
    lookalikes,
};

/// `external_tool_result` without what may stand between its words.
pub(super) const NAME: &[u8] = b"externaltoolresult";

/// Follows the text unit by unit, and is in the middle of at most one marker: the one whose opening
/// bracket came last. That makes one pass enough.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marker(Option<Open>);

#[derive(Clone, Copy, Debug)]
struct Open {
    /// Of the first bracket, if several stand together.
    start: usize,
    /// How many characters stand behind the last one.
    behind: usize,
    /// The most telling of them.
    opener: Opener,
    slash: bool,
    /// Behind a quotation mark: only the name itself may follow.
    quoted: bool,
    /// Whether all since the bracket may be a namespace, which ends in a colon.
    namespace: bool,
    /// Begins behind the bracket; `None` once it can't be the name.
    name: Option<Progress>,
    /// Begins behind the last colon of a namespace.
    local: Option<Progress>,
}

#[derive(Clone, Copy, Debug)]
struct Progress {
    /// Letters of the name.
    seen: usize,
    gap: Gap,
}

/// What stands before the name and between its words, the most telling of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    Nothing,
    Space,
    /// Something that belongs to tags and identifiers.
    Sign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Complete {
    pub(super) start: usize,
    pub(super) slash: bool,
}

impl Marker {
    pub(super) fn is_idle(&self) -> bool {
        self.0.is_none()
    }

    /// Says when a name is complete.
    pub(super) fn feed(&mut self, unit: Unit) -> Option<Complete> {
        if let Some(opener) = glyph::opener(unit.c) {
            let run = self.0.filter(|open| open.behind == 0);
            self.0 = Some(Open {
                start: run.map_or(unit.start, |open| open.start),
                behind: 0,
                opener: run.map_or(opener, |open| open.opener.max(opener)),
                slash: false,
                quoted: false,
                namespace: true,
                name: Some(Progress { seen: 0, gap: Gap::Nothing }),
                local: None,
            });
            return None;
        }
        let open = self.0.as_mut()?;
        let is_alive = open.take(unit.c);
        let open = *open;
        let complete = [open.name, open.local].into_iter().flatten().find(|name| name.seen == NAME.len());
        if complete.is_some() || !is_alive {
            self.0 = None;
        }
        let is_marker = match open.opener {
            Opener::Angle | Opener::Tag => true,
            // `(external tool result)` is prose, `(external_tool_result)` and `(/external tool result)` are not.
            Opener::Prose => complete?.gap != Gap::Space,
            Opener::Text => open.slash,
        };
        (complete.is_some() && is_marker).then_some(Complete { start: open.start, slash: open.slash })
    }
}

/// Whether `c` may stand between letters of the name.
pub(super) fn may_interrupt(c: char) -> bool {
    glyph::is_space(c) || glyph::is_separator(c) || glyph::is_joint(c) || glyph::is_attached(c)
}

/// How many letters of the name, of which `seen` are seen, `c` can be read as.
pub(super) fn letters(c: char, seen: usize) -> usize {
    let rest = &NAME[seen..];
    if rest.first().is_some_and(|letter| lookalikes::letter(c) == Some(*letter)) {
        1
    } else if lookalikes::pair(c).is_some_and(|pair| rest.starts_with(pair)) {
        2
    } else {
        0
    }
}

impl Open {
    /// Takes the next character; says whether this may become a marker yet.
    fn take(&mut self, c: char) -> bool {
        self.behind += 1;
        let is_prefix = self.name.is_some_and(|name| name.seen == 0);
        self.local = if self.namespace && !is_prefix && glyph::is_colon(c) {
            Some(Progress { seen: 0, gap: Gap::Sign })
        } else {
            self.local.and_then(|local| if local.seen == 0 { local.directly(c) } else { local.on(c) })
        };
        self.name = self.name.and_then(|name| if name.seen == 0 { self.before(name, c) } else { name.on(c) });
        self.namespace = self.namespace
            && self.opener == Opener::Angle
            && !self.quoted
            && !glyph::is_space(c)
            && ((is_prefix && self.name.is_some()) || glyph::is_word(c) || glyph::is_colon(c));
        self.name.is_some() || self.local.is_some() || self.namespace
    }

    /// Before the name, where it may begin with `c`.
    fn before(&mut self, name: Progress, c: char) -> Option<Progress> {
        if self.quoted {
            self.slash |= glyph::is_slash(c);
            return if glyph::is_slash(c) { Some(name) } else { name.directly(c) };
        }
        if self.opener == Opener::Text && !self.slash && !glyph::is_slash(c) {
            return glyph::is_attached(c).then_some(name);
        }
        let angle = self.opener == Opener::Angle && self.namespace;
        if let Some(name) = name.directly(c) {
            return Some(name);
        }
        let slash = glyph::is_slash(c);
        let sign = slash || glyph::is_prefix(c) || (self.opener >= Opener::Tag && glyph::is_sigil(c));
        // `<"external…` and `</>external…`, but never over a quotation mark that may end a JSON string.
        self.quoted = !sign && angle && (glyph::is_quote(c) || (self.slash && glyph::is_angle_end(c)));
        self.slash |= slash;
        if sign || self.quoted {
            return Some(Progress { gap: Gap::Sign, ..name });
        }
        // Before the name, space says nothing about its spelling.
        glyph::is_space(c).then_some(name)
    }
}

impl Progress {
    /// The name's next letter, or nothing that shows.
    fn directly(self, c: char) -> Option<Self> {
        match letters(c, self.seen) {
            0 => glyph::is_attached(c).then_some(self),
            letters => Some(Self { seen: self.seen + letters, ..self }),
        }
    }

    /// The same, or what may stand between letters.
    fn on(self, c: char) -> Option<Self> {
        self.directly(c).or_else(|| {
            let gap = if glyph::is_separator(c) {
                Gap::Sign
            } else if glyph::is_space(c) || glyph::is_joint(c) {
                Gap::Space
            } else {
                return None;
            };
            Some(Self { gap: self.gap.max(gap), ..self })
        })
    }
}
