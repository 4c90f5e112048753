/// Does nothing.
pub(crate) fn nothing() {}
///The tool `nothing` as a value, for a registry's builder.
#[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
pub(crate) struct Nothing;
const _: () = {
    use ::tool_runtime::__private as __tool_rt;
    fn __tool_start<'__tool>(
        __tool_slots: &mut __tool_rt::Slots<'_>,
        _: __tool_rt::Given<'__tool>,
    ) -> __tool_rt::MaybeStarted<'__tool> {
        use __tool_rt::shapes::*;
        let __tool_probe = __tool_rt::Probe::<()>::new();
        let __tool_shape = (&&&&__tool_probe).__tool_shape();
        let __tool_able = (&&&&__tool_rt::ValueProbe::of(__tool_shape, &__tool_probe))
            .__tool_able();
        let () = __tool_rt::Slots::take(
            __tool_slots,
            const {
                &__tool_rt::Signature {
                    names: &[],
                    params: (),
                }
            },
            __tool_rt::key_of(&nothing),
            __tool_rt::returns(__tool_shape, &__tool_probe, __tool_able).without_schema(),
        )?;
        __tool_rt::done(__tool_shape, __tool_able, nothing(), &__tool_rt::Ending::PLAIN)
    }
    const __TOOL: &'static __tool_rt::MacroTool = &__tool_rt::MacroTool::new(
            ::core::concat!(
                "nothing\n", ::core::module_path!(), "::nothing (line ", ::core::line!(),
                ")\n", "Does nothing."
            ),
            __tool_rt::Mode::Sync,
            __tool_start,
        )
        .settings(&__tool_rt::Settings::new().tags(&["a", "b"]));
    static __SUBMITTED: __tool_rt::MacroTool = *__TOOL;
    impl ::core::convert::From<Nothing> for __tool_rt::RegisteredTool {
        fn from(_: Nothing) -> Self {
            __tool_rt::MacroTool::register(__TOOL)
        }
    }
};
