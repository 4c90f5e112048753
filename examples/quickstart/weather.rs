//! A table of weather: typed rows for the program, a summary for the model.

use std::fmt::{self, Write};

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Weather {
    airport: String,
    hours: Vec<Hour>,
}

/// `None` is what the station did not report.
#[derive(Serialize)]
struct Hour {
    time: String,
    temp_f: f64,
    humidity: f64,
    wind_mph: Option<f64>,
    gust_mph: Option<f64>,
    rain_in: f64,
    pressure_hpa: Option<f64>,
    visibility_miles: f64,
}

#[derive(Debug)]
pub(crate) enum Error {
    NoData { airport: String, month: Option<u8> },
    BadRow { line: usize },
}

/// The rows of an airport, and of a month where one is given.
pub(crate) fn hours(csv: &str, airport: &str, month: Option<u8>) -> Result<Weather, Error> {
    let mut hours = Vec::new();
    for (number, line) in csv.lines().enumerate().skip(1) {
        // No field of this table is quoted.
        let fields: Vec<&str> = line.split(',').collect();
        if fields[0] != airport || month.is_some_and(|month| fields.get(2) != Some(&month.to_string().as_str())) {
            continue;
        }
        hours.push(Hour::of(&fields).ok_or(Error::BadRow { line: number + 1 })?);
    }
    if hours.is_empty() {
        return Err(Error::NoData { airport: airport.to_owned(), month });
    }
    Ok(Weather { airport: airport.to_owned(), hours })
}

impl Hour {
    fn of(fields: &[&str]) -> Option<Self> {
        let number = |index: usize| fields.get(index)?.parse::<f64>().ok();
        Some(Self {
            time: (*fields.get(14)?).to_owned(),
            temp_f: number(5)?,
            humidity: number(7)?,
            wind_mph: number(9),
            gust_mph: number(10),
            rain_in: number(11)?,
            pressure_hpa: number(12),
            visibility_miles: number(13)?,
        })
    }
}

impl Weather {
    /// What the model reads: it can compare months without reading every hour of them.
    pub(crate) fn summary(&self) -> Option<String> {
        let by_temp = |a: &&Hour, b: &&Hour| a.temp_f.total_cmp(&b.temp_f);
        let coldest = self.hours.iter().min_by(by_temp)?;
        let warmest = self.hours.iter().max_by(by_temp)?;
        let count = self.hours.len();
        #[expect(clippy::cast_precision_loss, reason = "a table of more than 2^53 hours is not to be feared")]
        let mean = self.hours.iter().map(|hour| hour.temp_f).sum::<f64>() / count as f64;
        let wet = self.hours.iter().filter(|hour| hour.rain_in > 0.0).count();
        let rain: f64 = self.hours.iter().map(|hour| hour.rain_in).sum();

        let mut text = format!("{}: {count} hourly rows", self.airport);
        if let (Some(first), Some(last)) = (self.hours.first(), self.hours.last()) {
            let _ = write!(text, ", {} to {}", first.time, last.time);
        }
        let _ = write!(text, "\ntemperature: mean {mean:.1} °F");
        let _ = write!(text, ", min {:.1} °F ({})", coldest.temp_f, coldest.time);
        let _ = write!(text, ", max {:.1} °F ({})", warmest.temp_f, warmest.time);
        let _ = write!(text, "\nrain: {rain:.2} in, in {wet} of the hours");
        let gusts = self.hours.iter().filter_map(|hour| Some((hour.gust_mph?, &hour.time)));
        if let Some((gust, time)) = gusts.max_by(|a, b| a.0.total_cmp(&b.0)) {
            let _ = write!(text, "\nstrongest gust: {gust:.0} mph ({time})");
        }
        Some(text)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoData { airport, month: None } => write!(f, "no weather for `{airport}`"),
            Self::NoData { airport, month: Some(month) } => write!(f, "no weather for `{airport}` in month {month}"),
            Self::BadRow { line } => write!(f, "line {line} of the table is not a row of weather"),
        }
    }
}
