/// Runs a query.
async fn query(db: &Db, sql: String, cache: Option<&Cache>) -> Vec<Row> {
    db.query(&sql, cache).await
}
const _: () = {
    use ::tool_runtime::__private as __tool_rt;
    fn __tool_start<'__tool>(
        __tool_slots: &mut __tool_rt::Slots<'_>,
        __tool_given: __tool_rt::Given<'__tool>,
    ) -> __tool_rt::MaybeStarted<'__tool> {
        use __tool_rt::shapes::*;
        let __tool_probe = __tool_rt::Probe::<Vec<Row>>::new();
        let __tool_shape = (&&&&__tool_probe).__tool_shape();
        let __tool_able = (&&&&__tool_rt::ValueProbe::of(__tool_shape, &__tool_probe))
            .__tool_able();
        let (__tool_0,) = __tool_rt::Slots::take(
            __tool_slots,
            const {
                &__tool_rt::Signature {
                    names: &[&["sql"]],
                    params: (__tool_rt::Param::<String>::new(),),
                }
            },
            __tool_rt::key_of(&query),
            __tool_rt::returns(__tool_shape, &__tool_probe, __tool_able),
        )?;
        let __tool_state_0 = __tool_rt::Given::state::<Db>(__tool_given)?;
        let __tool_state_1 = __tool_rt::Given::state::<Cache>(__tool_given);
        __tool_rt::later(
            __tool_shape,
            __tool_able,
            query(__tool_state_0, __tool_0, __tool_state_1),
            &__tool_rt::Ending::PLAIN,
        )
    }
    static __SUBMITTED: __tool_rt::MacroTool = __tool_rt::MacroTool::new(
            ::core::concat!(
                "query\n", ::core::module_path!(), "::query (line ", ::core::line!(),
                ")\n", "Runs a query."
            ),
            __tool_rt::Mode::Async,
            __tool_start,
        )
        .settings(
            &__tool_rt::Settings::new()
                .loop_key(__tool_rt::Compared::Only(&["sql"]))
                .approval()
                .needs(
                    &[
                        __tool_rt::Need::of::<Db>("db"),
                        __tool_rt::Need::of::<Cache>("cache").optional(),
                    ],
                ),
        );
};
