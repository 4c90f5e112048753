//! One text, one limit: what is shown, and what is saved.

use std::ops::ControlFlow;

use super::{
    fields, probe,
    saver::{Saver, Saving},
    structure::Sketch,
    window::Window,
};
use crate::{
    artifact::Saved,
    cut::{self, Ends, Style},
    json::{self, Edit, Fault, Push},
    policy::{Snap, TruncationStrategy},
    stream, tokens,
};

/// A text on its way to the model. It can be had any number of times, and is the same each time.
#[derive(Clone, Copy)]
pub(crate) enum Material<'a> {
    /// Text in memory.
    Whole(&'a str),
    /// Text in memory that was found to be JSON.
    Document(&'a str),
    /// A text that has gone by, into the writer that `Saving` opens.
    Seen(&'a stream::Ends),
    /// Text that is made piece by piece.
    Text(PourText<'a>),
    /// A value that is written as JSON; `Edit` sees the strings after the owner's own changes to them.
    Json(PourJson<'a>),
}

pub(crate) type PourText<'a> = &'a dyn Fn(Push<'_>) -> Result<(), Fault>;
pub(crate) type PourJson<'a> = &'a dyn Fn(Push<'_>, Option<Edit<'_>>) -> Result<(), Fault>;

/// Why there is no [`Fitted`].
#[derive(Debug)]
pub(crate) enum Unfit {
    /// The text could not be made.
    Fault(Fault),
    /// Saving would take this thread too long. Nothing is left of the attempt; start again where time doesn't matter.
    NeedsThread,
}

/// A text within its limit.
#[derive(Debug)]
pub(crate) struct Fitted {
    /// `None`: the text in memory, as it is.
    pub(crate) content: Option<String>,
    /// Characters of the whole text.
    pub(crate) original: usize,
    /// Characters of the content.
    pub(crate) shown: usize,
    pub(crate) truncated: bool,
    /// How it was cut in the end; `None` where it was not.
    pub(crate) strategy: Option<TruncationStrategy>,
    pub(crate) saved: Saved,
    /// The content has a reference to the whole in it, so that it needs no header.
    pub(crate) points_itself: bool,
}

/// What a text must keep to, and how it is brought there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    /// Characters; `None`: any number.
    pub(crate) limit: Option<usize>,
    /// Tokens; `None`: any number.
    pub(crate) tokens: Option<usize>,
    /// Without one, JSON objects get `Fields` and everything else `HeadTail`.
    pub(crate) strategy: Option<TruncationStrategy>,
    /// For `Fields`; the limit by default.
    pub(crate) field_limit: Option<usize>,
    pub(crate) snap: Snap,
    /// Whether an object may carry `_artifact_ref` in place of a header.
    pub(crate) may_point: bool,
}

impl Bounds {
    /// The most characters that are ever looked at closely.
    pub(crate) fn chars(&self) -> usize {
        let by_tokens = self.tokens.map_or(usize::MAX, |tokens| tokens.saturating_mul(tokens::WIDEST));
        self.limit.unwrap_or(usize::MAX).min(by_tokens)
    }

    fn allow(&self, text: &str) -> bool {
        self.tokens.is_none_or(|most| !tokens::exceed(text, most))
    }

    /// What text begins with that the strategy reads as JSON.
    pub(crate) fn opens(&self) -> &'static [u8] {
        match self.strategy {
            Some(TruncationStrategy::Fields) => b"{",
            // Other documents are one number or one word, and cut as text they say more than `null`.
            Some(TruncationStrategy::Structure) => b"{[\"",
            Some(TruncationStrategy::Head | TruncationStrategy::HeadTail) | None => b"",
        }
    }

    pub(crate) fn style(&self) -> Style {
        let ends = match self.strategy {
            Some(TruncationStrategy::Head) => Ends::Head,
            None | Some(TruncationStrategy::HeadTail | TruncationStrategy::Fields | TruncationStrategy::Structure) => {
                Ends::HeadTail
            }
        };
        Style { ends, snap: self.snap }
    }
}

impl<'a> Material<'a> {
    /// Text in memory; looked at as JSON only where the strategy asks for that and a bound may be exceeded.
    pub(crate) fn of_text(text: &'a str, bounds: &Bounds) -> Self {
        let opens = |c: char| u8::try_from(c).is_ok_and(|first| bounds.opens().contains(&first));
        let may_be_cut = bounds.tokens.is_some() || text.len() > bounds.chars();
        if may_be_cut && text.trim_start().starts_with(opens) && json::is_json(text) {
            Self::Document(text)
        } else {
            Self::Whole(text)
        }
    }

    fn pour(&self, push: Push<'_>) -> Result<(), Fault> {
        match *self {
            Self::Whole(text) | Self::Document(text) => match push(text) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Fault::Stopped),
            },
            Self::Seen(ends) => match [&ends.head, &ends.rest].into_iter().try_for_each(|text| push(text)) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Fault::Stopped),
            },
            Self::Text(pour) => pour(push),
            Self::Json(pour) => pour(push, None),
        }
    }
}

