//! How many calls of one tool run at the same time. Those beyond it wait in the order in which they came.

use std::{
    cell::RefCell,
    collections::VecDeque,
    future::{Future, poll_fn},
    mem,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// The places of one tool.
#[derive(Debug)]
pub(crate) struct Gate {
    most: usize,
    queue: Mutex<Queue>,
}

/// Whoever stands among the first `free` may enter; so nobody overtakes, and no place is promised to one who is gone.
/// A waker may own the task that it wakes, and a task may wait here: none is woken or dropped while this is locked.
#[derive(Debug)]
struct Queue {
    free: usize,
    next_ticket: u64,
    /// By their tickets.
    waiting: VecDeque<(u64, Waker)>,
}

impl Queue {
    /// Whom to wake where one more may enter: the last of those who may.
    fn woken(&self) -> Option<Waker> {
        self.waiting.get(self.free.checked_sub(1)?).map(|(_, waker)| waker.clone())
    }

    fn place_of(&self, ticket: Option<u64>) -> Option<usize> {
        self.waiting.binary_search_by_key(&ticket?, |(waiting, _)| *waiting).ok()
    }
}

impl Gate {
    pub(crate) fn new(most: usize) -> Self {
        let queue = Queue { free: most, next_ticket: 0, waiting: VecDeque::new() };
        Self { most, queue: Mutex::new(queue) }
    }

    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// A place, where one is free that nobody waits for.
    pub(crate) fn try_enter(self: &Arc<Self>) -> Option<Permit> {
        let mut queue = self.queue();
        if queue.waiting.len() >= queue.free {
            return None;
        }
        queue.free -= 1;
        Some(Permit(Arc::clone(self)))
    }

    /// Waits for a place. Can be dropped at any time.
    pub(crate) fn enter(self: &Arc<Self>) -> Entering {
        Entering { gate: Arc::clone(self), ticket: None }
    }

    /// Whether this thread is inside a call that has a place here: that call can't end before this thread goes on.
    pub(crate) fn is_inside(&self) -> bool {
        INSIDE.try_with(|inside| inside.borrow().contains(&self.address())).unwrap_or(false)
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits in the queue from its first poll on.
#[derive(Debug)]
pub(crate) struct Entering {
    gate: Arc<Gate>,
    ticket: Option<u64>,
}

impl Future for Entering {
    type Output = Permit;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit> {
        let (gate, mut waker) = (Arc::clone(&self.gate), context.waker().clone());
        let mut queue = gate.queue();
        let place = queue.place_of(self.ticket);
        if place.unwrap_or(queue.waiting.len()) < queue.free {
            queue.free -= 1;
            let _gone = place.and_then(|place| queue.waiting.remove(place));
            drop(queue);
            self.ticket = None;
            return Poll::Ready(Permit(gate));
        }
        match place.and_then(|place| queue.waiting.get_mut(place)) {
            Some((_, known)) => mem::swap(known, &mut waker),
            None => {
                let ticket = queue.next_ticket;
                queue.next_ticket += 1;
                queue.waiting.push_back((ticket, waker));
                self.ticket = Some(ticket);
                return Poll::Pending;
            }
        }
        drop(queue);
        drop(waker);
        Poll::Pending
    }
}

impl Drop for Entering {
    fn drop(&mut self) {
        let mut queue = self.gate.queue();
        let Some(place) = queue.place_of(self.ticket) else { return };
        let _gone = queue.waiting.remove(place);
        // It may have been woken already: then the turn passes to the next.
        let woken = queue.woken().filter(|_| place < queue.free);
        drop(queue);
        woken.iter().for_each(Waker::wake_by_ref);
    }
}

/// A place, given back when this goes.
#[derive(Debug)]
pub(crate) struct Permit(Arc<Gate>);

impl Drop for Permit {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.free += 1;
        let woken = queue.woken();
        drop(queue);
        woken.iter().for_each(Waker::wake_by_ref);
    }
}

thread_local! {
    /// The gates whose calls are being run or polled by this thread, outermost first. A call that is made while a thread
    /// ends finds it gone, and then nobody is known to be inside.
    static INSIDE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Runs a piece of the call that has this place, so that a call made by it is known to be inside.
pub(crate) fn inside<T>(permit: Option<&Permit>, work: impl FnOnce() -> T) -> T {
    let Some(Permit(gate)) = permit else { return work() };
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            let _ = INSIDE.try_with(|inside| inside.borrow_mut().pop());
        }
    }
    let entered = INSIDE.try_with(|inside| inside.borrow_mut().push(gate.address()));
    let _leave = entered.is_ok().then_some(Leave);
    work()
}

/// The same for a future, piece by piece.
pub(crate) fn poll_inside<F: Future + Unpin>(
    permit: Option<&Permit>,
    mut future: F,
) -> impl Future<Output = F::Output> {
    poll_fn(move |context| inside(permit, || Pin::new(&mut future).poll(context)))
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        sync::atomic::{AtomicUsize, Ordering},
        task::Wake,
        thread,
    };

    use super::*;
    use crate::thread::park_until;

    #[derive(Default)]
    struct Bell(AtomicUsize);

    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    struct Waiter {
        entering: Pin<Box<Entering>>,
        bell: Arc<Bell>,
    }

    impl Waiter {
        fn at(gate: &Arc<Gate>) -> Self {
            Self { entering: Box::pin(gate.enter()), bell: Arc::default() }
        }

        fn poll(&mut self) -> Poll<Permit> {
            let waker = Waker::from(Arc::clone(&self.bell));
            self.entering.as_mut().poll(&mut Context::from_waker(&waker))
        }

        fn rung(&self) -> usize {
            self.bell.0.load(Ordering::SeqCst)
        }
    }

    #[test]
    fn nobody_overtakes_and_who_leaves_the_queue_passes_its_turn_on() {
        let gate = Arc::new(Gate::new(1));
        let held = gate.try_enter();
        assert!(held.is_some() && gate.try_enter().is_none());
        let [mut first, mut second, mut third] = [(); 3].map(|()| Waiter::at(&gate));
        assert!(first.poll().is_pending() && second.poll().is_pending() && third.poll().is_pending());
        drop(held);
        assert_eq!((first.rung(), second.rung(), third.rung()), (1, 0, 0));
        assert!(gate.try_enter().is_none(), "the place is the first one's");
        assert!(second.poll().is_pending());
        drop(first);
        assert_eq!((second.rung(), third.rung()), (1, 0));
        let Poll::Ready(held) = second.poll() else { panic!("it is its turn") };
        assert!(third.poll().is_pending());
        drop(third);
        drop(held);
        assert!(gate.try_enter().is_some());
    }

    /// Waits once and then for ever; its waker owns it.
    struct Task(Mutex<Option<Waiting>>);

    type Waiting = Pin<Box<dyn Future<Output = ()> + Send>>;

    impl Wake for Task {
        fn wake(self: Arc<Self>) {}
    }

    impl Task {
        fn start(waiting: impl Future<Output = ()> + Send + 'static) {
            let task = Arc::new(Self(Mutex::new(Some(Box::pin(waiting)))));
            let waker = Waker::from(Arc::clone(&task));
            let mut waiting = task.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(waiting) = &mut *waiting else { return };
            assert!(waiting.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
    }

    #[test]
    fn a_waker_that_goes_may_take_another_waiter_with_it() {
        let gate = Arc::new(Gate::new(1));
        let held = gate.try_enter();
        let shared = Arc::new(Mutex::new(Box::pin(gate.enter())));
        let (lent, mut own) = (Arc::clone(&shared), Box::pin(gate.enter()));
        // From now on only the waker that `shared` left in the queue keeps the task, and the task keeps `own`.
        Task::start(poll_fn(move |context| {
            let mut lent = lent.lock().unwrap_or_else(PoisonError::into_inner);
            assert!(own.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            lent.as_mut().poll(context).map(drop)
        }));
        assert_eq!(gate.queue().waiting.len(), 2);
        let mut polled = shared.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(polled.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(gate.queue().waiting.len(), 1);
        drop(held);
        assert!(polled.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }

    #[test]
    fn a_thread_that_ends_can_still_run_a_call() {
        struct AtTheEnd(Arc<Gate>, std::sync::mpsc::Sender<bool>);
        impl Drop for AtTheEnd {
            fn drop(&mut self) {
                let ran = crate::contain::call(|| inside(self.0.try_enter().as_ref(), || self.0.is_inside()));
                let _ = self.1.send(ran.is_ok());
            }
        }
        thread_local!(static LAST: RefCell<Option<AtTheEnd>> = const { RefCell::new(None) });
        let (send, ran) = std::sync::mpsc::channel();
        let _ = thread::spawn(move || {
            let gate = Arc::new(Gate::new(1));
            // Made first, and so the last to go.
            LAST.set(Some(AtTheEnd(Arc::clone(&gate), send)));
            inside(gate.try_enter().as_ref(), || assert!(gate.is_inside()));
        })
        .join();
        assert_eq!(ran.recv(), Ok(true));
    }

    #[test]
    fn several_places_fall_free_in_any_order() {
        let gate = Arc::new(Gate::new(2));
        let held = [gate.try_enter(), gate.try_enter()];
        let [mut first, mut second, mut third] = [(); 3].map(|()| Waiter::at(&gate));
        assert!(first.poll().is_pending() && second.poll().is_pending() && third.poll().is_pending());
        drop(held);
        assert_eq!((first.rung(), second.rung(), third.rung()), (1, 1, 0));
        // The second is polled before the first, and takes nothing from it.
        let Poll::Ready(_one) = second.poll() else { panic!("there are two places") };
        assert!(third.poll().is_pending());
        let Poll::Ready(_other) = first.poll() else { panic!("there are two places") };
        assert!(third.poll().is_pending());
    }

    #[test]
    fn many_threads_never_are_more_than_the_places_and_all_come_in() {
        let gate = Arc::new(Gate::new(3));
        let (running, most, all) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for turn in 0..200 {
                        if turn % 5 == 0 {
                            // Leaves the queue again, or gives the place back.
                            let mut leaving = pin!(gate.enter());
                            let _ = leaving.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                        }
                        let _permit = park_until(gate.enter());
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        all.fetch_add(1, Ordering::SeqCst);
                        running.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 3);
        assert_eq!(all.into_inner(), 16 * 200);
        assert!(gate.queue().waiting.is_empty() && gate.queue().free == 3);
    }

    #[test]
    fn a_call_inside_a_call_is_known_for_as_long_as_that_runs() {
        let (gate, other) = (Arc::new(Gate::new(2)), Arc::new(Gate::new(1)));
        let permit = gate.try_enter();
        assert!(!gate.is_inside());
        inside(permit.as_ref(), || {
            assert!(gate.is_inside() && !other.is_inside());
            inside(other.try_enter().as_ref(), || assert!(gate.is_inside() && other.is_inside()));
            assert!(!other.is_inside());
        });
        let panicked = crate::contain::call(|| inside(permit.as_ref(), || panic!("boom")));
        assert!(panicked.is_err() && !gate.is_inside());
    }
}
