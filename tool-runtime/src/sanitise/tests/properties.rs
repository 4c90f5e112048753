use proptest::prelude::*;

use super::*;

/// Pieces that markers, tokens, escapes and sequences are made of.
#[expect(clippy::too_many_lines, reason = "a list")]
pub(in crate::sanitise) fn hostile() -> impl Strategy<Value = String> {
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
        "く",
        "start_of_turn>",
        "\u{2028}",
        "\u{9d}",
        "\u{9c}",
        "\u{180b}",
        "क",
        "\u{1820}",
        ":",
        "ns:",
        "'",
        "=",
        "=3C",
        "=78",
        "=3D",
        "+ADw-",
        "$",
        "</>",
        "m",
        "ꝏ",
        "&xscr;",
        "&chi;",
        "\\3c ",
        "\\78",
        "‹",
        "│",
        "く",
        "·",
        "@",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

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
        prop_assert!(counts.removed + counts.defused <= original.chars().count());
        // What stands for a marker may be longer than the shortest spelling of one.
        if counts.defused == 0 {
            prop_assert!(out.len() <= original.len());
        }
    }

    #[test]
    fn poured_slices_make_up_the_text(original in hostile()) {
        let mut poured = String::new();
        let (counts, _) = pour(&original, &mut |slice| { poured.push_str(slice); ControlFlow::Continue(()) });
        prop_assert_eq!((poured, counts), clean(&original));
    }

    #[test]
    fn json_stays_json(content in hostile()) {
        let json = serde_json::to_string(&serde_json::json!({ "key": content })).unwrap();
        let (out, _) = clean(&json);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{} became {}", json, out);
    }
}