/// Brings `material` within its bounds, and saves all of it if that means a cut.
pub(crate) fn fit(material: &Material<'_>, bounds: &Bounds, saving: &mut Saving<'_>) -> Result<Fitted, Unfit> {
    let material = match *material {
        Material::Whole(text) => Material::of_text(text, bounds),
        other => other,
    };
    let First { original, held, is_over, saved } = first_pass(&material, bounds, saving)?;
    if !is_over {
        return Ok(Fitted::within(held.into_text(), original));
    }
    let copy;
    let material = match (material, bounds.strategy) {
        // The one case with a copy of the whole: somebody wants a stream of text to be treated as JSON.
        (Material::Text(pour), Some(TruncationStrategy::Fields | TruncationStrategy::Structure)) => {
            copy = gather(pour);
            Material::of_text(&copy, bounds)
        }
        _ => material,
    };
    let reread = match &material {
        Material::Document(text) => Some(Reread::Text(text)),
        Material::Json(pour) => Some(Reread::Value(*pour)),
        Material::Whole(_) | Material::Seen(_) | Material::Text(_) => None,
    };
    let artifact = saved.artifact().filter(|_| bounds.may_point);
    let most = bounds.chars();
    let shape = Shape::new(reread, bounds, most, held.starts_object());
    let show = |limit: usize| match &shape {
        Shape::Fields(reread) => {
            let field_limit = bounds.field_limit.unwrap_or(limit);
            let object =
                fields::shorten(&|push, edit| reread.pour(push, edit), limit, field_limit, bounds.style(), artifact);
            object.map_or_else(|| Shown::cut(&held, limit, bounds), Shown::object)
        }
        Shape::Structure(sketch) => Shown::structure(sketch.show(limit, bounds.snap)),
        Shape::Text => Shown::cut(&held, limit, bounds),
    };
    let shown = match bounds.tokens {
        None => show(most),
        Some(tokens) => probe::largest(most.min(original), tokens, show, |shown| tokens::count(&shown.text)),
    };
    Ok(Fitted {
        shown: cut::count(&shown.text),
        content: Some(shown.text),
        original,
        truncated: true,
        strategy: Some(shown.strategy),
        saved,
        points_itself: shown.points,
    })
}

fn gather(pour: PourText<'_>) -> String {
    let mut text = String::new();
    // Where it fails the second time, the text of the first time can still be cut.
    let _ = pour(&mut |piece| {
        text.push_str(piece);
        ControlFlow::Continue(())
    });
    text
}

/// JSON that can be read again.
#[derive(Clone, Copy)]
enum Reread<'a> {
    Text(&'a str),
    Value(PourJson<'a>),
}

impl Reread<'_> {
    fn pour(self, push: Push<'_>, edit: Edit<'_>) -> Result<(), Fault> {
        match self {
            Self::Text(text) => json::rewrite(text, push, edit),
            Self::Value(pour) => pour(push, Some(edit)),
        }
    }

    fn sketch(self, limit: usize) -> Option<Sketch> {
        Sketch::of(limit, |push| match self {
            Self::Text(text) => match push(text) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Fault::Stopped),
            },
            Self::Value(pour) => pour(push, None),
        })
    }
}

/// What a text is cut as.
enum Shape<'a> {
    Text,
    Fields(Reread<'a>),
    Structure(Box<Sketch>),
}

impl<'a> Shape<'a> {
    fn new(reread: Option<Reread<'a>>, bounds: &Bounds, most: usize, starts_object: bool) -> Self {
        let Some(reread) = reread else { return Self::Text };
        match bounds.strategy {
            None if matches!(reread, Reread::Value(_)) && starts_object => Self::Fields(reread),
            Some(TruncationStrategy::Fields) if starts_object => Self::Fields(reread),
            Some(TruncationStrategy::Structure) => {
                reread.sketch(most).map_or(Self::Text, |sketch| Self::Structure(Box::new(sketch)))
            }
            _ => Self::Text,
        }
    }
}

/// A text that was cut.
struct Shown {
    text: String,
    strategy: TruncationStrategy,
    points: bool,
}

impl Shown {
    fn cut(held: &Held<'_>, limit: usize, bounds: &Bounds) -> Self {
        let strategy = match bounds.style().ends {
            Ends::Head => TruncationStrategy::Head,
            Ends::HeadTail => TruncationStrategy::HeadTail,
        };
        Self { text: held.show(limit, bounds.style()), strategy, points: false }
    }

