//! Worker processes as the kernel sees them.

use std::fs;
use std::io;

/// Ids of the processes that this one started.
pub fn children() -> io::Result<Vec<u32>> {
    let mut ids = Vec::new();
    for task in fs::read_dir("/proc/self/task")? {
        let text = fs::read_to_string(task?.path().join("children")).unwrap_or_default();
        ids.extend(text.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
    }
    Ok(ids)
}

/// Bytes of memory that each of them shares with nobody.
pub fn private_memory() -> io::Result<Vec<u64>> {
    children()?.into_iter().map(|id| private(&id.to_string())).collect()
}

/// Bytes of memory that a process shares with nobody.
pub fn private(process: &str) -> io::Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let lines = text.lines().filter(|line| line.starts_with("Private_Clean:") || line.starts_with("Private_Dirty:"));
    let kilobytes = lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    Ok(kilobytes.sum::<u64>() << 10)
}

/// Descriptors this process has open.
pub fn descriptors() -> io::Result<usize> {
    Ok(fs::read_dir("/proc/self/fd")?.count())
}
