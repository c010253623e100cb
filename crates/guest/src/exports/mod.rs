//! What compiled code calls: the functions of [`convex_wasm_abi::functions`], exported as `rt_<name>`.
