#!/usr/bin/env python3
"""Compares what `segue extract` reads out of transcripts with an extraction of its own.

    python3 eval/facts.py --segue target/release/segue DIR-OR-FILE ...

Written against the formats, not against Segue's readers: whole records as Python values, two passes,
nothing streamed. Prints precision, recall and F1 for each kind of fact, and the differences with -v.
"""

import argparse
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

KINDS = ["files edited", "prompts", "commands", "failed commands", "to-dos", "commits"]


def records(path):
    with open(path, "rb") as file:
        for line in file.read().decode("utf-8", "replace").lstrip("\ufeff").split("\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record


def words(text):
    return " ".join(text.split())[:300]


def commits_of(output):
    return re.findall(r"^\s*\[(?:[^\]\s]+|detached HEAD)(?: \(root-commit\))? ([0-9a-f]{7,40})\] ", output, re.M)


def with_subagents(facts, parts):
    """What subagents changed and committed is of the session that started them."""
    for part in parts:
        for kind in ("files edited", "commits"):
            facts[kind] |= part[kind]
    return facts


def claude(path):
    """Claude Code, with its subagents."""
    beside = os.path.join(os.path.splitext(path)[0], "subagents")
    names = sorted(os.listdir(beside)) if os.path.isdir(beside) else []
    parts = [os.path.join(beside, name) for name in names if name.startswith("agent-") and name.endswith(".jsonl")]
    return with_subagents(claude_alone(path), [claude_alone(part) for part in parts])


def claude_alone(path):
    """One file of Claude Code."""
    facts = {kind: Counter() for kind in KINDS}
    calls, ended, todos, tasks = {}, {}, {}, {}
    made_by = re.compile(
        r"^(<local-command-|<bash-|<task-notification>|<teammate-message|<ide_|<system-reminder>"
        r"|<user-|Caveat: The messages below|Base directory for this skill:"
        r"|This session is being continued from a previous|<command-message>)"
    )
    quiet = set(
        "/clear /compact /exit /quit /model /config /cost /help /login /logout /mcp /memory /permissions "
        "/resume /status /rename /doctor /context /usage /hooks /agents /ide /vim /theme /plugin "
        "/init-verifiers".split()
    )

    def asked(record, text):
        text = text.strip()
        origin = record.get("origin")
        if isinstance(origin, dict) and origin.get("kind") not in (None, "human"):
            return
        if not text or record.get("isMeta") or record.get("isSidechain") or text.startswith("[Request interrupted"):
            return
        if record.get("promptSource") == "system" or record.get("isCompactSummary"):
            return
        added = r"<(?P<tag>system-reminder|ide_\w+|local-command-\w+)\b[^>]*>.*?</(?P=tag)>"
        text = re.sub(rf"\A(?:\s*{added})+", "", text, flags=re.S)
        text = re.sub(rf"(?:{added}\s*)+\Z", "", text, flags=re.S).strip()
        if not text:
            return
        plan = re.match(r"Implement the following plan:\s*#*\s*(.*)", text)
        if plan:
            text = "Implement the following plan: " + plan.group(1)
        name = re.match(r"<command-(?:name|message)>", text)
        name = name and re.search(r"<command-name>(.*?)</command-name>", text, re.S)
        if name:
            name = name.group(1).strip()
            args = re.search(r"<command-args>(.*?)</command-args>", text, re.S)
            if name in quiet:
                return
            text = (("" if name.startswith("/") else "/") + name + " " + (args.group(1).strip() if args else "")).strip()
        elif made_by.match(text):
            return
        facts["prompts"][words(text)] += 1

    order = []
    for record in records(path):
        message = record.get("message")
        queued = record.get("attachment")
        if record.get("type") == "attachment" and isinstance(queued, dict) and queued.get("type") == "queued_command":
            # Typed while the agent was at work.
            if queued.get("commandMode", "prompt") == "prompt" and isinstance(queued.get("prompt"), str):
                asked({**record, "origin": queued.get("origin")}, queued["prompt"])
        if record.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            continue
        content = message.get("content")
        if isinstance(content, str):
            if record["type"] == "user":
                asked(record, content)
            continue
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            kind = block.get("type")
            if kind == "text" and record["type"] == "user":
                asked(record, block.get("text") or "")
            elif kind == "tool_use" and record["type"] == "assistant":
                calls[block.get("id")] = (block.get("name"), block.get("input") or {}, record)
                order.append(block.get("id"))
            elif kind == "tool_result" and record["type"] == "user":
                text = block.get("content")
                if isinstance(text, list):
                    text = "\n".join(part.get("text") or "" for part in text if isinstance(part, dict))
                text = text or ""
                error = block.get("is_error") is True
                ended[block.get("tool_use_id")] = (error, text, record.get("toolUseResult"))
                refused = error and text.startswith("The user doesn't want to proceed")
                if refused and "the user said:\n" in text:
                    said = text.split("the user said:\n", 1)[1].split("\n\nNote: ")[0].strip()
                    if said and not record.get("isSidechain"):
                        facts["prompts"][words(said)] += 1
    for call in order:
        name, given, record = calls[call]
        error, text, result = ended.get(call, (None, "", None))
        stopped = error and (text.startswith("The user doesn't want") or text.startswith("[Request interrupted"))
        if isinstance(result, dict) and result.get("interrupted") is True:
            stopped = True
        if name == "Bash" and isinstance(given.get("command"), str) and given["command"].strip():
            state = "unknown" if error is None else "stopped" if stopped else "failed" if error else "passed"
            if isinstance(result, dict) and result.get("backgroundTaskId") and not error:
                state = "unknown"
            facts["commands"][(words(given["command"]), state)] += 1
            if state == "failed":
                facts["failed commands"][words(given["command"])] += 1
            if re.search(r"\bgit\b[^|;&\n]*\b(commit|cherry-pick|revert|merge|am|pull)\b", given["command"]) and not stopped:
                facts["commits"].update(set(commits_of(text)))
        path_given = given.get("file_path") or given.get("notebook_path")
        if name in ("Edit", "MultiEdit", "Write", "NotebookEdit") and path_given and error is False:
            facts["files edited"][path_given] = 1
        if record.get("isSidechain"):
            continue
        if name == "TodoWrite" and isinstance(given.get("todos"), list):
            todos = {
                words(todo["content"]): todo["status"]
                for todo in given["todos"]
                if isinstance(todo, dict) and isinstance(todo.get("content"), str) and isinstance(todo.get("status"), str)
            }
        if name == "TaskCreate" and isinstance(result, dict) and isinstance(result.get("task"), dict):
            tasks[str(result["task"]["id"])] = [words(result["task"]["subject"]), "pending"]
        if name == "TaskUpdate" and str(given.get("taskId")) in tasks:
            task = tasks[str(given["taskId"])]
            task[0] = words(given.get("subject") or task[0])
            task[1] = given.get("status") or task[1]
    same = {"completed": "done", "in_progress": "begun", "deleted": "dropped"}
    for text, status in list(todos.items()) + [tuple(task) for task in tasks.values()]:
        facts["to-dos"][(text, same.get(status, "open"))] += 1
    facts["commits"] = Counter(dict.fromkeys(facts["commits"], 1))
    return facts


def text_of(value):
    """The text of a content that is one, or a list of parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return text_of(value.get("content") if "content" in value else value.get("text"))
    if isinstance(value, list):
        return "\n".join(filter(None, (text_of(part) for part in value)))
    return ""


def codex(path):
    """Codex CLI, with the rollouts beside it that name it as their parent."""
    alone = codex_alone(path)
    first = next(records(path), {}) if path.endswith(".jsonl") else {}
    own = (first.get("payload") or {}).get("id")
    parts = []
    for name in sorted(os.listdir(os.path.dirname(path) or ".")) if own else []:
        other = os.path.join(os.path.dirname(path), name)
        if name.startswith("rollout-") and name.endswith(".jsonl") and other != path:
            meta = next(records(other), {}).get("payload") or {}
            if own in (meta.get("parent_thread_id"), meta.get("forked_from_id")) and "subagent" in str(meta):
                parts.append(codex_alone(other))
    return with_subagents(alone, parts)


def codex_alone(path):
    """One rollout: everything by the id of the call, ends taken from items where there are some."""
    facts = {kind: Counter() for kind in KINDS}
    if path.endswith(".json"):
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            whole = json.load(file)
        lines = [{"type": "session_meta", "payload": whole.get("session")}] + list(whole.get("items") or [])
    elif path.endswith(".zst"):
        unpacked = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
        lines = [json.loads(line) for line in unpacked.decode().splitlines() if line.strip()]
    else:
        lines = list(records(path))
    items, events, cwd, metas = [], [], "", []
    for line in lines:
        kind, payload = line.get("type"), line.get("payload")
        if payload is None:
            kind, payload = "response_item", line
        if not isinstance(payload, dict):
            continue
        if kind == "session_meta":
            metas.append(payload)
        if kind in ("session_meta", "turn_context") and isinstance(payload.get("cwd"), str):
            cwd = payload["cwd"]
        if kind == "response_item":
            items.append((payload, line.get("metadata") or {}, cwd))
        if kind == "event_msg":
            events.append((payload, cwd))
    source = metas[0].get("source") if metas else None
    human = not (isinstance(source, dict) and "subagent" in source)
    harness = re.compile(
        r"^\s*(# AGENTS\.md instructions|<[a-zA-Z_]+( instructions| name=[^>]*)?>|</image>|Another language model started"
        r"|Warning: (apply_patch was requested|The maximum number of unified))"
    )

    def full(name, base):
        return os.path.normpath(os.path.join(base, name.removeprefix("file://"))) if base else name

    def touched(patch, base):
        names = re.findall(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*?)\s*$", patch, re.M)
        moved = re.findall(r"^\*\*\* Update File: (.*?)\s*\n\*\*\* Move to: ", patch, re.M)
        return [full(name, base) for name in names if name not in moved]

    runs, patches, ends, stdin, order, todos, printed = {}, {}, {}, {}, [], [], defaultdict(str)
    for item, metadata, base in items:
        kind, call = item.get("type", "message"), item.get("call_id") or item.get("id")
        if kind == "message" and item.get("role") == "user" and human:
            kinds = (item.get("internal_chat_message_metadata_passthrough") or {}).get("content_item_kinds") or []
            parts = item.get("content")
            said = []
            for at, part in enumerate(parts if isinstance(parts, list) else [parts]):
                part = text_of(part)
                known = kinds[at] if at < len(kinds) else "unknown"
                if known == "user.text" or known == "unknown" and not harness.match(part):
                    said.append(re.sub(r"(?s)^# Context from my IDE setup:.*?## My request for Codex:", "", part.strip()))
            if words("\n".join(said)):
                facts["prompts"][words("\n".join(said))] += 1
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            given = item.get("arguments", item.get("action"))
            if isinstance(given, str):
                try:
                    given = json.loads(given)
                except ValueError:
                    given = {}
            given = given if isinstance(given, dict) else {}
            name = item.get("name", "shell")
            line = given.get("cmd") or given.get("command")
            if isinstance(line, list):
                line = line[-1] if len(line) == 3 and line[1].startswith("-") else " ".join(line)
            base = full(given["workdir"], base) if given.get("workdir") else base
            if name == "apply_patch":
                patches[call] = touched(item.get("input") or given.get("patch") or given.get("input") or "", base)
            elif name == "update_plan" and human:
                todos = [(words(one["step"]), one["status"]) for one in given.get("plan") or []]
            elif name == "write_stdin":
                stdin[call] = str(given.get("session_id"))
            elif isinstance(line, str) and re.match(r"(cd \S+ && )?apply_?patch\b", line) and "*** Begin Patch" in line:
                into = re.match(r"cd (\S+) && ", line)
                patches[call] = touched(line, full(into.group(1).strip("'\""), base) if into else base)
            elif isinstance(line, str) and line.strip():
                runs[call] = line
                order.append(call)
        elif kind.endswith("_output"):
            output = item.get("output")
            said = text_of(output)
            code, body = None, said
            try:
                inside = json.loads(said)
                code, body = inside["metadata"].get("exit_code"), inside["output"]
            except (ValueError, TypeError, KeyError, AttributeError):
                head = re.sub(r"(?s)\ACommand: .*?\n(?=Chunk ID: |Wall time: |Exit code: |Process |Output:\n)", "", said)
                if head.startswith("Output:\n"):
                    body = head.removeprefix("Output:\n")
                found = re.match(r"(?s)((?:Chunk ID|Wall time|Exit code|Process)\b.*?)(?:\nOutput:\n(.*)|$)", head)
                if found:
                    body = found.group(2) or ""
                    number = re.search(r"^(?:Process exited with code|Exit code:) (-?\d+)", found.group(1), re.M)
                    code = int(number.group(1)) if number else None
                    going = re.search(r"^Process running with session ID (\S+)", found.group(1), re.M)
                    if going:
                        first = stdin.get(stdin.get(call), call)
                        stdin[going.group(1)] = first
                        printed[first] += body
                        continue
            if re.search(r"(?m)^(exec command |patch )?rejected by user|^aborted by user", said):
                state = "stopped"
            elif code is not None:
                state = "failed" if code else "passed"
            elif isinstance(output, dict) and output.get("success") is False or re.match(r"apply_patch verification|execution error|(?i:failed )|exec_command failed|unsupported|[eE]rr(or)?: ", said):
                state = "failed"
            else:
                state = "unknown"
            first = stdin.get(stdin.get(call), call)
            ends.setdefault(first, (state, printed[first] + body))
    for event, base in events:
        item = event.get("item") if event.get("type") == "item_completed" else event
        kind = {"exec_command_end": "CommandExecution", "patch_apply_end": "FileChange"}.get(event.get("type"), (item or {}).get("type"))
        call = (item or {}).get("call_id") or (item or {}).get("id")
        if kind == "CommandExecution" and item.get("source") not in ("user_shell", "unified_exec_interaction"):
            if call not in runs and call not in patches:
                runs[call] = item["command"][-1]
                order.append(call)
            if item.get("status") == "declined":
                ends[call] = ("stopped", "")
            elif item.get("exit_code") not in (None, -1) or call not in ends:
                ends[call] = ("failed" if item.get("exit_code") else "passed", item.get("aggregated_output") or "")
        if kind == "FileChange":
            done = item.get("status") == "completed" or item.get("success") is True
            if call not in patches:
                patches[call] = [full(change.get("move_path") or name, base) for name, change in (item.get("changes") or {}).items()]
            ends[call] = ("passed" if done else "failed", "")
    for call in order:
        state, output = ends.get(call, ("unknown", ""))
        facts["commands"][(words(runs[call]), state)] += 1
        if state == "failed":
            facts["failed commands"][words(runs[call])] += 1
        if re.search(r"\bgit\b[^|;&\n]*\b(commit|cherry-pick|revert|merge|am|pull)\b", runs[call]) and state != "stopped":
            facts["commits"].update(dict.fromkeys(commits_of(output), 1))
            if re.search(r"commit -q.*git log --oneline", runs[call]) and state == "passed":
                facts["commits"].update(re.findall(r"\A([0-9a-f]{7,40}) ", output))
    for call, files in patches.items():
        if ends.get(call, ("none", ""))[0] in ("passed", "unknown"):
            facts["files edited"].update(dict.fromkeys(files, 1))
    facts["files edited"] = Counter(dict.fromkeys(facts["files edited"], 1))
    facts["commits"] = Counter(dict.fromkeys(facts["commits"], 1))
    same = {"completed": "done", "in_progress": "begun"}
    for text, status in todos:
        facts["to-dos"][(text, same.get(status, "open"))] += 1
    return facts


def qwen(path):
    """Qwen Code."""
    facts = {kind: Counter() for kind in KINDS}
    calls, ends, todos, prompts = {}, {}, [], []
    for record in records(path):
        message, payload = record.get("message"), record.get("systemPayload")
        if record.get("type") == "system" and record.get("subtype") == "rewind":
            after = [one[0] for one in prompts]
            if record.get("parentUuid") in after:
                del prompts[after.index(record.get("parentUuid")) :]
        found = message.get("parts") if isinstance(message, dict) else None
        parts = [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []
        if record.get("type") == "user" and not record.get("isSidechain"):
            if record.get("provenance", "real_user") != "real_user":
                continue
            if record.get("subtype", "mid_turn_user_message") != "mid_turn_user_message":
                continue
            said = payload.get("displayText") if isinstance(payload, dict) else None
            if not said:
                said = ""
                for part in parts:
                    one = part.get("text") or ""
                    if one.strip().startswith("--- Content from referenced files"):
                        break
                    if not re.match(r"\s*<(qwen:|system-reminder|task-notification)|This is the Qwen Code\. We are setting", one):
                        said += "\n" + one
            if words(said):
                prompts.append((record.get("parentUuid"), words(said)))
        for part in parts:
            call, response = part.get("functionCall"), part.get("functionResponse")
            if record.get("type") == "assistant" and isinstance(call, dict):
                name, given = call.get("name"), call.get("args") or {}
                if name == "tool_call":
                    name, given = given.get("name"), given.get("arguments") or {}
                calls[call.get("id")] = (name, given)
                if name == "todo_write" and not record.get("isSidechain"):
                    todos = [(words(one["content"]), one["status"]) for one in given.get("todos") or []]
            if record.get("type") == "tool_result" and isinstance(response, dict):
                ends[response.get("id")] = (response.get("response") or {}, record.get("toolCallResult") or {})
    facts["prompts"].update(said for _, said in prompts)
    for call, (name, given) in calls.items():
        response, told = ends.get(call, (None, {}))
        said = (response or {}).get("error") or (response or {}).get("output") or ""
        failed = "error" in (response or {}) or told.get("status") == "error"
        stopped = told.get("status") == "cancelled" or said.startswith("[Operation Cancelled]")
        if name == "run_shell_command":
            shown = told.get("resultDisplay")
            code = shown.get("exitCode") if isinstance(shown, dict) else None
            if code is None:
                codes = re.findall(r"^Exit Code: (-?\d+)$", said, re.M)
                code = int(codes[-1]) if codes else None
            if response is None:
                state = "unknown"
            elif stopped:
                state = "stopped"
            elif given.get("is_background") and not failed:
                state = "unknown"
            elif failed or code:
                state = "failed"
            else:
                state = "unknown" if code is None else "passed"
            facts["commands"][(words(given["command"]), state)] += 1
            if state == "failed":
                facts["failed commands"][words(given["command"])] += 1
            if re.search(r"\bgit\b[^|;&\n]*\b(commit|cherry-pick|revert|merge|am|pull)\b", given["command"]) and not stopped:
                facts["commits"].update(dict.fromkeys(commits_of(said.replace("\nOutput: ", "\n")), 1))
        if name in ("edit", "replace", "write_file", "notebook_edit") and response is not None and not failed and not stopped:
            facts["files edited"][given.get("file_path") or given.get("notebook_path")] = 1
    same = {"completed": "done", "in_progress": "begun"}
    for text, status in todos:
        facts["to-dos"][(text, same.get(status, "open"))] += 1
    return facts


def whole(path, cwd):
    return path if not cwd or os.path.isabs(path) else os.path.normpath(os.path.join(cwd, path))


def gemini(path):
    """Gemini CLI: every message under its last form, whether or not a later checkpoint dropped it."""
    facts = {kind: Counter() for kind in KINDS}
    with open(path, "rb") as file:
        data = file.read().decode("utf-8", "replace").lstrip("\ufeff")
    try:
        one = json.loads(data)
        log = [{key: value for key, value in one.items() if key != "messages"}] + one.get("messages", [])
    except ValueError:
        log = list(records(path))
    try:
        with open(os.path.join(os.path.dirname(path), "..", ".project_root"), encoding="utf-8") as file:
            cwd = file.read().strip()
    except OSError:
        cwd = None
    messages, subagent, again = {}, False, False

    def keep(message):
        if again and message.get("id") not in messages:
            message = {**message, "unsaid": True}
        known = messages.setdefault(message.get("id") or len(messages), {})
        shown = known.get("displayContent")
        calls = {call.get("id"): call for call in known.get("toolCalls") or []}
        calls.update((call.get("id"), call) for call in message.get("toolCalls") or [])
        known.update(message)
        known["displayContent"] = shown or message.get("displayContent")
        known["toolCalls"] = list(calls.values())

    for record in log:
        change = record.get("$set")
        for about in (record, change if isinstance(change, dict) else {}):
            subagent |= about.get("kind") == "subagent"
        if "$rewindTo" in record:
            if record["$rewindTo"] in messages:
                order = list(messages)
                for gone in order[order.index(record["$rewindTo"]) :]:
                    messages[gone]["unsaid"] = True
        elif record.get("type"):
            parts = record.get("content")
            first = parts[0].get("text") or "" if isinstance(parts, list) and len(parts) > 1 else ""
            # After a cancelled request everything before it is told again, up to the next checkpoint.
            again |= bool(messages) and first.startswith("<session_context>")
            keep(record)
        else:
            again &= "messages" not in (change if isinstance(change, dict) else record)
            for message in (change if isinstance(change, dict) else record).get("messages") or []:
                keep(message)

    def pieces(content):
        if isinstance(content, list):
            return [piece for part in content for piece in pieces(part)]
        return [{"text": content}] if isinstance(content, str) else [content] if isinstance(content, dict) else []

    by_machine = re.compile(
        r"<session_context>|<state_snapshot>|This is the Gemini CLI\. We are setting up|Here is (the user's editor context"
        r"|a summary of changes in the user's editor)|I ran the following shell command:|System: (Potential loop|Please continue)"
        r"|Please continue\.$|\?|/[\w:-]+(\s|$)"
    )
    calls, results = {}, {}
    for message in messages.values():
        if message.get("type") == "user":
            content = pieces(message.get("displayContent")) or pieces(message.get("content"))
            text = "\n".join(piece.get("text") or "" for piece in content)
            text = re.sub(r"--- Content from referenced files ---.*?(--- End of content ---|\Z)", "", text, flags=re.S)
            text = re.sub(r"<hook_context>.*?</hook_context>", "", text, flags=re.S).strip()
            if text and not by_machine.match(text) and not message.get("unsaid") and not subagent:
                facts["prompts"][words(text)] += 1
        for piece in pieces(message.get("content")):
            if isinstance(piece.get("functionCall"), dict):
                calls.setdefault(piece["functionCall"]["id"], piece["functionCall"])
            if isinstance(piece.get("functionResponse"), dict):
                results.setdefault(piece["functionResponse"]["id"], piece["functionResponse"].get("response") or {})
        for call in message["toolCalls"]:
            calls[call.get("id")] = call
            for piece in pieces(call.get("result")):
                if isinstance(piece.get("functionResponse"), dict):
                    results[call.get("id")] = piece["functionResponse"].get("response") or {}
    todos = []
    for call, made in calls.items():
        name, given = made.get("name"), made.get("args") or {}
        result = results.get(call)
        status = made.get("status")
        if status is None and result is not None:
            status = "error" if "error" in result else "success"
        text = str((result or {}).get("output") or (result or {}).get("error") or "")
        if name == "run_shell_command" and (given.get("command") or "").strip():
            state = {"success": "passed", "error": "failed", "cancelled": "stopped"}.get(status, "unknown")
            tail = re.search(
                r"((?:^(?:Exit Code|Signal|Background PIDs|Process Group PGID): .*\n?)+)(?:</untrusted_context>)?\s*\Z", text, re.M
            )
            code = re.search(r"^Exit Code: (-?\d+)", tail.group(1), re.M) if tail else None
            if state == "passed" and (
                (code and int(code.group(1)))
                or (tail and re.search(r"^Signal: (?!\(none\))", tail.group(1), re.M))
                or "Command was automatically cancelled" in text
            ):
                state = "failed"
            if "Command was cancelled by user" in text:
                state = "stopped"
            if text.startswith("Command moved to background"):
                state = "unknown"
            facts["commands"][(words(given["command"]), state)] += 1
            if state == "failed":
                facts["failed commands"][words(given["command"])] += 1
            if re.search(r"\bgit\b[^|;&\n]*\b(commit|cherry-pick|revert|merge|am|pull)\b", given["command"]) and state != "stopped":
                facts["commits"].update(set(commits_of(re.sub(r"^(Output|Stdout): ", "", text, flags=re.M))))
        if name in ("replace", "write_file", "edit") and status == "success":
            shown = made.get("resultDisplay")
            file = (shown.get("filePath") if isinstance(shown, dict) else None) or given.get("file_path")
            if file and not re.search(r"/\.gemini/tmp/.*/plans/", file):
                facts["files edited"][whole(file, cwd)] = 1
        if name == "write_todos" and isinstance(given.get("todos"), list) and not subagent:
            todos = given["todos"]
    same = {"completed": "done", "in_progress": "begun", "cancelled": "dropped"}
    for todo in todos:
        facts["to-dos"][(words(todo["description"]), same.get(todo["status"], "open"))] += 1
    facts["commits"] = Counter(dict.fromkeys(facts["commits"], 1))
    return facts


def copilot(path):
    """Copilot CLI. Its to-dos are a table, so what it did to that is done again."""
    facts = {kind: Counter() for kind in KINDS}
    table = sqlite3.connect(":memory:")
    table.execute(
        "CREATE TABLE todos (id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, status TEXT DEFAULT 'pending',"
        " created_at TEXT DEFAULT (datetime('now')), updated_at TEXT DEFAULT (datetime('now')))"
    )
    calls, ended, ticked, rows, cwd = {}, {}, [], {}, None
    for record in records(path):
        data = record.get("data")
        kind = record.get("type")
        if not isinstance(data, dict) or not isinstance(kind, str):
            continue
        aside = bool(record.get("agentId") or data.get("parentToolCallId"))
        if kind in ("session.start", "session.resume"):
            cwd = (data.get("context") or {}).get("cwd") or cwd
        elif kind == "user.message" and isinstance(data.get("content"), str) and not aside:
            text = data["content"].strip()
            typed = data.get("source") in (None, "", "user", "human") and not data.get("isAutopilotContinuation")
            quiet = re.match(
                r"<(system_|current_datetime|skill-context|summary>)|/(clear|compact|context|cwd|exit|feedback|help|login|logout"
                r"|mcp|model|new|quit|rename|resume|session|theme|usage)(\s|$)",
                text,
            )
            if text and typed and not data.get("crossSession") and not quiet:
                facts["prompts"][words(text)] += 1
        elif kind == "assistant.message":
            for asked in data.get("toolRequests") or []:
                calls.setdefault(asked.get("toolCallId"), (asked.get("name"), asked.get("arguments"), aside))
        elif kind == "tool.execution_start":
            calls[data.get("toolCallId")] = (data.get("toolName"), data.get("arguments"), aside)
        elif kind == "tool.execution_complete":
            ended[data.get("toolCallId")] = data
            error = data.get("error") or {}
            if error.get("code") in ("rejected", "denied") and "eedback: " in str(error.get("message")) and not aside:
                facts["prompts"][words(error["message"].split("eedback: ", 1)[1].strip().strip('"'))] += 1
    for call, (name, given, aside) in calls.items():
        patch = ""
        if isinstance(given, str):
            try:
                given = json.loads(given)
            except ValueError:
                given, patch = {}, given
        given = given if isinstance(given, dict) else {}
        data = ended.get(call)
        result = (data or {}).get("result") or {}
        error = (data or {}).get("error") or {}
        text = str(result.get("content") or result.get("text_result_for_llm") or error.get("message") or "")
        refused = (error.get("code") or result.get("result_type")) in ("rejected", "denied")
        fine = data is not None and not refused and data.get("success", result.get("result_type") == "success") is True
        if name in ("bash", "powershell", "shell") and (given.get("command") or "").strip():
            code = (data or {}).get("shellExecution", {}).get("exitCode")
            said = re.search(r"^<.*exit code (-?\d+)>\s*\Z", text, re.M)
            code = int(said.group(1)) if code is None and said else code
            state = "unknown" if data is None else "stopped" if refused else "passed" if fine and not code else "failed"
            if state == "passed" and code is None and re.search(r"^<.*(running|started).*>\s*\Z", text, re.M):
                state = "unknown"
            facts["commands"][(words(given["command"]), state)] += 1
            if state == "failed":
                facts["failed commands"][words(given["command"])] += 1
            if re.search(r"\bgit\b[^|;&\n]*\b(commit|cherry-pick|revert|merge|am|pull)\b", given["command"]) and not refused:
                facts["commits"].update(set(commits_of(text)))
        if fine:
            edited = [edit["path"] for edit in data.get("fileEdits") or []]
            if name in ("create", "edit", "insert", "str_replace") or (name == "str_replace_editor" and given.get("command") != "view"):
                edited.append(given.get("path"))
            if name == "apply_patch":
                patch = given.get("input") or patch
                edited = re.findall(r"^\*\*\* (?:(?:Add|Delete|Update) File|Move to): (.*)$", patch, re.M)
                for old, _ in re.findall(r"^\*\*\* Update File: (.*)\n\*\*\* Move to: (.*)$", patch, re.M):
                    edited.remove(old)
            for file in edited:
                if file and not re.search(r"/session-state/.*plan\.md$", file):
                    facts["files edited"][whole(file, cwd)] = 1
        if name == "sql" and isinstance(given.get("query"), str) and not aside:
            try:
                table.executescript(given["query"])
            except sqlite3.Error:
                pass
            left = {row[0]: (words(row[1]), row[2]) for row in table.execute("SELECT id, title, status FROM todos")}
            rows = {**{key: (title, "deleted") for key, (title, _) in rows.items()}, **left}
        if name == "update_todo" and isinstance(given.get("todos"), str) and not aside:
            ticked = re.findall(r"^\s*[-*]?\s*\[(.?)\]\s*(.+)$", given["todos"], re.M)
    same = {"done": "done", "in_progress": "begun", "deleted": "dropped"}
    for title, status in rows.values():
        facts["to-dos"][(title, same.get(status, "open"))] += 1
    for mark, title in ticked:
        facts["to-dos"][(words(title), "done" if mark in ("x", "X") else "open" if mark in (" ", "") else "begun")] += 1
    facts["commits"] = Counter(dict.fromkeys(facts["commits"], 1))
    return facts


def opencode(path):
    """OpenCode: the newest session of a copy of its database, every part as a value."""
    facts = {kind: Counter() for kind in KINDS}
    with tempfile.TemporaryDirectory() as dir:
        for end in ("", "-wal"):
            if os.path.exists(path + end):
                shutil.copy(path + end, os.path.join(dir, "copy.db" + end))
                os.chmod(os.path.join(dir, "copy.db" + end), 0o600)
        db = sqlite3.connect(os.path.join(dir, "copy.db"))
        db.row_factory = sqlite3.Row
        tables = {row["name"] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        sessions = [dict(row) for row in db.execute("SELECT * FROM session")]
        sessions.sort(key=lambda one: (one.get("parent_id") is None, one.get("time_archived") is None, one["time_updated"]))
        session = sessions[-1]
        of_it = (session["id"],)
        messages = [dict(row) for row in db.execute("SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id", of_it)]
        parts = [dict(row) for row in db.execute("SELECT * FROM part WHERE session_id = ? ORDER BY id", of_it)]
        rows = db.execute("SELECT * FROM todo WHERE session_id = ? ORDER BY position", of_it) if "todo" in tables else []
        todos = [(words(row["content"]), row["status"]) for row in rows]
        db.close()
    back = json.loads(session.get("revert") or "{}")
    if back:
        at = [message["id"] for message in messages].index(back["messageID"])
        messages = messages[: at + 1 if back.get("partID") else at]
    written, asked = [], Counter()
    for message in messages:
        data = json.loads(message["data"])
        inside = [(part["id"], json.loads(part["data"])) for part in parts if part["message_id"] == message["id"]]
        if message["id"] == back.get("messageID"):
            inside = [(key, part) for key, part in inside if key < back["partID"]]
        said = "\n".join(
            part["text"] for _, part in inside if part["type"] == "text" and not part.get("synthetic") and not part.get("ignored")
        ).strip()
        if data["role"] == "user" and said and not said.startswith("<system-reminder>") and session.get("parent_id") is None:
            # The command line keeps the quotes around what it is given.
            facts["prompts"][words(re.sub(r'(?s)^"([^"]*)"$', r"\1", said))] += 1
        for _, part in inside:
            if part["type"] == "patch":
                made = re.compile(r"(^|[/\\])(__pycache__|node_modules|\.git)[/\\]")
                facts["files edited"].update({file: 1 for file in part["files"] if not made.search(file)})
            if part["type"] != "tool":
                continue
            state, name = part["state"], part["tool"]
            given, status, meta = state.get("input") or {}, state["status"], state.get("metadata") or {}
            error, output = state.get("error") or "", state.get("output") or ""
            refused = re.search(r"The user (rejected permission|dismissed this|has specified a rule)|Tool execution aborted", error)
            corrected = error.split("with the following feedback: ", 1)[1:]
            if corrected and session.get("parent_id") is None:
                facts["prompts"][words(corrected[0])] += 1
            if name in ("bash", "shell") and (given.get("command") or "").strip():
                code, tail = meta.get("exit"), output[-400:]
                if status == "completed":
                    state = "unknown" if code is None else "failed" if code else "passed"
                    if code is None and re.search(r"metadata>\s*\Z", tail) and "timeout" in tail:
                        state = "failed"
                    if re.search(r"User aborted the command\s*</\w+>\s*\Z|\(Command was aborted\)\s*\Z", tail):
                        state = "stopped"
                elif status == "error":
                    state = "stopped" if refused or meta.get("interrupted") else "failed"
                else:
                    state = "unknown"
                facts["commands"][(words(given["command"]), state)] += 1
                if state == "failed":
                    facts["failed commands"][words(given["command"])] += 1
                if re.search(r"\bgit\b[^|;&\n]*\b(commit|cherry-pick|revert|merge|am|pull)\b", given["command"]) and state != "stopped":
                    facts["commits"].update(set(commits_of(output)))
            if status == "completed":
                if name in ("edit", "write", "multiedit"):
                    written.append(given.get("filePath"))
                if name in ("patch", "apply_patch"):
                    changes = [change.get("movePath") or change["filePath"] for change in meta.get("files") or []]
                    if not changes:
                        patch = re.sub(r"^\*\*\* Update File: .*\n(?=\*\*\* Move to)", "", given.get("patchText") or "", flags=re.M)
                        changes = re.findall(r"^\*\*\* (?:(?:Add|Delete|Update) File|Move to): (.*)$", patch, re.M)
                    written += changes
                if name == "todowrite" and not todos:
                    asked = Counter((words(todo["content"]), todo["status"]) for todo in given.get("todos") or [])
    for file in filter(None, written):
        if not re.search(r"/\.?opencode/plans/", file):
            facts["files edited"][whole(file, session["directory"])] = 1
    facts["files edited"] = Counter(dict.fromkeys(facts["files edited"], 1))
    facts["commits"] = Counter(dict.fromkeys(facts["commits"], 1))
    same = {"completed": "done", "in_progress": "begun", "cancelled": "dropped"}
    for text, status in todos or asked.elements():
        facts["to-dos"][(text, same.get(status, "open"))] += 1
    return facts


def of_segue(binary, path):
    ran = subprocess.run([binary, "extract", "--json", path], capture_output=True, check=False)
    if ran.returncode != 0:
        return None
    session = json.loads(ran.stdout)
    facts = {kind: Counter() for kind in KINDS}
    for prompt in session["prompts"]:
        facts["prompts"][words(prompt["text"])] += 1
    for command in session["commands"]:
        facts["commands"][(words(command["command"]), command["outcome"])] += 1
        if command["outcome"] == "failed":
            facts["failed commands"][words(command["command"])] += 1
    for file, use in session["files"].items():
        if use["edits"] or use["created"] or use["deleted"] or use["renamed_from"]:
            facts["files edited"][file] = 1
    for todo in session["todos"]:
        facts["to-dos"][(words(todo["text"]), todo["status"])] += 1
    for commit in session["commits"]:
        facts["commits"][commit["id"]] = 1
    return session["agent"], facts


EXTRACTIONS = {
    "claude-code": claude,
    "codex": codex,
    "qwen-code": qwen,
    "gemini-cli": gemini,
    "copilot-cli": copilot,
    "opencode": opencode,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--segue", required=True)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("paths", nargs="+")
    given = parser.parse_args()
    files = []
    for path in given.paths:
        for root, _, names in os.walk(path) if os.path.isdir(path) else [(os.path.dirname(path), [], [os.path.basename(path)])]:
            files += [os.path.join(root, name) for name in sorted(names) if name.endswith((".jsonl", ".json", ".zst", ".db"))]
    sums = defaultdict(lambda: [0, 0, 0])
    read = Counter()
    for path in files:
        found = of_segue(given.segue, path)
        if found is None or found[0] not in EXTRACTIONS:
            continue
        agent, ours = found
        theirs = EXTRACTIONS[agent](path)
        read[agent] += 1
        for kind in KINDS:
            both = sum((ours[kind] & theirs[kind]).values())
            total = sums[agent, kind]
            total[0] += both
            total[1] += sum(ours[kind].values())
            total[2] += sum(theirs[kind].values())
            if given.verbose and ours[kind] != theirs[kind]:
                print(path, kind, "only segue:", dict(ours[kind] - theirs[kind]), "only here:", dict(theirs[kind] - ours[kind]))
    print("| agent | transcripts | fact | segue | here | precision | recall | F1 |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    worst = 1.0
    for (agent, kind), (both, ours, theirs) in sorted(sums.items()):
        precision = both / ours if ours else 1.0
        recall = both / theirs if theirs else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        worst = min(worst, f1)
        print(f"| {agent} | {read[agent]} | {kind} | {ours} | {theirs} | {precision:.3f} | {recall:.3f} | {f1:.3f} |")
    return 0 if worst >= 0.98 else 1


if __name__ == "__main__":
    sys.exit(main())
