//! One text, one limit: what is shown, and what is saved.

use std::ops::ControlFlow;

use super::{
    fields::{self, Shortened},
    saver::{Saver, Saving},
    window::Window,
};
use crate::{
    artifact::Saved,
    cut::{self, Ends},
    json::{self, Edit, Fault, Push},
    policy::TruncationStrategy,
};

/// A text on its way to the model. It can be had any number of times, and is the same each time.
#[derive(Clone, Copy)]
pub(crate) enum Material<'a> {
    /// Text in memory.
    Whole(&'a str),
    /// Text in memory that was found to be a JSON object.
    Document(&'a str),
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

impl<'a> Material<'a> {
    /// Text in memory; looked at as JSON only where `strategy` asks for that and `limit` may be exceeded.
    pub(crate) fn of_text(text: &'a str, limit: usize, strategy: TruncationStrategy) -> Self {
        if strategy == TruncationStrategy::Fields && text.len() > limit && is_object(text) && json::is_json(text) {
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
            Self::Text(pour) => pour(push),
            Self::Json(pour) => pour(push, None),
        }
    }
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Brings `material` within `limit` characters (`None`: any number), and saves all of it if that means a cut.
///
/// Without `strategy`, JSON objects get `Fields` and everything else `HeadTail`. `field_limit` is the limit by
/// default. `may_point`: whether an object may carry `_artifact_ref` in place of a header.
pub(crate) fn fit(
    material: &Material<'_>,
    limit: Option<usize>,
    strategy: Option<TruncationStrategy>,
    field_limit: Option<usize>,
    may_point: bool,
    saving: &mut Saving<'_>,
) -> Result<Fitted, Unfit> {
    let limit = limit.unwrap_or(usize::MAX);
    let material = match (*material, strategy) {
        (Material::Whole(text), Some(strategy)) => &Material::of_text(text, limit, strategy),
        _ => material,
    };
    let ends = match strategy {
        Some(TruncationStrategy::Head) => Ends::Head,
        None | Some(TruncationStrategy::HeadTail | TruncationStrategy::Fields) => Ends::HeadTail,
    };
    let First { mut fitted, root_is_object } = first_pass(material, limit, ends, saving)?;
    let by_fields = match strategy {
        None => matches!(material, Material::Json(_)),
        Some(strategy) => strategy == TruncationStrategy::Fields,
    };
    if fitted.truncated && by_fields && root_is_object {
        let artifact = fitted.saved.artifact().filter(|_| may_point);
        let field_limit = field_limit.unwrap_or(limit);
        if let Some(object) = with_pour(material, |pour| fields::shorten(pour, limit, field_limit, artifact)) {
            fitted.show(object);
        }
    }
    Ok(fitted)
}

/// Saves the whole text, cut or not; gives its length in characters too.
pub(crate) fn save(material: &Material<'_>, saving: &mut Saving<'_>) -> Result<(Saved, usize), Unfit> {
    let mut copy = Saver::new(saving);
    copy.open();
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

struct First {
    fitted: Fitted,
    root_is_object: bool,
}

/// Counts, saves from the moment the limit is exceeded, and cuts by head and tail.
fn first_pass(material: &Material<'_>, limit: usize, ends: Ends, saving: &mut Saving<'_>) -> Result<First, Unfit> {
    if let Material::Whole(text) | Material::Document(text) = *material {
        let root_is_object = matches!(material, Material::Document(_));
        let original = cut::count(text);
        if original <= limit {
            return Ok(First { fitted: Fitted::within(None, original), root_is_object });
        }
        let mut copy = Saver::new(saving);
        // Where this breaks off, `finish` says so.
        let _ = copy.write(text);
        let saved = copy.finish(original)?;
        let fitted = Fitted::over(cut::cut(text, original, limit, ends), original, ends, saved);
        return Ok(First { fitted, root_is_object });
    }
    let mut window = Window::new(limit, ends);
    let mut copy = Saver::new(saving);
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
    let saved = copy.finish(original)?;
    let (is_over, root_is_object) = (window.is_over(), is_object(window.head()));
    let content = window.finish();
    let fitted =
        if is_over { Fitted::over(content, original, ends, saved) } else { Fitted::within(Some(content), original) };
    Ok(First { fitted, root_is_object })
}

/// Lets `shorten` read the object as JSON with edited strings; `None` for what is no JSON.
fn with_pour(
    material: &Material<'_>,
    shorten: impl FnOnce(fields::Pour<'_>) -> Option<Shortened>,
) -> Option<Shortened> {
    match *material {
        Material::Whole(_) => None,
        Material::Document(text) => shorten(&|push, edit| json::rewrite(text, push, edit)),
        Material::Json(pour) => shorten(&|push, edit| pour(push, Some(edit))),
        Material::Text(pour) => {
            // The one case with a copy of the whole: somebody wants a stream of text to be treated as JSON.
            let mut text = String::new();
            let mut push = |piece: &str| {
                text.push_str(piece);
                ControlFlow::Continue(())
            };
            pour(&mut push).ok()?;
            json::is_json(&text).then_some(())?;
            shorten(&|push, edit| json::rewrite(&text, push, edit))
        }
    }
}

impl Fitted {
    /// `text` by head and tail, not saved.
    pub(super) fn cut(text: &str, limit: usize) -> Self {
        let original = cut::count(text);
        if original <= limit {
            return Self::within(None, original);
        }
        Self::over(cut::cut(text, original, limit, Ends::HeadTail), original, Ends::HeadTail, Saved::Never)
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

    fn over(content: String, original: usize, ends: Ends, saved: Saved) -> Self {
        let strategy = match ends {
            Ends::Head => TruncationStrategy::Head,
            Ends::HeadTail => TruncationStrategy::HeadTail,
        };
        let shown = cut::count(&content);
        Self {
            content: Some(content),
            original,
            shown,
            truncated: true,
            strategy: Some(strategy),
            saved,
            points_itself: false,
        }
    }

    /// Shows the shortened object in place of head and tail.
    fn show(&mut self, object: Shortened) {
        self.content = Some(object.text);
        self.shown = object.chars;
        self.strategy = Some(TruncationStrategy::Fields);
        self.points_itself = object.points;
    }
}
