// made by 'segue install'; 'segue uninstall' removes it
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const PATIENCE = 5000

// Asks segue. Whatever goes wrong, the answer is nothing: a session goes on without it.
function ask(event, payload) {
  return new Promise((resolve) => {
    try {
      const child = spawn(PROGRAM, ["hook", "opencode", event], {
        cwd: payload.cwd,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      let said = ""
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        resolve("")
      }, PATIENCE)
      const answer = () => {
        clearTimeout(timer)
        try {
          const told = JSON.parse(said)
          const text = told.additionalContext ?? told.hookSpecificOutput?.additionalContext
          resolve(typeof text === "string" ? text : "")
        } catch {
          resolve("")
        }
      }
      child.on("error", answer)
      child.on("close", answer)
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (part) => (said += part))
      child.stdout.on("error", () => {})
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve("")
    }
  })
}

export const Segue = async ({ directory }) => {
  // What each session was told at its start; asked once, told with every request.
  const briefings = new Map()
  const told = (session, event, more) => ({
    session_id: session,
    cwd: directory,
    hook_event_name: event,
    ...more,
  })
  const begin = (session, source) => {
    const briefing = ask("session-start", told(session, "session-start", { source }))
    briefings.set(session, briefing)
    return briefing
  }
  return {
    event: async ({ event }) => {
      const session = event?.properties?.sessionID
      if (!session) return
      if (event.type === "session.idle") await ask("stop", told(session, "stop"))
      if (event.type === "session.compacted") await begin(session, "compact")
      if (event.type === "session.deleted") briefings.delete(session)
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input?.sessionID) return
      const text = await (briefings.get(input.sessionID) ?? begin(input.sessionID, "startup"))
      if (text && Array.isArray(output?.system)) output.system.push(text)
    },
    "experimental.session.compacting": async (input, output) => {
      if (!input?.sessionID) return
      const text = await ask("pre-compact", told(input.sessionID, "pre-compact"))
      if (text && Array.isArray(output?.context)) output.context.push(text)
    },
    "shell.env": async (input, output) => {
      if (input?.sessionID && output?.env) output.env.OPENCODE_SESSION_ID = input.sessionID
    },
  }
}
