//! One call of the service: attempts, pauses, redirects, the deadline around all of them.

use std::io::ErrorKind;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use segue_core::visible_line;
use serde_json::Value;
use ureq::http::{Method, Request, Response, header};
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body, Timeout};

use super::{Vault, VaultError};

/// How often a call that failed is made in all. Every call here can be repeated without harm.
const ATTEMPTS: u32 = 3;
/// No pause is longer, whatever `Retry-After` says.
const MAX_PAUSE: Duration = Duration::from_secs(5);
const MAX_REDIRECTS: u32 = 3;
/// An answer is read up to this size.
const MAX_ANSWER: u64 = 16 * 1024 * 1024;
/// So much of what the service says of an error is shown.
const MAX_DETAIL: usize = 200;

pub(super) struct Call {
    pub(super) method: Method,
    /// Below the base URL.
    pub(super) path: String,
    pub(super) body: Option<Value>,
}

pub(super) struct Answer {
    pub(super) status: u16,
    body: Vec<u8>,
    retry_after: Option<Duration>,
}

impl Vault {
    /// Makes a call, again if need be. Gives any answer that a second attempt would not change.
    pub(super) fn call(&self, call: &Call, until: Instant) -> Result<Answer, VaultError> {
        let mut pause = self.network.pause;
        for attempt in 1.. {
            let (error, wait) = match self.attempt(call, until) {
                Ok(answer) if answer.status == 429 || answer.status >= 500 => {
                    let wait = answer.retry_after.unwrap_or(pause);
                    (self.status_error(&answer), wait)
                }
                Ok(answer) => return Ok(answer),
                Err(error) => (error, pause),
            };
            let wait = wait.min(MAX_PAUSE);
            if attempt >= ATTEMPTS || !error.passes() || Instant::now() + wait >= until {
                return Err(error);
            }
            thread::sleep(wait);
            pause *= 2;
        }
        Err(self.not_understood())
    }

    /// The JSON of an answer that says yes.
    pub(super) fn accepted(&self, answer: Answer) -> Result<Value, VaultError> {
        if !(200..300).contains(&answer.status) {
            return Err(self.status_error(&answer));
        }
        serde_json::from_slice(&answer.body).map_err(|_| self.not_understood())
    }

    pub(super) fn not_understood(&self) -> VaultError {
        VaultError::NotUnderstood { host: self.host() }
    }

    fn host(&self) -> String {
        visible_line(&self.key.hide_in(self.base.host())).into_owned()
    }

    fn attempt(&self, call: &Call, until: Instant) -> Result<Answer, VaultError> {
        let mut url = self.base.join(&call.path);
        for _ in 0..=MAX_REDIRECTS {
            let mut response = self.send(call, &url, until)?;
            let status = response.status().as_u16();
            let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
            if let (301 | 302 | 303 | 307 | 308, Some(location)) = (status, text(header::LOCATION))
            {
                let to = self.base.redirect(location);
                match to {
                    Ok(next) if call.method == Method::GET => url = next,
                    // A write that is sent elsewhere is not what was asked for.
                    Ok(_) => return Err(self.redirected("another address")),
                    Err(place) => return Err(self.redirected(&place)),
                }
                continue;
            }
            let retry_after = text(header::RETRY_AFTER)
                .and_then(|seconds| seconds.trim().parse().ok())
                .map(Duration::from_secs);
            let body = response.body_mut().with_config().limit(MAX_ANSWER).read_to_vec();
            let body = body.map_err(|error| self.failed(error))?;
            return Ok(Answer { status, body, retry_after });
        }
        Err(self.redirected("itself again and again"))
    }

    fn redirected(&self, to: &str) -> VaultError {
        let to = visible_line(&self.key.hide_in(to)).into_owned();
        VaultError::Redirected { host: self.host(), to }
    }

