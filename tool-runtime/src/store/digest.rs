//! SHA-256 of a result, fed piece by piece.

use std::fmt::Write;

use sha2::{Digest as _, Sha256};

#[derive(Clone, Debug, Default)]
pub(super) struct Digest(Sha256);

impl Digest {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// 64 lower-case hexadecimal digits.
    pub(super) fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_standard() {
        let mut digest = Digest::default();
        digest.update(b"a");
        digest.update(b"bc");
        assert_eq!(digest.finish(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
