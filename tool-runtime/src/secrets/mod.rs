//! A ready redactor for keys and passwords of common forms.

use std::{
    borrow::Cow,
    fmt,
    ops::Range,
    sync::{Arc, LazyLock},
};

use regex::{Captures, Match, Regex};

use crate::redact::Redactor;

mod forms;
mod judge;

use forms::{AWS_KEY_ID, AWS_SECRET_KEY, FORMS, Form, GROUPS, PASSWORD, Pattern, SECRET};
use judge::{is_random, is_value};

/// Replaces keys and passwords of common forms by `[redacted: kind]`.
///
/// Known by their own form: keys of AWS, Google Cloud, Azure, GitHub, GitLab, Slack, Stripe, `OpenAI`, Anthropic, npm,
/// `PyPI`, Hugging Face, `SendGrid` and `DigitalOcean`, JSON web tokens, and private keys in PEM blocks. Known by what
/// stands before them: values of `Authorization` headers, of `password`, `api_key`, `client_secret` and the like (in
/// quotes, after `=`, or under such a key in JSON), the password in a URL, and the secret near an AWS key id.
///
/// It errs on the side of showing: hashes, UUIDs, Base64 and prose about passwords stay, and so does a secret that
/// looks like any other word. It is a net under a tool that returns too much, and no reason to return secrets.
///
/// Takes linear time, and applying it twice is the same as applying it once. Needs feature `secrets`.
///
/// ```
/// use tool_runtime::{Redactor, Secrets};
///
/// let secrets = Secrets::default();
/// assert_eq!(
///     secrets.redact("db = postgres://app:s3cr3t@db/prod, commit 9fceb02d0ae598e95dc970b74767f19372d61af8"),
///     "db = postgres://app:[redacted: password]@db/prod, commit 9fceb02d0ae598e95dc970b74767f19372d61af8"
/// );
/// ```
#[derive(Clone)]
pub struct Secrets {
    forms: Arc<Regex>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

impl Default for Secrets {
    fn default() -> Self {
        static COMPILED: LazyLock<Arc<Regex>> = LazyLock::new(|| Arc::new(forms::compile()));
        Self { forms: Arc::clone(&COMPILED) }
    }
}

/// A secret in a text.
struct Found {
    place: Range<usize>,
    kind: &'static str,
}

impl Secrets {
    fn find(&self, text: &str) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        // What stands before `base` is redacted, and no context for what follows: twice is then the same as once.
        let (mut base, mut at) = (0, 0);
        while let Some(captures) = self.forms.captures_at(&text[base..], at - base) {
            let Some((form, secret)) = secret_of(&captures) else { break };
            let place = base + secret.start()..base + secret.end();
            if !secret.as_str().starts_with(REDACTED) && (form.is_secret)(secret.as_str()) {
                (base, at) = (place.end, place.end);
                found.push(Found { place, kind: form.kind });
            } else if matches!(form.pattern, Pattern::Quoted(_)) {
                // A sentence may quote another secret.
                at = place.start;
            } else {
                at = place.end;
            }
        }
        let near: Vec<Found> = found
            .iter()
            .filter(|found| found.kind == AWS_KEY_ID)
            .flat_map(|id| aws_secrets_near(text, &id.place))
            .collect();
        if !near.is_empty() {
            found.extend(near);
            found.sort_by_key(|found| found.place.start);
        }
        found
    }
}

/// The form that matched, and the part of the match that is the secret.
fn secret_of<'t>(captures: &Captures<'t>) -> Option<(&'static Form, Match<'t>)> {
    let mut groups = FORMS.iter().enumerate().flat_map(|(index, form)| GROUPS.map(|group| (index, form, group)));
    groups.find_map(|(index, form, group)| captures.name(&format!("{group}{index}")).map(|secret| (form, secret)))
}

/// Secret keys have no form of their own but their length, so only those near a key id are known.
fn aws_secrets_near(text: &str, id: &Range<usize>) -> Vec<Found> {
    const NEAR: usize = 200;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+');
    let bytes = text.as_bytes();
    let (mut at, end) = (id.start.saturating_sub(NEAR), (id.end + NEAR).min(bytes.len()));
    let mut found = Vec::new();
    while at < end {
        let run = bytes[at..].iter().take(41).take_while(|byte| is_part(**byte)).count();
        let starts_here = at == 0 || !is_part(bytes[at - 1]);
        if run == 40 && starts_here {
            // ASCII only, so on character boundaries.
            let secret = &bytes[at..at + run];
            let has = |kind: fn(&u8) -> bool| secret.iter().any(kind);
            if has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit) {
                found.push(Found { place: at..at + run, kind: AWS_SECRET_KEY });
            }
        }
        at += run.max(1);
    }
    found
}

const REDACTED: &str = "[redacted";

impl Redactor for Secrets {
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // What was the context of one secret may have been another.
        const MOST_PASSES: usize = 4;
        let mut clean = Cow::Borrowed(text);
        for _ in 0..MOST_PASSES {
            let found = self.find(&clean);
            if found.is_empty() {
                break;
            }
            clean = replaced(&clean, found).into();
        }
        clean
    }

    fn redact_member<'t>(&self, key: &str, value: &'t str) -> Cow<'t, str> {
        match kind_of_member(key) {
            Some(kind) if is_value(value) && (kind == PASSWORD || is_random(value)) => Cow::Owned(replacement(kind)),
            _ => self.redact(value),
        }
    }
}

fn replaced(text: &str, found: Vec<Found>) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for Found { place, kind } in found {
        // Two ids may have found the same secret.
        if place.start >= done {
            clean.push_str(&text[done..place.start]);
            clean.push_str(&replacement(kind));
            done = place.end;
        }
    }
    clean.push_str(&text[done..]);
    clean
}

fn replacement(kind: &str) -> String {
    format!("{REDACTED}: {kind}]")
}

/// Judges a key of a JSON object by its end, however it is spelled: `db_password`, `userPassword`.
fn kind_of_member(key: &str) -> Option<&'static str> {
    const SECRETS: [&str; 9] = [
        "apikey",
        "clientsecret",
        "secretkey",
        "secretaccesskey",
        "accesstoken",
        "authtoken",
        "refreshtoken",
        "privatekey",
        "authorization",
    ];
    if key.len() > 64 {
        return None;
    }
    let key: String = key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let ends = |words: &[&str]| words.iter().any(|word| key.ends_with(word));
    if ends(&["password", "passwd", "passphrase", "pwd"]) { Some(PASSWORD) } else { ends(&SECRETS).then_some(SECRET) }
}
