use proptest::prelude::*;
use serde_json::json;

use super::*;

fn why(part: Result<Part, PartError>) -> String {
    part.unwrap_err().to_string()
}

#[test]
fn base64_comes_in_both_alphabets_padded_or_not() {
    for text in ["+/8=", "+/8", "-_8=", "-_8", " +/\r\n\t8=\n"] {
        assert_eq!(Part::image_base64(text, "image/png").unwrap(), Part::image([0xfb, 0xff], "image/png"), "{text:?}");
    }
    assert_eq!(Part::audio_base64("", "audio/wav").unwrap(), Part::audio([], "audio/wav"));
}

#[test]
fn what_is_no_base64_is_named() {
    for (text, message) in [
        ("aGk!", "`!` at byte 3 is no Base64; write Base64 of the bytes (A-Z, a-z, 0-9, `+`, `/`)"),
        ("aGké", "`é` at byte 3 is no Base64; write Base64 of the bytes (A-Z, a-z, 0-9, `+`, `/`)"),
        ("a\u{a0}", "`\\u{a0}` at byte 1 is no Base64; write Base64 of the bytes (A-Z, a-z, 0-9, `+`, `/`)"),
        ("data:image/png;base64,aGk=", "`:` at byte 4 is no Base64; a `data:` URL goes into `…_url`"),
        (
            "+-aa",
            "the Base64 text mixes the standard alphabet (`+`, `/`) with the URL-safe one (`-`, `_`); write it in one \
             of them",
        ),
        ("aGkaG", "the Base64 text is cut off: it has 5 characters, one more than a multiple of 4; write all of it"),
        (
            "aG=k",
            "the Base64 text has padding (`=`) in its middle, too much of it, or ends inside a byte; write Base64 of \
             the bytes, padded with at most two `=` at its end",
        ),
    ] {
        let error = Part::file_base64("f", text, "application/pdf").unwrap_err();
        assert_eq!((error.to_string(), error.is_base64()), (message.to_owned(), true), "{text:?}");
    }
    for text in ["aGk===", "====", "aGl=", "="] {
        assert!(Part::file_base64("f", text, "application/pdf").unwrap_err().is_base64(), "{text:?}");
    }
}

#[test]
fn data_urls_are_taken_apart() {
    let dot = Part::image(*b"hi", "image/png");
    for url in [
        "data:image/png;base64,aGk=",
        "DATA:image/png;BASE64,aGk",
        "data:image/png;base64,aG%6B%3D",
        "data:image/png,hi",
        "data:image/png,%68i",
    ] {
        assert_eq!(Part::image_url(url).unwrap(), dot, "{url}");
    }
    assert_eq!(
        Part::file_url("a.txt", "data:;charset=utf-8,a%2Cb").unwrap(),
        Part::file("a.txt", *b"a,b", "text/plain;charset=utf-8")
    );
    assert_eq!(Part::file_url("a.txt", "data:,a").unwrap(), Part::file("a.txt", *b"a", "text/plain;charset=US-ASCII"));
}

#[test]
fn addresses_are_carried_and_not_fetched() {
    for url in ["https://example.com/a.png?x=%20#top", "HTTP://user:key@[::1]:80", "http://localhost:1/"] {
        let Part::Remote(remote) = Part::image_url(url).unwrap() else { unreachable!() };
        assert_eq!((remote.kind(), remote.url()), (MediaKind::Image, url));
    }
}

#[test]
fn what_is_no_url_is_named() {
    for (url, message) in [
        ("chart.png", "`chart.png` is no URL; write `https://…`, `http://…` or `data:…`"),
        (
            "file:///etc/passwd",
            "a provider fetches no `file` URL; write `https://…`, `http://…` or `data:…`, or refer to it with \
             `Part::resource_link`",
        ),
        ("https:example.com", "`https:example.com` names no host; write `https://host/path`"),
        ("https:///path", "`https:///path` names no host; write `https://host/path`"),
        ("https://:80", "`https://:80` names no host; write `https://host/path`"),
        ("https://a/b c", "` ` at byte 11 may not stand in a URI; write `%20`"),
        ("https://a/é", "`é` at byte 10 may not stand in a URI; write `%C3%A9`"),
        ("https://a/\n", "`\\n` at byte 10 may not stand in a URI; write `%0A`"),
        ("https://a/<b>", "`<` at byte 10 may not stand in a URI; write `%3C`"),
        ("data:image/png;base64", "the `data:` URL has no comma before its data; write `data:image/png;base64,…`"),
        (
            "data:image/png,%zz",
            "a `%` in the `data:` URL is not followed by two hexadecimal digits; write `%25` for `%`",
        ),
    ] {
        let error = Part::image_url(url).unwrap_err();
        assert_eq!((error.to_string(), error.is_url()), (message.to_owned(), true), "{url}");
    }
    let long = format!("https://a/{}", "b".repeat(9000));
    assert_eq!(
        why(Part::image_url(&long)),
        "the URI has 9010 bytes, and at most 8192 are taken; give the content itself"
    );
    assert!(Part::image_url("data:image/png;base64,a!").unwrap_err().is_base64());
    assert!(Part::image_url("data:image/png;base64,%ff").unwrap_err().is_base64());
    assert!(Remote::new(MediaKind::File, "data:,a").unwrap_err().is_url());
    assert!(Part::resource_link("no scheme", "x").checked().unwrap_err().is_url());
    assert!(Part::resource_link("1x:y", "x").checked().unwrap_err().is_url());
}

