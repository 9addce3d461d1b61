//! The base URL: https, or http to this machine itself; and where a redirect may lead.

use std::net::IpAddr;

use ureq::http::Uri;
use ureq::http::uri::{Authority, Scheme};

use super::VaultError;

/// Where the service is. Holds no user name, no query and no slash at its end.
#[derive(Clone, Debug)]
pub(super) struct BaseUrl {
    scheme: Scheme,
    authority: Authority,
    path: String,
}

impl BaseUrl {
    pub(super) fn parse(text: &str) -> Result<Self, VaultError> {
        let text = text.trim();
        let bad = |why| VaultError::BadUrl {
            // A password in it is not repeated.
            url: if text.contains('@') { "the URL".to_owned() } else { format!("'{text}'") },
            why,
        };
        if text.contains('@') {
            return Err(bad("it holds a user name"));
        }
        if text.contains(['?', '#']) {
            return Err(bad("it has a query"));
        }
        let uri: Uri = text.parse().map_err(|_| bad("it is not a URL"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
            return Err(bad("it is not a URL"));
        };
        if authority.host().is_empty() {
            return Err(bad("it names no host"));
        }
        let here = is_loopback(authority.host());
        if *scheme != Scheme::HTTPS && !(*scheme == Scheme::HTTP && here) {
            return Err(bad("only https is used, so that nobody on the way can read the key"));
        }
        Ok(Self {
            scheme: scheme.clone(),
            authority: authority.clone(),
            path: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// The URL of a path of the service.
    pub(super) fn join(&self, path: &str) -> String {
        format!("{}://{}{}{path}", self.scheme, self.authority, self.path)
    }

    pub(super) fn host(&self) -> &str {
        self.authority.as_str()
    }

    pub(super) fn is_loopback(&self) -> bool {
        is_loopback(self.authority.host())
    }

    /// The URL that a redirect leads to, if it is on the same host; else that host.
    pub(super) fn redirect(&self, location: &str) -> Result<String, String> {
        if location.starts_with('/') && !location.starts_with("//") {
            return Ok(format!("{}://{}{location}", self.scheme, self.authority));
        }
        let whole = match location.strip_prefix("//") {
            Some(rest) => format!("{}://{rest}", self.scheme),
            None => location.to_owned(),
        };
        let uri: Uri = whole.parse().map_err(|_| "an unclear place".to_owned())?;
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
            return Err("an unclear place".to_owned());
        };
        let port = |scheme: &Scheme, authority: &Authority| {
            authority.port_u16().unwrap_or(if *scheme == Scheme::HTTPS { 443 } else { 80 })
        };
        let same = *scheme == self.scheme
            && authority.host().eq_ignore_ascii_case(self.authority.host())
            && port(scheme, authority) == port(&self.scheme, &self.authority)
            && !authority.as_str().contains('@');
        if same {
            let path = uri.path_and_query().map_or("/", |path| path.as_str());
            return Ok(format!("{}://{}{path}", self.scheme, self.authority));
        }
        let port = authority.port().map_or(String::new(), |port| format!(":{port}"));
        Err(format!("{scheme}://{}{port}", authority.host()))
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A key as a path: slashes stay, whatever else a URL reads as its own is escaped.
pub(super) fn encode_path(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 16);
    for (at, segment) in key.split('/').enumerate() {
        if at > 0 {
            out.push('/');
        }
        // A segment of dots alone would be taken for a way up.
        let dots = matches!(segment, "." | "..");
        for byte in segment.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' => {
                    out.push(char::from(byte));
                }
                b'.' if !dots => out.push('.'),
                _ => out.push_str(&format!("%{byte:02X}")),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_or_this_machine() {
        for url in [
            "https://memoryvault.link",
            "https://memoryvault.link:8443/base/",
            "http://127.0.0.1:8080",
            "http://127.9.9.9",
            "http://[::1]:1",
            "http://localhost/",
            "http://LOCALHOST",
            "https://192.168.0.1",
        ] {
            assert!(BaseUrl::parse(url).is_ok(), "{url}");
        }
        for url in [
            "http://memoryvault.link",
            "http://192.168.0.1",
            "http://localhost.example.org",
            "http://127.0.0.1.example.org",
            "http://127.1",
            "http://[::ffff:8.8.8.8]",
            "http://127.0.0.1@example.org",
            "https://user:secret@memoryvault.link",
            "https://memoryvault.link/?a=b",
            "https://memoryvault.link/#x",
            "ftp://127.0.0.1",
            "memoryvault.link",
            "/store",
            "https://",
            "https://a b",
            "",
        ] {
            let error = BaseUrl::parse(url).unwrap_err();
            assert!(matches!(error, VaultError::BadUrl { .. }), "{url}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn paths_are_joined_with_one_slash() {
        let join = |base: &str| BaseUrl::parse(base).unwrap().join("/store");
        assert_eq!(join("https://a.example"), "https://a.example/store");
        assert_eq!(join("https://a.example/v1/"), "https://a.example/v1/store");
    }

    #[test]
    fn keys_cannot_leave_their_path_a13() {
        assert_eq!(encode_path("handoff/my bot/x?y/latest"), "handoff/my%20bot/x%3Fy/latest");
        assert_eq!(encode_path("a/../b/./c"), "a/%2E%2E/b/%2E/c");
        assert_eq!(encode_path("é#%\n.v1"), "%C3%A9%23%25%0A.v1");
    }

    #[test]
    fn redirects_stay_on_the_host() {
        let base = BaseUrl::parse("https://a.example/v1").unwrap();
        assert_eq!(base.redirect("/x?y").as_deref(), Ok("https://a.example/x?y"));
        assert_eq!(base.redirect("https://A.example:443/x").as_deref(), Ok("https://a.example/x"));
        assert_eq!(base.redirect("//a.example/x").as_deref(), Ok("https://a.example/x"));
        for (location, place) in [
            ("http://a.example/x", "http://a.example"),
            ("https://a.example:444/x", "https://a.example:444"),
            ("https://b.example/x", "https://b.example"),
            ("//b.example/x", "https://b.example"),
            ("https://a.example@b.example/x", "https://b.example"),
            ("https://u@a.example/x", "https://a.example"),
            ("x", "an unclear place"),
            ("", "an unclear place"),
        ] {
            assert_eq!(base.redirect(location), Err(place.to_owned()), "{location}");
        }
    }
}
