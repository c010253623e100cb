//! `npx convex function-spec`, `export` and `import`: data leaves as a file and comes back as it was.

use std::fs;

use convex_wasm_tests::developer::Developer;
use serde_json::{Value, json};

/// All documents of a table, as the CLI's data command reads them.
async fn documents(developer: &Developer, path: &str) -> anyhow::Result<Value> {
    developer.backend.call("query", path, json!({})).await
}

/// Uploads a file; its id.
async fn upload(developer: &Developer, content: &'static str) -> anyhow::Result<Value> {
    let url = developer.backend.call("mutation", "files:uploadUrl", json!({})).await?;
    let request = reqwest::Client::new().post(url.as_str().unwrap_or_default()).header("Content-Type", "text/plain");
    let answer: Value = request.body(content).send().await?.json().await?;
    Ok(answer["storageId"].clone())
}

#[tokio::test]
async fn an_export_comes_back_equal() -> anyhow::Result<()> {
    let developer = Developer::new()?;
    developer.write(
        "all.ts",
        r#"
        import { query, mutation } from "./_generated/server";
        export const users = query({ args: {}, handler: (ctx) => ctx.db.query("users").collect() });
        export const channels = query({ args: {}, handler: (ctx) => ctx.db.query("channels").collect() });
        export const counters = query({ args: {}, handler: (ctx) => ctx.db.query("counters").collect() });
        export const kinds = query({ args: {}, handler: (ctx) => ctx.db.query("kinds" as any).collect() });
        export const addKinds = mutation({ args: {}, handler: (ctx) => ctx.db.insert("kinds" as any, {
          integer: -5n, bytes: new Uint8Array([1, 2, 255]).buffer, special: [NaN, Infinity, -0], text: "Ünïcode \n\"",
        } as any) });
        "#,
    )?;
    let schema = developer.app().join("convex/schema.ts");
    let text = fs::read_to_string(&schema)?;
    assert!(text.trim_end().ends_with("});"), "{text}");
    fs::write(
        &schema,
        text.trim_end().trim_end_matches(");").to_owned()
            + ", { strictTableNameTypes: false, schemaValidation: false });\n",
    )?;
    developer.succeeds(&["deploy", "--yes", "--typecheck", "disable"])?;

    let spec = developer.succeeds(&["function-spec"])?;
    let function = r#""identifier": "users.js:register""#;
    assert!(spec.contains(function) && spec.contains(r#""functionType": "Mutation""#), "{spec}");

    // Enough documents for several pages and batches.
    let mut ann = Value::Null;
    for number in 0..30 {
        let user = json!({ "name": format!("User {number}"), "email": format!("user{number}@example.com") });
        ann = developer.backend.call("mutation", "users:register", user).await?;
    }
    let channel = json!({ "name": "general", "createdBy": ann });
    developer.backend.call("mutation", "channels:create", channel.clone()).await?;
    developer.backend.call("mutation", "all:addKinds", json!({})).await?;
    let file = upload(&developer, "the content of a file").await?;
    developer.backend.call("mutation", "files:share", json!({ "file": file, "name": "shared.txt" })).await?;
    let tables = ["all:users", "all:channels", "all:kinds"];
    let mut before = Vec::new();
    for table in tables {
        before.push(documents(&developer, table).await?);
    }
    let file = developer.app().join("snapshot.zip");
    let file = file.to_string_lossy();
    developer.succeeds(&["export", "--include-file-storage", "--path", &file])?;

    // Without a word about what is there already, nothing is overwritten.
    let refused = developer.fails(&["import", &file])?;
    assert!(refused.contains("Data already exists in table"), "{refused}");

    // What was changed or added since is gone, also in tables that the file does not have.
    developer
        .backend
        .call("mutation", "users:register", json!({ "name": "Late", "email": "late@example.com" }))
        .await?;
    developer.backend.call("mutation", "counters:increment", json!({ "name": "late" })).await?;
    developer.succeeds(&["import", "--replace-all", "--yes", &file])?;
    for (table, before) in tables.iter().zip(&before) {
        assert_eq!(documents(&developer, table).await?, *before, "{table}");
    }

    // Into another deployment, whose tables have other numbers; references between documents hold.
    let other = Developer::new()?;
    other.write("all.ts", &fs::read_to_string(developer.app().join("convex/all.ts"))?)?;
    fs::write(other.app().join("convex/schema.ts"), "export { default } from './other';")?;
    fs::write(
        other.app().join("convex/other.ts"),
        r#"import { defineSchema, defineTable } from "convex/server";
           import { v } from "convex/values";
           const any = () => defineTable(v.any());
           export default defineSchema({
             aaa: any(), kinds: any(), users: any().index("by_email", ["email"]), channels: any().index("by_name", ["name"]),
             messages: any().index("by_channel", ["channel"]).index("by_author", ["author", "channel"]),
             counters: any().index("by_name", ["name"]), files: any(), previews: any(),
           });"#,
    )?;
    other.succeeds(&["deploy", "--yes", "--typecheck", "disable"])?;
    other.succeeds(&["import", "--yes", &file])?;
    for (table, before) in tables.iter().zip(&before) {
        assert_eq!(documents(&other, table).await?, *before, "{table}");
    }
    for developer in [&developer, &other] {
        let files = documents(developer, "files:list").await?;
        assert_eq!((&files[0]["name"], &files[0]["size"]), (&json!("shared.txt"), &json!(21.0)), "{files}");
        let content = reqwest::get(files[0]["url"].as_str().unwrap_or_default()).await?;
        assert_eq!(content.headers()["content-type"], "text/plain");
        assert_eq!(content.text().await?, "the content of a file");
    }
    let author = before[1][0]["createdBy"].clone();
    assert_eq!(other.backend.call("query", "users:get", json!({ "id": author })).await?["_id"], author);

    // Single tables in the other formats.
    let lines = other.app().join("lines.jsonl");
    fs::write(&lines, "{\"name\": \"a\", \"value\": 1}\n\n{\"name\": \"b\", \"value\": 2.5}\n")?;
    let array = other.app().join("array.json");
    fs::write(&array, "[{\"name\": \"c\", \"value\": {\"$integer\": \"BwAAAAAAAAA=\"}}]")?;
    let csv = other.app().join("cells.csv");
    fs::write(&csv, "name,value\r\n\"d, \"\"e\"\"\",4\r\nf,text\r\n")?;
    other.succeeds(&["import", "--table", "counters", "--replace", "--yes", &lines.to_string_lossy()])?;
    for file in [&array, &csv] {
        other.succeeds(&["import", "--table", "counters", "--append", "--yes", &file.to_string_lossy()])?;
    }
    let counters = documents(&other, "all:counters").await?;
    let rows = counters.as_array().into_iter().flatten();
    let pairs: Vec<Value> = rows.map(|row| json!([row["name"], row["value"]])).collect();
    let seven = json!({ "$integer": "BwAAAAAAAAA=" });
    assert_eq!(
        pairs,
        [json!(["a", 1.0]), json!(["b", 2.5]), json!(["c", seven]), json!(["d, \"e\"", 4.0]), json!(["f", "text"])]
    );

    // A file that does not fit in the middle leaves everything as it was.
    let many: String = (0..2_000).map(|number| format!("{{\"name\": \"n{number}\", \"value\": {number}}}\n")).collect();
    fs::write(&lines, many + "{\"_id\": \"no id\", \"name\": \"last\", \"value\": 0}\n")?;
    let refused = other.fails(&["import", "--table", "counters", "--replace", "--yes", &lines.to_string_lossy()])?;
    assert!(refused.contains("no id"), "{refused}");
    assert_eq!(documents(&other, "all:counters").await?, counters);

    // What is wrong with a file is said.
    fs::write(&lines, "{\"name\": \"a\"}\n[1]\n")?;
    let refused = other.fails(&["import", "--table", "counters", "--append", "--yes", &lines.to_string_lossy()])?;
    assert!(refused.contains("Line 2 is no JSON object"), "{refused}");
    Ok(())
}
