//! What secrets look like.

use regex::Regex;

use super::judge::{has_digit, has_run, is_expression, is_random, is_value};

/// What a match is, and which part of it is the secret.
pub(super) struct Form {
    pub(super) kind: &'static str,
    pub(super) pattern: Pattern,
    /// Looks at the secret itself, for what an expression can't say.
    pub(super) is_secret: fn(&str) -> bool,
}

pub(super) enum Pattern {
    /// The secret is the group `s`; what stands round it is context.
    Plain(&'static str),
    /// The secret is what stands in quotes behind one of these keys.
    Quoted(&'static str),
}

const fn form(kind: &'static str, pattern: &'static str) -> Form {
    checked(kind, pattern, |_| true)
}

const fn checked(kind: &'static str, pattern: &'static str, is_secret: fn(&str) -> bool) -> Form {
    Form { kind, pattern: Pattern::Plain(pattern), is_secret }
}

const fn quoted(kind: &'static str, keys: &'static str, is_secret: fn(&str) -> bool) -> Form {
    Form { kind, pattern: Pattern::Quoted(keys), is_secret }
}

pub(super) const AWS_KEY_ID: &str = "AWS key id";
pub(super) const AWS_SECRET_KEY: &str = "AWS secret key";
pub(super) const PASSWORD: &str = "password";
pub(super) const SECRET: &str = "secret";

/// The first that matches at a place wins, so what gives most context comes first. `\s`, `\b` and `(?i:` mean ASCII.
pub(super) const FORMS: &[Form] = &[
    checked(
        "private key",
        // A key that was cut off is one too.
        r"(?P<s>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[A-Za-z0-9+/=\s\\:,.()@<>_]|-[A-Za-z0-9])*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:\s|\\[nr])*[A-Za-z0-9+/=]{40}[A-Za-z0-9+/=\s\\]*))",
        |block| has_run(block, 16),
    ),
    form(
        "authorization header",
        r#"(?i:authorization)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?i:bearer|basic|token|apikey|digest|negotiate)\s{1,4}(?P<s>[^\s"'\\,;<>\[{$]{8,})"#,
    ),
    checked("bearer token", r"(?i:\bbearer)\s{1,4}(?P<s>[A-Za-z0-9._~+/-]{16,}=*)", has_digit),
    checked(PASSWORD, r#"\b[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/:@'"<>]*:(?P<s>[^\s/'"<>]+)@"#, is_value),
    form("Azure key", r"(?i:AccountKey|SharedAccessKey)\s{0,2}=\s{0,2}(?P<s>[A-Za-z0-9+/]{40,100}={0,2})"),
    form("Azure signature", r"[?&]sig=(?P<s>[A-Za-z0-9%+/]{43,120}={0,2})"),
    form(
        AWS_SECRET_KEY,
        r#"(?i:secret_?access_?key)\\?["']?\s{0,4}(?:[:=]|=>|>)\s{0,4}\\?["']?(?P<s>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)"#,
    ),
    quoted(PASSWORD, "password|passwd|passphrase|pwd", is_value),
    checked(PASSWORD, r#"(?i:password|passwd|passphrase|pwd)=(?P<s>[^\s'"`&;,<>()\[\]{}=][^\s'"`&;,<>]*)"#, |value| {
        is_value(value) && !is_expression(value)
    }),
    quoted(
        SECRET,
        "api[_-]?key|client[_-]?secret|secret[_-]?key|(?:access|auth|refresh|id)[_-]?token|private[_-]?key",
        is_random,
    ),
    checked(
        SECRET,
        r"(?i:api[_-]?key|client[_-]?secret|secret[_-]?key|(?:access|auth|refresh)[_-]?token)\s{0,2}[:=]\s{0,2}(?P<s>[A-Za-z0-9._~+/-]{16,}=*)",
        is_random,
    ),
    form(AWS_KEY_ID, r"\b(?P<s>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b"),
    form("Google API key", r"\b(?P<s>AIza[A-Za-z0-9_-]{35})"),
    form("Google token", r"\b(?P<s>ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{28})"),
    form("Azure secret", r"(?P<s>\b[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})"),
    form("GitHub token", r"\b(?P<s>gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    form("GitLab token", r"\b(?P<s>gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_.-]{20,})"),
    checked("Slack token", r"\b(?P<s>xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,})", has_digit),
    form("Slack webhook", r"(?P<s>hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{20,})"),
    form("Stripe key", r"\b(?P<s>[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}={0,2})"),
    // Names of CSS classes begin like this too.
    checked("API key", r"\b(?P<s>sk-[A-Za-z0-9_-]{16,})", |key| has_run(key, 16) && is_random(key)),
    form("npm token", r"\b(?P<s>npm_[A-Za-z0-9]{36})\b"),
    form("PyPI token", r"\b(?P<s>pypi-AgE[A-Za-z0-9_-]{50,})"),
    form("Hugging Face token", r"\b(?P<s>hf_[A-Za-z0-9]{34,40})\b"),
    form("SendGrid key", r"\b(?P<s>SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})"),
    form("DigitalOcean token", r"\b(?P<s>do[opr]_v1_[a-f0-9]{64})\b"),
    form(
        "JSON web token",
        r"\b(?P<s>eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2})",
    ),
];

/// The groups in which a form may have its secret.
pub(super) const GROUPS: [char; 3] = ['s', 't', 'u'];

pub(super) fn compile() -> Regex {
    let forms = FORMS.iter().enumerate().map(|(index, form)| {
        let mut pattern = match form.pattern {
            Pattern::Plain(pattern) => pattern.to_owned(),
            Pattern::Quoted(keys) => format!(
                "(?i:{keys})\\\\?[\"']?\\s{{0,4}}(?:[:=]|=>)\\s{{0,4}}(?:\
                 \"(?P<s>(?:[^\"\\\\\r\n]|\\\\[^\r\n])+)\"|\
                 '(?P<t>(?:[^'\\\\\r\n]|\\\\[^\r\n])+)'|\
                 \\\\\"(?P<u>[^\"\\\\\r\n]+)\\\\\")"
            ),
        };
        for group in GROUPS {
            pattern = pattern.replace(&format!("(?P<{group}>"), &format!("(?P<{group}{index}>"));
        }
        pattern
    });
    let all = forms.collect::<Vec<_>>().join("|");
    let all = all.replace("(?i:", "(?i-u:").replace(r"\b", r"(?-u:\b)");
    // First where it stands in a class.
    let all = all.replace(r"[^\s", r"[^ \t\r\n").replace(r"+/=\s", r"+/= \t\r\n").replace(r"\s", r"[ \t\r\n]");
    Regex::new(&all).expect("the forms are fixed, and a test compiles them")
}
