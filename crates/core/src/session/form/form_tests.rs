//! Sentences of agents that say what was decided, dropped or learnt, beside plain reports in the same words.

use super::super::cues::Finding;
use super::super::passage::findings;

const DECISIONS: &[&str] = &[
    "I'll use a queue table instead of Redis because the hoster only offers Postgres.",
    "I went with cursor pagination, since rows are inserted while people page through.",
    "We decided to keep the old endpoint until the app version 3 is out.",
    "I chose `zod` over `yup`: the types come for free.",
    "Prices stay integers in cents rather than floats, so that sums never drift.",
    "I kept `utils/date.py` as it is because the importer depends on its quirks with time zones.",
    "I'd recommend a feature flag here, since the rollout is per region.",
    "The right fix is to close the file in the caller.",
    "I opted for a single migration so the rollback is one command.",
    "The duplicate loop in `scan.go` is intentional: the two halves will differ soon.",
    "Going with option B, the one with the background worker.",
    "I left the retry count at 3 to avoid hammering the partner API.",
    "Using `BTreeMap` rather than `HashMap` here keeps the output stable.",
    "I settled on tabs for the config loader.",
    "You chose SQLite for the cache, so the lock file goes away.",
    "We're sticking with Webpack for now.",
    "Decision: images live in S3 and only their keys in the database.",
    "Ich habe mich für eine eigene Tabelle entschieden, statt das JSON-Feld zu erweitern.",
    "J'ai choisi un cache en mémoire plutôt que Redis.",
    "我决定用整数存金额，因为浮点数会有误差。",
];

const REJECTED: &[&str] = &[
    "I tried a partial index first, but the planner never picks it.",
    "I considered splitting the crate, but the build gets slower.",
    "Switching to `mmap` didn't help: the time goes into decoding.",
    "The streaming approach doesn't work here because the header has the length.",
    "I ruled out a race: the lock is held during the whole write.",
    "A full rewrite of the parser is not worth it.",
    "I reverted that attempt.",
    "Caching the permissions would break revocation.",
    "I dropped the idea of a second worker, it only moves the wait.",
    "I'm not adding a migration because the column is computed.",
    "A message broker would be overkill for ten events a day.",
    "That won't work because the CDN strips the header.",
    "My first guess was wrong, the clock is fine.",
    "I backed out the memoization since it kept old props alive.",
    "Renaming the columns is out of scope for this change.",
    "We decided against a monorepo.",
    "The alternative with two queries was too slow.",
    "Den Ansatz mit Triggern habe ich verworfen.",
    "J'ai abandonné l'idée d'un index partiel.",
    "这个方案行不通，因为接口没有分页。",
];

const GOTCHAS: &[&str] = &[
    "`docker build` fails when the proxy variables are set.",
    "It turns out the staging database runs in another time zone.",
    "The root cause was a stale lock file in `/var/run`.",
    "`prisma migrate` silently drops columns that the schema doesn't name.",
    "The emulator needs port 8085 free, otherwise it hangs without a message.",
    "`git push` is rejected here; the reason is a server hook that wants signed commits.",
    "Snapshot tests break under Node 20 because `Intl` prints other blanks.",
    "`make gen` has to run before `cargo build`, otherwise the stubs are missing.",
    "The watcher doesn't see changes inside Docker because inotify stops at the mount.",
    "Caveat: the seed script deletes the uploads folder.",
    "There are 3 pre-existing failures in `billing_test.go`.",
    "`--no-cache` has no effect when BuildKit is on.",
    "The OpenAI rate limit was exceeded during the long run.",
    "That's why the second request always came back empty.",
    "Beware: `npm run reset` also clears the production bucket.",
    "The integration tests are flaky on the small runner.",
    "`terraform plan` crashes if the workspace name has a slash.",
    "Without `PYTHONPATH=src`, pytest doesn't find the package, although `setup.py` lists it.",
    "Der Test schlägt fehl, wenn die Zeitzone nicht UTC ist.",
    "问题在于缓存的键没有包含语言。",
];