    fn object(object: fields::Shortened) -> Self {
        Self { text: object.text, strategy: TruncationStrategy::Fields, points: object.points }
    }

    fn structure(text: String) -> Self {
        Self { text, strategy: TruncationStrategy::Structure, points: false }
    }
}

/// Saves the whole text, cut or not; gives its length in characters too.
pub(crate) fn save(material: &Material<'_>, saving: &mut Saving<'_>) -> Result<(Saved, usize), Unfit> {
    let mut copy = Saver::new(saving);
    copy.open();
    if let Material::Seen(ends) = *material {
        return Ok((copy.finish(ends.chars)?, ends.chars));
    }
    let mut chars = 0;
    let poured = material.pour(&mut |piece| {
        chars += cut::count(piece);
        copy.write(piece)
    });
    match poured {
        Ok(()) => Ok((copy.finish(chars)?, chars)),
        Err(fault) => Err(copy.fail(fault)),
    }
}

/// What is known once the text has gone by.
struct First<'a> {
    original: usize,
    held: Held<'a>,
    is_over: bool,
    saved: Saved,
}

/// As much of a text as any cut within the bounds can show.
enum Held<'a> {
    All(&'a str, usize),
    Seen(&'a stream::Ends),
    Ends(Window),
}

impl Held<'_> {
    fn show(&self, limit: usize, style: Style) -> String {
        match self {
            Self::All(text, chars) => cut::cut(text, *chars, limit, style),
            Self::Seen(ends) => ends.show(limit, style),
            Self::Ends(window) => window.show(limit),
        }
    }

    fn starts_object(&self) -> bool {
        let text = match self {
            Self::All(text, _) => text,
            Self::Seen(ends) => ends.head.as_str(),
            Self::Ends(window) => window.head(),
        };
        text.trim_start().starts_with('{')
    }

    /// The whole text, where it was within the limit; `None` where it is in memory already.
    fn into_text(self) -> Option<String> {
        match self {
            Self::All(..) => None,
            Self::Seen(ends) => Some(ends.head.clone()),
            Self::Ends(window) => Some(window.into_head()),
        }
    }
}

/// Counts, and saves from the moment a bound is exceeded.
fn first_pass<'a>(material: &Material<'a>, bounds: &Bounds, saving: &mut Saving<'_>) -> Result<First<'a>, Unfit> {
    let limit = bounds.chars();
    let mut copy = Saver::new(saving);
    if let Material::Whole(text) | Material::Document(text) = *material {
        let original = cut::count(text);
        let is_over = original > limit || !bounds.allow(text);
        if is_over {
            // Where this breaks off, `finish` says so.
            let _ = copy.write(text);
        }
        return Ok(First { original, held: Held::All(text, original), is_over, saved: copy.finish(original)? });
    }
    if let Material::Seen(ends) = *material {
        let is_over = ends.chars > limit || !ends.is_whole() || !bounds.allow(&ends.head);
        if is_over {
            copy.open();
        }
        return Ok(First { original: ends.chars, held: Held::Seen(ends), is_over, saved: copy.finish(ends.chars)? });
    }
    let mut window = Window::new(limit, bounds.style());
    let poured = material.pour(&mut |piece| {
        let chars = cut::count(piece);
        if window.overflows_with(chars) {
            if !window.is_over() {
                copy.write(window.head())?;
            }
            copy.write(piece)?;
        }
        window.push(piece, chars);
        ControlFlow::Continue(())
    });
    if let Err(fault) = poured {
        return Err(copy.fail(fault));
    }
    let original = window.chars();
    let mut is_over = window.is_over();
    if !is_over && !bounds.allow(window.head()) {
        is_over = true;
        let _ = copy.write(window.head());
    }
    let saved = copy.finish(original)?;
    Ok(First { original, held: Held::Ends(window), is_over, saved })
}

impl Fitted {
    /// `text` by head and tail, not saved.
    pub(super) fn cut(text: &str, bounds: &Bounds) -> Self {
        let original = cut::count(text);
        let limit = bounds.chars();
        if original <= limit {
            return Self::within(None, original);
        }
        let held = Held::All(text, original);
        let Shown { text, strategy, .. } = Shown::cut(&held, limit, bounds);
        let shown = cut::count(&text);
        let strategy = Some(strategy);
        Self { content: Some(text), shown, truncated: true, strategy, ..Self::within(None, original) }
    }

    fn within(content: Option<String>, original: usize) -> Self {
        Self {
            content,
            original,
            shown: original,
            truncated: false,
            strategy: None,
            saved: Saved::Never,
            points_itself: false,
        }
    }
}
