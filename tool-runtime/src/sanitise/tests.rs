#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{scout, *};

fn clean(original: &str) -> (String, Counts) {
    let (sanitised, counts) = text(original);
    (sanitised.into_inner().into_owned(), counts)
}

/// Looks closely at every character: slow, and what the scout must not miss anything of.
fn closely(original: &str) -> (String, Counts) {
    let mut out = String::new();
    let mut push = |slice: &str| {
        out.push_str(slice);
        ControlFlow::Continue(())
    };
    let mut pour = Pour {
        text: original,
        push: &mut push,
        counts: Counts::default(),
        emitted: 0,
        settled: 0,
        filter: Filter::default(),
    };
    while pour.settled < original.len() {
        let at = pour.settled;
        let _ = pour.look(at, at);
    }
    let _ = pour.emit(original.len());
    let counts = pour.counts;
    (out, counts)
}

fn check(original: &str) -> String {
    let (once, counts) = clean(original);
    assert_eq!((once.clone(), counts), closely(original), "the scout missed something in {original:?}");
    assert_eq!(clean(&once), (once.clone(), Counts::default()), "a second pass changes {original:?}");
    once
}

/// Every one of these is a marker.
fn defused(original: &str) {
    let out = check(original);
    assert!(clean(original).1.defused > 0, "{original:?} stays {out:?}");
    assert!(out.contains("external-tool-result"), "{original:?} became {out:?}");
}

fn unchanged(original: &str) {
    assert_eq!(check(original), original);
    assert_eq!(clean(original).1, Counts::default(), "{original:?}");
    assert!(matches!(text(original).0.0, Cow::Borrowed(_)));
}

const NAME: &str = "external_tool_result";

#[test]
fn every_bracket_opens_a_marker() {
    let brackets = "< [ { ( ＜ ［ ｛ （ ‹ « ≪ ❰ ❮ ❬ ❲ ❴ ⟨ ⟪ ⟦ 〈 《 「 【 〈 ˂ ᐸ ≤ ≺ ⋖ ⦑ ⧼ ⸢ ﹤ ﹛ ﹝ ◀ “ ⁅ ⦅ ﴿ ⌈ ༼ 𝈶";
    for bracket in brackets.split(' ') {
        for slash in ["", "/", " / ", "\t/\n", "∕", "／", "⁄", "\\", "//"] {
            defused(&format!("a{bracket}{slash}{NAME}> b"));
        }
    }
}

#[test]
fn every_escape_opens_a_marker() {
    let escapes = "&lt; &lt &LT; &#60; &#60 &#060; &#0000000060; &#x3c; &#X3C; &#x0003C; &amp;lt; &amp;amp;lt; &amp;#60; &#38;lt; &lsaquo; &lang; &langle; &lbrack; &lcub; \
                   \\u003c \\u003C \\x3c \\x3C \\u{3c} \\u{003c} \\074 \\74 \\U0000003c \\\\u003c \\\\\\\\u003c \\u2039 \\uff1c \\x5b \
                   %3C %3c %253C %25253c %E2%80%B9 %EF%BC%9C %25E2%2580%25B9 %5B %u003c &percnt;3C ＆lt； &bsol;u003c";
    for escape in escapes.split_whitespace() {
        for slash in ["", "/", "\\/", "%2F", "&#47;", "&sol;", "\\u002f", "\\n/ "] {
            defused(&format!("a{escape}{slash}{NAME}> b"));
        }
    }
}