const PLAIN: &[&str] = &[
    "Refused invitations can be sent again from `invites.vue`.",
    "Users who are rejected get a mail with the reason.",
    "Expired coupons are hidden in `Shop.tsx`.",
    "Every plan has a quota of 20 projects, see `limits.rb`.",
    "The API now has a rate limit of 100 requests per hour in `throttle.py`.",
    "Skipped lessons are listed at the end of `Course.tsx`.",
    "Dropped frames are counted in `stats.cpp`.",
    "Reverted edits appear in grey in `History.vue`.",
    "The export falls back to CSV when `xlsx` is not selected.",
    "The banner only appears when the trial has ended.",
    "A failed payment is retried three times, then the order is closed.",
    "When the upload fails, `Uploader.tsx` offers to try again.",
    "The search box ignores accents in `query.ts`.",
    "Visitors can't comment until they have confirmed their address.",
    "The chosen theme is saved in `localStorage`.",
    "The recommendation list in `Home.tsx` has five entries.",
    "I added a decision table to `docs/rules.md`.",
    "The design of the landing page follows the mock-up.",
    "42 tests passed, 1 skipped because no GPU is there.",
    "I fixed the failing test in `cart_test.go`.",
    "All checks pass; the linter is happy as well.",
    "I updated `CHANGELOG.md` because you asked for it.",
    "The dialog requires a name and an address.",
    "Wrong passwords are shown as an error below the field.",
    "The root page has a new header.",
    "Stale sessions are removed by a nightly job in `cron.ts`.",
    "I renamed `foo` to `bar` in four files.",
    "I put a timeout of 30 seconds on `fetchRates()`.",
    "The timeout is now shown in the admin view.",
    "Customers see a fallback picture when the original is missing.",
    "Cancelled orders don't count toward the total in `report.sql`.",
    "I've implemented the considered changes in `Considered.tsx`.",
    "The unexpected-visitors report is in `reports/visitors.py`.",
    "The page explains why a claim was declined.",
    "Known issues are listed in the footer of `Status.tsx`.",
    "The reason field is optional in `Refund.tsx`.",
    "Only admins can delete a space in `spaces.rs`.",
    "Messages are never sent twice, `outbox.py` keeps their ids.",
    "`Table.tsx` doesn't render hidden columns.",
    "The form doesn't accept dates in the past.",
    "The alternative text of images is read from `alt.json`.",
    "I wrote tests for the rejected, accepted and expired states.",
    "The parser accepts both kinds of quotes in `lex.rs`.",
    "Let me see why `make` fails on the second run.",
    "I'll run the linter because the imports changed.",
    "I'm checking whether the cache is used instead of the file.",
    "Now the build runs in `ci.yml` with two jobs.",
    "The preferences are stored per device in `prefs.kt`.",
    "Drafts are silently saved every ten seconds.",
    "There is still a gap of 3 px below the logo.",
    "The deploy is still failing at the moment.",
    "The invoice shows the date instead of the number now.",
    "I removed the unnecessary import from `a.py`.",
    "Two files were left out of the diff.",
    "The `skip` button moves to the next question.",
    "Should we go with the second layout instead of the first?",
    "The tests for `Plan.tsx` cover the pre-existing customers too.",
    "Abandoned drafts are deleted after 30 days by `cleanup.rb`.",
    "Declined cards are marked in red in `Wallet.swift`.",
    "Players who gave up keep their points in `score.ts`.",
];

fn kinds(message: &str) -> Vec<Finding> {
    let mut all = Vec::new();
    findings(message, |finding, _| all.push(finding));
    all
}

fn missed(sentences: &[&str], wanted: &[Finding]) -> Vec<String> {
    let wrong = sentences.iter().map(|one| (one, kinds(one))).filter(|(_, is)| is != wanted);
    wrong.map(|(one, is)| format!("{one} -> {is:?}")).collect()
}

#[test]
fn what_was_decided_is_known_by_the_form_of_its_sentence() {
    assert_eq!(missed(DECISIONS, &[Finding::Decision]), [""; 0]);
}

#[test]
fn what_was_dropped_is_known_by_the_form_of_its_sentence() {
    assert_eq!(missed(REJECTED, &[Finding::Rejected]), [""; 0]);
}

#[test]
fn what_was_learnt_is_known_by_the_form_of_its_sentence() {
    assert_eq!(missed(GOTCHAS, &[Finding::Gotcha]), [""; 0]);
}

#[test]
fn plain_reports_are_none_of_them() {
    assert_eq!(missed(PLAIN, &[]), [""; 0]);
}
