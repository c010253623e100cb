//! Operations of the host, as JavaScript sees them.

use convex_wasm_runtime::{
    BoxError, Host, HostError, LogLevel, Operation, OperationResult, RunError, SilentHost, ThrowError,
};

use crate::support::{call, pool};

/// Answers each operation with its own name and argument, and remembers the batches.
#[derive(Debug, Default)]
struct Echo {
    batches: Vec<Vec<String>>,
}

impl Host for Echo {
    fn syscall(&mut self, name: &str, argument: &str) -> Result<String, HostError> {
        match name {
            "abort" => Err(HostError::Abort("the host is tired".into())),
            "throw" => Err(ThrowError { message: "no".to_owned(), ..ThrowError::default() }.into()),
            _ => Ok(format!("[\"{name}\",{argument}]")),
        }
    }

    fn environment_variable(&mut self, name: &str) -> Result<Option<String>, HostError> {
        Ok((name == "SET").then(|| "value".to_owned()))
    }

    fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
        Ok(vec!["SET".to_owned()])
    }

    fn log(&mut self, _level: LogLevel, _message: String) -> Result<(), HostError> {
        Ok(())
    }

    async fn run_batch(&mut self, batch: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
        tokio::task::yield_now().await;
        self.batches.push(batch.iter().map(|operation| operation.name.clone()).collect());
        let answer = |operation: &Operation| match operation.name.as_str() {
            "throw" => Err(ThrowError {
                message: "refused".to_owned(),
                data: Some("{\"a\":1}".to_owned()),
                ..ThrowError::default()
            }),
            name => Ok(format!("[\"{name}\",{}]", operation.argument)),
        };
        Ok(batch.iter().map(answer).collect())
    }
}

#[tokio::test]
async fn operations_of_a_promise_all_are_one_batch() {
    let pool = pool(
        "const op = (name) => Convex.asyncSyscall(name, '1');
        export const all = { async run() {
            const first = await Promise.all(Array.from({ length: 1000 }, (_, i) => op('a' + i)));
            const second = await op('b');
            return first[999] + second;
        } };",
    )
    .await;
    let execution = call(&pool, "all", "", Echo::default()).await;
    assert_eq!(execution.result.unwrap(), r#"["a999",1]["b",1]"#);
    let batches = execution.host.unwrap().batches;
    assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [1000, 1]);
    assert_eq!((batches[0][0].as_str(), batches[0][999].as_str()), ("a0", "a999"));
}

#[tokio::test]
async fn operations_settle_in_the_order_of_their_issue() {
    let pool = pool(
        "const seen = [];
        const op = (name) => Convex.asyncSyscall(name, '0').then(() => { seen.push(name); });
        export const order = { async run() {
            await Promise.all([op('a'), op('b').then(() => op('d')), op('c')]);
            return seen.join();
        } };",
    )
    .await;
    assert_eq!(call(&pool, "order", "", Echo::default()).await.result.unwrap(), "a,b,c,d");
}

#[tokio::test]
async fn failed_operations_reject_and_can_be_caught() {
    let pool = pool(
        "export const caught = { async run() {
            try { await Convex.asyncSyscall('throw', '0'); } catch (error) { return `${error.message} ${error instanceof Error}`; }
        } };
        export const sync = { run() {
            try { Convex.syscall('throw', '0'); } catch (error) { return error.message + Convex.syscall('x', '5'); }
        } };",
    )
    .await;
    assert_eq!(call(&pool, "caught", "", Echo::default()).await.result.unwrap(), "refused true");
    assert_eq!(call(&pool, "sync", "", Echo::default()).await.result.unwrap(), r#"no["x",5]"#);
}

#[tokio::test]
async fn an_abort_of_the_host_cannot_be_caught() {
    let pool =
        pool("export const f = { run() { try { Convex.syscall('abort', '0'); } catch { return 'caught'; } } };").await;
    let error = call(&pool, "f", "", Echo::default()).await.result.unwrap_err();
    assert!(matches!(&error, RunError::Aborted(_)) && error.to_string() == "the host is tired", "{error}");
}

#[tokio::test]
async fn environment_variables_are_asked_for() {
    let pool = pool("export const f = { run() { return `${process.env.SET} ${process.env.UNSET}`; } };").await;
    assert_eq!(call(&pool, "f", "", Echo::default()).await.result.unwrap(), "value undefined");
}

#[tokio::test]
async fn console_lines_have_levels() {
    let pool = pool("export const f = { run() { console.log('a', 1); console.error({ b: 2 }); return ''; } };").await;
    let lines = call(&pool, "f", "", SilentHost::default()).await.host.unwrap().lines;
    assert_eq!(lines[0], (LogLevel::Log, "'a' 1".to_owned()));
    assert_eq!(lines[1].0, LogLevel::Error);
}

#[tokio::test]
async fn clock_and_randomness_are_those_of_the_call() {
    let pool =
        pool("export const f = { run() { return `${Date.now()} ${new Date().getTime()} ${Math.random()}`; } };").await;
    let first = call(&pool, "f", "", SilentHost::default()).await.result.unwrap();
    assert!(first.starts_with("1000000000000 1000000000000 0."), "{first}");
    assert_eq!(call(&pool, "f", "", SilentHost::default()).await.result.unwrap(), first);
}
