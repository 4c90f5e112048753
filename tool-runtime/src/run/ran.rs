//! What comes of a run.

use std::{fmt::Write, mem};

use serde_json::{Map, Value};

use crate::{
    args::{self, Decoded},
    callable::{Returned, Started},
    contain::{self, Panicked},
    error::Problem,
    notice::Notice,
    outcome::Status,
    resolve::End,
    thread,
    value::Output,
};

/// What came of the tool itself.
pub(crate) struct Ran {
    pub(crate) status: Status,
    /// The value, or the error's text.
    pub(crate) output: Output,
    pub(crate) end: End,
    /// What the tool noted beside its value.
    pub(crate) metadata: Option<Box<Map<String, Value>>>,
    pub(crate) problems: Vec<Problem>,
    /// For the receipt.
    pub(crate) notes: Vec<String>,
    /// For the model.
    pub(crate) notices: Vec<Notice>,
    /// How often the tool was begun.
    pub(crate) attempts: u32,
    /// The tool could not be stopped.
    pub(crate) still_running: bool,
}

/// A tool that has come to an end, with what was said about its arguments.
pub(super) struct Finished {
    pub(super) returned: Returned,
    pub(super) notes: Vec<String>,
    pub(super) notices: Vec<String>,
}

impl Finished {
    /// Of a tool that has started, waited for on this thread. A synchronous one has ended already; no other is meant
    /// to come here, but it runs all the same.
    pub(super) fn waited_for(decoded: Decoded<'_>) -> Self {
        let Decoded { started, notes, notices } = decoded;
        let returned = match started {
            Started::Done(returned) => returned,
            Started::Later(future) => thread::wait(future),
        };
        Self { returned, notes, notices }
    }
}

impl Ran {
    fn new(status: Status, output: Output, end: End) -> Self {
        Self {
            status,
            output,
            end,
            metadata: None,
            problems: Vec::new(),
            notes: Vec::new(),
            notices: Vec::new(),
            attempts: 0,
            still_running: false,
        }
    }

    pub(super) fn ended(ended: Result<Finished, Panicked>) -> Self {
        ended.map_or_else(Self::panicked, Self::finished)
    }

    pub(super) fn finished(finished: Finished) -> Self {
        let Finished { mut returned, notes, notices } = finished;
        let metadata = returned.beside.as_mut().map(|beside| mem::take(&mut beside.metadata));
        let metadata = metadata.filter(|metadata| !metadata.is_empty()).map(Box::new);
        let (status, output) = match &returned.output {
            Ok(output) => (Status::Ok, output.clone()),
            Err(error) => (Status::ToolError, Output::error(&error.to_string())),
        };
        if let Err(error) = &mut returned.output {
            // Its text is what counts; what its own `Drop` does changes nothing about that.
            let _ = contain::call(|| error.forget_source());
        }
        let notices = notices.into_iter().map(Notice::harmless).collect();
        Self { metadata, notes, notices, ..Self::new(status, output, End::Returned(returned)) }
    }

    /// Says in `attempts` whether the tool was begun.
    pub(super) fn counted(mut self) -> Self {
        let has_begun = !matches!(self.status, Status::Busy | Status::InvalidArguments | Status::Blocked);
        self.attempts = u32::from(has_begun);
        self
    }

    /// Says to the model, in our line, that there were more attempts than one.
    pub(super) fn in_attempt(mut self, attempt: u32) -> Self {
        if attempt == 1 {
            return self;
        }
        match &mut self.end {
            End::Returned(Returned { output: Err(error), .. }) => {
                self.end =
                    End::Stopped { title: format!("Tool error after {attempt} attempts"), body: error.to_string() };
            }
            End::Stopped { title, .. } => {
                // Writing to a `String` can't fail.
                let _ = write!(title, ", in attempt {attempt}");
            }
            End::Returned(_) | End::Message(_) | End::Own(_) => {}
        }
        self
    }

    pub(crate) fn stopped(status: Status, title: String, body: String) -> Self {
        Self::new(status, Output::error(&body), End::Stopped { title, body })
    }

    /// Not run; the text is ours, quotes nobody and says why.
    pub(crate) fn refused(text: String, note: &str) -> Self {
        Self { notes: vec![note.to_owned()], ..Self::new(Status::Blocked, Output::error(&text), End::Own(text)) }
    }

    pub(crate) fn panicked(Panicked(message): Panicked) -> Self {
        Self::stopped(Status::Panicked, "Tool panicked".into(), message)
    }

    pub(super) fn misfit(tool: &str, problems: Vec<Problem>) -> Self {
        let message = args::message(tool, &problems);
        let output = Output::error(&message.to_string());
        Self { problems, ..Self::new(Status::InvalidArguments, output, End::Message(message)) }
    }

    /// The tool was not run, and a text of ours says why.
    pub(crate) fn told(status: Status, text: String) -> Self {
        Self::new(status, Output::error(&text), End::Own(text))
    }
}
