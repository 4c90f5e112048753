/// Adds two numbers.
pub fn add(a: i64, b: i64) -> i64 {
    a + b
}
const _: () = {
    use ::tool_runtime::__private as __tool_rt;
    fn __tool_start<'__tool>(
        __tool_slots: &mut __tool_rt::Slots<'_>,
        _: __tool_rt::Given<'__tool>,
    ) -> __tool_rt::MaybeStarted<'__tool> {
        use __tool_rt::shapes::*;
        let __tool_probe = __tool_rt::Probe::<i64>::new();
        let __tool_shape = (&&&&__tool_probe).__tool_shape();
        let __tool_able = (&&&&__tool_rt::ValueProbe::of(__tool_shape, &__tool_probe))
            .__tool_able();
        let (__tool_0, __tool_1) = __tool_rt::Slots::take(
            __tool_slots,
            const {
                &__tool_rt::Signature {
                    names: &[&["a"], &["b"]],
                    params: (
                        __tool_rt::Param::<i64>::new(),
                        __tool_rt::Param::<i64>::new(),
                    ),
                }
            },
            __tool_rt::key_of(&add),
            __tool_rt::returns(__tool_shape, &__tool_probe, __tool_able),
        )?;
        __tool_rt::done(
            __tool_shape,
            __tool_able,
            add(__tool_0, __tool_1),
            &__tool_rt::Ending::PLAIN,
        )
    }
    static __SUBMITTED: __tool_rt::MacroTool = __tool_rt::MacroTool::new(
            ::core::concat!(
                "add\n", ::core::module_path!(), "::add (line ", ::core::line!(), ")\n",
                "Adds two numbers."
            ),
            __tool_rt::Mode::Sync,
            __tool_start,
        )
        .settings(&__tool_rt::Settings::new().read_only().idempotent());
};
