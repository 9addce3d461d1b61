//! Secrets are taken out of a text before it is cut, wherever one is.

use crate::capture::{session, user};
use crate::ground::{TestEnv, files_below, put};
use crate::scripted::{Service, answer};

const TOKEN: &str = "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";

/// Whether any file of the store has the beginning or the end of the token in it.
fn is_stored(env: &TestEnv) -> bool {
    files_below(&env.home).iter().any(|path| {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        text.contains(&TOKEN[..12]) || text.contains(&TOKEN[TOKEN.len() - 9..])
    })
}

#[test]
fn a_list_of_sessions_shows_no_secret_of_a_prompt() {
    for asked in [
        format!("Use {TOKEN} for it."),
        format!("see:https://example.org/{}?token={TOKEN}", "x".repeat(25)),
        "The password is \"tuna horse battery staple maple river stone\" and you log in so"
            .to_owned(),
    ] {
        let env = TestEnv::new();
        let repo = env.repo("shop");
        session(&env, &repo, "5e55-10", &[user(&asked)]);
        for args in [&["sessions"][..], &["sessions", "--json"]] {
            let said = env.segue(args).dir(&repo).ok();
            assert!(said.contains("[redacted: "), "{said}");
            assert!(!said.contains("ghp_z") && !said.contains("tuna horse"), "{said}");
        }
    }
}

#[test]
fn a_title_that_is_pulled_is_not_cut_in_a_secret() {
    for over in [1, 10, 30, TOKEN.len() - 1] {
        let env = TestEnv::new();
        let text =
            format!("# {} {TOKEN} and so on\\n\\nwords", "x".repeat(119 + over - TOKEN.len()));
        let reply = answer(200, &format!(r#"{{"key":"k","value":"{text}","tags":["handoff"]}}"#));
        let service = Service::start(vec![reply]);
        let pull = env.segue(&["pull"]).env("MEMORYVAULT_API_KEY", "mv_x");
        assert_eq!(pull.env("MEMORYVAULT_URL", &service.url).run().code, 0);
        assert!(!is_stored(&env), "{over}");
    }
}

#[test]
fn what_a_step_prints_is_not_cut_in_a_secret() {
    for behind in [4_096 - 1, 4_096 - 20, 4_096 - TOKEN.len() + 1] {
        let env = TestEnv::new();
        let repo = env.repo("app");
        put(&repo.join("out"), format!("{}{TOKEN}{}", "x ".repeat(3_000), " y".repeat(behind / 2)));
        let plan =
            "[[step]]\nkind = 'command'\ncommand = ['cat', 'out']\n[[step]]\nkind = 'note'\n";
        put(&repo.join("plan.toml"), plan);
        assert_eq!(env.segue(&["trust"]).dir(&repo).run().code, 0);
        let ran = env.segue(&["run", "--config", "plan.toml", "--note", "n"]).dir(&repo).run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!is_stored(&env), "{behind}");
    }
}
