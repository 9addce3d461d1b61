#!/usr/bin/env python3
"""What of a session's facts a handoff of 1,500 tokens keeps, beside what the agent's own summary keeps.

    python3 eval/keeps.py --segue target/release/segue DIR-OR-FILE ...
    python3 eval/keeps.py --segue target/release/segue --join DIR    # the transcripts of a directory as one

The facts are those of facts.py and, of Claude Code, sentences of the user's that demand something, tests
that failed in the last run of each command, and the branch. A transcript with compactions is also
measured up to each of them, and so is the summary that the model wrote there.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

import facts

KINDS = ["edited files", "open to-dos", "constraints", "commits", "failing tests", "branch"]
DEMANDS = re.compile(r"\b(always|never|only|do not|don[’']t|from now on|must)\b", re.I)
ASKS = re.compile(r"^(why|what|how|who|which|do|does|did|is|are|can|could|would|should|i don[’']t|i do not|i never|i only)\b", re.I)
TESTS = re.compile(r"\b(test|tests|pytest|jest|vitest|nextest|unittest|rspec|phpunit)\b")


def plain(text):
    return re.sub(r"[\s“”\"'`’‘]+", " ", text).strip().lower()


def sentences(text):
    text = re.sub(r"(?ms)^\s*```.*?^\s*```", "\n", text)
    for line in text.split("\n"):
        line = line.strip()
        # What was pasted: logs, quotes, tables, markup, code.
        if re.match(r"[>|<{}\[$%❯⏺⎿│✓✗]|=>|\d[\d.:TZ-]*\s\S*\s*(npm|error|info|warn)|at .*\)$", line):
            continue
        line = re.sub(r"^(#+ |[-*+•] |\d+[.)] |\[[ x]\] )+", "", line)
        for one in re.split(r"(?<=[.!?])\s+|;", line):
            if 8 <= len(one) <= 400:
                yield one.strip()


def demands(prompts):
    found = {}
    for prompt in prompts:
        for one in sentences(prompt):
            if DEMANDS.search(one) and not (ASKS.match(one) and one.endswith("?")) and not re.match(r"i (don[’']t|do not) (know|think|see|understand)|i never|i only", one, re.I):
                found[plain(one)] = one
    return found


def failing(output):
    """Names of tests that failed, in the words of cargo, go, pytest, jest and the like."""
    found = re.findall(r"^test (\S+) \.\.\. FAILED", output, re.M)
    found += re.findall(r"^\s*--- FAIL: (\S+)", output, re.M)
    found += re.findall(r"^(?:FAILED|ERROR) (\S+::\S+)", output, re.M)
    found += re.findall(r"^\s*(?:FAIL|ERROR): (\w+) \(", output, re.M)
    return set(found)


def more_of_claude(path):
    """What facts.py does not look for: prompts as they were, tests that fail, the branch, paths."""
    prompts, runs, tests, branch = [], {}, {}, None
    for record in facts.records(path):
        if record.get("type") in ("user", "assistant", "system", "attachment") and record.get("gitBranch"):
            branch = record["gitBranch"]
        message = record.get("message")
        if not isinstance(message, dict) or record.get("isSidechain"):
            continue
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_use" and block.get("name") == "Bash":
                runs[block.get("id")] = (block.get("input") or {}).get("command") or ""
            if block.get("type") == "tool_result" and block.get("tool_use_id") in runs:
                command = runs[block["tool_use_id"]]
                said = facts.text_of(block.get("content"))
                if TESTS.search(command) and not said.startswith("The user doesn't want"):
                    # The same test is the same, wherever its output goes.
                    tests[re.sub(r"\s*(2>&1|[|>]).*", "", command).split("&& ")[-1]] = failing(said)
    return prompts, set().union(*tests.values()) if tests else set(), branch


def prompts_of(path):
    """The user's words in full."""
    kept, words = [], facts.words
    facts.words = lambda text: text
    try:
        kept = list(facts.claude(path)["prompts"])
    finally:
        facts.words = words
    return kept


def of_claude(path):
    known = facts.claude(path)
    _, tests, branch = more_of_claude(path)
    return {
        "edited files": set(known["files edited"]),
        "open to-dos": {text for text, status in known["to-dos"] if status in ("open", "begun")},
        "constraints": set(demands(prompts_of(path)).values()),
        "commits": set(known["commits"]),
        "failing tests": tests,
        "branch": {branch} if branch else set(),
    }


def of_other(extraction, path):
    known = extraction(path)
    return {
        "edited files": set(known["files edited"]),
        "open to-dos": {text for text, status in known["to-dos"] if status in ("open", "begun")},
        "constraints": set(demands(known["prompts"]).values()),
        "commits": set(known["commits"]),
        "failing tests": set(),
        "branch": set(),
    }


def kept(kind, fact, text, flat):
    if kind == "edited files":
        # By at least two names of it, or the name alone where it lies at the top.
        parts = fact.strip("/").split("/")
        return any("/".join(parts[at:]) in text for at in range(max(1, len(parts) - 1))) or (
            f"`{parts[-1]}`" in text and grouped(parts, text)
        )
    if kind == "commits":
        return fact[:7] in text
    if kind in ("constraints", "open to-dos"):
        return plain(fact)[:120] in flat
    return fact in text


