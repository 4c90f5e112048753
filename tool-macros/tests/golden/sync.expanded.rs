/// Adds two numbers.
pub fn add(a: i64, b: i64) -> i64 {
    a + b
}
const _: () = {
    use ::tool_runtime::__private as __tool_rt;
    const __TOOL_0: __tool_rt::Param<i64> = __tool_rt::Param::new();
    const __TOOL_1: __tool_rt::Param<i64> = __tool_rt::Param::new();
    fn __tool_start<'__tool>(
        __tool_slots: &mut __tool_rt::Slots<'_>,
        _: __tool_rt::Given<'__tool>,
    ) -> __tool_rt::Option<__tool_rt::Started<'__tool>> {
        use __tool_rt::shapes::*;
        let __tool_probe = __tool_rt::Probe::<i64>::new();
        let __tool_shape = (&&&&__tool_probe).__tool_shape();
        let __tool_able = (&&&&__tool_rt::ValueProbe::of(__tool_shape, &__tool_probe))
            .__tool_able();
        __tool_rt::Slots::returns(__tool_slots, __tool_able.schema);
        let __tool_0 = __tool_rt::Param::take(&__TOOL_0, __tool_slots, 0usize);
        let __tool_1 = __tool_rt::Param::take(&__TOOL_1, __tool_slots, 1usize);
        let (__tool_rt::Some(__tool_0), __tool_rt::Some(__tool_1), true) = (
            __tool_0,
            __tool_1,
            __tool_rt::Slots::is_ready(__tool_slots),
        ) else {
            return __tool_rt::None;
        };
        __tool_rt::Some(
            __tool_rt::done(
                __tool_shape,
                add(__tool_0, __tool_1),
                __tool_rt::None,
                __tool_able.reader,
            ),
        )
    }
    const __TOOL: &'static __tool_rt::MacroTool = &__tool_rt::MacroTool::new(
            "add",
            __tool_rt::Place {
                module: ::core::module_path!(),
                function: "add",
                line: ::core::line!(),
            },
            __tool_rt::key_of(&add),
            __tool_rt::Mode::Sync,
            &[&["a"], &["b"]],
            &[&__TOOL_0, &__TOOL_1],
            __tool_start,
        )
        .description("Adds two numbers.")
        .read_only()
        .idempotent();
    __tool_rt::submit! {
        __tool_rt::Linked(__TOOL)
    }
};
