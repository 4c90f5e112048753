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
    ) -> __tool_rt::Option<__tool_rt::Started<'__tool>> {
        use __tool_rt::shapes::*;
        let __tool_probe = __tool_rt::Probe::<()>::new();
        let __tool_shape = (&&&&__tool_probe).__tool_shape();
        let __tool_able = (&&&&__tool_rt::ValueProbe::of(__tool_shape, &__tool_probe))
            .__tool_able();
        let (true) = (__tool_rt::Slots::is_ready(__tool_slots)) else {
            return __tool_rt::None;
        };
        __tool_rt::Some(
            __tool_rt::done(__tool_shape, nothing(), __tool_rt::None, __tool_able.reader),
        )
    }
    const __TOOL: &'static __tool_rt::MacroTool = &__tool_rt::MacroTool::new(
            "nothing",
            __tool_rt::Place {
                module: ::core::module_path!(),
                function: "nothing",
                line: ::core::line!(),
            },
            __tool_rt::key_of(&nothing),
            __tool_rt::Mode::Sync,
            &[],
            &[],
            __tool_start,
        )
        .description("Does nothing.")
        .tags(&["a", "b"]);
    __tool_rt::submit! {
        __tool_rt::Linked(__TOOL)
    }
    impl ::core::convert::From<Nothing> for __tool_rt::RegisteredTool {
        fn from(_: Nothing) -> Self {
            __tool_rt::MacroTool::register(__TOOL)
        }
    }
};
