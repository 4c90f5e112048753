#[tool(into = cache_tools)]
impl<S: Store> Cache<S> {
    /// Looks a key up.
    #[tool(blocking)]
    pub fn get(&self, #[garde(length(chars, min = 1))] key: String) -> Option<S::Value> {
        self.0.get(&key)
    }
}
