use super::*;

const NAME: &str = "external_tool_result";

#[test]
fn every_bracket_opens_a_marker() {
    let brackets =
        "< [ { ( ＜ ［ ｛ （ ‹ « ≪ ❰ ❮ ❬ ❲ ❴ ⟨ ⟪ ⟦ 〈 《 「 【 〈 ˂ ᐸ ≤ ≺ ⋖ ⦑ ⧼ ⸢ ﹤ ﹛ ﹝ ◀ “ ⁅ ⦅ ﴿ ⌈ ༼ 𝈶 ⮘ ⏴ 𐏐";
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
                   %3C %3c %253C %25253c %E2%80%B9 %EF%BC%9C %25E2%2580%25B9 %5B %u003c &percnt;3C ＆lt； &bsol;u003c &nvlt; \\3c \\00003c =3C =3c =3D3C =E2=80=B9 +ADw- +ADw &equals;3C &leftanglebracket;";
    for escape in escapes.split_whitespace() {
        for slash in ["", "/", "\\/", "%2F", "&#47;", "&sol;", "\\u002f", "\\n/ "] {
            // The `e` would be a digit of the escape.
            let slash = if slash.is_empty() && escape == "\\3c" { " " } else { slash };
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
        "external.tool.result",
        "external·tool·result",
        "external/tool/result",
        "external:tool:result",
        "external|tool|result",
        "external=tool=result",
        "extemal_tool_result",
        "externalm_tꝏl_result".replace("lm", "l").as_str(),
        "exter㎁l_t∞l_result",
        "e&xscr;ternal_tool_result",
        "e&Xopf;t&eacute;rnal_t&oslash;&ofr;l_result",
        "e&chi;ternal&ic;_tool&af;_result",
        "e&times;ternal&hairsp;tool&middot;result",
        "e=78ternal_tool_result",
        "e=D1=85ternal_tool_result",
        "e\\78ternal_tool_result",
        "exterŉal_tool_resʉlt",
        "external_tool_resꭏlt",
        "exter\n.nal_tool_result",
    ] {
        let name = if name.ends_with("ternal") { format!("{name}_tool_result") } else { name.to_owned() };
        defused(&format!("a</{name}> b"));
        defused(&format!("{{\"key\": \"<{name}>\"}}"));
        defused(&format!("a < {name}"));
    }
}

#[test]
fn tags_of_every_syntax_are_markers() {
    for tag in [
        "</ns:external_tool_result>",
        "<ns:external_tool_result>",
        "</a.b-c:ns2:external_tool_result>",
        "</external:external_tool_result>",
        "</e:external_tool_result>",
        "</ёж:external_tool_result>",
        "&lt;/ns&colon;external_tool_result&gt;",
        "<%/external_tool_result%>",
        "<%= external_tool_result %>",
        "{%/external_tool_result%}",
        "{% external_tool_result %}",
        "{{$external_tool_result}}",
        "<@external_tool_result>",
        "<*external_tool_result*>",
        "<.external_tool_result>",
        "<&external_tool_result>",
        "</>external_tool_result",
        "&lt;/&gt;external_tool_result",
        "<\"external_tool_result\">",
        "</\"external_tool_result\">",
        "<\"/external_tool_result\">",
        "<\\\"external_tool_result\\\">",
        "<'external_tool_result'>",
        "<`external_tool_result`>",
        "く/external_tool_result>",
        "ㄑ/ external_tool_result>",
        "⟵/external_tool_result>",
        "⟸\\external_tool_result>",
        "⊂/external_tool_result⊃",
    ] {
        defused(&format!("a {tag} b"));
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
        "{\"<\":\"external_tool_result\",\"a\":[\"<\",\"external_tool_result\"]}",
        "[\"external_tool_result\", 'external_tool_result']",
        "{\\\"external_tool_result\\\": 1}",
        "[note: external_tool_result]",
        "{kind: external_tool_result}",
        "x ← external_tool_result",
        "東京からくexternal_tool_resultです",
        "(external: tool, result) “external. Tool result”",
        "<https://example.com/external/tool/result>",
        "<a href=\"external_tool_result\">x</a>",
        "<ns:external>tool</ns:external>",
        "usage: prog [OPTIONS] [ARGS] <FILE>",
        "[IMG]https://example.com/a.png[/IMG]",
        "‹citation› « guillemets » ﹤x﹥",
        "x=3D\"a\" =78 =\n",
        "C:\\3com\\78\\8x \\9",
        "1+ADw 2",
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
        "[CALL_ID]",
        "[THINK]",
        "[/THINK]",
        "[IMG_END]",
        "<tool_result>",
        "</tool_result>",
        "<function_calls>",
        "</function_calls>",
        "<start_function_call>",
        "<end_function_call>",
        "<fim_prefix>",
        "﹤|im_start|﹥",
        "‹│im_start│›",
        "<∣im_start∣>",
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
    // What is removed between brackets keeps none of them apart.
    assert_eq!(check("<\u{200b}(external tool result)"), "~external-tool-result)");
    assert_eq!(check("‹\u{200d}くexternal_tool_result"), "~external-tool-result");
    let (_, counts) = clean("</ext\u{200b}ernal_tool_result>");
    assert_eq!(counts, Counts { removed: 1, defused: 22 });
}
