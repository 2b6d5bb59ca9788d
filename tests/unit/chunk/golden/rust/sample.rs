//! Rate limits.
#![allow(dead_code)]

use std::{collections::HashMap, fmt};
extern crate serde;

/// How many requests.
pub const LIMIT: usize = 100;
static GREETING: &str = "größe 🎉";

/// A result.
pub type Result<T> = std::result::Result<T, Error>;

/// An error.
#[derive(Debug, Clone)]
// between
#[non_exhaustive]
pub enum Error {
    /// Closed by the peer.
    Closed,
    Io(std::io::Error),
    Parse { line: usize, column: usize },
}

/// A bucket
/// that leaks.
#[derive(Default)]
pub struct Bucket<'a, T: Clone = u8> {
    /// How many fit.
    pub size: usize,
    items: Vec<&'a T>,
}

struct Unit;
pub struct Wrapper(pub u32, String);
union Bits { f: f32, u: u32 }

/** Keeps values. */
pub trait Store: Send {
    /// Of what.
    type Item<'a> where Self: 'a;
    const NAME: &'static str = "store";
    /// Looks up.
    fn get(&self, key: &str) -> Option<Self::Item<'_>>;
    fn len(&self) -> usize { 0 }
}

impl<'a, T: Clone> Bucket<'a, T> {
    pub const EMPTY: usize = 0;

    /// Makes one.
    #[must_use]
    pub fn new(size: usize) -> Self {
        const LOCAL: usize = 1;
        fn helper(x: usize) -> usize { x }
        struct Inner { a: u8 }
        let closure = |x: usize| x + LOCAL;
        Self { size: helper(closure(size)), items: vec![] }
    }

    pub(crate) async unsafe fn take<R>(&mut self, map: impl Fn(&T) -> R) -> Option<R>
    where
        R: fmt::Debug,
    {
        self.items.pop().map(map)
    }
}

impl<T: Clone> fmt::Display for Bucket<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.size) }
}

impl Store for std::vec::Vec<u8> {
    type Item<'a> = &'a u8;
    fn get(&self, key: &str) -> Option<Self::Item<'_>> { None }
}

unsafe impl Send for Error {}

/// Makes a map.
#[macro_export]
macro_rules! hashmap {
    ($($k:expr => $v:expr),*) => {{ let mut m = HashMap::new(); $(m.insert($k, $v);)* m }};
}

pub mod outer {
    //! Inner docs.
    pub mod inner { pub fn deep() {} }
    pub use self::inner::deep;
}
mod elsewhere;

extern "C" {
    pub fn malloc(size: usize) -> *mut u8;
    static ENVIRON: *const u8;
}

thread_local! { static COUNTER: usize = 0; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_one() { assert_eq!(LIMIT, 100); }
}