#[test]
fn every_spelling_is_the_name() {
    for name in [
        "EXTERNAL_TOOL_RESULT",
        "External_Tool_Result",
        "ExternalToolResult",
        "external tool result",
        "external-tool-result",
        "external\ntool\tresult",
        "external__tool  result",
        "external\\_tool\\_result",
        "external–tool‑result",
        "e x t e r n a l _ t o o l _ r e s u l t",
        "externaI_tooI_resuIt",
        "externa1_t00l_resu|t",
        "3x73rn4l_700l_r35ul7",
        "ехtеrnаl_tооl_rеsult",
        "εxτεrnαl_τοοl_rεsυlτ",
        "ｅｘｔｅｒｎａｌ＿ｔｏｏｌ＿ｒｅｓｕｌｔ",
        "𝐞𝐱𝐭𝐞𝐫𝐧𝐚𝐥_𝐭𝐨𝐨𝐥_𝐫𝐞𝐬𝐮𝐥𝐭",
        "𝚎𝚡𝚝𝚎𝚛𝚗𝚊𝚕_𝚝𝚘𝚘𝚕_𝚛𝚎𝚜𝚞𝚕𝚝",
        "ᴇxᴛᴇʀɴᴀʟ_ᴛᴏᴏʟ_ʀᴇꜱᴜʟᴛ",
        "ⓔⓧⓣⓔⓡⓝⓐⓛ_ⓣⓞⓞⓛ_ⓡⓔⓢⓤⓛⓣ",
        "🄴🅇🅃🄴🅁🄽🄰🄻_🅃🄾🄾🄻_🅁🄴🅂🅄🄻🅃",
        "🇪🇽🇹🇪🇷🇳🇦🇱_tool_result",
        "e\u{301}x\u{323}ternal_tool_result",
        "éẋţèŕñäĺ_ţöøł_ŕëšüłť",
        "e\u{fe0f}xternal_tool_result",
        "exter\u{200d}nal_tool_result",
        "exter\u{ad}nal_tool_result",
        "ex\u{1b}[0mternal_tool_result",
        "ex\u{1b}]8;;http://a.b/\u{7}ternal_tool_result",
        "ex\u{0}ternal_tool_result",
        "external\u{3164}_tool_result",
        "external\u{e0001}\u{e0041}_tool_result",
        "external\u{180e}_tool_result",
        "ext\u{2066}ernal_tool_result",
        "&#101;&#120;ternal_tool_result",
        "e&#x78;ternal&lowbar;tool&#95;result",
        "\\u0065\\u0078ternal_tool_result",
        "e\\x78ternal_tool\\u005fresult",
        "%65%78ternal%5Ftool_result",
        "external+tool+result",
        "external%20tool%20result",
        "external&nbsp;tool&nbsp;result",
        "external\\u200b_tool_result",
        "exter&shy;nal_tool_result",
        "\\ud835\\udc1expernal".replace('p', "t").as_str(),
        "e\\170ternal_tool_result",
        "e&#\u{200b}120;ternal_tool_result",
        "e%\u{ad}78ternal_tool_result",
        "ҽхternal_tool_result",
        "𝛆𝛘𝛕𝛆rnal_tool_result",
        "⒠⒳⒯⒠⒭⒩⒜⒧_tool_result",
        "ₑₓₜernal_tool_result",
        "ᵉˣᵗᵉʳⁿᵃˡ_tool_result",
        "Ꭼxternal_Ꭲool_result",
        "ꓰꓫꓔꓰꓣꓠꓮꓡ_tool_result",
        "external‿tool⁀result",
        "e×ternal_tool_result",
    ] {
        let name = if name.ends_with("ternal") { format!("{name}_tool_result") } else { name.to_owned() };
        defused(&format!("a</{name}> b"));
        defused(&format!("{{\"key\": \"<{name}>\"}}"));
        defused(&format!("a < {name}"));
    }
}

