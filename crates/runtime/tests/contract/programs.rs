//! Programs are made of units: evaluated once, cached as native code, described.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use crate::support::{BUDGET, answer, engine, program, unit};
use convex_wasm_compiler::unit::CompiledUnit;
use convex_wasm_runtime::{DirectoryCache, Engine, NativeCache, Pool, ProgramError, SilentHost};

#[tokio::test]
async fn exports_are_found_by_path_and_name() {
    let program = program(&engine(), vec![unit("a.js"), unit("b.js")]).await.unwrap();
    assert_eq!(program.modules().collect::<Vec<_>>(), ["a.js", "b.js"]);
    let names: Vec<_> = program.exports("a.js").map(|(name, _)| name).collect();
    assert!(names.contains(&"count") && names.is_sorted());
    assert_ne!(program.export("a.js", "count"), program.export("b.js", "count"));
    assert_eq!(program.export("a.js", "missing"), None);
    assert_eq!(program.exports("missing.js").count(), 0);
}

#[tokio::test]
async fn an_export_is_described() {
    let program = program(&engine(), vec![unit("unit.js")]).await.unwrap();
    let export = program.export("unit.js", "describe").unwrap();
    let described = Pool::new(program).describe(export, BUDGET, SilentHost::default()).await.result.unwrap();
    assert_eq!((described.kind.as_str(), described.visibility.as_deref()), ("query", Some("public")));
}

#[tokio::test]
async fn a_module_that_fails_names_itself() {
    let mut broken = unit("broken.js");
    let text = include_str!("support/unit.wat").replacen("(i64.const 0))", "(unreachable))", 1);
    broken.wasm = wat::parse_str(text).unwrap();
    let error = program(&engine(), vec![unit("a.js"), broken]).await.err().unwrap();
    assert!(matches!(&error, ProgramError::Evaluate { path, .. } if path == "broken.js"), "{error}");
}

#[tokio::test]
async fn malformed_wasm_is_an_error_that_names_the_module() {
    let mut broken = unit("broken.js");
    broken.wasm.truncate(100);
    let error = program(&engine(), vec![broken]).await.err().unwrap();
    assert!(matches!(&error, ProgramError::Compile { path, .. } if path == "broken.js"), "{error}");
}

#[tokio::test]
async fn native_code_is_taken_from_the_cache() {
    let directory = tempfile::tempdir().unwrap();
    let guest = wat::parse_str(include_str!("support/guest.wat")).unwrap();
    let units = [Arc::new(unit("unit.js"))];
    for expected in [false, true] {
        let engine = Engine::with_guest(DirectoryCache::open(directory.path()).unwrap(), &guest).unwrap();
        let native = engine.compile(&units).unwrap();
        assert_eq!(native[0].cached, expected);
        let pool = Pool::new(program(&engine, vec![unit("unit.js")]).await.unwrap());
        assert_eq!(answer(&pool, "count", "").await, "1");
    }
}

#[tokio::test]
async fn damaged_native_code_is_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let guest = wat::parse_str(include_str!("support/guest.wat")).unwrap();
    let open = || DirectoryCache::open(directory.path()).unwrap();
    Engine::with_guest(open(), &guest).unwrap().compile(&[Arc::new(unit("unit.js"))]).unwrap();
    for file in std::fs::read_dir(directory.path()).unwrap() {
        std::fs::write(file.unwrap().path(), b"").unwrap();
    }
    let engine = Engine::with_guest(open(), &guest).unwrap();
    assert!(!engine.compile(&[Arc::new(unit("unit.js"))]).unwrap()[0].cached);
}

/// What an engine asked a cache for and gave to it.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<HashMap<String, Vec<u8>>>>);

impl NativeCache for Recorded {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        self.0.lock().unwrap().insert(key.to_owned(), bytes.to_vec());
    }
}

/// A version of a large module, whose `count` begins at the character given.
fn large_unit(first: char) -> CompiledUnit {
    let text = include_str!("support/unit.wat").replacen("(i32.const 48)", &format!("(i32.const {})", first as u32), 1);
    let numbers = |function: usize| (0..20).map(move |index| format!("(i64.const {})", (function + index) << 40));
    let function =
        |function| format!("(func (result i64) {} {})", numbers(function).collect::<String>(), "i64.xor ".repeat(19));
    let functions: String = (1..2_000).map(function).collect();
    let mut unit = unit("unit.js");
    unit.wasm = wat::parse_str(format!("{} {functions})", text.trim_end().strip_suffix(')').unwrap())).unwrap();
    unit
}

#[tokio::test]
async fn an_edited_module_takes_the_other_functions_from_its_last_version() {
    let cache = Recorded::default();
    let guest = wat::parse_str(include_str!("support/guest.wat")).unwrap();
    let engine = Engine::with_guest(cache.clone(), &guest).unwrap();
    let packs = || -> Vec<Vec<u8>> {
        let entries = cache.0.lock().unwrap();
        entries.iter().filter(|(key, _)| key.ends_with("-functions")).map(|(_, pack)| pack.clone()).collect()
    };
    for (first, expected) in [('0', "1"), ('4', "5")] {
        let pool = Pool::new(program(&engine, vec![large_unit(first)]).await.unwrap());
        assert_eq!(answer(&pool, "count", "").await, expected);
        assert_eq!(packs().len(), 1, "there is one pack for each path");
    }
    let pack = packs().remove(0);
    // A pack that is damaged in the middle is of use until there, and does no harm.
    cache.0.lock().unwrap().retain(|key, _| key.ends_with("-functions"));
    cache.0.lock().unwrap().values_mut().for_each(|bytes| bytes[pack.len() / 2..].fill(0xFF));
    let pool = Pool::new(program(&engine, vec![large_unit('7')]).await.unwrap());
    assert_eq!(answer(&pool, "count", "").await, "8");
    assert_eq!(packs()[0].len(), pack.len());
}
