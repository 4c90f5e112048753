/// Runs a query.
async fn query(db: &Db, sql: String, cache: Option<&Cache>) -> Vec<Row> {
    db.query(&sql, cache).await
}
const _: () = {
    use ::tool_runtime::__private as __tool_rt;
    const __TOOL_0: __tool_rt::Param<String> = __tool_rt::Param::new();
    fn __tool_start<'__tool>(
        __tool_slots: &mut __tool_rt::Slots<'_>,
        __tool_given: __tool_rt::Given<'__tool>,
    ) -> __tool_rt::Option<__tool_rt::Started<'__tool>> {
        use __tool_rt::shapes::*;
        let __tool_probe = __tool_rt::Probe::<Vec<Row>>::new();
        let __tool_shape = (&&&&__tool_probe).__tool_shape();
        let __tool_able = (&&&&__tool_rt::ValueProbe::of(__tool_shape, &__tool_probe))
            .__tool_able();
        __tool_rt::Slots::returns(__tool_slots, __tool_able.schema);
        let __tool_0 = __tool_rt::Param::take(&__TOOL_0, __tool_slots, 0usize);
        let (__tool_rt::Some(__tool_0), true) = (
            __tool_0,
            __tool_rt::Slots::is_ready(__tool_slots),
        ) else {
            return __tool_rt::None;
        };
        let __tool_state_0 = __tool_rt::Given::state::<Db>(__tool_given)?;
        let __tool_state_1 = __tool_rt::Given::state::<Cache>(__tool_given);
        __tool_rt::Some(
            __tool_rt::later(
                __tool_shape,
                query(__tool_state_0, __tool_0, __tool_state_1),
                __tool_rt::None,
                __tool_able.reader,
            ),
        )
    }
    const __TOOL: &'static __tool_rt::MacroTool = &__tool_rt::MacroTool::new(
            "query",
            __tool_rt::Place {
                module: ::core::module_path!(),
                function: "query",
                line: ::core::line!(),
            },
            __tool_rt::key_of(&query),
            __tool_rt::Mode::Async,
            &[&["sql"]],
            &[&__TOOL_0],
            __tool_start,
        )
        .description("Runs a query.")
        .loop_key(__tool_rt::Compared::Only(&["sql"]))
        .approval()
        .needs(
            &[
                __tool_rt::Need::of::<Db>("db"),
                __tool_rt::Need::of::<Cache>("cache").optional(),
            ],
        );
    __tool_rt::submit! {
        __tool_rt::Linked(__TOOL)
    }
};
