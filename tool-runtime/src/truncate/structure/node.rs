//! The values of a sketch: how they are brought down to their room, and written.

use std::fmt::Write;

use super::{
    share::{self, Cost, Share},
    text::{ELLIPSIS, Text, digits, escape_into, quoted_chars},
};
use crate::policy::Snap;

/// A value, or what is left of it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Characters of the whole value as compact JSON.
    pub(super) chars: usize,
    /// How many strings, numbers, words and empty lists and objects the whole value has.
    pub(super) values: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Nothing is left.
    Gone,
    /// A number, `true`, `false` or `null`, as it was spelled.
    Plain(String),
    Text(Text),
    Nest(Nest),
}

/// A list or an object.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    pub(super) bracket: Bracket,
    pub(super) members: Vec<Member>,
    /// How many there were.
    pub(super) length: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    List,
    Object,
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Empty in a list.
    pub(super) key: String,
    /// Characters of key, colon and comma.
    pub(super) fixed: usize,
    pub(super) value: Node,
}

/// Says at the end of the outermost list or object how many values are missing.
pub(super) struct Flag {
    before: String,
    after: &'static str,
}

impl Node {
    pub(super) fn is_gone(&self) -> bool {
        matches!(self.kind, Kind::Gone)
    }

    /// Whether all of it is there.
    pub(super) fn is_whole(&self) -> bool {
        match &self.kind {
            Kind::Gone => false,
            Kind::Plain(_) => true,
            Kind::Text(text) => text.is_whole(),
            Kind::Nest(nest) => {
                nest.members.len() == nest.length && nest.members.iter().all(|member| member.value.is_whole())
            }
        }
    }

    /// How many of its values are shown as they are.
    pub(super) fn whole_values(&self) -> usize {
        match &self.kind {
            Kind::Gone => 0,
            Kind::Plain(_) => 1,
            Kind::Text(text) => usize::from(text.is_whole()),
            Kind::Nest(nest) if nest.length == 0 => 1,
            Kind::Nest(nest) => nest.members.iter().map(|member| member.value.whole_values()).sum(),
        }
    }

    /// Memory that it takes: bytes of text, and a little for each value.
    pub(super) fn held(&self) -> usize {
        8 + match &self.kind {
            Kind::Gone => 0,
            Kind::Plain(token) => token.len(),
            Kind::Text(text) => text.held(),
            Kind::Nest(nest) => nest.members.iter().map(|member| member.key.len() + member.value.held()).sum(),
        }
    }

    /// Shows at most `room` characters from now on, and at least a sign: `room` is 3 or all that the value needs.
    pub(super) fn shrink(&mut self, room: usize) {
        let stays = match &mut self.kind {
            Kind::Gone => true,
            Kind::Plain(_) => self.chars <= room,
            Kind::Text(text) => {
                if self.chars > room {
                    text.shrink(room);
                }
                room >= share::SIGN || self.chars <= room
            }
            Kind::Nest(nest) => self.chars <= room && nest.is_untouched() || nest.shrink(room),
        };
        if !stays {
            self.kind = Kind::Gone;
        }
    }

    pub(super) fn write(&self, out: &mut String, snap: Snap) {
        match &self.kind {
            Kind::Gone => out.extend(['"', ELLIPSIS, '"']),
            Kind::Plain(token) => out.push_str(token),
            Kind::Text(text) => text.write(out, snap),
            Kind::Nest(nest) => nest.write(out, snap),
        }
    }

    /// What the outermost list or object says of what is missing.
    pub(super) fn flag(&self, name: &str) -> Option<Flag> {
        let Kind::Nest(nest) = &self.kind else { return None };
        Some(match nest.bracket {
            Bracket::List => Flag { before: format!("{{\"{name}\":"), after: "}" },
            Bracket::Object => Flag { before: format!("\"{}\":", nest.free_key(name, "_")), after: "" },
        })
    }
}

