//! The published Rust client against a server with the example deployed. Usage: rust-client URL

use std::collections::BTreeMap;

use anyhow::{Context, bail, ensure};
use convex::{ConvexClient, FunctionResult, Value};
use futures::StreamExt;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = std::env::args().nth(1).context("usage: rust-client URL")?;
    let (mut writer, mut reader) = (ConvexClient::new(&url).await?, ConvexClient::new(&url).await?);
    let ann = arguments([("name", "Ann".into()), ("email", "ann@example.com".into())]);
    let ann = value(writer.mutation("users:register", ann).await?)?;
    let channel = arguments([("name", "general".into()), ("createdBy", ann.clone())]);
    value(writer.mutation("channels:create", channel.clone()).await?)?;

    // What one connection writes, another one that watches sees.
    let watched = arguments([("channel", "general".into()), ("limit", 10.0.into())]);
    let mut updates = reader.subscribe("messages:recent", watched).await?;
    let mut seen = bodies(updates.next().await)?;
    ensure!(seen.is_empty(), "{seen:?}");
    for body in ["hello", "again"] {
        let message = [("channel", "general".into()), ("author", ann.clone()), ("body", body.into())];
        value(writer.mutation("messages:send", arguments(message)).await?)?;
        seen = bodies(updates.next().await)?;
        ensure!(seen.last().is_some_and(|last| last == body), "{seen:?} does not end with {body}");
    }
    ensure!(seen == ["hello", "again"], "{seen:?}");

    // Errors of the app come with their data, others with their text, for queries and mutations.
    let nowhere = arguments([("channel", "nowhere".into())]);
    ensure!(code(writer.query("messages:recent", nowhere).await?)? == "NotFound");
    let nobody = arguments([("name", "".into()), ("email", "".into())]);
    ensure!(code(writer.mutation("users:register", nobody).await?)? == "InvalidProfile");
    match writer.mutation("channels:create", channel).await? {
        FunctionResult::ErrorMessage(text) => ensure!(text.contains("There is a channel"), "{text}"),
        other => bail!("a channel was made twice: {other:?}"),
    }
    let counted = value(writer.query("counters:value", arguments([("name", "messages".into())])).await?)?;
    ensure!(counted == Value::Float64(2.0), "{counted:?}");
    println!("done");
    Ok(())
}

fn arguments<const N: usize>(fields: [(&str, Value); N]) -> BTreeMap<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The value of a call that must succeed.
fn value(result: FunctionResult) -> anyhow::Result<Value> {
    match result {
        FunctionResult::Value(value) => Ok(value),
        other => bail!("a call failed: {other:?}"),
    }
}

/// The code in the data of an error that the app threw.
fn code(result: FunctionResult) -> anyhow::Result<String> {
    let FunctionResult::ConvexError(error) = result else { bail!("not an error of the app: {result:?}") };
    match error.data {
        Value::Object(data) => match data.get("code") {
            Some(Value::String(code)) => Ok(code.clone()),
            other => bail!("the code is {other:?}"),
        },
        other => bail!("the data is {other:?}"),
    }
}

/// The texts of watched messages.
fn bodies(update: Option<FunctionResult>) -> anyhow::Result<Vec<String>> {
    let Value::Array(messages) = value(update.context("the subscription ended")?)? else {
        bail!("no list of messages came")
    };
    let body = |message: Value| match message {
        Value::Object(mut message) => match message.remove("body") {
            Some(Value::String(body)) => Ok(body),
            other => bail!("the body is {other:?}"),
        },
        other => bail!("the message is {other:?}"),
    };
    messages.into_iter().map(body).collect()
}
