//! The API key: kept, sent, and never shown.

use std::fmt;

use ureq::http::HeaderValue;

use super::VaultError;

/// An API key. Neither `Debug` nor any error shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Without the white space that files and variables bring along.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of the `Authorization` header.
    pub(super) fn header(&self) -> Result<HeaderValue, VaultError> {
        let sendable = !self.is_empty() && self.0.bytes().all(|byte| byte.is_ascii_graphic());
        let value = sendable.then(|| HeaderValue::try_from(format!("Bearer {}", self.0)).ok());
        let mut value = value.flatten().ok_or(VaultError::BadKey)?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// A text of somebody else's, without the key if it is in there.
    pub(super) fn hide_in(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        // As it is, and as it stands within JSON.
        let quoted = serde_json::Value::from(self.0.as_str()).to_string();
        text.replace(&self.0, "[API key]").replace(&quoted[1..quoted.len() - 1], "[API key]")
    }
}

impl From<String> for ApiKey {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[API key]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_never_shown() {
        let key = ApiKey::new(" mv_secret\n");
        assert_eq!(format!("{key:?} {key:#?}"), "[API key] [API key]");
        assert_eq!(format!("{:?}", key.header().unwrap()), "Sensitive");
        assert_eq!(key.hide_in("no mv_secret, or mv_secret2"), "no [API key], or [API key]2");
        assert_eq!(ApiKey::new(r#"a\b"c"#).hide_in(r#"{"k":"a\\b\"c"}"#), r#"{"k":"[API key]"}"#);
    }

    #[test]
    fn what_no_header_can_carry_is_refused() {
        for text in ["", " ", "a b", "a\nb", "a\r\nX: y", "clé", "a\0"] {
            assert!(matches!(ApiKey::new(text).header(), Err(VaultError::BadKey)), "{text:?}");
        }
    }
}
