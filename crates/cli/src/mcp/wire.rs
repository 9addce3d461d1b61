//! The protocol. The only file that knows the SDK: a new major of it is mended here.
//!
//! Standard output carries messages and nothing else. Whatever ends the connection (end of input, a closed
//! output, a signal) is a regular end.

use std::borrow::Cow;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientJsonRpcMessage,
    ClientNotification, ClientRequest, ContentBlock, ErrorCode, ErrorData, GetMeta,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, JsonObject,
    JsonRpcMessage, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, PromptArgument, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, RequestId, Resource,
    ResourceContents, ResourceTemplate, Role, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::{
    NotificationContext, QuitReason, RequestContext, RxJsonRpcMessage, ServerInitializeError,
    TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use segue_lib::handoffs::MAX_HANDOFF_BYTES;
use serde_json::Value;
use tokio::io::{AsyncWrite, DuplexStream};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, timeout_at};

use super::answer::{Answer, Trouble};
use super::caller::Caller;
use super::desk::{Desk, Done, Place, Unanswered};
use super::incoming::{Refused, sort_out};
use super::pending::PendingRequests;
use super::tool::{Effect, TOOLS, Tool};
use super::{INSTRUCTIONS, arguments, prompt, resource, root, tool};
use crate::error::CommandError;

/// How long what was asked may still take when the input has ended, and when the process shall end.
const AFTER_INPUT: Duration = Duration::from_secs(12);
const AFTER_SIGNAL: Duration = Duration::from_secs(2);

/// A message is at most so long: the largest handoff, each byte of it escaped, and what is around it.
const LONGEST: usize = MAX_HANDOFF_BYTES as usize * 2 + 64 * 1024;

/// Bytes between whoever sorts lines out and the SDK.
const BETWEEN: usize = 64 << 10;

/// Serves until the client goes, on a runtime of its own.
pub(super) fn serve(desk: Desk, done: Done) -> Result<(), CommandError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().map_err(
            |error| CommandError::failed(format!("cannot start the MCP server: {error}")),
        )?;
    let served = runtime.block_on(converse(desk, done));
    // Somebody may still be reading standard input, which cannot be interrupted.
    runtime.shutdown_background();
    served
}

