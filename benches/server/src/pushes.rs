//! The time of a push: the published CLI bundles, then its requests are sent as it sends them, and timed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use convex_wasm_tests::developer::{Developer, edit};
use convex_wasm_tests::places;
use serde_json::{Value, json};

use crate::http::Connection;
use crate::statistics::milliseconds;

/// Modules of the large app.
const MODULES: usize = 500;
/// Functions of each of them.
const FUNCTIONS: usize = 6;

/// A push that was carried out.
struct Push {
    time: Duration,
    /// Bytes of JavaScript that were sent.
    sent: usize,
    modules: usize,
}

/// Measures it.
pub async fn measure() -> anyhow::Result<String> {
    let mut report = String::from(
        "\n## Pushes\n\nTime that `npx convex deploy` waits for the server, in all its requests.\n\n\
         | app | push | modules sent | KiB sent | ms |\n| --- | --- | ---: | ---: | ---: |\n",
    );
    let mut add = |app: &str, kind: &str, push: Push| {
        let (time, sent) = (milliseconds(push.time), push.sent / 1024);
        report += &format!("| {app} | {kind} | {} | {sent} | {time:.0} |\n", push.modules);
    };
    let chat = Developer::new()?;
    add("examples/chat", "cold", push(&chat).await?);
    edit(&chat.app().join("convex/users.ts"), "a name is needed", "a name is needed, too")?;
    add("examples/chat", "one module edited", push(&chat).await?);
    add("examples/chat", "nothing edited", push(&chat).await?);
    let large = Developer::new()?;
    generate(&large)?;
    let app = format!("{MODULES} modules");
    add(&app, "cold", push(&large).await?);
    edit(&large.app().join("convex/feature7.ts"), "feature 7", "edited feature 7")?;
    add(&app, "one module edited", push(&large).await?);
    add(&app, "nothing edited", push(&large).await?);
    Ok(report)
}

/// Lets the CLI write what it would push, and pushes that.
async fn push(developer: &Developer) -> anyhow::Result<Push> {
    let written = ["deploy", "--yes", "--typecheck", "disable", "--write-push-request", "push"];
    developer.succeeds(&written)?;
    let mut request: Value = serde_json::from_slice(&fs::read(developer.app().join("push.json"))?)?;
    let key = developer.backend.admin_key()?;
    request["adminKey"] = key.as_str().into();
    request["dryRun"] = false.into();
    let changed = request["appDefinition"]["changedModules"].as_array().context("the push has no modules")?;
    let sent = changed.iter().filter_map(|module| module["source"].as_str()).map(str::len).sum();
    let modules = changed.len();
    let request = request.to_string();

    let started = Instant::now();
    let mut connection = Connection::open(developer.backend.url()).await?;
    let mut post = async |path: &str, body: &str| -> anyhow::Result<Value> {
        let answer = connection.send(&connection.request(path, body)).await.with_context(|| path.to_owned())?;
        Ok(serde_json::from_slice(&answer)?)
    };
    post("/api/get_config_hashes", &json!({ "version": "1.49.0", "adminKey": key }).to_string()).await?;
    post("/api/deploy2/evaluate_schema", &request).await?;
    let start_push = post("/api/deploy2/start_push", &request).await?;
    let wait = json!({ "adminKey": key, "schemaChange": start_push["schemaChange"], "timeoutMs": 10_000 }).to_string();
    while post("/api/deploy2/wait_for_schema", &wait).await?["type"] == "inProgress" {}
    let finish = json!({ "adminKey": key, "startPush": start_push, "dryRun": false }).to_string();
    let finished = post("/api/deploy2/finish_push", &finish).await?;
    ensure!(finished["componentDiffs"][""].is_object(), "{finished}");
    Ok(Push { time: started.elapsed(), sent, modules })
}

/// Adds modules to an app, each with functions of its own, and some with published packages.
fn generate(developer: &Developer) -> anyhow::Result<()> {
    let packages = developer.app().join("node_modules");
    fs::remove_file(&packages)?;
    fs::create_dir(&packages)?;
    link(&places::chat().join("node_modules"), &packages)?;
    link(&places::project().join("tests/libraries/node_modules"), &packages)?;
    for module in 0..MODULES {
        developer.write(&format!("feature{module}.ts"), &source(module))?;
    }
    Ok(())
}

/// Makes every package of a folder one of another, unless that has it already.
fn link(from: &Path, to: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(from.canonicalize()?)? {
        let entry = entry?;
        let link = to.join(entry.file_name());
        if !link.exists() {
            std::os::unix::fs::symlink(entry.path(), link)?;
        }
    }
    Ok(())
}

/// Packages that modules use in turn: what is imported, and an expression with `text` and `number`.
const PACKAGES: [(&str, &str); 6] = [
    (
        "import { z } from 'zod';",
        "z.object({ text: z.string().min(1), number: z.number() }).safeParse({ text, number })",
    ),
    (
        "import { groupBy, sortBy, startCase } from 'lodash-es';",
        "groupBy(sortBy(text.split(' ')), (word) => startCase(word))",
    ),
    ("import { addDays, formatISO } from 'date-fns';", "formatISO(addDays(new Date(0), number))"),
    ("import superjson from 'superjson';", "superjson.serialize({ text, when: new Date(number) })"),
    ("import MarkdownIt from 'markdown-it';", "new MarkdownIt().render(text)"),
    ("import { Chess } from 'chess.js';", "new Chess().moves().length + number"),
];

fn source(module: usize) -> String {
    let (import, expression) = PACKAGES[module % PACKAGES.len()];
    let mut source = format!(
        "import {{ queryGeneric as query, mutationGeneric as mutation }} from 'convex/server';\n\
         import {{ v }} from 'convex/values';\n{import}\n\
         export const title = 'feature {module}';\n\
         export const packaged = query({{ args: {{ text: v.string(), number: v.number() }}, handler: (_, {{ text, number }}) => {expression} as any }});\n"
    );
    for function in 0..FUNCTIONS {
        let kind = if function % 2 == 0 { "query" } else { "mutation" };
        source += &format!(
            "export const function{function} = {kind}({{
  args: {{ name: v.string(), limit: v.optional(v.number()), tags: v.array(v.string()) }},
  handler: async (ctx, {{ name, limit, tags }}) => {{
    const counters = await ctx.db.query('counters').withIndex('by_name', (q) => q.eq('name', name as never)).take(limit ?? {module});
    const byTag = new Map<string, {{ count: number; names: string[] }}>();
    for (const [position, counter] of counters.entries()) {{
      for (const tag of tags) {{
        const key = `${{tag}}-{function}-${{position % {divisor}}}`;
        const entry = byTag.get(key) ?? {{ count: {function}, names: [] }};
        entry.count += Number(counter.value ?? 0) * {factor};
        if (!entry.names.includes(String(counter.name))) entry.names.push(String(counter.name));
        byTag.set(key, entry);
      }}
    }}
    const best = [...byTag.entries()].sort(([, a], [, b]) => b.count - a.count).slice(0, {divisor});
    if (best.length > {factor} && name === 'feature {module}.{function}') throw new Error(`Too many: ${{best.length}} in {module}.{function}`);
    return best.map(([tag, {{ count, names }}]) => ({{ tag, count, names: names.join(', '), title }}));
  }},
}});\n",
            divisor = module % 17 + 3,
            factor = module * FUNCTIONS + function,
        );
    }
    source
}
