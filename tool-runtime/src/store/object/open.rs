//! From an address to a backend.

use std::{sync::Arc, time::Duration};

use object_store::{
    BackoffConfig, ObjectStore as Objects, ObjectStoreScheme, RetryConfig, aws::AmazonS3Builder,
    azure::MicrosoftAzureBuilder, gcp::GoogleCloudStorageBuilder, memory::InMemory, path::Path,
};
use url::Url;

use super::refusal::refusal;
use crate::artifact::{StoreError, StoreReason};

/// A tool call waits for its artifact, so that a dead server has to show soon: 3 attempts more within some
/// seconds, where the crate's own default is 10 within 3 minutes.
fn retry() -> RetryConfig {
    let backoff = BackoffConfig { max_backoff: Duration::from_secs(2), ..BackoffConfig::default() };
    RetryConfig { backoff, max_retries: 3, retry_timeout: Duration::from_secs(15) }
}

pub(super) fn open<K, V>(
    address: &str,
    options: impl IntoIterator<Item = (K, V)>,
) -> Result<(Arc<dyn Objects>, Path), StoreError>
where
    K: AsRef<str>,
    V: Into<String>,
{
    let url = Url::parse(address).map_err(|_| StoreReason::Unsupported)?;
    let (scheme, prefix) = ObjectStoreScheme::parse(&url).map_err(|_| StoreReason::Unsupported)?;
    // The three builders have no trait in common.
    macro_rules! built {
        ($builder:ty) => {{
            let builder = <$builder>::new().with_url(address).with_retry(retry());
            let configured = options.into_iter().fold(builder, |builder, (key, value)| {
                // Keys of others are left out, so that a whole environment can be passed.
                match key.as_ref().to_ascii_lowercase().parse() {
                    Ok(key) => builder.with_config(key, value),
                    Err(_) => builder,
                }
            });
            Arc::new(configured.build().map_err(refusal)?)
        }};
    }
    let objects: Arc<dyn Objects> = match scheme {
        ObjectStoreScheme::AmazonS3 => built!(AmazonS3Builder),
        ObjectStoreScheme::GoogleCloudStorage => built!(GoogleCloudStorageBuilder),
        ObjectStoreScheme::MicrosoftAzure => built!(MicrosoftAzureBuilder),
        ObjectStoreScheme::Memory => Arc::new(InMemory::new()),
        _ => return Err(StoreReason::Unsupported.into()),
    };
    Ok((objects, prefix))
}
