//! `convex-wasm deployments`: what was deployed before is listed, and comes back.

use std::process::{Command, Output};

use anyhow::{Context, ensure};
use convex_wasm_tests::developer::{Developer, edit, said};
use convex_wasm_tests::places;
use serde_json::{Value, json};

/// `convex-wasm deployments` with these arguments.
fn deployments(developer: &Developer, arguments: &[&str]) -> anyhow::Result<Output> {
    let key = developer.backend.admin_key()?;
    let mut command = Command::new(places::binary()?);
    command.arg("deployments").args(arguments).args(["--url", developer.backend.url(), "--admin-key", &key]);
    Ok(command.output()?)
}

/// What is listed.
fn listed(developer: &Developer) -> anyhow::Result<Vec<Value>> {
    let output = deployments(developer, &["list", "--json"])?;
    ensure!(output.status.success(), "{}", said(&output));
    Ok(serde_json::from_slice(&output.stdout)?)
}

async fn version(developer: &Developer) -> anyhow::Result<Value> {
    developer.backend.call("query", "version:get", json!({})).await
}

#[tokio::test]
async fn an_earlier_deployment_comes_back_if_its_schema_fits() -> anyhow::Result<()> {
    let developer = Developer::new()?;
    let write = |number| {
        let source =
            "import { queryGeneric as query } from 'convex/server';\nexport const get = query({ handler: () => N });";
        developer.write("version.ts", &source.replace('N', number))
    };
    let deploy = || developer.succeeds(&["deploy", "--yes", "--typecheck", "disable"]);
    ensure!(!deployments(&developer, &["rollback"])?.status.success(), "it went back to nothing");
    for number in ["1", "2"] {
        write(number)?;
        deploy()?;
    }
    let both = listed(&developer)?;
    ensure!(both.len() == 2, "{both:?}");
    ensure!(both[0]["active"] == true && both[1]["active"] == false, "{both:?}");
    ensure!(both.iter().all(|deployment| deployment["nativeBytes"].as_u64() > Some(0)), "{both:?}");
    let (second, first) = (both[0]["id"].clone(), both[1]["id"].clone());

    // Back, by default to the one before; what is back is the active one.
    let output = deployments(&developer, &["rollback"])?;
    ensure!(output.status.success() && said(&output).contains("version:get"), "{}", said(&output));
    ensure!(version(&developer).await? == 1.0);
    ensure!(listed(&developer)?[0]["id"] == first, "{:?}", listed(&developer)?);
    let table = said(&deployments(&developer, &["list"])?);
    let row = table.lines().find(|line| line.starts_with('*')).context("no deployment is the active one")?;
    ensure!(row.contains(&first.as_str().unwrap_or_default()[..12]), "{table}");

    // Forth by the begin of its name.
    let begin = &second.as_str().unwrap_or_default()[..8];
    ensure!(deployments(&developer, &["rollback", begin])?.status.success());
    ensure!(version(&developer).await? == 2.0);
    developer.backend.restart()?;
    ensure!(version(&developer).await? == 2.0, "what is back does not survive a restart");
    let unknown = deployments(&developer, &["rollback", "none"])?;
    ensure!(unknown.status.code() == Some(1) && said(&unknown).contains("No deployment is kept"), "{}", said(&unknown));

    // A schema that the data do not fit any more is refused, and nothing changes.
    let schema = developer.app().join("convex/schema.ts");
    edit(&schema, "email: v.string()", "email: v.union(v.string(), v.number())")?;
    write("3")?;
    developer.write(
        "loose.ts",
        "import { mutationGeneric as mutation } from 'convex/server';\n\
         export const add = mutation({ handler: (ctx) => ctx.db.insert('users', { name: 'Bo', email: 5 } as any) });",
    )?;
    deploy()?;
    developer.backend.call("mutation", "loose:add", json!({})).await?;
    let refused = deployments(&developer, &["rollback"])?;
    ensure!(refused.status.code() == Some(1), "{}", said(&refused));
    ensure!(said(&refused).contains("does not match the schema"), "{}", said(&refused));
    ensure!(version(&developer).await? == 3.0);
    Ok(())
}
