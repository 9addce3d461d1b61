//! What asks the user for something, and what names open work, in languages other than English.

use super::closing::Sentence;

/// Whether a sentence asks the user for something.
pub(super) fn asks_in_german(sentence: &Sentence) -> bool {
    let words = &sentence.words;
    let first = sentence.word(0);
    let imperatives = [
        "sag",
        "sagt",
        "gib",
        "schick",
        "schreib",
        "nenn",
        "nenne",
        "wähle",
        "wähl",
        "entscheide",
        "bestätige",
        "lass",
        "teile",
        "teil",
        "poste",
        "zeig",
    ];
    let to_me = ["mir", "uns", "mich", "bescheid"];
    let is_polite = sentence.has_any("bitte beachte|bitte beachten|bitte sehr|gern geschehen");
    let tells = words
        .windows(2)
        .any(|pair| imperatives.contains(&pair[0].as_str()) && to_me.contains(&pair[1].as_str()));
    let please =
        sentence.find("bitte").is_some_and(|at| (sentence.begins_at(at)) && words.len() > 2)
            || imperatives.contains(&first) && sentence.has("bitte");
    let i = |word: &str| matches!(word, "ich" | "wir");
    let you = |word: &str| matches!(word, "du" | "sie" | "ihr");
    let asks = words.windows(2).enumerate().any(|(at, pair)| {
        let begins = sentence.begins_at(at)
            || matches!(first, "welche" | "welchen" | "welches" | "welcher" | "was" | "wie" | "wo");
        begins
            && (matches!(pair[0].as_str(), "soll" | "sollen") && i(&pair[1])
                || matches!(
                    pair[0].as_str(),
                    "möchtest"
                        | "willst"
                        | "kannst"
                        | "könntest"
                        | "möchten"
                        | "bevorzugst"
                        | "können"
                ) && you(&pair[1]))
    });
    let needs = sentence
        .has_any("brauche ich|ich brauche|bräuchte ich|ich bräuchte|ich benötige|benötige ich")
        && words.iter().any(|word| {
            matches!(
                word.as_str(),
                "dir" | "ihnen" | "euch" | "dein" | "deine" | "deinen" | "ihre" | "ihren" | "eure"
            )
        });
    let consents = sentence.has_any(
        "wenn du einverstanden|wenn sie einverstanden|wenn du zustimmst|wenn das passt|\
            wenn das so passt|wenn es passt|wenn das ok|wenn das okay|wenn das für dich|\
            sobald du|sobald sie",
    ) && words.iter().any(|word| i(word));
    let waits = sentence
        .has_any("warte auf deine|warte auf dein|warte auf deinen|warte auf ihre|warte auf dich");
    !is_polite && (tells || please || asks || needs || consents || waits)
}

/// Whether a sentence asks the user for something.
pub(super) fn asks_in_romance(sentence: &Sentence) -> bool {
    sentence.has_any(
        "dis-moi|dites-moi|merci de|veuillez|peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|\
            préfères-tu|préférez-vous|veux-tu|voulez-vous|dois-je|j'ai besoin de ton|\
            j'ai besoin de ta|j'ai besoin de votre|j'ai besoin de tes|j'ai besoin de vos|\
            j'ai besoin que tu|j'ai besoin que vous|j'attends ton|j'attends ta|j'attends votre|\
            si tu es d'accord|si vous êtes d'accord|dime|dígame|avísame|indícame|confírmame|\
            necesito que|necesito tu|necesito tus|necesito su|si estás de acuerdo|\
            si está de acuerdo|espero tu|prefieres|¿quieres|por favor",
    ) && !sentence.has("merci de votre")
        && !sentence.has("veuillez noter")
}

/// Whether a sentence asks the user for something.
pub(super) fn asks_in_chinese(lower: &str) -> bool {
    let asked = [
        "请确认",
        "请告诉",
        "请选择",
        "请提供",
        "请运行",
        "请执行",
        "请先",
        "请你",
        "请您",
        "请决定",
        "请回复",
        "请把",
        "请给",
        "告诉我",
        "需要你",
        "需要您",
        "等你",
        "等您",
        "等待你",
        "等待您",
        "你想要",
        "你希望",
        "您希望",
        "你更倾向",
        "由你决定",
        "要不要",
        "是否要我",
        "要我继续吗",
        "如果你同意",
        "如果没问题",
        "你确认后",
        "确认后我",
    ];
    asked.iter().any(|words| lower.contains(words))
}

/// Whether a sentence says that something is not done.
pub(super) fn is_open_in_german(sentence: &Sentence) -> bool {
    let words = &sentence.words;
    let is_past = sentence.has_any("war|waren|hatte|hatten|wurde|wurden|falls|wenn");
    let own = words.iter().any(|word| matches!(word.as_str(), "ich" | "wir"));
    let not = sentence.has("nicht");
    let unable = own && not && sentence.has_any("konnte|konnten|kann|können|schaffe");
    if unable {
        return true;
    }
    if is_past {
        return false;
    }
    let noch = sentence.places("noch").any(|at| {
        words[at + 1..].iter().chain(&words[at.saturating_sub(3)..at]).any(|word| {
            matches!(
                word.as_str(),
                "nicht"
                    | "fehlt"
                    | "fehlen"
                    | "offen"
                    | "aus"
                    | "muss"
                    | "müssen"
                    | "bleibt"
                    | "bleiben"
                    | "ungetestet"
            )
        })
    });
    let comes = sentence.find("als nächstes").is_some_and(|at| {
        at == 0
            || words[..at].iter().any(|word| {
                matches!(
                    word.as_str(),
                    "kommt" | "kommen" | "folgt" | "folgen" | "ist" | "sind" | "ich"
                )
            })
    });
    let undone =
        not && words.iter().any(|word| {
            matches!(
                word.as_str(),
                "fertig"
                    | "umgesetzt"
                    | "implementiert"
                    | "getestet"
                    | "erledigt"
                    | "migriert"
                    | "umgestellt"
            )
        }) || sentence.has_any(
            "nur teilweise|steht aus|stehen aus|es fehlt|es fehlen|bleibt offen|ist offen|\
            sind offen",
        );
    noch || comes || undone
}

/// Whether a sentence says that something is not done.
pub(super) fn is_open_in_romance(sentence: &Sentence) -> bool {
    sentence.has_any(
        "pas pu|pas réussi|pas encore|il reste|reste à|restent à|il manque|manque encore|\
            manquent encore|à faire|pas terminé|n'ont pas été|n'a pas été|no pude|no he podido|\
            no logré|no conseguí|queda por|quedan por|queda pendiente|quedan pendientes|\
            está pendiente|están pendientes|todavía no|aún no|sin terminar|no se ha|no se han|\
            falta|faltan|todavía falta|todavía faltan",
    )
}

/// Whether a sentence says that something is not done.
pub(super) fn is_open_in_chinese(lower: &str) -> bool {
    [
        "尚未",
        "还没",
        "还未",
        "未完成",
        "没有完成",
        "还需要",
        "还需",
        "还要",
        "还差",
        "还剩",
        "剩下",
        "没能",
        "未能",
        "暂未",
        "无法运行",
        "无法完成",
        "无法测试",
        "无法验证",
        "接下来",
        "下一步",
        "待处理",
        "待办",
    ]
    .iter()
    .any(|words| lower.contains(words))
}
