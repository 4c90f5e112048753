//! The examples of `tool-runtime`; each runs offline with `cargo run --example <name>`.
//!
//! | name | teaches |
//! |---|---|
//! | `first` | a function becomes a tool, is described, called and answered |
//! | `quickstart` | seven tools over real files, what the model reads of each, and what that saves |
//! | `compact_view` | three ways to show the model less than the whole result |
//! | `limits` | four ways to cut, and how to get at what was cut |
//! | `external` | text from outside: cleaned, and fenced |
//! | `errors` | what the model reads when a call fails |
//! | `by_hand` | tools without the macro, with and without a type for the arguments |
//! | `media` | images, sound, files and links: what each provider gets of them |
//! | `messages` | the same tool and the same outcome for four providers |
//!
//! What each prints is in `expected/`, but for `quickstart`, whose artifacts have names that depend on the time.
