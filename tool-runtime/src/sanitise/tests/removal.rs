use super::*;

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
fn json_text_stays_json() {
    for (original, expected) in [
        ("{\"a\":\"b\u{2028}c\"}", "{\"a\":\"b\\nc\"}"),
        (" [\n\"\u{85}\",\r\n\"\u{2029}\\\"\u{2028}\"\r]", " [\n\"\\n\",\n\"\\n\\\"\\n\"\n]"),
        ("{\"a\":\"\u{2028}\"}\n{\"b\":\"\u{2028}\"}\n", "{\"a\":\"\\n\"}\n{\"b\":\"\\n\"}\n"),
        ("\u{feff}{\"a\":\"\u{2028}\"}", "{\"a\":\"\\n\"}"),
        ("\"a\u{2028}b\"", "\"a\\nb\""),
        ("[\"\u{9b}\",{\"a\":\"\u{9b}31mred\u{9b}\\\\x\"}]", "[\"\",{\"a\":\"red\\\\x\"}]"),
        ("[\"\u{9d}0;a\",\"b\u{9c}\"]", "[\"0;a\",\"b\"]"),
        // No JSON.
        ("{\"a\":\"b\u{2028}c\"", "{\"a\":\"b\nc\""),
        ("[Chorus]\u{2028}He said \"a\u{2028}b\"", "[Chorus]\nHe said \"a\nb\""),
        ("\"a\"\u{2028}\"b\"", "\"a\"\n\"b\""),
    ] {
        assert_eq!(check(original), expected, "{original:?}");
        if serde_json::from_str::<serde_json::Value>(original).is_ok() {
            assert!(serde_json::from_str::<serde_json::Value>(expected).is_ok(), "{expected:?}");
        }
    }
}

/// Rules that look at neighbours meet each other.
#[test]
fn three_characters_are_settled_by_one_pass() {
    let chars = "a ~<\n\r\u{85}\u{2028}\u{9b}\u{1b}[\"\u{200c}\u{200d}\u{fe0e}\u{fe0f}\u{180b}\u{180e}\u{1820}\u{1807}क\u{94d}नه葛👨\u{1f3fb}\u{1f3f4}\u{e0067}\u{e007f}\u{e0100}\u{301}\u{17b4}\u{61c}\u{34f}\u{ad}ￎ";
    for a in chars.chars() {
        for b in chars.chars() {
            for c in chars.chars() {
                check(&String::from_iter([a, b, c]));
            }
        }
    }
    assert_eq!(check("क\u{200d}\u{180b}"), "क");
    assert_eq!(check("\u{1820}\u{200d}\u{180b}"), "\u{1820}\u{180b}");
    assert_eq!(check("\u{1820}\u{180b}\u{200d}\u{1820}"), "\u{1820}\u{180b}\u{200d}\u{1820}");
}
