/// Current weather for a city.
#[tool(to_model_output = headline, max_result_size = 2000, external, timeout = "30s")]
async fn get_weather(
    /// City name, for example "Paris".
    city: &str,
    /// Days of forecast.
    #[serde(default = "three", alias = "n")]
    #[schemars(range(min = 1, max = 7))]
    days: u8,
) -> Result<Weather, WeatherError> {
    fetch(city, days).await
}
