//! Rules in Chinese.

use super::words::says;

/// Marks of questions, doubts and reports in Chinese, and of what holds for this turn only.
const CHINESE_NOT: &[&str] = &[
    "为什么",
    "怎么",
    "吗",
    "？",
    "?",
    "是不是",
    "能不能",
    "要不要",
    "先不",
    "暂时",
    "不要紧",
    "别担心",
    "没关系",
    "失败",
    "报错",
    "出错",
    "崩溃",
    "我觉得",
    "可能",
    "好像",
    "似乎",
    "不能用了",
    "没有反应",
    "空白",
    "打不开",
    "很慢",
    "如何",
    "这次",
    "本次",
    "现在先",
    "不要急",
];

/// Whether a sentence in small letters is a rule in Chinese.
pub(super) fn is_chinese_rule(text: &str) -> bool {
    let text = text.trim_start_matches(['请', '，', ' ']);
    // What is forbidden in one clause is, whatever is asked or told in another.
    let mut clauses = text.split(['，', ',', '；', ';', '：', ':', '。']).map(str::trim);
    if clauses.any(forbids) {
        return true;
    }
    if says(text, CHINESE_NOT) {
        return false;
    }
    let always = says(
        text,
        &[
            "一律",
            "统一用",
            "统一使用",
            "永远不",
            "永远用",
            "总是用",
            "总是先",
            "务必",
            "每次都要",
            "从现在起",
            "以后都",
            "今后",
        ],
    ) || text.starts_with("总是")
        || text.starts_with("永远");
    let every = says(text, &["所有", "每个", "每次", "凡是", "任何"])
        && says(
            text,
            &[
                "都要",
                "必须",
                "都必须",
                "都得",
                "都走",
                "需要先",
                "都用",
                "都不",
                "之前",
                "都放",
                "都需要",
            ],
        );
    let must = says(
        text,
        &["你必须", "我们必须", "提交前必须", "必须先", "只能用", "只用", "只允许", "只能在"],
    );
    // What is seen on a screen must be as it is described: that is a task.
    let must = must
        || says(text, &["必须", "只能"])
            && !says(
                text,
                &["按钮", "页面", "用户", "弹窗", "列表", "界面", "才能", "才行", "重启"],
            )
            && !["它", "这", "那", "他", "她", "我", "系统", "程序"]
                .iter()
                .any(|who| text.starts_with(who));
    let asks = says(
        text,
        &[
            "先问我",
            "问我一声",
            "先跟我确认",
            "先和我确认",
            "先征得",
            "先确认再",
            "经过我同意",
            "我同意后",
        ],
    );
    let habit = says(text, &["我们", "团队", "项目里", "这里"])
        && says(text, &["用", "写", "采用", "走"])
        && says(text, &["不用", "不是", "而不是", "不写", "从不", "只", "都用"]);
    let stays =
        says(text, &["保持不变", "保持原样", "不动", "原封不动"]) && text.chars().count() < 30;
    let language = says(text, &["用英文", "用中文", "用英语", "写英文"])
        && says(text, &["提交信息", "注释", "回答", "回复", "commit", "变量名", "文档"]);
    always || every || must || asks || habit || stays || language
}

/// Words that forbid.
const FORBIDS: &[&str] = &[
    "不要",
    "请勿",
    "禁止",
    "不许",
    "不准",
    "不得",
    "严禁",
    "切勿",
    "千万别",
    "不可以",
    "别动",
    "别改",
    "别用",
    "别碰",
    "别删",
    "别提交",
    "别推",
    "不能改",
    "不能动",
    "不能碰",
    "不能用",
    "不能删",
    "勿动",
];

/// Whether a clause forbids something from then on.
fn forbids(clause: &str) -> bool {
    let of_now = ["现在", "这次", "本次", "先不", "暂时", "不要紧", "不要急"];
    let begins =
        clause.trim_start_matches(['请', '也', '但', '且', '并', '而', '就', '都', '绝', '对']);
    let demands = ["务必", "一定要", "一律"].iter().any(|word| begins.starts_with(word));
    (demands || says(clause, FORBIDS))
        && clause.chars().count() > 3
        && !says(clause, CHINESE_NOT)
        && !says(clause, &of_now)
}
