//! How the network is used: how long, how often, through what.

use std::time::Duration;

use ureq::{Proxy, ProxyProtocol};

use super::VaultError;

/// Times and the proxy. What is set here comes from the caller, never from the environment.
#[derive(Clone)]
pub struct Network {
    /// For one connection.
    pub connect: Duration,
    /// For a whole `store` or `get`, with all its attempts and pauses.
    pub whole: Duration,
    /// Before the second attempt; the third waits twice as long.
    pub pause: Duration,
    /// A proxy for https, such as `http://proxy.example:3128`.
    pub proxy: Option<String>,
    /// Hosts that are reached without it, separated by commas.
    pub no_proxy: Option<String>,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            whole: Duration::from_secs(15),
            pause: Duration::from_millis(250),
            proxy: None,
            no_proxy: None,
        }
    }
}

impl std::fmt::Debug for Network {
    /// Without the proxy, whose URL can hold a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network")
            .field("connect", &self.connect)
            .field("whole", &self.whole)
            .finish_non_exhaustive()
    }
}

impl Network {
    pub(super) fn proxy(&self) -> Result<Option<Proxy>, VaultError> {
        let Some(url) = &self.proxy else { return Ok(None) };
        let given = Proxy::new(url).map_err(|_| VaultError::BadProxy)?;
        if !matches!(given.protocol(), ProxyProtocol::Http | ProxyProtocol::Https) {
            return Err(VaultError::BadProxy);
        }
        let mut proxy = Proxy::builder(given.protocol()).host(given.host()).port(given.port());
        if let Some(name) = given.username() {
            proxy = proxy.username(name);
        }
        if let Some(password) = given.password() {
            proxy = proxy.password(password);
        }
        let direct = self.no_proxy.as_deref().unwrap_or_default();
        for host in direct.split(',').map(str::trim).filter(|host| !host.is_empty()) {
            proxy = proxy.no_proxy(host);
        }
        proxy.build().map(Some).map_err(|_| VaultError::BadProxy)
    }
}