#[test]
fn media_types_are_of_their_kind() {
    for (part, message) in [
        (
            Part::image(*b"x", "png"),
            "`png` is no media type, which is `type/subtype` (RFC 6838); write for example `image/png`",
        ),
        (
            Part::audio(*b"x", "image/png"),
            "audio can't have the media type `image/png`; write one that begins with `audio/`, or make it a file \
             (`Part::file`)",
        ),
        (
            Part::file("a", *b"x", "</external_tool_result>"),
            "`</external_tool_result>` is no media type, which is `type/subtype` (RFC 6838); write for example \
             `application/pdf`",
        ),
        (
            ResourceLink::new("a:b", "n").media_type("").into(),
            "`` is no media type, which is `type/subtype` (RFC 6838); write for example `application/pdf`",
        ),
    ] {
        let error = part.checked().unwrap_err();
        assert_eq!((error.to_string(), error.is_media_type()), (message.to_owned(), true));
    }
    assert_eq!(
        why(Part::image_url("data:,x")),
        "the `data:` URL of an image names no media type; write `data:image/…;base64,…`"
    );
    assert!(Part::image_url("data:text/plain,x").unwrap_err().is_media_type());
    for part in [
        Part::text("x"),
        Part::image(*b"x", "IMAGE/svg+xml"),
        Part::audio(*b"x", "audio/ogg; codecs=opus"),
        Part::file("x", *b"x", "image/png"),
        Part::resource_link("db://users/1", "user 1"),
    ] {
        assert_eq!(part.clone().checked(), Ok(part));
    }
    assert!(Remote::new(MediaKind::Audio, "https://a/b").unwrap().media_type("image/png").is_err());
}

#[test]
fn parts_as_json() {
    let remote = Remote::new(MediaKind::Audio, "https://a/b").unwrap();
    for (part, json) in [
        (Part::text("a"), json!({ "type": "text", "text": "a" })),
        (Part::image(*b"hi", "image/png"), json!({ "type": "image", "media_type": "image/png", "data": "aGk=" })),
        (Part::audio(*b"hi", "audio/wav"), json!({ "type": "audio", "media_type": "audio/wav", "data": "aGk=" })),
        (
            Part::file("f", *b"", "application/pdf"),
            json!({ "type": "file", "name": "f", "media_type": "application/pdf", "data": "" }),
        ),
        (remote.clone().into(), json!({ "type": "audio", "url": "https://a/b" })),
        (
            remote.name("n").media_type("audio/ogg").unwrap().into(),
            json!({ "type": "audio", "name": "n", "media_type": "audio/ogg", "url": "https://a/b" }),
        ),
        (Part::resource_link("a:b", "n"), json!({ "type": "resource_link", "uri": "a:b", "name": "n" })),
        (
            ResourceLink::new("a:b", "n").media_type("text/csv").description("d").into(),
            json!({
                "type": "resource_link", "uri": "a:b", "name": "n", "media_type": "text/csv", "description": "d"
            }),
        ),
    ] {
        assert_eq!(serde_json::to_value(&part).unwrap(), json);
    }
}

proptest! {
    #[test]
    fn base64_goes_there_and_back(bytes in prop::collection::vec(any::<u8>(), 0..50), width in 1_usize..9) {
        let text = Base64Display::new(&bytes, &STANDARD).to_string();
        let for_urls = text.replace('+', "-").replace('/', "_");
        let lines: String = text.chars().collect::<Vec<_>>().chunks(width).map(|line| line.iter().collect::<String>() + "\r\n").collect();
        for text in [text.as_str(), for_urls.as_str(), text.trim_end_matches('='), lines.as_str()] {
            prop_assert_eq!(Part::file_base64("f", text, "application/pdf").unwrap(), Part::file("f", bytes.clone(), "application/pdf"));
        }
        let Part::File { data, .. } = Part::file_url("f", &format!("data:application/pdf;base64,{text}")).unwrap() else { unreachable!() };
        prop_assert_eq!(&*data, &bytes[..]);
    }

    #[test]
    fn nothing_makes_a_constructor_panic(text in ".{0,40}") {
        let _ = Part::image_base64(&text, text.clone());
        for scheme in ["", "data:", "https://", "data:image/png;base64,", "data:image/png,"] {
            let _ = Part::image_url(&format!("{scheme}{text}"));
        }
        let _ = Part::resource_link(text.clone(), text.clone()).checked();
    }
}