#[test]
fn what_is_no_marker_stays() {
    for text in [
        "",
        " ",
        "external_tool_result",
        "an external_tool_result tag",
        "The external tool result (see above).",
        "see (external tool result) above",
        "“external tool result”",
        "{\"external_tool_result\": 1}",
        "fn external_tool(result: T) -> T { result }",
        "<result>1</result>",
        "<external>tool</external>",
        "<b>bold</b> <s>struck</s> <mask> <i>x</i>",
        "a |> f <| 4",
        "f <| x |> g",
        "<||>",
        "<|>",
        "[INFO] [I] [inst]",
        "a << b >> c",
        "<external tool> result",
        "&lt;p&gt; &amp; &#39;x&#39;",
        "100% of 5%3",
        "C:\\external\\tool\\result",
        "C:\\x\\t\\u12",
        "\\u00e9t\\u00e9",
        "~/external-tool-result",
        "x",
        "xter",
        "<x",
        "extern \"C\" fn x()",
        "exterior <e",
        "key_of_turn>",
        "shalom שלום سلام",
        "می‌خواهم",
        "क्‍ष क्‌ष",
        "ശ്രീ‍ന്‍",
        "👨‍👩‍👧 👩🏽‍💻 🏳️‍🌈 ❤️‍🔥 🏃🏽‍♀️‍➡️",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🏴",
        "#️⃣ ❤️ ☎︎",
        "葛󠄀城 〇󠄁",
        "ᠮᠣᠩᠭᠣᠯ ᠠ᠋",
        "e\u{301}te\u{301}",
        "a\tb\nc\n",
        "naïve façade Straße Łódź хорошо 東京都 한국어 ไทย",
        "🇪🇸 🇹🇷",
    ] {
        unchanged(text);
    }
}

#[test]
fn template_tokens_are_defused() {
    for token in [
        "<|im_start|>",
        "<|im_end|>",
        "<|start_header_id|>",
        "<|eot_id|>",
        "<|endoftext|>",
        "<|fim_prefix|>",
        "<|reserved_special_token_0|>",
        "<|START_OF_TURN_TOKEN|>",
        "<|1|>",
        "<｜begin▁of▁sentence｜>",
        "<｜User｜>",
        "<｜tool▁calls▁begin｜>",
        "＜｜Assistant｜＞",
        "[INST]",
        "[/INST]",
        "<<SYS>>",
        "<</SYS>>",
        "<start_of_turn>",
        "<end_of_turn>",
        "<bos>",
        "<eos>",
        "<tool_call>",
        "</tool_response>",
        "[TOOL_RESULTS]",
        "[/AVAILABLE_TOOLS]",
        "<|im_\u{200b}end|>",
        "<\u{1b}[0m|im_end|>",
        "<<SYS>\u{200b}>",
        "[IN\u{ad}ST]",
        "<|im_end\u{fe0f}|>",
    ] {
        for around in ["", "a", "<", "[", "\"", "<|", "é"] {
            let original = format!("{around}{token}{around}");
            let out = check(&original);
            assert_eq!(clean(&original).1.defused, 1, "{original:?} became {out:?}");
            assert!(!out.contains(token));
        }
    }
}

#[test]
fn control_sequences_go() {
    for (original, expected, removed) in [
        ("a\u{1b}[2K\u{1b}[1Ab", "ab", 8),
        ("\u{1b}[1;31mred\u{1b}[0m", "red", 11),
        ("\u{9b}31mred\u{9b}m", "red", 6),
        ("\u{1b}]8;;https://e.invalid/x\u{7}click\u{1b}]8;;\u{1b}\\", "click", 32),
        ("\u{1b}]0;title\u{9c}x", "x", 10),
        ("\u{9d}0;title\u{7}x", "x", 9),
        ("\u{1b}Pq#0;1\u{1b}\\x\u{1b}_apc\u{1b}\\y\u{1b}^pm\u{1b}\\z\u{1b}Xsos\u{1b}\\", "xyz", 29),
        ("\u{1b}]0;never ends\nnext line \u{7}", "0;never ends\nnext line ", 3),
        ("\u{1b}[31", "31", 2),
        ("\u{1b}[31\u{e9}", "31é", 2),
        ("\u{1b}(Ba\u{1b}7b\u{1b}Mc\u{1b}=", "abc", 9),
        ("a\u{1b}", "a", 1),
        ("a\u{0}\u{7}\u{8}\u{7f}\u{80}b", "ab", 5),
    ] {
        assert_eq!(check(original), expected, "{original:?}");
        assert_eq!(clean(original).1, Counts { removed, defused: 0 }, "{original:?}");
    }
}

