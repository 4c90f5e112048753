impl<S: Store> Cache<S> {
    /// Looks a key up.
    pub fn get(&self, key: String) -> Option<S::Value> {
        self.0.get(&key)
    }
}
const _: () = {
    use ::tool_runtime::__private as __tool_rt;
    type __ToolSelf<S> = Cache<S>;
    struct __Tool<__T, const __N: usize>(::core::marker::PhantomData<__T>);
    impl<S: Store + 'static> __Tool<Cache<S>, 0usize> {
        __tool_rt::needs_tokio! {
            "blocking"
        }
        fn __tool_start<'__tool>(
            __tool_slots: &mut __tool_rt::Slots<'_>,
            __tool_given: __tool_rt::Given<'__tool>,
        ) -> __tool_rt::MaybeStarted<'__tool> {
            use __tool_rt::shapes::*;
            let __tool_probe = __tool_rt::Probe::<Option<S::Value>>::new();
            let __tool_shape = (&&&&__tool_probe).__tool_shape();
            let __tool_able = (&&&&__tool_rt::ValueProbe::of(
                __tool_shape,
                &__tool_probe,
            ))
                .__tool_able();
            let (__tool_0,) = __tool_rt::Slots::take(
                __tool_slots,
                const {
                    &__tool_rt::Signature {
                        names: &[&["key"]],
                        params: (
                            __tool_rt::Param::<String>::new()
                                .edit(|__tool_edit| {
                                    __tool_edit.min_length(1u64);
                                })
                                .check(
                                    __tool_rt::with_garde! {
                                        | __tool_value : & String | {
                                        __tool_rt::garde_rule(__tool_rt::garde::rules::length::chars::apply(__tool_value,
                                        (1, ::core::primitive::usize::MAX))) ?;
                                        ::core::result::Result::Ok(()) }
                                    },
                                ),
                        ),
                    }
                },
                __tool_rt::key_of(&<__ToolSelf<S>>::get),
                __tool_rt::returns(__tool_shape, &__tool_probe, __tool_able),
            )?;
            let __tool_this = __tool_rt::Given::this::<__ToolSelf<S>>(__tool_given)?;
            __tool_rt::done(
                __tool_shape,
                __tool_able,
                <__ToolSelf<S>>::get(__tool_this, __tool_0),
                &__tool_rt::Ending::PLAIN,
            )
        }
        const __TOOL: &'static __tool_rt::MacroTool = &__tool_rt::MacroTool::new(
                ::core::concat!(
                    "get\n", ::core::module_path!(), "::Cache::get (line ",
                    ::core::line!(), ")\n", "Looks a key up."
                ),
                __tool_rt::Mode::Sync,
                Self::__tool_start,
            )
            .settings(&__tool_rt::Settings::new().blocking().method("cache_tools"));
    }
    impl<S: Store + 'static> Cache<S> {
        ///The tools of a block of `Cache`, for a registry's builder.
        #[must_use]
        pub fn cache_tools(
            self: __tool_rt::Arc<Self>,
        ) -> __tool_rt::Vec<__tool_rt::RegisteredTool> {
            let mut __tool_tables = __tool_rt::Vec::new();
            __tool_rt::Vec::push(&mut __tool_tables, <__Tool<Cache<S>, 0usize>>::__TOOL);
            __tool_rt::bind::<Cache<S>>(self, __tool_tables)
        }
    }
};
