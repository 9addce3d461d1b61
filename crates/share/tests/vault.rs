//! MemoryVault as it answers and fails, over real sockets.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

mod scripted;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use scripted::{Reply, Service, answer, answer_with, raw};
use segue_share::vault::{ApiKey, Network, Stored, Vault, VaultError};

const KEY: &str = "mv_SECRET_0123456789";

fn quick() -> Network {
    Network { pause: Duration::from_millis(1), ..Network::default() }
}

fn vault(url: &str) -> Vault {
    Vault::new(url, ApiKey::new(KEY), quick()).unwrap()
}

/// A store to a service with this script: what came of it, and what the service saw.
fn store(script: Vec<Reply>) -> (Result<Stored, VaultError>, Service) {
    let service = Service::start(script);
    let stored = vault(&service.url).store("handoff/agent/latest", "text", &["handoff"]);
    if let Err(error) = &stored {
        assert!(!format!("{error} {error:?} {error:#?}").contains("SECRET"), "{error:?}");
    }
    (stored, service)
}

fn get(script: Vec<Reply>) -> (Result<Option<String>, VaultError>, Service) {
    let service = Service::start(script);
    (vault(&service.url).get("handoff/agent/latest"), service)
}

#[test]
fn a_store_is_one_post_that_creates_or_replaces() {
    let (stored, service) = store(vec![answer(201, r#"{"created": true}"#)]);
    assert_eq!(stored, Ok(Stored { created: true }));
    let [seen] = &service.seen()[..] else { panic!("{:?}", service.lines()) };
    assert_eq!(seen.line, "POST /store");
    assert_eq!(
        seen.body,
        r#"{"key":"handoff/agent/latest","value":"text","tags":["handoff"],"public":false}"#
    );
    let head = seen.head.to_lowercase();
    assert!(head.contains(&format!("authorization: bearer {}", KEY.to_lowercase())), "{head}");
    assert!(head.contains("content-type: application/json\r\n"), "{head}");
    let (stored, _) = store(vec![answer(200, r#"{"created": false}"#)]);
    assert_eq!(stored, Ok(Stored { created: false }));
}

#[test]
fn a_service_without_store_is_updated_by_patch() {
    for status in [404, 405] {
        let (stored, service) = store(vec![
            answer(status, r#"{"detail":"Method Not Allowed"}"#),
            answer(200, r#"{"created": true}"#),
        ]);
        assert_eq!(stored, Ok(Stored { created: true }));
        let lines = ["POST /store", "PATCH /update/handoff/agent/latest?upsert=true"];
        assert_eq!(service.lines(), lines);
        assert_eq!(service.seen()[1].body, r#"{"value":"text","tags":["handoff"]}"#);
    }
    let (stored, service) = store(vec![answer(404, r#"{"detail":"Not Found"}"#)]);
    assert!(matches!(stored, Err(VaultError::Rejected { status: 404, .. })), "{stored:?}");
    assert_eq!(service.lines().len(), 2);
}

#[test]
fn keys_are_escaped_in_the_path_a13() {
    let service = Service::start(vec![answer(405, ""), answer(200, "{}")]);
    let key = "handoff/my bot/x?y#z/../é\n/latest";
    vault(&service.url).store(key, "v", &[]).unwrap();
    vault(&service.url).get(key).unwrap_err();
    let escaped = "handoff/my%20bot/x%3Fy%23z/%2E%2E/%C3%A9%0A/latest";
    assert_eq!(
        service.lines()[1..],
        [format!("PATCH /update/{escaped}?upsert=true"), format!("GET /get/{escaped}")]
    );
}

#[test]
fn a_refused_key_is_not_tried_again() {
    for status in [401, 403] {
        let (stored, service) = store(vec![answer(status, r#"{"detail":"Invalid API key"}"#)]);
        let error = stored.unwrap_err();
        assert!(error.to_string().ends_with(&format!("({status}: Invalid API key)")), "{error}");
        assert!(matches!(error, VaultError::Refused { .. }));
        assert_eq!(service.lines().len(), 1);
    }
}

#[test]
fn what_the_service_echoes_is_shown_without_the_key_and_clipped() {
    let long = "x".repeat(500);
    let said = |body: &str| store(vec![answer(422, body)]).0.unwrap_err().to_string();
    assert!(said(&format!(r#"{{"detail":"bad {KEY}!"}}"#)).ends_with("(422: bad [API key]!)"));
    assert!(said(&format!(r#"{{"detail":[{{"input":"{KEY}"}}]}}"#)).contains("[API key]"));
    assert!(said(&format!("<p>{KEY}</p>")).ends_with("(422: <p>[API key]</p>)"));
    assert!(said(r#"{"detail":"a\u001b[31m\nb"}"#).ends_with("(422: a␛[31m␊b)"));
    assert!(said(&format!("{}{KEY}", "x".repeat(195))).contains("[API"));
    let clipped = said(&format!(r#"{{"detail":"{long}"}}"#));
    assert!(clipped.ends_with(&format!("{}…)", &long[..200])), "{clipped}");
    assert!(said("").ends_with("(422)"));
}

#[test]
fn trouble_that_passes_is_waited_out() {
    let fine = || answer(200, r#"{"created":true}"#);
    for first in [answer(500, "{}"), answer(503, ""), answer_with(429, "retry-after: 0\r\n", "{}")]
    {
        let (stored, service) = store(vec![first, fine()]);
        assert_eq!(stored, Ok(Stored { created: true }));
        assert_eq!(service.lines(), ["POST /store", "POST /store"]);
    }
    let (stored, service) = store(vec![answer(500, r#"{"detail":"oops"}"#)]);
    assert!(matches!(stored, Err(VaultError::Trouble { status: 500, .. })), "{stored:?}");
    assert_eq!(service.lines().len(), 3);
    let (stored, service) = store(vec![answer(429, "{}")]);
    assert!(matches!(stored, Err(VaultError::Trouble { status: 429, .. })), "{stored:?}");
    assert_eq!(service.lines().len(), 3);
}

#[test]
fn a_long_retry_after_is_not_waited_for_past_the_deadline() {
    let service = Service::start(vec![answer_with(429, "retry-after: 86400\r\n", "{}")]);
    let network = Network { whole: Duration::from_secs(2), ..quick() };
    let vault = Vault::new(&service.url, ApiKey::new(KEY), network).unwrap();
    let began = Instant::now();
    assert!(matches!(vault.get("k"), Err(VaultError::Trouble { status: 429, .. })));
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(service.lines().len(), 1);
}

#[test]
fn a_service_that_comes_back_in_time_is_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let network = Network { pause: Duration::from_millis(600), ..quick() };
    let vault = Vault::new(&format!("http://{address}"), ApiKey::new(KEY), network).unwrap();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        let (mut stream, _) = TcpListener::bind(address).unwrap().accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        stream.write_all(b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n").unwrap();
    });
    assert_eq!(vault.get("k"), Ok(None));
}

#[test]
fn a_slow_service_is_given_up_in_time() {
    // The system takes the connection; nobody ever answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let network = Network { whole: Duration::from_millis(300), ..quick() };
    let vault = Vault::new(&url, ApiKey::new(KEY), network.clone()).unwrap();
    let began = Instant::now();
    let error = vault.store("k", "v", &[]).unwrap_err();
    assert!(matches!(error, VaultError::TimedOut { .. }), "{error:?}");
    assert!(error.to_string().ends_with("did not answer within 300 ms"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(5));
    // Nor does one that goes on for ever, a byte at a time.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n");
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let vault = Vault::new(&url, ApiKey::new(KEY), network).unwrap();
    let error = vault.get("k").unwrap_err();
    assert!(matches!(error, VaultError::TimedOut { .. }), "{error:?}");
}

#[test]
fn a_refused_connection_is_said() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let error = vault(&url).get("k").unwrap_err();
    assert!(matches!(error, VaultError::NoConnection { .. }), "{error:?}");
    assert!(error.to_string().ends_with("nothing listens there"), "{error}");
}

#[test]
fn an_answer_that_is_cut_off_is_asked_for_again() {
    let cuts = [
        raw(""),
        raw("HTTP/1.1 200 OK\r\ncontent-le"),
        raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"created\": tr"),
        raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{\"created\": tr"),
    ];
    for cut in cuts {
        let fine = answer(200, r#"{"created": true}"#);
        let (stored, service) = store(vec![cut.clone(), fine]);
        assert_eq!(stored, Ok(Stored { created: true }));
        assert_eq!(service.lines().len(), 2);
        let (stored, service) = store(vec![cut]);
        assert!(matches!(stored, Err(VaultError::CutOff { .. })), "{stored:?}");
        assert_eq!(service.lines().len(), 3);
    }
}

#[test]
fn a_redirect_to_another_host_is_refused_and_no_key_arrives_there() {
    let other = Service::start(vec![answer(200, r#"{"value":"stolen"}"#)]);
    for status in [301, 302, 303, 307, 308] {
        let headers = format!("location: {}/get/x?k={KEY}\r\n", other.url);
        let script = || vec![answer_with(status, &headers, "")];
        let (got, _) = get(script());
        let error = got.unwrap_err();
        assert!(matches!(error, VaultError::Redirected { .. }), "{error:?}");
        assert!(error.to_string().contains(&other.url), "{error}");
        assert!(!error.to_string().contains("SECRET"), "{error}");
        let (stored, service) = store(script());
        assert!(matches!(stored, Err(VaultError::Redirected { .. })), "{stored:?}");
        assert_eq!(service.lines().len(), 1);
    }
    assert_eq!(other.lines(), Vec::<String>::new());
}

#[test]
fn a_redirect_on_the_same_host_is_followed_for_reading_only() {
    let moved = answer_with(307, "location: /v2/get/x\r\n", "");
    let (got, service) = get(vec![moved.clone(), answer(200, r#"{"value":"here"}"#)]);
    assert_eq!(got, Ok(Some("here".to_owned())));
    assert_eq!(service.lines(), ["GET /get/handoff/agent/latest", "GET /v2/get/x"]);
    let (stored, service) = store(vec![moved.clone()]);
    assert!(matches!(stored, Err(VaultError::Redirected { .. })), "{stored:?}");
    assert_eq!(service.lines().len(), 1);
    let (got, service) = get(vec![moved]);
    assert!(matches!(got, Err(VaultError::Redirected { .. })), "{got:?}");
    assert_eq!(service.lines().len(), 4);
}

#[test]
fn texts_come_as_they_are_and_objects_as_json() {
    let value = |body: &str| get(vec![answer(200, body)]).0;
    assert_eq!(
        value(r##"{"key":"k","value":"# A\n\ttext é","tags":[]}"##).unwrap().unwrap(),
        "# A\n\ttext é"
    );
    assert_eq!(value(r#""bare""#).unwrap().unwrap(), "bare");
    assert_eq!(
        value(r#"{"value":{"b":[1],"a":"x"}}"#).unwrap().unwrap(),
        "{\n  \"b\": [\n    1\n  ],\n  \"a\": \"x\"\n}\n"
    );
    assert_eq!(value(r#"{"value":null}"#), Ok(None));
    assert_eq!(get(vec![answer(404, r#"{"detail":"Memory not found"}"#)]).0, Ok(None));
    for body in ["", "<html>", "[]", "{}", "7", "{\"value\": tr", &"[".repeat(100_000)] {
        assert!(matches!(value(body), Err(VaultError::NotUnderstood { .. })), "{body:.20}");
    }
    // A site that says yes to everything has stored nothing.
    for body in ["", "<html>welcome</html>", "\"ok\""] {
        let (stored, _) = store(vec![answer(200, body)]);
        assert!(matches!(stored, Err(VaultError::NotUnderstood { .. })), "{body}");
    }
}

#[test]
fn an_oversize_answer_is_not_read_to_its_end() {
    let value = "x".repeat(16 * 1024 * 1024);
    let (got, service) = get(vec![answer(200, &format!(r#"{{"value":"{value}"}}"#))]);
    assert!(matches!(got, Err(VaultError::TooLarge { .. })), "{:?}", got.map(|_| ()));
    assert_eq!(service.lines().len(), 1);
    let head = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(1024 * 1024));
    let got = get(vec![raw(head)]).0;
    assert!(matches!(got, Err(VaultError::TooLarge { .. })), "{got:?}");
}

#[test]
fn a_loopback_service_is_never_asked_through_a_proxy() {
    let proxy = Service::start(vec![answer(200, r#"{"value":"proxy"}"#)]);
    let service = Service::start(vec![answer(200, r#"{"value":"direct"}"#)]);
    let network = Network { proxy: Some(proxy.url.clone()), ..quick() };
    let vault = Vault::new(&service.url, ApiKey::new(KEY), network.clone()).unwrap();
    assert_eq!(vault.get("k").unwrap().unwrap(), "direct");
    assert_eq!(proxy.lines(), Vec::<String>::new());
    // Others are, and the key is not for the proxy's eyes.
    let refuses = Service::start(vec![answer(407, "")]);
    let network = Network { proxy: Some(refuses.url.clone()), ..network };
    let vault = Vault::new("https://vault.invalid", ApiKey::new(KEY), network.clone()).unwrap();
    let error = vault.get("k").unwrap_err();
    assert!(matches!(error, VaultError::NoConnection { .. }), "{error:?}");
    let seen = refuses.seen();
    assert_eq!(seen[0].line, "CONNECT vault.invalid:443");
    assert!(seen.iter().all(|seen| !seen.head.contains("SECRET")), "{seen:?}");
    let count = seen.len();
    let network = Network { no_proxy: Some("x.example, .invalid".to_owned()), ..network };
    let vault = Vault::new("https://vault.invalid", ApiKey::new(KEY), network).unwrap();
    assert!(vault.get("k").is_err());
    assert_eq!(refuses.lines().len(), count);
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, heard) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = rustls::ServerConnection::new(Arc::new(config.clone())).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, stream.unwrap());
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
            sender.send(bytes).unwrap();
        }
    });
    let error = vault(&format!("https://localhost:{port}")).get("k").unwrap_err();
    assert!(matches!(error, VaultError::Untrusted { .. }), "{error:?}");
    let heard = heard.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!(heard, b"", "nothing was said before the certificate was looked at");
}
