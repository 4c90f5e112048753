//! A method takes what can't be decoded.

use tool_runtime::tool;

struct Db;

struct City {
    _name: String,
}

#[tool]
impl Db {
    #[tool]
    fn query(&self, city: City) {
        let _ = city;
    }
}

fn main() {}
