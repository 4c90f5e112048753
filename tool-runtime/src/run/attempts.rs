//! Runs a tool when its turn has come, and again where it says that this may help.

use std::{borrow::Cow, time::Duration};

use super::{Run, once::Attempt, ran::Ran, retry};
use crate::{
    args,
    aside::Left,
    callable::Returned,
    contain,
    gate::Permit,
    outcome::Status,
    resolve::End,
    thread::{self, Countdown},
};

impl Run<'_> {
    /// The tool's end: that of its first attempt, or of the last one where errors were called transient. All attempts,
    /// and whatever they wait for, share the timeout.
    pub(super) async fn attempts(&self) -> Ran {
        let countdown = Countdown::of(self.tool().spec.timeout);
        let mut context = Cow::Borrowed(self.context);
        let mut failed: Option<Ran> = None;
        let mut notes = Vec::new();
        let mut attempt = 1;
        let ran = loop {
            let ran = match self.turn(countdown).await {
                Ok(permit) => self.once(Attempt { context: &context, permit, countdown }).await,
                Err(ran) => ran,
            };
            if let Some(failed) = failed.take() {
                if ran.attempts == 0 && ran.status != Status::Cancelled {
                    // It could not begin again: then the last error says more.
                    break failed;
                }
            }
            let ran = Ran { attempts: ran.attempts + attempt - 1, ..ran };
            let pause = self.pause_after(&ran, countdown);
            let ran = ran.in_attempt(attempt);
            let Some(pause) = pause else { break ran };
            notes.push(format!("attempt {attempt} failed for the moment; paused for {pause:?}"));
            if let Err(left) = self.wait(thread::pause(pause), thread::never()).await {
                break Ran { attempts: attempt, ..self.left(left) };
            }
            failed = Some(ran);
            attempt += 1;
            context = Cow::Owned(self.context.for_attempt(attempt));
        };
        if notes.is_empty() {
            return ran;
        }
        notes.extend(ran.notes);
        Ran { notes, ..ran }
    }

    /// How long to wait before the tool is run again; `None` where its end is final.
    fn pause_after(&self, ran: &Ran, countdown: Countdown) -> Option<Duration> {
        let End::Returned(Returned { output: Err(error), .. }) = &ran.end else { return None };
        if !error.is_transient() || ran.attempts > self.tool().spec.retries {
            return None;
        }
        let pause = retry::pause(ran.attempts, error.pause(), &self.call.id)?;
        countdown.left().is_none_or(|left| pause < left).then_some(pause)
    }

    /// A place among the running calls of the tool, where there are only so many.
    async fn turn(&self, countdown: Countdown) -> Result<Option<Permit>, Ran> {
        let tool = self.tool();
        let Some(gate) = &tool.gate else { return Ok(None) };
        if let Some(permit) = gate.try_enter() {
            return Ok(Some(permit));
        }
        let (name, most) = (tool.told(self.call), gate.most());
        let busy = |why: &str| {
            let body = format!("no more than {most} of `{name}` can run at the same time, and {why}");
            Ran::stopped(Status::Busy, "Busy, not run".into(), body)
        };
        if gate.is_inside() {
            return Err(busy("this call was made by one that is running, which it would wait for"));
        }
        if self.place.is_inside_runtime() {
            return Err(busy("to wait here would block the async runtime; use `Registry::call`"));
        }
        // Whoever can't run anyway need not wait to hear of it.
        let text = self.call.arguments.text();
        let decoded = contain::call(|| {
            args::check(&text, self.call.incomplete, &*tool.callable, &tool.schema, &self.inner.limits)
        });
        if let Ok(Err(problems)) = decoded {
            return Err(Ran::misfit(name, problems));
        }
        match self.wait(gate.enter(), countdown.timer()).await {
            Ok(permit) => Ok(Some(permit)),
            Err(Left::TimedOut) => {
                Err(self.timed_out(format!("`{name}` was not run: its turn did not come in time; try again later")))
            }
            Err(left) => Err(self.left(left)),
        }
    }
}

// Here and not in the tests of both crates, which have tokio.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::{
        future::ready,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        thread,
        time::Duration,
    };

    use serde_json::json;

    use crate::{CallContext, DynTool, Registry, ToolCall, ToolError, ToolResult, ToolSpec, thread::park_until};

    #[test]
    fn a_thread_waits_for_its_turn_and_for_the_next_attempt() {
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (now, seen) = (Arc::clone(&running), Arc::clone(&most));
        let spec = ToolSpec::new("flaky", "Works the second time.").max_concurrent(2).retries(1);
        let tool = DynTool::new(spec, json!({ "type": "object" }), move |_, ctx: CallContext| {
            seen.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
            ready(match ctx.attempt() {
                1 => Err(ToolError::new("busy").retry_after(Duration::from_micros(100))),
                attempt => Ok(ToolResult::new(json!(attempt))),
            })
        });
        let registry = Registry::builder().tool(tool).build().unwrap();
        thread::scope(|scope| {
            for place in 0..6 {
                let registry = &registry;
                scope.spawn(move || {
                    for _ in 0..10 {
                        let call = ToolCall::new("1", "flaky", "{}");
                        let outcome = match place % 2 {
                            0 => registry.call_blocking(call),
                            // An executor that has no timers.
                            _ => park_until(registry.call(call)),
                        };
                        assert_eq!((outcome.model_text(), outcome.receipt().attempts), ("2", 2));
                    }
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= 2);
    }
}
