//! Builds the guest for wasm32 with whichever standard library for that target the machine has: the one rustup adds to
//! the active toolchain, or Debian's, built from its sources by Debian's compiler.

// Cargo speaks with build scripts through environment variables.
#![allow(clippy::disallowed_methods)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

const TARGET: &str = "wasm32-unknown-unknown";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// The memory map of `convex_wasm_abi::memory`, and what units and host need of the guest.
const LINK_ARGUMENTS: &[&str] = &[
    "--stack-first",
    "-zstack-size=1048576",
    "--global-base=2097152",
    "--import-memory",
    "--initial-memory=201326592",
    "--max-memory=201326592",
    "--export-table",
    "--growable-table",
    "--export=__stack_pointer",
];

/// Variables of the outer cargo that would change the guest's build.
const OUTER_VARIABLES: &[&str] = &[
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTFLAGS",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_LINKER",
    "CARGO_BUILD_TARGET",
    "CARGO_TARGET_DIR",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL",
    "CARGO_PROFILE_RELEASE_DEBUG",
    "TARGET",
    "HOST",
];

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), String> {
    let crates = variable("CARGO_MANIFEST_DIR")?.join("..");
    let guest = crates.join("guest");
    for source in ["guest/src", "guest/Cargo.toml", "guest/Cargo.lock", "abi/src", "abi/Cargo.toml"] {
        println!("cargo::rerun-if-changed={}", crates.join(source).display());
    }
    println!("cargo::rerun-if-changed=build.rs");

    let out = variable("OUT_DIR")?;
    let target_directory = target_directory(&out);
    let mut cargo = Command::new(variable("CARGO")?);
    for name in OUTER_VARIABLES {
        cargo.env_remove(name);
    }
    cargo.args(["build", "--release", "--locked", "--target", TARGET]);
    cargo.arg("--manifest-path").arg(guest.join("Cargo.toml"));
    cargo.arg("--target-dir").arg(&target_directory);
    let mut flags: Vec<String> = LINK_ARGUMENTS.iter().map(|argument| format!("-Clink-arg={argument}")).collect();
    flags.extend(standard_library(&mut cargo)?);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));

    let status = cargo.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !status.success() {
        return Err("the guest (crates/guest) does not build; its errors are above".to_owned());
    }
    let wasm = target_directory.join(TARGET).join("release/convex_wasm_guest.wasm");
    let copied = fs::copy(&wasm, out.join("guest.wasm"));
    copied.map_err(|error| format!("cannot copy {}: {error}", wasm.display()))?;
    Ok(())
}

/// Makes `cargo` use a standard library for wasm32. Answers the compiler flags this needs.
fn standard_library(cargo: &mut Command) -> Result<Vec<String>, String> {
    let rustc = variable("RUSTC")?;
    if query(&rustc, &["--print", "target-libdir", "--target", TARGET]).is_some_and(|found| Path::new(&found).is_dir())
    {
        return Ok(Vec::new());
    }
    let debian = Path::new(DEBIAN_RUSTC);
    let sources =
        query(debian, &["--print", "sysroot"]).map(|root| Path::new(&root).join("lib/rustlib/src/rust/library"));
    if !sources.is_some_and(|sources| sources.join("std/Cargo.toml").is_file()) {
        return Err(
            "there is no Rust standard library for wasm32; run `rustup target add wasm32-unknown-unknown`, or on \
                    Debian and Ubuntu `apt-get install rustc-web rust-web-src`"
                .to_owned(),
        );
    }
    let host = env::var("HOST").map_err(|error| format!("HOST: {error}"))?;
    let root = query(&rustc, &["--print", "sysroot"]).ok_or("rustc does not say where it is installed")?;
    let linker = Path::new(&root).join("lib/rustlib").join(host).join("bin/rust-lld");
    if !linker.is_file() {
        return Err(format!("the toolchain lacks {}; install it with rustup", linker.display()));
    }
    cargo.env("RUSTC", debian).env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=std,panic_abort");
    Ok(vec![format!("-Clinker={}", linker.display())])
}

/// `target/guest`, so that the standard library is built once, whatever hash this script's own directory has.
fn target_directory(out: &Path) -> PathBuf {
    // OUT_DIR is target/<profile>/build/<package and hash>/out.
    match out.ancestors().nth(4) {
        Some(target) => target.join("guest"),
        None => out.join("guest"),
    }
}

fn variable(name: &str) -> Result<PathBuf, String> {
    env::var_os(name).map(PathBuf::from).ok_or_else(|| format!("cargo did not set {name}"))
}

/// What a compiler prints; `None` if it fails.
fn query(rustc: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(rustc).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
