//! What a backend says, as a reason from the list.

use std::io;

use object_store::Error;

use crate::artifact::{StoreError, StoreReason};

/// `None` for what is not there.
pub(super) fn known<T>(result: Result<T, Error>) -> Result<Option<T>, StoreError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(refusal(error)),
    }
}

pub(super) fn refusal(error: Error) -> StoreError {
    let reason = match error {
        Error::NotFound { .. } => StoreReason::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => StoreReason::Denied,
        Error::NotSupported { .. } | Error::NotImplemented { .. } | Error::UnknownConfigurationKey { .. } => {
            StoreReason::Unsupported
        }
        _ => StoreReason::Failed,
    };
    StoreError::with_source(reason, io::Error::other(error))
}

/// While saving or listing, what is not there is the bucket itself.
pub(super) fn unsaved(error: Error) -> StoreError {
    match error {
        Error::NotFound { .. } => StoreError::with_source(StoreReason::Denied, io::Error::other(error)),
        error => refusal(error),
    }
}
