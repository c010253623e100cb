//! Stacks of errors.

use crate::support::{answer, pool};

/// Errors made while modules were evaluated live in the image of every environment and keep their stacks; walking frame
/// records gives the same frames as Wasmtime's backtrace, which the first error of an engine is made with.
#[tokio::test]
async fn stacks_say_where_an_error_was_made() {
    let pool = pool(
        "function make(message) {
  return new Error(message);
}
const early = make('early');
const outer = (depth) => depth === 0 ? [1].map(() => make('late'))[0] : outer(depth - 1);
export const stacks = { run: (depth) => early.stack + '\\n' + outer(Number(depth)).stack };
",
    )
    .await;
    let expected = "Error: early
    at make (convex:/app.js:2:10)
    at convex:/app.js:4:15
Error: late
    at make (convex:/app.js:2:10)
    at convex:/app.js:5:54
    at outer (convex:/app.js:5:44)
    at outer (convex:/app.js:5:73)
    at run (convex:/app.js:6:62)";
    for _ in 0..3 {
        assert_eq!(answer(&pool, "stacks", "1").await, expected);
    }
}
