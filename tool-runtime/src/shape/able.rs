//! What the type of a tool's value can do beyond being written.

use std::{any::TypeId, marker::PhantomData};

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;

use super::{Probe, Shape};
use crate::{
    excerpt::Excerpt,
    fields::{MakeSchema, Returns, common},
    part::Part,
    schema::Generator,
    stages::Stages,
    stream::Streamed,
    value::Reader,
};

/// Asks what the type of a tool's value can do: `(&&&&ValueProbe::of(shape, &probe)).__tool_able()` finds the first of the
/// traits below whose bounds hold.
#[derive(Debug)]
pub struct ValueProbe<T>(PhantomData<fn() -> T>);

impl<T> ValueProbe<T> {
    /// Asks about the value of `R`.
    pub fn of<R, S: Shape<R, Value = T>>(_shape: S, _returned: &Probe<R>) -> Self {
        Self(PhantomData)
    }
}

/// What the type of a value can do.
pub trait Able: Copy {
    /// The value.
    type Value;
    /// Makes its schema.
    const SCHEMA: Option<MakeSchema> = None;
    /// Reads a value back, so that its view can be made again after a hook has replaced it.
    const READER: Reader<Self::Value> = None;
}

/// What is known of a result by its type.
pub fn returns<R, S, A>(_shape: S, _returned: &Probe<R>, _able: A) -> Returns
where
    S: Shape<R, Value: 'static>,
    A: Able<Value = S::Value>,
{
    let stages = if S::MAY_HAVE_CONTENT || takes_all_of_presenting::<S::Value>() {
        Stages::NONE.with_presenting()
    } else {
        Stages::NONE
    };
    Returns { schema: A::SCHEMA, stages }
}

/// Whether values of the type are shown as something else than text. Known when this is compiled, so that no other type's
/// tool brings what that takes into a program.
fn takes_all_of_presenting<T: 'static>() -> bool {
    let wanted = TypeId::of::<T>();
    [TypeId::of::<Part>(), TypeId::of::<Vec<Part>>(), TypeId::of::<Streamed>(), TypeId::of::<Excerpt>()]
        .contains(&wanted)
}

// One lifetime, and not every one as in `DeserializeOwned`: the compiler finds an `impl` before it looks at lifetimes, and
// would then refuse `&'static str`. An owned `Value` lends nothing, so any lifetime will do.
fn read<T: Deserialize<'static>>(value: &Value) -> Option<T> {
    T::deserialize(value.clone()).ok()
}

fn root<T: JsonSchema + 'static>(generator: &mut Generator) -> Schema {
    match common::<T>() {
        Some(common) => common.root(),
        None => generator.get().root_schema_for::<T>(),
    }
}

// One question for both abilities: each takes the compiler some time for every tool.
macro_rules! ables {
    ($($doc:literal $marker:ident, $by:ident: [$($bound:tt)*] $probe:ty { $($ability:item)* })*) => {
        $(
            #[doc = $doc]
            #[derive(Debug)]
            pub struct $marker<T>(PhantomData<fn() -> T>);

            impl<T> Clone for $marker<T> {
                fn clone(&self) -> Self {
                    *self
                }
            }

            impl<T> Copy for $marker<T> {}

            impl<T: $($bound)*> Able for $marker<T> {
                type Value = T;
                $($ability)*
            }

            #[doc = $doc]
            pub trait $by<T> {
                /// The marker.
                fn __tool_able(&self) -> $marker<T> {
                    $marker(PhantomData)
                }
            }

            impl<T: $($bound)*> $by<T> for $probe {}
        )*
    };
}

ables! {
    "A value with a schema that can be read back"
    ReadAndSchema, ByReadAndSchema: [Deserialize<'static> + JsonSchema + 'static] &&&ValueProbe<T> {
        const SCHEMA: Option<MakeSchema> = Some(root::<T>);
        const READER: Reader<T> = Some(read);
    }
    "A value that can be read back"
    Read, ByRead: [Deserialize<'static>] &&ValueProbe<T> {
        const READER: Reader<T> = Some(read);
    }
    "A value with a schema"
    WithSchema, BySchema: [JsonSchema + 'static] &ValueProbe<T> {
        const SCHEMA: Option<MakeSchema> = Some(root::<T>);
    }
    "Any other value"
    Neither, ByNeither: [Sized] ValueProbe<T> {}
}
