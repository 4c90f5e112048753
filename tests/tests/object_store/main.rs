//! `ObjectStore` against a real S3 server, which runs in a process of its own so that it can be killed, and
//! against plain files, a backend without metadata.
#![cfg_attr(feature = "object-store", allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

#[cfg(not(feature = "object-store"))]
#[test]
#[ignore = "builds 200 packages: cargo test -p tool-tests --features object-store --test object_store"]
fn object_store_is_tested_with_its_feature() {}

#[cfg(feature = "object-store")]
mod checked;
#[cfg(feature = "object-store")]
mod faults;
#[cfg(feature = "object-store")]
mod lifetime;
#[cfg(feature = "object-store")]
mod places;
#[cfg(feature = "object-store")]
mod server;
#[cfg(feature = "object-store")]
mod together;

#[cfg(feature = "object-store")]
use support::*;

#[cfg(feature = "object-store")]
mod support {
    use tool_runtime::{ArtifactMeta, ArtifactRef, ArtifactStore, ObjectStore, StoreError, StoreReason};

    /// Some second in March 2024.
    pub(crate) const NOW: u64 = 1_711_900_000;
    /// What is longer is streamed to a body.
    pub(crate) const PART: usize = 8 << 20;

    pub(crate) fn meta() -> ArtifactMeta {
        ArtifactMeta::text("query_database", NOW)
    }

    /// In pieces, as a tool's output comes.
    pub(crate) fn save(store: &ObjectStore, meta: &ArtifactMeta, text: &str) -> Result<ArtifactRef, StoreError> {
        let mut writer = store.create(meta)?;
        for piece in text.as_bytes().chunks(1_000_003) {
            writer.write(piece)?;
        }
        writer.finish(text.chars().count())
    }

    pub(crate) fn read(store: &ObjectStore, id: &str) -> Result<String, StoreReason> {
        let artifact = store.read(id, 0..u64::MAX).map_err(|error| error.reason())?;
        Ok(String::from_utf8(artifact.bytes).unwrap())
    }

    pub(crate) fn reason<T>(result: Result<T, StoreError>) -> StoreReason {
        match result {
            Ok(_) => panic!("must be refused"),
            Err(error) => error.reason(),
        }
    }

    pub(crate) fn ids(store: &ObjectStore) -> Vec<String> {
        store.list().unwrap().into_iter().map(|entry| entry.id).collect()
    }

    /// Text of `bytes` bytes of which each piece says where it is.
    pub(crate) fn numbered(bytes: usize) -> String {
        let mut line = *b"0000000\n";
        let mut text = Vec::with_capacity(bytes + 8);
        while text.len() < bytes {
            text.extend_from_slice(&line);
            for digit in line[..7].iter_mut().rev() {
                *digit = if *digit == b'9' { b'0' } else { *digit + 1 };
                if *digit != b'0' {
                    break;
                }
            }
        }
        text.truncate(bytes);
        String::from_utf8(text).unwrap()
    }
}
