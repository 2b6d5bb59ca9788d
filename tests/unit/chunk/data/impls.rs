//! module doc
use std::collections::{HashMap, self as c};
/// doc
#[derive(Debug)]
pub struct S<T> { a: T }
impl<T> S<T> { pub fn new() -> Self { const L: u8 = 1; S } }
impl Drop for Foo { fn drop(&mut self) {} }
macro_rules! mm { () => {} }
mod m { pub fn x() {} }
pub trait Tr { fn sig(&self); }
const C: u8 = 1;
