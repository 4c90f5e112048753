#[tool(prefix = "db")]
impl Db {
    /// Runs a query.
    #[tool(to_model_output = Self::shown)]
    async fn query(&self, sql: String) -> Rows {
        self.run(sql).await
    }

    /// Reads a number.
    #[tool]
    fn parse(text: &str) -> Result<u64, ParseIntError> {
        text.parse()
    }

    fn shown(rows: &Rows) -> String {
        rows.to_string()
    }
}
