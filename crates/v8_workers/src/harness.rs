//! The JavaScript that makes a worker, as one text.

use std::sync::LazyLock;

/// Modules of the harness, by the name they are required by.
const MODULES: &[(&str, &str)] = &[
    ("channel", include_str!("../harness/channel.js")),
    ("chacha", include_str!("../harness/chacha.js")),
    ("program", include_str!("../harness/program.js")),
    ("failure", include_str!("../harness/failure.js")),
    ("host", include_str!("../harness/host.js")),
    ("streams", include_str!("../harness/streams.js")),
    ("objects", include_str!("../harness/objects.js")),
    ("node", include_str!("../harness/node.js")),
    ("action", include_str!("../harness/action.js")),
    ("garbage", include_str!("../harness/garbage.js")),
    ("transaction", include_str!("../harness/transaction.js")),
    ("main", include_str!("../harness/main.js")),
];

/// The body of the function that makes a realm.
const REALM: &[&str] = &[
    include_str!("../harness/realm/convex.js"),
    include_str!("../harness/realm/console.js"),
    include_str!("../harness/realm/determinism.js"),
    include_str!("../harness/realm/forbidden.js"),
    include_str!("../harness/realm/text.js"),
    include_str!("../harness/realm/url.js"),
    include_str!("../harness/realm/events.js"),
    include_str!("../harness/realm/clone.js"),
    include_str!("../harness/realm/crypto.js"),
    include_str!("../harness/realm/borrowed.js"),
    include_str!("../harness/realm/main.js"),
];

static TEXT: LazyLock<String> = LazyLock::new(|| {
    let mut text = format!("const REALM = {};\nconst modules = {{ __proto__: null,\n", json(&REALM.concat()));
    for (name, source) in MODULES {
        text.push_str(&format!("{}: function (module, require) {{ {source} }},\n", json(name)));
    }
    text.push_str("};\n");
    text.push_str(include_str!("../harness/bundle.js"));
    text
});

/// Names our own frames in stacks as Node names its internal ones.
const SOURCE_URL: &str = "//# sourceURL=node:convex-wasm/worker\n";

/// Definitions only; `start(…)` begins.
pub(crate) fn text() -> &'static str {
    &TEXT
}

/// The script of a worker that is told its program when it runs.
pub(crate) fn plain() -> String {
    format!("{}requireHarness(\"main\").start();\n{SOURCE_URL}", text())
}

/// The script that builds a snapshot with a program.
pub(crate) fn with_program(digest: &str, modules: &[(String, String)]) -> String {
    let modules = serde_json::json!(modules);
    format!("{}requireHarness(\"main\").start({}, {modules});\n{SOURCE_URL}", text(), json(digest))
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
