//! Doc comments: the text that rustdoc would show, and the parameters that an `# Arguments` section describes.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comments of one item.
pub(crate) enum Docs {
    /// All lines, without what indents them.
    Text(String),
    /// One came from a macro such as `include_str!`, which only rustc can expand.
    Pieces(Vec<Piece>),
}

/// A part of doc comments.
pub(crate) enum Piece {
    /// Lines, with what indents them.
    Text(String),
    Macro(TokenStream),
}

/// The whole text as one expression.
pub(crate) fn joined(pieces: &[Piece]) -> TokenStream {
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => quote!(#text),
        Piece::Macro(tokens) => tokens.clone(),
    });
    quote!(::core::concat!(#(#pieces, "\n"),*))
}

pub(crate) fn is_doc(attr: &Attribute) -> bool {
    value_of(attr).is_some()
}

fn value_of(attr: &Attribute) -> Option<&Expr> {
    match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(&pair.value),
        _ => None,
    }
}

/// The doc comments among `attrs`.
pub(crate) fn parse(attrs: &[Attribute]) -> Docs {
    let mut pieces = Vec::new();
    for value in attrs.iter().filter_map(value_of) {
        let Expr::Lit(ExprLit { lit: Lit::Str(comment), .. }) = value else {
            pieces.push(Piece::Macro(quote!(#value)));
            continue;
        };
        let lines = comment_lines(&comment.value());
        if let Some(Piece::Text(text)) = pieces.last_mut() {
            text.push('\n');
            text.push_str(&lines);
        } else {
            pieces.push(Piece::Text(lines));
        }
    }
    match pieces.as_slice() {
        [] => Docs::Text(String::new()),
        [Piece::Text(text)] => Docs::Text(unindented(text)),
        _ => Docs::Pieces(pieces),
    }
}

/// The lines of one comment: `/// text` without its space, `/** .. */` without its stars.
fn comment_lines(comment: &str) -> String {
    let Some((first, rest)) = comment.split_once('\n') else {
        return comment.strip_prefix(' ').unwrap_or(comment).to_owned();
    };
    // Behind text on the first line, stars in the first column are a list of the user's.
    let is_column =
        |line: &str| line.trim_start().starts_with('*') && (first.trim().is_empty() || line.starts_with(' '));
    let rest = if rest.lines().all(|line| line.trim().is_empty() || is_column(line)) {
        let lines = rest.lines().map(|line| line.trim_start().strip_prefix('*').unwrap_or(""));
        unindented(&lines.collect::<Vec<_>>().join("\n"))
    } else {
        unindented(rest)
    };
    format!("{}\n{rest}", first.trim_start())
}

/// The text without the indentation that all its lines share and without blank lines around it.
fn unindented(text: &str) -> String {
    let indent = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = text.lines().map(|line| line.get(indent..).unwrap_or("").trim_end()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// One bullet of an `# Arguments` section.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bullet {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Takes the bullets that `is_parameter` out of the `# Arguments` section of `text`. Whatever else the section holds
/// stays where it is; when it holds nothing else, its heading goes too. Also gives the names that are no parameter.
pub(crate) fn take_arguments(text: &str, is_parameter: impl Fn(&str) -> bool) -> (String, Vec<Bullet>, Vec<String>) {
    let mut kept: Vec<&str> = Vec::new();
    let mut taken: Vec<Bullet> = Vec::new();
    let mut strangers = Vec::new();
    let mut place = Place::Outside;
    let mut is_code = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        is_code ^= is_fence;
        if !is_code && !is_fence && line.starts_with('#') {
            drop_empty_heading(&mut kept, place);
            place = if is_arguments_heading(line) { Place::Section { heading: kept.len() } } else { Place::Outside };
        } else if let Place::Section { heading } | Place::Bullet { heading } = place {
            match bullet(line).filter(|_| !is_code) {
                Some((name, text)) if is_parameter(name) => {
                    taken.push(Bullet { name: name.to_owned(), text: text.to_owned() });
                    place = Place::Bullet { heading };
                    continue;
                }
                Some((name, _)) => {
                    strangers.push(name.to_owned());
                    place = Place::Section { heading };
                }
                None if line.trim().is_empty() => place = Place::Section { heading },
                None => {
                    if let (Place::Bullet { .. }, Some(last)) = (place, taken.last_mut()) {
                        last.text.push(' ');
                        last.text.push_str(line.trim());
                        continue;
                    }
                }
            }
        }
        kept.push(line);
    }
    drop_empty_heading(&mut kept, place);
    (kept.join("\n").trim_matches('\n').to_owned(), taken, strangers)
}

/// Where a line stands; `heading` is the line of the section's heading.
#[derive(Clone, Copy)]
enum Place {
    Outside,
    Section { heading: usize },
    Bullet { heading: usize },
}

fn drop_empty_heading(kept: &mut Vec<&str>, place: Place) {
    if let Place::Section { heading } | Place::Bullet { heading } = place {
        if kept.iter().skip(heading + 1).all(|line| line.trim().is_empty()) {
            kept.truncate(heading);
        }
    }
}

fn is_arguments_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#').trim().trim_end_matches(':');
    ["arguments", "args", "parameters", "params"].iter().any(|known| title.eq_ignore_ascii_case(known))
}

/// Name and text of `` * `a` - text ``, `- a: text` and the like.
fn bullet(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let item = line.strip_prefix("* ").or_else(|| line.strip_prefix("- ")).or_else(|| line.strip_prefix("+ "))?;
    let item = item.trim_start();
    let (name, rest) = ["**`", "`", "**"]
        .iter()
        .find_map(|open| {
            let close: String = open.chars().rev().collect();
            item.strip_prefix(open)?.split_once(close.as_str())
        })
        .unwrap_or_else(|| item.split_at(item.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(item.len())));
    // A type in parentheses, as in "`a` (u32): text", says nothing that the schema doesn't.
    let rest = rest.trim_start();
    let rest =
        rest.strip_prefix('(').and_then(|inner| inner.split_once(')')).map_or(rest, |(_, rest)| rest.trim_start());
    let text = [":", "--", "-", "\u{2013}", "\u{2014}"].iter().find_map(|mark| rest.strip_prefix(mark))?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '#' | '-' | '.'));
    is_name.then(|| (name.strip_prefix("r#").unwrap_or(name), text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(docs: &str) -> String {
        let item: syn::ItemFn = syn::parse_str(&format!("{docs}\nfn f() {{}}")).expect("a function");
        match parse(&item.attrs) {
            Docs::Text(text) => text,
            Docs::Pieces(pieces) => format!("expr {}", joined(&pieces)),
        }
    }

    #[test]
    fn all_lines_are_joined_and_what_they_share_is_stripped() {
        assert_eq!(text(""), "");
        assert_eq!(text("/// One.\n/// Two.\n///\n///     code\n/// Three."), "One.\nTwo.\n\n    code\nThree.");
        assert_eq!(text("///One.\n///Two."), "One.\nTwo.");
        assert_eq!(text("///   One.\n///   Two."), "One.\nTwo.");
        assert_eq!(text("#[doc = \"One.\"]\n/// Two."), "One.\nTwo.");
        assert_eq!(text("/** One. */"), "One.");
        assert_eq!(text("/**\n * One.\n *   - Two.\n */"), "One.\n  - Two.");
        assert_eq!(text("/** One.\n * Two.\n */"), "One.\nTwo.");
        assert_eq!(text("#[doc = \"One:\n* Two.\"]"), "One:\n* Two.");
        assert_eq!(text("/** One.\n    Two. */"), "One.\nTwo.");
        assert_eq!(text("#[doc(hidden)]\n/// One."), "One.");
    }

    #[test]
    fn a_macro_is_left_to_rustc() {
        let tokens = text("/// One.\n#[doc = include_str!(\"a.md\")]");
        assert!(tokens.contains("concat") && tokens.contains("include_str") && tokens.contains("One."), "{tokens}");
    }

    fn arguments(text: &str) -> (String, Vec<(String, String)>, Vec<String>) {
        let (rest, bullets, strangers) = take_arguments(text, |name| ["a", "b", "type"].contains(&name));
        (rest, bullets.into_iter().map(|bullet| (bullet.name, bullet.text)).collect(), strangers)
    }

    #[test]
    fn bullets_of_parameters_leave_the_description() {
        for line in [
            "* `a` - first number",
            "- a: first number",
            "- `a`: first number",
            "* a - first number",
            "* `a` \u{2014} first number",
            "* **a**: first number",
            "  * `a` (u32) - first number",
            "* `a` - first\n  number",
        ] {
            let (rest, bullets, strangers) = arguments(&format!("Add.\n\n# Arguments\n\n{line}\n"));
            assert_eq!(rest, "Add.", "{line}");
            assert_eq!(bullets, [("a".to_owned(), "first number".to_owned())], "{line}");
            assert!(strangers.is_empty());
        }
        assert_eq!(arguments("# Arguments\n* `r#type` - kind").1, [("type".to_owned(), "kind".to_owned())]);
    }

    #[test]
    fn whatever_else_stands_in_the_section_stays() {
        let (rest, bullets, strangers) =
            arguments("Add.\n\n# Arguments\n* `a` - one\n* `c` - three\n\nBoth count.\n\n# Errors\n- a: none");
        assert_eq!(rest, "Add.\n\n# Arguments\n* `c` - three\n\nBoth count.\n\n# Errors\n- a: none");
        assert_eq!(bullets.len(), 1);
        assert_eq!(strangers, ["c"]);
    }

    #[test]
    fn sections_after_it_stay() {
        let (rest, bullets, _) = arguments("Add.\n\n# Arguments\n* `a` - one\n* `b` - two\n\n# Errors\nNever.");
        assert_eq!(rest, "Add.\n\n# Errors\nNever.");
        assert_eq!(bullets.len(), 2);
    }

    #[test]
    fn a_heading_in_a_code_block_is_no_heading() {
        let text = "Add.\n```sh\n# Arguments\n- a: one\n```";
        assert_eq!(arguments(text), (text.to_owned(), vec![], vec![]));
    }
}
