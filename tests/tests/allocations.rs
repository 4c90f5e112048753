//! A result of 100 MB passes the limit and the store without a second copy of it in memory.

use std::{
    hash::{DefaultHasher, Hasher},
    ops::Range,
    sync::{Arc, Mutex},
};

use peak_alloc::PeakAlloc;
use tool_runtime::{
    Artifact, ArtifactEntry, ArtifactMeta, ArtifactRef, ArtifactStore, ArtifactWriter, StoreError, StoreReason,
    TruncateOptions, TruncationStrategy, truncate_result,
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MB: usize = 1 << 20;

/// Keeps length and checksum of what was saved last, and none of the bytes.
#[derive(Clone, Default)]
struct Scales(Arc<Mutex<Option<(usize, u64)>>>);

struct Weighing {
    scales: Scales,
    bytes: usize,
    checksum: DefaultHasher,
}

impl ArtifactWriter for Weighing {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.bytes += bytes.len();
        self.checksum.write(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>, chars: usize) -> Result<ArtifactRef, StoreError> {
        let mut weighed = self.scales.0.lock().map_err(|_| StoreReason::Failed)?;
        *weighed = Some((self.bytes, self.checksum.finish()));
        Ok(ArtifactRef::new("weighed", None, "", chars))
    }

    fn abort(self: Box<Self>) {}
}

impl ArtifactStore for Scales {
    fn create(&self, _: &ArtifactMeta) -> Result<Box<dyn ArtifactWriter>, StoreError> {
        Ok(Box::new(Weighing { scales: self.clone(), bytes: 0, checksum: DefaultHasher::new() }))
    }

    fn read(&self, _: &str, _: Range<u64>) -> Result<Artifact, StoreError> {
        Err(StoreReason::Unsupported.into())
    }

    fn list(&self) -> Result<Vec<ArtifactEntry>, StoreError> {
        Ok(Vec::new())
    }

    fn delete(&self, _: &str) -> Result<(), StoreError> {
        Ok(())
    }

    fn sweep(&self, _: u64) -> Result<usize, StoreError> {
        Ok(0)
    }
}

/// One test, because the peak is that of the whole process.
#[test]
fn a_long_result_is_never_copied() {
    let text = "row 漢 🦀 1,2\n".repeat(100 * MB / 18 + 1);
    // The same inside a document, with one string to shorten and many to leave alone.
    let document = format!(r#"{{"long": "{}", "rows": [{}1]}}"#, "x".repeat(90 * MB), "1, ".repeat(MB));
    for (text, strategy) in [(&text, TruncationStrategy::HeadTail), (&document, TruncationStrategy::Fields)] {
        assert!(text.len() > 90 * MB);
        let store = Scales::default();
        let options = TruncateOptions::new(10_000).strategy(strategy).field_limit(1_000).store(&store);
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let result = truncate_result(text, &options);
        let extra = MEMORY.peak_usage() - before;
        assert!(extra < MB, "{strategy:?} took {extra} bytes more");
        assert!(result.truncated && result.content.chars().count() <= 10_000);
        let mut checksum = DefaultHasher::new();
        checksum.write(text.as_bytes());
        assert_eq!(store.0.lock().map(|weighed| *weighed).ok().flatten(), Some((text.len(), checksum.finish())));
    }
}