    fn send(&self, call: &Call, url: &str, until: Instant) -> Result<Response<Body>, VaultError> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.timed_out());
        }
        let agent = self.agent(left)?;
        let request = Request::builder()
            .method(call.method.clone())
            .uri(url)
            .header(header::AUTHORIZATION, self.key.header()?)
            .header(header::ACCEPT, "application/json");
        let sent = match &call.body {
            None => request.body(()).map(|request| agent.run(request)),
            Some(body) => request
                .header(header::CONTENT_TYPE, "application/json")
                .body(body.to_string())
                .map(|request| agent.run(request)),
        };
        // What is not even a request: a redirect to something that is no URL.
        sent.map_err(|_| self.not_understood())?.map_err(|error| self.failed(error))
    }

    /// An agent for one request: nothing of it is kept.
    fn agent(&self, left: Duration) -> Result<Agent, VaultError> {
        // The key travels in the clear to this machine itself: no proxy gets to see it.
        let proxy = if self.base.is_loopback() { None } else { self.network.proxy()? };
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(proxy)
            .https_only(!self.base.is_loopback())
            .http_status_as_error(false)
            // Followed by hand, so that the key is never sent to another host.
            .max_redirects(0)
            .user_agent(concat!("segue/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(self.network.connect.min(left)))
            .timeout_global(Some(left))
            .build();
        Ok(config.new_agent())
    }

    fn timed_out(&self) -> VaultError {
        VaultError::TimedOut { host: self.host(), after: self.network.whole }
    }

    fn status_error(&self, answer: &Answer) -> VaultError {
        let (host, status, detail) = (self.host(), answer.status, self.detail(&answer.body));
        match status {
            401 | 403 => VaultError::Refused { host, status, detail },
            429 | 500.. => VaultError::Trouble { host, status, detail },
            _ => VaultError::Rejected { host, status, detail },
        }
    }

    /// What the service says of an error: foreign text, so without the key, clipped and made visible.
    fn detail(&self, body: &[u8]) -> String {
        let text = match serde_json::from_slice::<Value>(body) {
            Ok(Value::Object(mut said)) => match said.remove("detail") {
                Some(Value::String(text)) => text,
                Some(other) => other.to_string(),
                None => Value::Object(said).to_string(),
            },
            Ok(other) => other.to_string(),
            Err(_) => String::from_utf8_lossy(body).into_owned(),
        };
        let text = self.key.hide_in(text.trim());
        if text.is_empty() {
            return String::new();
        }
        let mut clipped: String = text.chars().take(MAX_DETAIL).collect();
        if clipped.len() < text.len() {
            clipped.push('…');
        }
        format!(": {}", visible_line(&clipped))
    }

    /// The library's errors in our words. Its own could one day say more than they should.
    fn failed(&self, error: ureq::Error) -> VaultError {
        let host = self.host();
        let no_connection = |reason: &str| VaultError::NoConnection {
            host: host.clone(),
            reason: reason.to_owned(),
        };
        match error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                no_connection("it takes too long")
            }
            ureq::Error::Timeout(_) => self.timed_out(),
            ureq::Error::HostNotFound => no_connection("there is no such host"),
            ureq::Error::ConnectionFailed => no_connection("it does not answer"),
            ureq::Error::ConnectProxyFailed(_) => no_connection("the proxy refuses"),
            ureq::Error::BodyExceedsLimit(_) | ureq::Error::LargeResponseHeader(..) => {
                VaultError::TooLarge { host }
            }
            ureq::Error::Rustls(error) => VaultError::Untrusted { host, reason: error.to_string() },
            ureq::Error::Io(error) => {
                let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
                if let Some(tls) = inner.map(rustls::Error::to_string) {
                    return VaultError::Untrusted { host, reason: tls };
                }
                match error.kind() {
                    ErrorKind::UnexpectedEof
                    | ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::BrokenPipe => VaultError::CutOff { host },
                    ErrorKind::TimedOut | ErrorKind::WouldBlock => self.timed_out(),
                    ErrorKind::ConnectionRefused => no_connection("nothing listens there"),
                    _ => no_connection(&error.to_string()),
                }
            }
            _ => VaultError::NotUnderstood { host },
        }
    }
}
