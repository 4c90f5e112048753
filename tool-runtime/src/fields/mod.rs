//! A function's parameters: what they say of themselves in a schema, and how each takes its value from a call.
//!
//! The macro writes one `const Param<T>` for each parameter. Whatever depends on `T` is behind a function pointer,
//! so a tool adds no generic code of its own.

mod borrowed;
mod common;
mod default;
mod edit;
mod param;
mod params;
mod pattern;
mod slots;

use std::fmt;

use schemars::Schema;
use serde_json::{Map, Value, json};

use crate::{request::Limit, schema::Generator};

pub use self::{
    borrowed::{Borrowed, borrow, borrow_option},
    default::{ByNothing, BySerialize, DefaultProbe},
    edit::{Bound, Edit},
    param::{Check, Param, ParamSchema, ParamValue, ToolParam, decode, decode_with, missing, required, schema_of},
    params::{Params, Signature},
    slots::{MakeSchema, Returns, Slots},
};
pub(crate) use self::{
    common::common,
    slots::{Facts, Purpose},
};

/// Collects the properties of one tool into one object schema, in the order of the parameters.
pub struct Fields {
    generator: Generator,
    properties: Map<String, Value>,
    required: Vec<Value>,
    faults: Vec<String>,
    limits: Vec<Limit>,
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fields").field("properties", &self.properties).finish_non_exhaustive()
    }
}

impl Fields {
    pub(crate) fn new() -> Self {
        Self {
            generator: Generator::of_arguments(),
            properties: Map::new(),
            required: Vec::new(),
            faults: Vec::new(),
            limits: Vec::new(),
        }
    }

    fn add(
        &mut self,
        name: &'static str,
        description: &'static str,
        mut schema: Schema,
        is_required: bool,
        default: Option<Value>,
        edit: Option<fn(&mut Edit<'_>)>,
    ) {
        if !description.is_empty() {
            schema.insert("description".into(), description.trim().into());
        }
        // An absent option and `null` are one thing to a tool; the schema need not say so.
        if let Some(default) = default.filter(|default| !default.is_null()) {
            schema.insert("default".into(), default);
        }
        if let Some(edit) = edit {
            let (mut keywords, mut pattern) = (Map::new(), None);
            edit(&mut Edit {
                name,
                schema: &mut schema,
                faults: &mut self.faults,
                limits: &mut keywords,
                pattern: &mut pattern,
            });
            if !keywords.is_empty() || pattern.is_some() {
                self.limits.push(Limit { slot: self.properties.len(), keywords: keywords.into(), pattern });
            }
        }
        if is_required {
            self.required.push(name.into());
        }
        self.properties.insert(name.to_owned(), schema.into());
    }

    /// The schema of the arguments with the limits that calls have to keep, or what was wrong with the attributes that
    /// shaped it.
    pub(crate) fn finish(mut self) -> Result<(Value, Vec<Limit>), Vec<String>> {
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        let mut root = json!({ "type": "object", "properties": self.properties });
        if !self.required.is_empty() {
            root["required"] = self.required.into();
        }
        let definitions = self.generator.definitions();
        if !definitions.is_empty() {
            root["$defs"] = definitions.into();
        }
        Ok((root, self.limits))
    }
}
