//! MemoryVault: a service that keeps texts under keys, by HTTPS.
//!
//! Nothing here connects, or loads a certificate, before `store` or `get` is called. The API key goes
//! to the host of the base URL and nowhere else, and is in no error.

mod call;
mod error;
mod key;
mod network;
mod url;

pub use error::VaultError;
pub use key::ApiKey;
pub use network::Network;

use std::time::Instant;

use serde_json::{Value, json};
use ureq::http::Method;

use call::Call;
use url::BaseUrl;

/// One user's MemoryVault.
#[derive(Debug)]
pub struct Vault {
    base: BaseUrl,
    key: ApiKey,
    network: Network,
}

/// What a store did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Whether there was nothing under this key before.
    pub created: bool,
}

impl Vault {
    /// Checks the URL and the key; connects to nothing yet.
    pub fn new(base_url: &str, key: ApiKey, network: Network) -> Result<Self, VaultError> {
        key.header()?;
        Ok(Self { base: BaseUrl::parse(base_url)?, key, network })
    }

    /// Puts a text under a key, whatever was there before.
    pub fn store(&self, key: &str, value: &str, tags: &[&str]) -> Result<Stored, VaultError> {
        let until = Instant::now() + self.network.whole;
        let body = json!({ "key": key, "value": value, "tags": tags, "public": false });
        let store = Call { method: Method::POST, path: "/store".to_owned(), body: Some(body) };
        let mut answer = self.call(&store, until)?;
        if matches!(answer.status, 404 | 405) {
            // A service of another version, that only updates: the same by its other way.
            let body = json!({ "value": value, "tags": tags });
            let path = format!("/update/{}?upsert=true", url::encode_path(key));
            let update = Call { method: Method::PATCH, path, body: Some(body) };
            answer = self.call(&update, until)?;
        }
        let status = answer.status;
        match self.accepted(answer)? {
            // Anything else that answers 200 is some other site, and has stored nothing.
            Value::Object(said) => Ok(Stored {
                created: said.get("created").and_then(Value::as_bool).unwrap_or(status == 201),
            }),
            _ => Err(self.not_understood()),
        }
    }

    /// The text under a key: a text as it is, anything else as indented JSON. `None`: nothing there.
    pub fn get(&self, key: &str) -> Result<Option<String>, VaultError> {
        let until = Instant::now() + self.network.whole;
        let path = format!("/get/{}", url::encode_path(key));
        let answer = self.call(&Call { method: Method::GET, path, body: None }, until)?;
        if answer.status == 404 {
            return Ok(None);
        }
        let value = match self.accepted(answer)? {
            Value::Object(mut said) => said.remove("value").ok_or_else(|| self.not_understood())?,
            Value::String(text) => Value::String(text),
            _ => return Err(self.not_understood()),
        };
        Ok(match value {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(format!("{other:#}\n")),
        })
    }
}
