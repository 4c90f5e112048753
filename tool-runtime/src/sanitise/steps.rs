//! Counts work in tests, to show that it grows with the text and no faster.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// One character, or one byte of a scan that is not SIMD, was looked at.
#[inline]
pub(super) fn tick() {
    #[cfg(test)]
    STEPS.set(STEPS.get() + 1);
}

#[cfg(test)]
pub(super) fn taken(work: impl FnOnce()) -> usize {
    STEPS.set(0);
    work();
    STEPS.get()
}
