impl Db {
    /// Runs a query.
    async fn query(&self, sql: String) -> Rows {
        self.run(sql).await
    }
    /// Reads a number.
    fn parse(text: &str) -> Result<u64, ParseIntError> {
        text.parse()
    }
    fn shown(rows: &Rows) -> String {
        rows.to_string()
    }
}
const _: () = {
    use ::tool_runtime::__private as __tool_rt;
    type __ToolSelf = Db;
    struct __Tool<__T, const __N: usize>(::core::marker::PhantomData<__T>);
    impl __Tool<Db, 0usize> {
        fn __tool_start<'__tool>(
            __tool_slots: &mut __tool_rt::Slots<'_>,
            __tool_given: __tool_rt::Given<'__tool>,
        ) -> __tool_rt::MaybeStarted<'__tool> {
            use __tool_rt::shapes::*;
            let __tool_probe = __tool_rt::Probe::<Rows>::new();
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
                        names: &[&["sql"]],
                        params: (__tool_rt::Param::<String>::new(),),
                    }
                },
                __tool_rt::key_of(&<__ToolSelf>::query),
                __tool_rt::returns(__tool_shape, &__tool_probe, __tool_able),
            )?;
            let __tool_this = __tool_rt::Given::this::<__ToolSelf>(__tool_given)?;
            __tool_rt::later(
                __tool_shape,
                __tool_able,
                <__ToolSelf>::query(__tool_this, __tool_0),
                &__tool_rt::Ending {
                    hook: __tool_rt::Some(|__tool_value| __tool_rt::to_model_output(
                        __tool_value,
                        __ToolSelf::shown,
                    )),
                    able: __tool_rt::PhantomData,
                },
            )
        }
        const __TOOL: &'static __tool_rt::MacroTool = &__tool_rt::MacroTool::new(
                ::core::concat!(
                    "db_query\n", ::core::module_path!(), "::Db::query (line ",
                    ::core::line!(), ")\n", "Runs a query."
                ),
                __tool_rt::Mode::Async,
                Self::__tool_start,
            )
            .settings(&__tool_rt::Settings::new().method("into_tools"));
    }
    static __SUBMITTED: __tool_rt::MacroTool = *<__Tool<Db, 0usize>>::__TOOL;
    impl __Tool<Db, 1usize> {
        fn __tool_start<'__tool>(
            __tool_slots: &mut __tool_rt::Slots<'_>,
            _: __tool_rt::Given<'__tool>,
        ) -> __tool_rt::MaybeStarted<'__tool> {
            use __tool_rt::shapes::*;
            let __tool_probe = __tool_rt::Probe::<Result<u64, ParseIntError>>::new();
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
                        names: &[&["text"]],
                        params: (
                            __tool_rt::Param::<
                                <str as __tool_rt::Borrowed>::Owned,
                            >::new(),
                        ),
                    }
                },
                __tool_rt::key_of(&<__ToolSelf>::parse),
                __tool_rt::returns(__tool_shape, &__tool_probe, __tool_able),
            )?;
            __tool_rt::done(
                __tool_shape,
                __tool_able,
                <__ToolSelf>::parse(__tool_rt::borrow::<str>(&__tool_0)),
                &__tool_rt::Ending::PLAIN,
            )
        }
        const __TOOL: &'static __tool_rt::MacroTool = &__tool_rt::MacroTool::new(
            ::core::concat!(
                "db_parse\n", ::core::module_path!(), "::Db::parse (line ",
                ::core::line!(), ")\n", "Reads a number."
            ),
            __tool_rt::Mode::Sync,
            Self::__tool_start,
        );
    }
    static __SUBMITTED: __tool_rt::MacroTool = *<__Tool<Db, 1usize>>::__TOOL;
    impl __tool_rt::OneToolBlockUnlessNamedByInto for Db {
        fn __tool_bind(
            __tool_this: __tool_rt::Arc<Self>,
        ) -> __tool_rt::Vec<__tool_rt::RegisteredTool> {
            let mut __tool_tables = __tool_rt::Vec::new();
            __tool_rt::Vec::push(&mut __tool_tables, <__Tool<Db, 0usize>>::__TOOL);
            __tool_rt::Vec::push(&mut __tool_tables, <__Tool<Db, 1usize>>::__TOOL);
            __tool_rt::bind::<Db>(__tool_this, __tool_tables)
        }
    }
};
