/// Current weather for a city.
async fn get_weather(city: &str, days: u8) -> Result<Weather, WeatherError> {
    fetch(city, days).await
}
const _: () = {
    use ::tool_runtime::__private as __tool_rt;
    __tool_rt::needs_tokio! {
        "timeout"
    }
    fn __tool_start<'__tool>(
        __tool_slots: &mut __tool_rt::Slots<'_>,
        _: __tool_rt::Given<'__tool>,
    ) -> __tool_rt::MaybeStarted<'__tool> {
        use __tool_rt::shapes::*;
        let __tool_probe = __tool_rt::Probe::<Result<Weather, WeatherError>>::new();
        let __tool_shape = (&&&&__tool_probe).__tool_shape();
        let __tool_able = (&&&&__tool_rt::ValueProbe::of(__tool_shape, &__tool_probe))
            .__tool_able();
        let (__tool_0, __tool_1) = __tool_rt::Slots::take(
            __tool_slots,
            const {
                &__tool_rt::Signature {
                    names: &[&["city"], &["days", "n"]],
                    params: (
                        __tool_rt::Param::<<str as __tool_rt::Borrowed>::Owned>::new()
                            .description("City name, for example \"Paris\"."),
                        __tool_rt::Param::<u8>::new()
                            .description("Days of forecast.")
                            .default(
                                || three(),
                                |__tool_value: &u8| {
                                    use __tool_rt::shapes::*;
                                    (&&__tool_rt::DefaultProbe::new(__tool_value)).__tool_json()
                                },
                            )
                            .edit(|__tool_edit| {
                                __tool_edit.minimum(1u64);
                                __tool_edit.maximum(7u64);
                            }),
                    ),
                }
            },
            __tool_rt::key_of(&get_weather),
            __tool_rt::returns(__tool_shape, &__tool_probe, __tool_able),
        )?;
        __tool_rt::later(
            __tool_shape,
            __tool_able,
            async move {
                get_weather(__tool_rt::borrow::<str>(&__tool_0), __tool_1).await
            },
            &__tool_rt::Ending {
                hook: __tool_rt::Some(|__tool_value| __tool_rt::to_model_output(
                    __tool_value,
                    headline,
                )),
                able: __tool_rt::PhantomData,
            },
        )
    }
    static __SUBMITTED: __tool_rt::MacroTool = __tool_rt::MacroTool::new(
            ::core::concat!(
                "get_weather\n", ::core::module_path!(), "::get_weather (line ",
                ::core::line!(), ")\n", "Current weather for a city."
            ),
            __tool_rt::Mode::Async,
            __tool_start,
        )
        .settings(
            &__tool_rt::Settings::new()
                .max_result_size(2000)
                .timeout(30000u64)
                .external(),
        );
};