async fn converse(desk: Desk, mut done: Done) -> Result<(), CommandError> {
    let closed = Arc::new(Notify::new());
    let (stdin, write) = stdio_pipes();
    let (sorted, read) = tokio::io::duplex(BETWEEN);
    let (refuse, refused) = unbounded_channel();
    let unsent = Arc::new(AtomicUsize::new(0));
    let pending = Arc::new(PendingRequests::default());
    tokio::spawn(sort_out(stdin, sorted, refuse, LONGEST));
    let line = Line {
        inner: AsyncRwTransport::new_server(read, write).with_max_line_length(LONGEST + 1),
        closed: Arc::clone(&closed),
        refused,
        unsent: Arc::clone(&unsent),
        open: false,
        pending: Arc::clone(&pending),
        desk: desk.clone(),
        after_input: AFTER_INPUT,
        last: None,
    };
    let closing = desk.clone();
    let stop = async {
        tokio::select! {
            () = closed.notified() => {}
            () = told_to_end() => {}
        }
    };
    tokio::pin!(stop);
    let running = tokio::select! {
        begun = Server::new(desk).serve(line) => match begun {
            Ok(running) => running,
            Err(error) => return not_begun(&error),
        },
        () = &mut stop => return Ok(()),
    };
    let token = running.cancellation_token();
    let mut ended = std::pin::pin!(running.waiting());
    let reason = tokio::select! {
        reason = &mut ended => reason,
        () = &mut stop => {
            closing.close();
            let _ = tokio::time::timeout(AFTER_SIGNAL, pending.all_answered()).await;
            token.cancel();
            let _ = tokio::time::timeout(AFTER_SIGNAL, ended).await;
            drop(closing);
            let _ = tokio::time::timeout(AFTER_SIGNAL, done).await;
            return Ok(());
        }
    };
    let patience = if closing.is_closed() { AFTER_SIGNAL } else { AFTER_INPUT };
    drop(closing);
    // What was begun is still done.
    tokio::select! {
        _ = tokio::time::timeout(patience, &mut done) => {}
        () = &mut stop => {}
    }
    let all_sent = async {
        while unsent.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let _ = tokio::time::timeout(AFTER_SIGNAL, all_sent).await;
    match reason {
        Ok(QuitReason::Closed | QuitReason::Cancelled) => Ok(()),
        other => Err(CommandError::failed(format!("the MCP server ended: {other:?}"))),
    }
}

/// A client that goes before it began did nothing wrong.
fn not_begun(error: &ServerInitializeError) -> Result<(), CommandError> {
    match error {
        ServerInitializeError::ConnectionClosed(_)
        | ServerInitializeError::TransportError { .. }
        | ServerInitializeError::Cancelled => Ok(()),
        other => Err(CommandError::failed(format!("the MCP session did not begin: {other}"))),
    }
}

/// Ends when somebody wants the process to end.
#[cfg(unix)]
async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let mut signals: Vec<_> = kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect();
    std::future::poll_fn(|context| {
        let mut told = false;
        for signal in &mut signals {
            told |= signal.poll_recv(context).is_ready();
        }
        if told { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

#[cfg(not(unix))]
async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Standard input and output. If nobody reads the output any more, the conversation is over.
struct Line<W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, DuplexStream, W>,
    closed: Arc<Notify>,
    /// What did not get as far as the SDK.
    refused: UnboundedReceiver<Refused>,
    /// Answers to such that are on their way.
    unsent: Arc<AtomicUsize>,
    /// Whether the client has begun: before that the SDK takes requests only.
    open: bool,
    pending: Arc<PendingRequests>,
    desk: Desk,
    /// How long what was asked may still take when the input has ended, and until when that is.
    after_input: Duration,
    last: Option<Instant>,
}

impl<W: AsyncWrite> Line<W> {
    /// Waits until everything is answered that was asked before the input ended. Whoever waits for a message may
    /// stop waiting at any time: the next one goes on.
    async fn answer_pending(&mut self) {
        let last = *self.last.get_or_insert_with(|| Instant::now() + self.after_input);
        if timeout_at(last, self.pending.all_answered()).await.is_err() {
            self.desk.close();
            let _ = timeout_at(last + AFTER_SIGNAL, self.pending.all_answered()).await;
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Line<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let answers = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let sent = self.inner.send(message);
        let (closed, pending) = (Arc::clone(&self.closed), Arc::clone(&self.pending));
        async move {
            let sent = sent.await;
            answers.inspect(|id| pending.remove(id));
            if sent.is_err() {
                closed.notify_one();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = tokio::select! {
                biased;
                Some(refused) = self.refused.recv() => {
                    // Not waited for here: whoever waits for a message may stop waiting at any time.
                    self.unsent.fetch_add(1, Ordering::SeqCst);
                    let sent = self.send(answered(refused));
                    drop(tokio::spawn(count(Arc::clone(&self.unsent), sent)));
                    continue;
                }
                message = self.inner.receive() => message,
            };
            let Some(message) = message else {
                self.answer_pending().await;
                return None;
            };
            self.open |= begins(&message);
            match &message {
                JsonRpcMessage::Request(request) => self.pending.add(&request.id),
                JsonRpcMessage::Notification(notification) => {
                    taken_back(&notification.notification).inspect(|id| self.pending.remove(*id));
                }
                _ => {}
            }
            if self.open || matches!(message, JsonRpcMessage::Request(_)) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.inner.close().await
    }
}

/// The request for whose answer nobody waits any more.
fn taken_back(notification: &ClientNotification) -> Option<&RequestId> {
    match notification {
        ClientNotification::CancelledNotification(cancelled) => {
            cancelled.params.request_id.as_ref()
        }
        _ => None,
    }
}

/// Counts what is on its way, until it is there.
async fn count<T>(unsent: Arc<AtomicUsize>, sent: impl Future<Output = T>) {
    sent.await;
    unsent.fetch_sub(1, Ordering::SeqCst);
}

/// What whoever sent a message is told that was refused.
fn answered(refused: Refused) -> TxJsonRpcMessage<RoleServer> {
    let id = match refused.id {
        Some(Value::String(id)) => Some(RequestId::String(id.into())),
        Some(id) => id.as_i64().map(RequestId::Number),
        None => None,
    };
    JsonRpcMessage::error(ErrorData::new(ErrorCode(refused.code), refused.text, None), id)
}

/// Whether a message begins the session, in the older way or the newer.
fn begins(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(message) = message else { return false };
    match &message.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}

struct Server {
    desk: Desk,
    /// Whether the client was asked for its roots when it began.
    asked_for_roots: AtomicBool,
}

type Context = RequestContext<RoleServer>;

impl Server {
    fn new(desk: Desk) -> Self {
        Self { desk, asked_for_roots: AtomicBool::new(false) }
    }

    /// Has something done at the desk. Up to the first wait nothing yields, so calls keep their order.
    async fn ask<T: Send + 'static>(
        &self,
        context: &Context,
        act: impl FnOnce(&Place, &Caller) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let client = context.client_info().map(|client| client.name);
        let call = self.desk.ask(move |place| act(place, &Caller::new(client.as_deref())));
        tokio::select! {
            answer = call.answer() => answer.map_err(|unanswered| {
                let text = match unanswered {
                    Unanswered::NotDone => "The server is ending. This was not done.",
                    Unanswered::MayBeDone => {
                        "The server is ending. This was begun and may be done: look before you ask for it again."
                    }
                };
                ErrorData::internal_error(text, None)
            }),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }
}

impl Server {
    /// Asks the client where it works. What is asked for next waits for that.
    #[expect(deprecated, reason = "clients of the versions that have roots still offer them")]
    async fn ask_where(&self, context: NotificationContext<RoleServer>) {
        let tell = self.desk.will_be_told_where();
        let roots = context.peer.list_roots().await.map(|told| told.roots).unwrap_or_default();
        let _ = tell.send(root::first_directory(roots.into_iter().map(|root| root.uri)));
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts();
        let this = Implementation::new("segue", env!("CARGO_PKG_VERSION")).with_title("Segue");
        ServerConfig::new(capabilities.build())
            .with_server_info(this)
            .with_instructions(INSTRUCTIONS)
    }

    /// A client that can say where it works is asked once, also if it repeats that it has begun: each
    /// question holds up the next call until it is answered.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let offers = context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if offers && !self.asked_for_roots.swap(true, Ordering::SeqCst) {
            self.ask_where(context).await;
        }
    }

    /// It works elsewhere now.
    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_where(context).await;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(told).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tool::find(&request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let text =
                format!("there is no tool '{}'; there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(text, None));
        };
        let arguments = arguments::fitted(&(tool.input)(), request.arguments.unwrap_or_default());
        let answer = match arguments {
            Ok(arguments) => {
                self.ask(&context, |place, who| (tool.act)(place, who, arguments)).await?
            }
            Err(trouble) => Err(trouble),
        };
        Ok(result(answer).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let page = self.ask(&context, move |place, _| resource::page(place, cursor.as_deref()));
        let page = page.await?.map_err(|Trouble(text)| ErrorData::invalid_params(text, None))?;
        let offered = page.offered.into_iter().map(|one| {
            Resource::new(one.uri, one.name)
                .with_title(one.title)
                .with_description(one.about)
                .with_mime_type(resource::MARKDOWN)
        });
        let mut list = ListResourcesResult::with_all_items(offered.collect());
        list.next_cursor = page.next;
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new(resource::TEMPLATE, "handoff")
            .with_title("A handoff")
            .with_description("By its id, the beginning of one, or 'latest'")
            .with_mime_type(resource::MARKDOWN);
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let text = self.ask(&context, move |place, _| resource::text(place, &uri)).await?;
        let text = text.map_err(|Trouble(text)| ErrorData::resource_not_found(text, None))?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(resource::MARKDOWN);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = prompt::PROMPTS.iter().map(|prompt| {
            let (name, about) = prompt.argument;
            let argument = PromptArgument::new(name).with_description(about).with_required(false);
            rmcp::model::Prompt::new(prompt.name, Some(prompt.about), Some(vec![argument]))
                .with_title(prompt.title)
        });
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompt) = prompt::find(&request.name) else {
            let text = format!("there is no prompt '{}'", request.name);
            return Err(ErrorData::invalid_params(text, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let text = self.ask(&context, |place, who| (prompt.text)(place, who, arguments)).await?;
        let text = text.map_err(|Trouble(text)| ErrorData::invalid_params(text, None))?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(prompt.about).into())
    }
}

/// A tool as the client is told of it.
fn told(tool: &Tool) -> rmcp::model::Tool {
    // Whether something that only reads destroys is no question, so it is not answered.
    let hints = ToolAnnotations::new().open_world(false);
    let hints = match tool.effect {
        Effect::Reads => hints.read_only(true).idempotent(true),
        Effect::Adds => hints.destructive(false).idempotent(false),
    };
    rmcp::model::Tool::new(tool.name, Cow::Borrowed(tool.about), schema((tool.input)()))
        .with_title(tool.title)
        .with_raw_output_schema(schema((tool.output)()))
        .with_annotations(hints)
}

fn schema(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

/// Whatever a tool could not do is a result too: the model reads it and mends its call.
fn result(answer: Result<Answer, Trouble>) -> CallToolResult {
    match answer {
        Ok(Answer { text, data }) => {
            let mut result =
                CallToolResult::success(text.into_iter().map(ContentBlock::text).collect());
            result.structured_content = Some(data);
            result
        }
        Err(Trouble(text)) => CallToolResult::error(vec![ContentBlock::text(text)]),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use serde_json::json;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex};

    use super::*;
    use crate::mcp::desk;

    fn line(
        read: DuplexStream,
        write: DuplexStream,
        desk: Desk,
        after_input: Duration,
    ) -> Line<DuplexStream> {
        Line {
            inner: AsyncRwTransport::new_server(read, write),
            closed: Arc::default(),
            refused: unbounded_channel().1,
            unsent: Arc::default(),
            open: false,
            pending: Arc::default(),
            desk,
            after_input,
            last: None,
        }
    }

    #[tokio::test]
    async fn the_conversation_goes_on_until_what_was_asked_is_answered() {
        let (desk, _done) = desk::open().unwrap();
        let ((mut says, read), (write, _hears)) = (duplex(BETWEEN), duplex(BETWEEN));
        let mut line = line(read, write, desk, AFTER_INPUT * 100);
        for id in [1, 2] {
            let asks = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            says.write_all(format!("{asks}\n").as_bytes()).await.unwrap();
            assert!(line.receive().await.is_some());
        }
        drop(says);
        for id in [1, 2] {
            let ended = tokio::time::timeout(Duration::from_millis(20), line.receive()).await;
            assert!(ended.is_err(), "the input ended before {id} was answered");
            let answer = ErrorData::internal_error("no", None);
            line.send(JsonRpcMessage::error(answer, Some(RequestId::Number(id)))).await.unwrap();
        }
        assert!(line.receive().await.is_none());
    }

    /// A server whose desk is busy; what it answers to two calls after which the input ended.
    async fn answers_of_a_busy_server(after_input: Duration) -> Vec<Value> {
        let (desk, _done) = desk::open().unwrap();
        let (go, wait) = mpsc::channel::<()>();
        let busy = desk.ask(move |_| wait.recv());
        let ((mut says, read), (write, hears)) = (duplex(BETWEEN), duplex(BETWEEN));
        let line = line(read, write, desk.clone(), after_input);
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"}});
        let call = json!({"name": "list", "arguments": {"limit": 0}});
        for (id, method, params) in
            [(0, "initialize", &hello), (1, "tools/call", &call), (2, "tools/call", &call)]
        {
            let asks = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            says.write_all(format!("{asks}\n").as_bytes()).await.unwrap();
            if id == 0 {
                let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                says.write_all(format!("{begun}\n").as_bytes()).await.unwrap();
            }
        }
        drop(says);
        let running = Server::new(desk).serve(line).await.unwrap();
        let reason = running.waiting().await;
        assert!(matches!(reason, Ok(QuitReason::Closed)), "{reason:?}");
        drop((go, busy));
        let mut lines = BufReader::new(hears).lines();
        let mut answers = Vec::new();
        while let Some(line) = lines.next_line().await.unwrap() {
            answers.push(serde_json::from_str(&line).unwrap());
        }
        answers
    }

    #[tokio::test]
    async fn what_cannot_be_done_after_the_end_of_the_input_is_answered_with_an_error() {
        let answers = answers_of_a_busy_server(Duration::ZERO).await;
        let mut ids: Vec<u64> =
            answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, [0, 1, 2], "{answers:?}");
        for answer in &answers[1..] {
            let told = answer["error"]["message"].as_str().unwrap();
            assert_eq!(told, "The server is ending. This was not done.");
        }
    }
}
