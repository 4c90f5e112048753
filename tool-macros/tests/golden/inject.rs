/// Runs a query.
#[tool(approval, loop_key(sql))]
async fn query(#[inject] db: &Db, sql: String, #[inject] cache: Option<&Cache>) -> Vec<Row> {
    db.query(&sql, cache).await
}