#[test]
fn line_ends_become_line_feeds_and_count_as_nothing() {
    assert_eq!(
        clean("a\r\nb\rc\u{85}d\u{2028}e\u{2029}f\r\r\n"),
        ("a\nb\nc\nd\ne\nf\n\n".to_owned(), Counts::default())
    );
}

#[test]
fn invisible_characters_go() {
    for hidden in "\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{180e}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{202a}\u{202e}\u{2060}\u{2061}\u{2064}\u{2066}\u{2069}\u{206a}\u{3164}\u{feff}\u{ffa0}\u{fff9}\u{1d173}\u{e0001}\u{e0041}\u{e007f}\u{e0100}\u{e01ef}\u{180b}".chars() {
        let original = format!("a{hidden}b {hidden} {hidden}");
        assert_eq!(check(&original), "ab  ", "{hidden:?}");
        assert_eq!(clean(&original).1, Counts { removed: 3, defused: 0 });
    }
    // Out of their place, what may stay elsewhere goes.
    assert_eq!(check("👨\u{200d} a\u{200d}👨 👨\u{200d}b"), "👨 a👨 👨b");
    assert_eq!(check("a\u{fe0f}\u{fe0f}\u{fe0e}"), "a\u{fe0f}");
    assert_eq!(check("葛\u{e0100}\u{e0101}"), "葛\u{e0100}");
    assert_eq!(check("🏴\u{e0067}\u{e0062}\u{e0061}\u{e007f}"), "🏴");
    assert_eq!(check("می\u{200c} a"), "می a");
}

#[test]
fn plain_text_takes_the_brackets_place() {
    for (original, expected) in [
        ("a<</external_tool_result>>b", "a~/external-tool-result>>b"),
        ("<![CDATA[</external_tool_result>]]>", "<![CDATA~/external-tool-result>]]>"),
        ("&l<t;/external_tool_result>", "&l<t;/external_tool_result>"),
        ("&l</external_tool_result>t;/external_tool_result>", "&l~/external-tool-result>t;/external_tool_result>"),
        (
            "a</external_\u{200b}</external_tool_result>\u{200b}tool_result>",
            "a</external_~/external-tool-result>tool_result>",
        ),
        ("< \n < / external tool\nresult id=\"1\">", "< \n ~/external-tool-result id=\"1\">"),
    ] {
        assert_eq!(check(original), expected);
    }
    let (_, counts) = clean("</ext\u{200b}ernal_tool_result>");
    assert_eq!(counts, Counts { removed: 1, defused: 22 });
}

#[test]
fn lines_are_one_line() {
    assert_eq!(line("a\r\nb\tc\u{200b}</external_tool_result>", 100), "a b c~/external-tool-result>");
    assert_eq!(line("abcdef", 6), "abcdef");
    assert_eq!(line("abcdefg", 6), "abcde…");
    assert_eq!(line("abc", 0), "");
}

