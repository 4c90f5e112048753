//! Where the keys and values of one object stand.

/// Objects up to this size cost no allocation.
pub(super) const FEW: usize = 32;

/// A piece of the text, in bytes. 32 bits keep the frames of the scan small; longer text is refused before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Self {
        let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    pub(super) fn start(self) -> usize {
        self.start as usize
    }

    /// Identifies what stands here and nowhere else.
    pub(super) fn first_byte(self) -> u32 {
        self.start
    }

    pub(super) fn end(self) -> usize {
        self.end as usize
    }

    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start()..self.end()).unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Member {
    /// Without the quotes, escapes as they stand.
    pub(super) key: Span,
    pub(super) value: Span,
}

#[derive(Debug)]
pub(super) struct Members {
    few: [Member; FEW],
    len: usize,
    many: Vec<Member>,
    /// Whether some number in the text, at any level, is too large for an `f32`, or looks like it.
    pub(super) has_large_number: bool,
}

impl Members {
    pub(super) fn new() -> Self {
        Self { few: [Member::default(); FEW], len: 0, many: Vec::new(), has_large_number: false }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.many.clear();
        self.has_large_number = false;
    }

    pub(super) fn push(&mut self, member: Member) {
        if let Some(place) = self.few.get_mut(self.len) {
            *place = member;
        } else {
            if self.many.is_empty() {
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(member);
        }
        self.len += 1;
    }

    pub(super) fn as_slice(&self) -> &[Member] {
        if self.many.is_empty() { &self.few[..self.len.min(FEW)] } else { &self.many }
    }
}
