//! A multimodal result as the model reads it.

use crate::{part::Part, policy::Trust};

/// The parts, ours among them, and what stands for each of them where only text can go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    parts: Vec<Part>,
    /// Empty for text, which stands for itself.
    lines: Vec<String>,
    /// Whether names and texts in the parts were chosen by somebody outside.
    trust: Trust,
}

impl Content {
    pub(crate) fn new(trust: Trust) -> Self {
        Self { trust, ..Self::default() }
    }

    pub(crate) fn push_text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::text(text));
        self.lines.push(String::new());
    }

    pub(crate) fn push(&mut self, part: Part, line: String) {
        self.parts.push(part);
        self.lines.push(line);
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub(crate) fn trust(&self) -> Trust {
        self.trust
    }

    /// Each part with the text that stands for it.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Part, &str)> {
        self.parts.iter().zip(&self.lines).map(|(part, line)| match part {
            Part::Text(text) => (part, text.as_str()),
            _ => (part, line.as_str()),
        })
    }

    /// All of it for a model that takes only text.
    pub(crate) fn text(&self) -> String {
        let lines: Vec<&str> = self.iter().map(|(_, line)| line).collect();
        lines.join("\n")
    }
}