def grouped(parts, text):
    """Whether a file stands under the name of its directory."""
    for line in text.split("\n"):
        if f"`{parts[-1]}`" in line:
            found = re.match(r"- `([^`]*)/`: ", line)
            if found is None or "/".join(parts[:-1]).endswith(found.group(1).strip("/")):
                return True
    return False


def invented(text, transcript, cwd):
    """Paths that the transcript never shows."""
    found = set()
    for line in text.split("\n"):
        group = re.match(r"- `([^`]*/)`: ", line)
        for path in re.findall(r"`([^`\s]+)`", line):
            whole = path if group is None or path.endswith("/") else group.group(1) + path
            if "/" in whole and whole.strip("/") not in transcript and os.path.join(cwd, whole) not in transcript:
                found.add(whole)
    return found


def handoff(binary, path, budget):
    ran = subprocess.run([binary, "extract", "--budget", str(budget), path], capture_output=True, text=True, check=False)
    return ran.stdout if ran.returncode == 0 else None


def agent_of(binary, path):
    ran = subprocess.run([binary, "extract", "--json", path], capture_output=True, check=False)
    return json.loads(ran.stdout)["agent"] if ran.returncode == 0 else None


def cuts(path, scratch):
    """The transcript up to each compaction, with the summary that followed."""
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    for at, line in enumerate(lines):
        if b'"compact_boundary"' not in line:
            continue
        summary = ""
        for later in lines[at : at + 4]:
            try:
                record = json.loads(later)
            except ValueError:
                continue
            if record.get("isCompactSummary"):
                summary = facts.text_of(record["message"])
        to = os.path.join(scratch, f"{os.path.basename(path)}.{at}.jsonl")
        with open(to, "wb") as file:
            file.write(b"\n".join(lines[:at]) + b"\n")
        yield to, summary


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--segue", required=True)
    parser.add_argument("--budget", type=int, default=1500)
    parser.add_argument("--join", action="store_true", help="take the transcripts of each directory as one")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("paths", nargs="+")
    given = parser.parse_args()
    files = []
    with tempfile.TemporaryDirectory() as scratch:
        for path in given.paths:
            for root, _, names in os.walk(path) if os.path.isdir(path) else [(os.path.dirname(path), [], [os.path.basename(path)])]:
                there = [os.path.join(root, name) for name in sorted(names) if name.endswith((".jsonl", ".json", ".zst"))]
                if given.join:
                    whole = os.path.join(scratch, f"joined-{len(files)}.jsonl")
                    with open(whole, "wb") as out:
                        for one in there:
                            if one.endswith(".jsonl"):
                                with open(one, "rb") as file:
                                    out.write(file.read().rstrip(b"\n") + b"\n")
                    there = [whole]
                files += there
        sums = defaultdict(lambda: [0, 0])
        read, never, tokens = Counter(), Counter(), Counter()
        for path in files:
            agent = agent_of(given.segue, path)
            if agent not in facts.EXTRACTIONS:
                continue
            measured = [(agent, path, None)]
            if agent == "claude-code":
                measured += [(agent, to, summary) for to, summary in cuts(path, scratch)]
            for agent, one, summary in measured:
                text = handoff(given.segue, one, given.budget)
                with open(one, "rb") as file:
                    transcript = file.read().decode("utf-8", "replace")
                known = of_claude(one) if agent == "claude-code" else of_other(facts.EXTRACTIONS[agent], one)
                cwd = re.search(r'"cwd":"([^"]*)"', transcript)
                read[agent] += 1
                tokens[agent] = max(tokens[agent], len(text) // 4)
                for strange in invented(text, transcript.replace("\\\\", "\\"), cwd.group(1) if cwd else "/"):
                    never[agent] += 1
                    if given.verbose:
                        print(one, "never occurred:", strange)
                for who, said in ((agent, text), ("its summary", summary)):
                    if said is None:
                        continue
                    flat = plain(said)
                    for kind in KINDS:
                        missing = [fact for fact in known[kind] if not kept(kind, fact, said, flat)]
                        sums[who, kind][0] += len(known[kind]) - len(missing)
                        sums[who, kind][1] += len(known[kind])
                        if given.verbose and missing and who == agent:
                            print(f"{one}: {kind}: {len(missing)} of {len(known[kind])} missing: {missing[:6]}")
    print("| whose | measured | " + " | ".join(KINDS) + " | paths that never occurred |")
    print("|---|---:|" + "---:|" * (len(KINDS) + 1))
    for who in sorted({who for who, _ in sums}):
        cells = []
        for kind in KINDS:
            have, all_of = sums[who, kind]
            cells.append(f"{have / all_of:.3f} of {all_of}" if all_of else "none")
        print(f"| {who} | {read[who] or ''} | " + " | ".join(cells) + f" | {never[who]} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
