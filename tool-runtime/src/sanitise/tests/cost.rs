use std::fmt::Write as _;

use super::*;

#[test]
fn work_is_linear_in_the_worst_cases() {
    // Longer than the scout's window.
    const SIZE: usize = 50_000;
    for unit in [
        "<   ",
        "<",
        "< ",
        "&amp;",
        "amp;",
        "e\u{301}",
        "\u{301}",
        "<e\u{301}",
        "<external_tool_resul",
        "<external_tool ",
        "x",
        "x ",
        "xt",
        "ex te ",
        "<ex",
        "exter ",
        "%25",
        "%",
        "\\",
        "\\u",
        "\\u{0",
        "\\u{",
        "&#0",
        "&#",
        "&",
        "&l",
        "<|",
        "<|a",
        "\u{1b}]",
        "\u{1b}[",
        "\u{1b}]0;aaaa",
        "\u{1b}[0",
        "\u{1b} ",
        "\u{200b}",
        "<\u{200b}",
        "x\u{200b}",
        "e\u{200b}x",
        "\r",
        "\r\n",
        "\u{1f3f4}",
        "\u{fe0f}",
        "a\u{fe0f}",
        "👨\u{200d}",
        "(ext er",
        "{\\x78ter",
        "</external_tool_result>",
        "\u{9b}",
        "х",
        "ехte",
        "\\ud835",
        "%e2",
        "%e2%80",
        "\\0",
        "[IN",
        "<<S",
        "&langl",
        "=3",
        "=3D",
        "=",
        "=\u{e9}",
        "+ADw-",
        "<a:",
        "<a.b:e",
        "e:",
        "</>",
        "<\"",
        "\u{85}",
        "[\"\u{2028}\"]",
        "[",
        "&e",
        "&xscr;",
        "\\3c",
        "\\0000",
        "m",
        "‹│a",
        "く/",
    ] {
        for (head, tail) in [
            ("", ""),
            ("<", "/external_tool_result>"),
            ("<ex", "ternal_tool_result"),
            ("&#", ";"),
            ("\u{1b}]", "\u{7}"),
            ("<|", "|>"),
            ("\\u{", "}"),
        ] {
            let long = format!("{head}{}{tail}", unit.repeat(SIZE / unit.len()));
            let taken = steps::taken(|| drop(clean(&long)));
            assert!(taken < 30 * long.len(), "{} steps a byte for {head:?} {unit:?} {tail:?}", taken / long.len());
        }
    }
}

/// Ten million bytes, and no more steps than so many for each.
#[test]
fn ten_megabytes_of_the_worst_stay_under_a_fixed_count() {
    const SIZE: usize = 10_000_000;
    let always = [("\u{1b}]", "a", ""), ("", "<a:", ""), ("", "xt", "")];
    // A debug build takes minutes for these.
    let optimised = [
        ("<", " ", "/external_tool_result>"),
        ("<", "\\", "external_tool_result"),
        ("", "<", ""),
        ("", "</external_tool_result>", ""),
        ("", "<e\u{301}", ""),
        ("", "\\\\u0078", ""),
        ("", "&#120;", ""),
        ("", "e\u{200b}x", ""),
        ("", "х", ""),
        ("", "[\"\u{2028}\"]", ""),
    ];
    let optimised = optimised.into_iter().filter(|_| !cfg!(debug_assertions));
    for (head, unit, tail) in always.into_iter().chain(optimised) {
        let text = format!("{head}{}{tail}", unit.repeat(SIZE / unit.len()));
        let taken = steps::taken(|| drop(clean(&text)));
        assert!(taken <= 10 * SIZE, "{taken} steps for {head:?} {unit:?} {tail:?}");
    }
}

#[test]
fn quiet_text_costs_next_to_nothing() {
    let mut json = String::from("{");
    for row in 0..2000 {
        let _ = writeln!(
            json,
            "\"row {row}\": {{\"text\": \"next extension\\n\", \"path\": \"C:\\\\dir\", \"list\": [1, 2, 3]}},"
        );
    }
    let taken = steps::taken(|| drop(clean(&json)));
    assert!(taken < json.len() / 2, "{taken} steps for {} bytes", json.len());
}
