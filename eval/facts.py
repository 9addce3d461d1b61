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
import subprocess
import sys
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


def claude(path):
    """Claude Code."""
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
        name = re.search(r"<command-name>(.*?)</command-name>", text, re.S)
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


EXTRACTIONS = {"claude-code": claude}


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
