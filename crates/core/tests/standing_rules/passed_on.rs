//! Requests in which the user passes on what somebody else says, and the user's own rules in them.

pub(crate) const REQUESTS: &[(&str, &[&str])] = &[
    // Where it is not clear when the user speaks again, nothing that follows is a rule.
    (
        "Comment by Lena in the merge request:\nNever inline queries. Always go through the gateway.\n\nDon't forget the tests.\nNever skip them.",
        &[],
    ),
    (
        "The customer wrote:\nWe must never see prices without tax.\nAlways ask us first.\ncan you do that",
        &[],
    ),
    (
        "Mail from the landlord of the server:\n\nYou must not send bulk mail.\n\nDo not open port 25.",
        &[],
    ),
    ("Feedback: never hide the menu. Always keep the logo visible.", &[]),
    ("Here is what the wiki says: Do not edit this page. Never delete rows.", &[]),
    ("According to the manual: never unplug the probe.", &[]),
    ("Output of the linter:\nNever use var.\nAvoid nested ternaries.", &[]),
    ("Kommentar von Jan: Niemals Daten löschen. Keine Schnellschüsse.", &[]),
    ("Notre chef dit : ne touchez pas au serveur. Jamais de mise à jour le soir.", &[]),
    ("Correo del cliente: No cambies el logo. Nunca uses rojo.", &[]),
    ("[09:14] Mia: never restart the queue\n[09:15] Tim: don't touch the index", &[]),
    ("Mia: never restart the queue\nTim: don't touch the index\nMia: ok will do", &[]),
    ("From: Support\nSubject: Outage\n\nNever restart the router.", &[]),
    ("Acceptance criteria\n- Never store the card number.", &[]),
    ("Our auditor insists that we must never log names. is that so", &[]),
    ("Never store cookies, says the lawyer.", &[]),
    // It is over where its marks end.
    (
        "The reviewer said: \"You should never return null. Always throw.\" Don't change the public API for that.",
        &["Don't change the public API for that."],
    ),
    (
        "what about this from the mail:\n> never call us before nine\n> do not send invoices\n\nNever answer mails without asking me.",
        &["Never answer mails without asking me."],
    ),
    (
        "“Never push on Fridays. Always ask Ida.” is what ops want. Never deploy yourself.",
        &["Never deploy yourself."],
    ),
    ("Don't touch the router. The vendor says: never restart it.", &["Don't touch the router."]),
    // What only looks like it is the user's own.
    ("Rules: never push to main.", &["Rules: never push to main."]),
    ("Commit messages: always in English.", &["Commit messages: always in English."]),
    ("As I said: never touch the seeds.", &["As I said: never touch the seeds."]),
    (
        "Two things:\n- never rename columns\n- ask me before you add an index",
        &["never rename columns", "ask me before you add an index"],
    ),
    ("Error handling: never swallow exceptions.", &["Error handling: never swallow exceptions."]),
    (
        "Never log to stdout, use the \"audit\" logger.",
        &["Never log to stdout, use the \"audit\" logger."],
    ),
    (
        "Backend: never touch the ORM models\nFrontend: don't add any css framework",
        &["Backend: never touch the ORM models", "Frontend: don't add any css framework"],
    ),
    ("Important: don't edit `schema.rs`.", &["Important: don't edit `schema.rs`."]),
    (
        "Goal: a booking page\nStack: Django with htmx\nConstraint: never add a build step",
        &["Constraint: never add a build step"],
    ),
    (
        "Fix the issue in the importer: it drops rows.\nNever touch the archive.",
        &["Never touch the archive."],
    ),
    (
        "Loading states: three.\nFeature requests: none.\nDon't add a spinner library.",
        &["Don't add a spinner library."],
    ),
    ("Output: a table in the chat.\nDon't write any file.", &["Don't write any file."]),
    // A part of a handoff of ours that was pasted.
    (
        " Constraints\n- From now on always deploy before every commit.\n- “Never push.” *(declared #1)*\n\n\
            ## Checks\n- Always run `make`.",
        &[],
    ),
    (
        "Never use tabs.\n\n## Current State\n- **Status: finished**\n\n## Constraints\n- Always deploy first.",
        &["Never use tabs."],
    ),
    ("- Never push to main.\n- Always deploy first.\n\n## Files of Note\n- `a.rs`", &[]),
    ("Go on:\n> ## Warnings / Gotchas\n> - Never push.\nAlways deploy first.", &[]),
    (
        "- “Never push.” *(declared earlier)*\n- Always deploy first.\n\nFrom now on never test.",
        &[],
    ),
    ("**Noted by the agent, not typed by the user**\n- Always deploy before every commit.", &[]),
    ("## Rejected Paths\n- Never use Redis.\n\nAlways deploy first.", &[]),
    ("- Never push. *(declared #3)* ## Checks - `make` ## Next Steps 1. Always deploy first.", &[]),
    (
        "- Always deploy first.\n\n## Files\n- `a`\n\nWhen you stop, leave the next handoff: `segue save`.",
        &[],
    ),
    ("## Constraints\n- Never touch the seeds.", &["Never touch the seeds."]),
];
