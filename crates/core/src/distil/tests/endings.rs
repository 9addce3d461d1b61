//! What the last message of an agent says of where the work stands.

use super::*;

/// The body of a session in which the agent edited a file and ended so.
fn ended_with(message: &str) -> String {
    let mut recorder = Recorder::new("x");
    recorder.cwd("/work/shop");
    recorder.next_record();
    recorder.asked("Move the pages to the new client", PromptWay::Typed);
    recorder.next_record();
    recorder.edits("1", "/work/shop/src/page.rs");
    recorder.ended("1", ended(Outcome::Passed, 0), || "".into());
    recorder.next_record();
    recorder.said(message);
    distil(recorder.session(), &DistilRequest::default()).body
}

#[test]
fn a_part_that_is_still_as_it_was_is_left_to_do() {
    for message in [
        "Half of the pages use the new client. The other half still uses the old API.",
        "I moved the list pages; the other half still uses the old API.",
        "The list pages are moved. The settings page is not migrated yet.",
        "The list pages are moved. `settings.rs` is not migrated yet.",
        "The list pages are moved. The settings page isn't on the new client yet.",
        "The list pages are moved. The rest still calls the old client.",
        "The list pages are moved. The rest of the pages still call the old client.",
        "The list pages are moved. The other pages still call the old client.",
        "The list pages are moved. The remaining pages still go through the old client.",
        "The list pages are moved. The other half continues to use the old client.",
        "The list pages are moved, while the other three remain on the old API.",
        "Die Listen sind umgestellt. Die andere Hälfte nutzt noch die alte API.",
        "Die Listen sind umgestellt. Der Rest verwendet weiterhin den alten Client.",
        "Die Listen sind umgestellt. Die Einstellungen sind noch nicht migriert.",
        "Les listes sont migrées. L'autre moitié utilise encore l'ancienne API.",
        "Les listes sont migrées. Le reste utilise toujours l'ancien client.",
        "Les listes sont migrées. La page des réglages n'est pas encore migrée.",
        "Las listas están migradas. La otra mitad todavía usa la API antigua.",
        "Las listas están migradas. El resto sigue usando el cliente antiguo.",
        "Las listas están migradas. La página de ajustes aún no está migrada.",
        "列表页已经迁移。另一半仍然使用旧的 API。",
        "列表页已经迁移。其余页面还在用旧的客户端。",
        "列表页已经迁移。设置页还没有迁移。",
    ] {
        let body = ended_with(message);
        assert!(!body.contains("Status: finished"), "{message}\n{body}");
        assert!(body.contains("## Next Steps\n- Left open, the agent said"), "{message}\n{body}");
    }
}

#[test]
fn what_stays_as_it_was_on_purpose_is_not_left_to_do() {
    for message in [
        "All pages are moved. The public API still has the same names.",
        "All pages are moved. The old client is still there for the tests, as you asked.",
        "All pages are moved. The rest of the file is unchanged.",
        "All pages are moved, and the other pages still load as before.",
        "All pages are moved. Every other test still passes.",
        "All pages are moved. The rest still works.",
        "Alle Seiten sind umgestellt. Der Rest läuft weiterhin fehlerfrei.",
        "Toutes les pages sont migrées. Le reste fonctionne toujours.",
        "Todas las páginas están migradas. El resto sigue funcionando.",
        "所有页面都已迁移。其余功能仍然正常。",
    ] {
        let body = ended_with(message);
        assert!(body.contains("Status: finished"), "{message}\n{body}");
    }
}
