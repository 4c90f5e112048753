//! What lies in a bucket, as far as the store made it.

use futures_util::TryStreamExt;
use object_store::{Error, GetOptions, ObjectMeta};

use super::{
    bucket::{BODIES, Bucket},
    record::is_hex,
    refusal::{refusal, unsaved},
};
use crate::{artifact::StoreError, store::name};

/// One object of a listing.
pub(super) struct Listed {
    pub(super) what: Kind,
    pub(super) size: u64,
    /// Seconds since 1970-01-01 UTC.
    pub(super) modified: u64,
}

pub(super) enum Kind {
    /// `alone`: its content lies elsewhere.
    Artifact {
        id: String,
        created: u64,
        alone: bool,
    },
    Body {
        token: String,
    },
}

impl Listed {
    /// `None` for a body.
    pub(super) fn into_id(self) -> Option<String> {
        match self.what {
            Kind::Artifact { id, .. } => Some(id),
            Kind::Body { .. } => None,
        }
    }
}

impl Bucket {
    /// Everything of ours, or what has the same hash digits.
    pub(super) async fn listing(&self, digits: Option<&str>) -> Result<Vec<Listed>, StoreError> {
        let place = digits.map_or_else(|| self.prefix.clone(), |digits| self.prefix.clone().join(digits));
        match self.objects.list(Some(&place)).try_collect::<Vec<ObjectMeta>>().await {
            Ok(objects) => Ok(objects.iter().filter_map(|object| self.listed(object)).collect()),
            Err(error @ Error::Generic { .. }) => Err(self.reason_for(error).await),
            Err(error) => Err(unsaved(error)),
        }
    }

    /// The backends do not tell why a listing failed; the look at a single key has the same reasons, and tells.
    async fn reason_for(&self, error: Error) -> StoreError {
        let key = self.prefix.clone().join(BODIES);
        match self.objects.get_opts(&key, GetOptions::new().with_head(true)).await {
            Err(Error::Generic { .. }) => refusal(error),
            Err(typed) => unsaved(typed),
            Ok(_) => refusal(error),
        }
    }

    /// `None` for what the store did not make.
    fn listed(&self, object: &ObjectMeta) -> Option<Listed> {
        let parts: Vec<_> = object.location.prefix_match(&self.prefix)?.collect();
        let [place, file] = &parts[..] else { return None };
        let (place, file) = (place.as_ref(), file.as_ref());
        let what = if place == BODIES {
            is_hex(file, 32).then(|| Kind::Body { token: file.to_owned() })?
        } else {
            let id = file.strip_suffix(".meta").unwrap_or(file);
            let name = name::parse(id).filter(|name| name.digits == place)?;
            let alone = object.size == 0 || id != file;
            Kind::Artifact { id: id.to_owned(), created: name.created, alone }
        };
        let modified = u64::try_from(object.last_modified.timestamp()).unwrap_or_default();
        Some(Listed { what, size: object.size, modified })
    }
}