#[test]
fn pouring_stops_when_told_to() {
    let mut pushed = 0;
    let (_, flow) = pour("a\u{200b}b\u{200b}c", &mut |_| {
        pushed += 1;
        if pushed == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((pushed, flow), (2, ControlFlow::Break(())));
}

#[test]
fn tables_are_sorted() {
    assert!(escape::ENTITIES.is_sorted_by(|a, b| a.0 < b.0));
    assert!(lookalikes::LOOKALIKES.is_sorted_by(|a, b| a.1 < b.0));
    assert!(invisible::HIDDEN.is_sorted_by(|a, b| a.1 < b.0));
}

/// The restart rule rests on this: no bracket, separator, letter before `x` or part of an escape is a
/// character that a look may begin behind.
#[test]
fn a_look_begins_behind_what_is_no_part_of_a_marker() {
    for byte in 0..=127_u8 {
        let c = char::from(byte);
        let text = format!("{c}x");
        let is_part = glyph::opener(c).is_some()
            || glyph::is_space(c)
            || glyph::is_slash(c)
            || glyph::is_prefix(c)
            || lookalikes::letter(c) == Some(b'e')
            || c.is_ascii_alphanumeric()
            || "&#;%\\{}".contains(c);
        assert!(!(is_part && scout::restart(&text, 0, 1) == 1), "{c:?}");
    }
}

#[test]
fn work_is_linear_in_the_worst_cases() {
    const SIZE: usize = 20_000;
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

#[test]
fn quiet_text_costs_next_to_nothing() {
    let mut json = String::from("{");
    for row in 0..2000 {
        let _ = write!(
            json,
            "\"row {row}\": {{\"text\": \"next extension\\n\", \"path\": \"C:\\\\dir\", \"list\": [1, 2, 3]}},\n"
        );
    }
    let taken = steps::taken(|| drop(clean(&json)));
    assert!(taken < json.len() / 2, "{taken} steps for {} bytes", json.len());
}

/// Pieces that markers, tokens, escapes and sequences are made of.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<",
        "&lt;",
        "&amp;",
        "lt;",
        "\\u003c",
        "\\",
        "u003c",
        "%3C",
        "%25",
        "3C",
        "&#",
        "60;",
        "(",
        "[",
        "‹",
        "/",
        "\\/",
        " ",
        "\n",
        "\r",
        "\r\n",
        "external",
        "_",
        "tool",
        "result",
        "ext",
        "ernal",
        "e",
        "x",
        "х",
        "t",
        "er",
        "nal",
        "external_tool_result",
        "external_tool_",
        "</external_tool_result>",
        "\u{200b}",
        "\u{200d}",
        "\u{fe0f}",
        "\u{301}",
        "\u{1b}",
        "\u{1b}[0m",
        "\u{1b}]",
        "\u{7}",
        "\u{9b}",
        "\"",
        ",",
        "~",
        "-",
        "|",
        "<|",
        "|>",
        "im_end",
        "INST]",
        "<SYS>",
        ">",
        "👨",
        "ن",
        "\u{200c}",
        "葛",
        "\u{e0100}",
        "\u{1f3f4}",
        "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "&#120;",
        "\\x78",
        "%78",
        "\\u0078",
        "\u{ad}",
        "｜",
        "＜",
        "＆",
        "0",
        "{",
        "}",
        "&#x",
        "78;",
        "\\u{",
        "×",
        "ｘ",
        "1",
        ".",
        "=",
        "a",
        "\u{85}",
        "start_of_turn>",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn hostile_text_is_settled_by_one_pass(text in hostile()) {
        check(&text);
    }

    #[test]
    fn any_text_is_settled_by_one_pass(text in "\\PC{0,20}") {
        check(&text);
    }

    #[test]
    fn counts_and_length_agree(original in hostile()) {
        let (out, counts) = clean(&original);
        let crlf = original.chars().count() - counts.removed;
        prop_assert!(out.chars().count() <= original.chars().count());
        prop_assert!(counts.removed + counts.defused <= original.chars().count());
        if counts.defused == 0 {
            prop_assert!(out.chars().count() <= crlf);
        }
    }

    #[test]
    fn poured_slices_make_up_the_text(original in hostile()) {
        let mut poured = String::new();
        let (counts, _) = pour(&original, &mut |slice| { poured.push_str(slice); ControlFlow::Continue(()) });
        prop_assert_eq!((poured, counts), clean(&original));
    }

    // A JSON string may hold C1 controls and line separators as they are; whoever sanitises serialised
    // values escapes those or sanitises the strings.
    #[test]
    fn json_stays_json(content in hostile().prop_map(|text| text.replace(['\u{85}', '\u{9b}'], ""))) {
        let json = serde_json::to_string(&serde_json::json!({ "key": content })).unwrap();
        let (out, _) = clean(&json);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{} became {}", json, out);
    }
}
