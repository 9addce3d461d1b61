//! A service on this machine that answers as it was told and notes what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method and target, such as `POST /store`.
    pub(crate) line: String,
    /// The header lines.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// What is sent back, byte for byte; then the connection is closed.
#[derive(Clone)]
pub(crate) struct Reply(Vec<u8>);

pub(crate) struct Service {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// A whole answer.
pub(crate) fn answer(status: u16, body: &str) -> Reply {
    answer_with(status, "", body)
}

/// A whole answer with header lines of its own.
pub(crate) fn answer_with(status: u16, headers: &str, body: &str) -> Reply {
    let length = body.len();
    raw(format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {length}\r\n{headers}\r\n{body}"
    ))
}

/// Anything.
pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Reply {
    Reply(bytes.into())
}

impl Service {
    /// Answers with these, one a connection, the last one for ever.
    pub(crate) fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&seen);
        thread::spawn(move || {
            for (at, stream) in listener.incoming().enumerate() {
                let reply = script[at.min(script.len() - 1)].clone();
                let _ = serve(&mut stream.unwrap(), &reply, &notes);
            }
        });
        Self { url, seen }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The request lines alone.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.line).collect()
    }
}

fn serve(stream: &mut TcpStream, reply: &Reply, notes: &Mutex<Vec<Seen>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header == "\r\n" {
            break;
        }
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&header);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let body = String::from_utf8(body).unwrap();
    notes.lock().unwrap().push(Seen { line, head, body });
    stream.write_all(&reply.0)
}
