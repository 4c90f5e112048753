//! A function becomes a tool: it is described to the model, called as the model calls it, and answered.
//!
//! Notice that the model reads one line of 144 hours of forecast, that the program keeps all of them, and that
//! `get_weather` is still an ordinary function.
//!
//! ```sh
//! cargo run --example first
//! ```

use std::fmt;

use serde::Serialize;
use tool_runtime::{BuildError, Dialect, Registry, ToolCall, tool, tools};

#[derive(Serialize)]
struct Weather {
    city: String,
    temp_c: f64,
    condition: &'static str,
    hourly: Vec<f64>,
}

fn headline(weather: &Weather) -> String {
    format!("{}: {}°C, {}", weather.city, weather.temp_c, weather.condition)
}

/// Current weather for a city.
#[tool(to_model_output = headline, max_result_size = 2000, external)]
async fn get_weather(
    /// City name, for example "Paris".
    city: String,
    /// Days of forecast.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 7))]
    days: u8,
) -> Result<Weather, UnknownCity> {
    match city.as_str() {
        "Paris" => Ok(Weather { city, temp_c: 21.5, condition: "sunny", hourly: vec![20.0; 24 * usize::from(days)] }),
        _ => Err(UnknownCity(city)),
    }
}

fn three() -> u8 {
    3
}

#[derive(Debug)]
struct UnknownCity(String);

impl fmt::Display for UnknownCity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no weather station in {}", self.0)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BuildError> {
    // `deterministic` makes this print the same each time; leave it out of a program.
    let registry = Registry::builder().tools(tools![get_weather]).deterministic(1).build()?;
    println!("For the request:\n{}\n", registry.definitions_json(Dialect::OpenAiChat));

    let outcome = registry.call(ToolCall::new("call_1", "get_weather", r#"{"city":"Paris","days":6}"#)).await;
    println!("The model reads:\n{}\n", outcome.model_text());
    println!("The program has {} characters.", outcome.output().text().chars().count());
    println!("On its own: {:?}", get_weather("Paris".into(), 1).await.map(|weather| weather.hourly.len()));
    Ok(())
}
