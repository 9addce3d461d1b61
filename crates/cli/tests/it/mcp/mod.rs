//! `segue mcp` as its clients use it: line by line over pipes, and through the official ones.

mod clients;
mod ends;
mod latest_elsewhere;
mod protocol;
mod stored_text;
mod tools;
mod untold_session;
mod whole_home;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::ground::{Segue, TestEnv};

/// Longer than any answer takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client that writes lines and reads lines.
struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
}

/// How a server ended, and what it said besides messages.
#[derive(Debug, PartialEq, Eq)]
struct Ended {
    code: Option<i32>,
    stderr: String,
    /// Lines that nobody had read.
    rest: Vec<String>,
}

fn regular() -> Ended {
    Ended { code: Some(0), stderr: String::new(), rest: Vec::new() }
}

impl Client {
    /// A server, and nothing said to it yet.
    fn start(mut call: Segue) -> Self {
        call.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = call.command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.unwrap()).is_err() {
                    break;
                }
            }
        });
        Self { stdin: child.stdin.take(), child, lines, next: 0 }
    }

    /// A session that has begun, of a client that says nothing of itself.
    fn begin(env: &TestEnv) -> Self {
        Self::begin_as(env.segue(&["mcp"]).real_clock(), "a-client", json!({}))
    }

    fn begin_as(call: Segue, name: &str, capabilities: Value) -> Self {
        let mut client = Self::start(call);
        client.initialize("2025-11-25", name, &capabilities);
        client.notify("notifications/initialized");
        client
    }

    fn initialize(&mut self, version: &str, name: &str, capabilities: &Value) -> Value {
        let info = json!({"name": name, "version": "1"});
        let params = json!({
            "protocolVersion": version, "capabilities": capabilities, "clientInfo": info
        });
        self.request("initialize", params)
    }

    fn write(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).unwrap();
        stdin.flush().unwrap();
    }

    fn say(&mut self, message: &Value) {
        self.write(message.to_string().as_bytes());
    }

    fn notify(&mut self, method: &str) {
        self.say(&json!({"jsonrpc": "2.0", "method": method}));
    }

    /// Asks without waiting; gives the id of the request.
    fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// The next message.
    fn read(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("an answer");
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Asks and gives the whole answer.
    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.read();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Asks and gives what came of it.
    fn get(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// Asks for what cannot be had, and gives the code and the words of the error.
    fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.request(method, params);
        let error = &answer["error"];
        assert!(error["message"].is_string(), "{answer}");
        (error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.get("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool that does what it shall; gives its text and its data.
    fn done(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let mut result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        assert!(result["structuredContent"].is_object(), "{result}");
        (text(&result), result["structuredContent"].take())
    }

    /// Calls a tool that cannot do it; gives what the model is told.
    fn trouble(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text(&result)
    }

    fn saved(&mut self, title: &str, body: &str) -> String {
        let (_, data) = self.done("save", json!({"title": title, "body": body}));
        data["id"].as_str().unwrap().to_owned()
    }

    /// Closes the input and waits for the end.
    fn end(mut self) -> Ended {
        drop(self.stdin.take());
        self.wait()
    }

    fn wait(mut self) -> Ended {
        let rest = self.lines.iter().collect();
        let code = self.child.wait().unwrap().code();
        let stderr = std::io::read_to_string(self.child.stderr.take().unwrap()).unwrap();
        Ended { code, stderr, rest }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a result, all pieces.
fn text(result: &Value) -> String {
    let pieces = result["content"].as_array().unwrap().iter();
    pieces.map(|piece| piece["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n---\n")
}