impl Flag {
    /// Characters, for up to `values` values, the comma before it included.
    pub(super) fn longest(&self, values: usize) -> usize {
        1 + self.before.len() + digits(values) + self.after.len()
    }

    /// Inserts it at the end of `json`.
    pub(super) fn insert(&self, json: &mut String, missing: usize) {
        let Some(bracket) = json.pop() else { return };
        if !json.ends_with(['{', '[']) {
            json.push(',');
        }
        // Writing to a `String` can't fail, here and below.
        let _ = write!(json, "{}{missing}{}{bracket}", self.before, self.after);
    }
}

impl Nest {
    pub(super) fn new(bracket: Bracket) -> Self {
        Self { bracket, members: Vec::new(), length: 0 }
    }

    /// Whether every member is there, whatever is left of it.
    fn is_complete(&self) -> bool {
        self.members.len() == self.length
    }

    fn is_untouched(&self) -> bool {
        self.is_complete() && self.members.iter().all(|member| member.value.is_whole())
    }

    /// Shares the room among the members; `false` where not even a sign of its own fits.
    fn shrink(&mut self, room: usize) -> bool {
        let Some(share) = self.share(room, None) else { return false };
        self.keep(&share);
        true
    }

    /// How `room` characters for the whole would be shared; `next` is a member that is still being read.
    pub(super) fn share(&self, room: usize, next: Option<Cost>) -> Option<Share> {
        // Two brackets, and one comma less than there are members.
        let room = room.checked_sub(1)?;
        let costs = self.members.iter().map(|member| Cost { fixed: member.fixed, value: member.value.chars });
        let costs: Vec<Cost> = costs.chain(next).collect();
        let length = self.length + usize::from(next.is_some());
        let divide = match self.bracket {
            Bracket::List => share::list,
            Bracket::Object => share::object,
        };
        divide(&costs, room, self.marker_chars(length), costs.len() < length)
    }

    /// Lets go of all that has no share.
    pub(super) fn keep(&mut self, share: &Share) {
        let mut kept = share.kept.iter().copied().peekable();
        let mut index = 0;
        self.members.retain(|_| {
            let stays = kept.next_if_eq(&index).is_some();
            index += 1;
            stays
        });
        for member in &mut self.members {
            member.value.shrink(member.value.chars.min(share.level));
        }
    }

    /// What it takes to say that up to `length` members are missing, comma included.
    fn marker_chars(&self, length: usize) -> usize {
        let count = digits(length);
        match self.bracket {
            Bracket::List => "\"…  more\",".chars().count() + count,
            Bracket::Object => quoted_chars(&self.free_key("…", "…")) + ":\" more\",".len() + count,
        }
    }

    /// A key that no member has.
    fn free_key(&self, name: &str, longer: &str) -> String {
        let mut key = name.to_owned();
        // Ends, because every turn takes another member.
        while self.members.iter().any(|member| member.key == key) {
            key.push_str(longer);
        }
        key
    }

    fn write(&self, out: &mut String, snap: Snap) {
        let (open, close) = match self.bracket {
            Bracket::List => ('[', ']'),
            Bracket::Object => ('{', '}'),
        };
        out.push(open);
        for (index, member) in self.members.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            if self.bracket == Bracket::Object {
                write_key(out, &member.key);
            }
            member.value.write(out, snap);
        }
        if !self.is_complete() {
            if !self.members.is_empty() {
                out.push(',');
            }
            let missing = self.length - self.members.len();
            match self.bracket {
                Bracket::List => {
                    let _ = write!(out, "\"{ELLIPSIS} {missing} more\"");
                }
                Bracket::Object => {
                    write_key(out, &self.free_key("…", "…"));
                    let _ = write!(out, "\"{missing} more\"");
                }
            }
        }
        out.push(close);
    }
}

fn write_key(out: &mut String, key: &str) {
    out.push('"');
    escape_into(out, key);
    out.push_str("\":");
}
