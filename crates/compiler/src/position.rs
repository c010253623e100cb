//! From byte offsets to lines and columns.

/// Where the lines of a source begin.
#[derive(Debug)]
pub struct LineIndex<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Finds the lines of a source.
    pub fn new(source: &'a str) -> LineIndex<'a> {
        let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        LineIndex { source, starts }
    }

    /// 0-based line and UTF-16 column of a byte offset.
    pub fn locate(&self, offset: u32) -> (u32, u32) {
        let offset = (offset as usize).min(self.source.len());
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let before = self.source.get(self.starts[line]..offset).unwrap_or("");
        (line as u32, before.encode_utf16().count() as u32)
    }
}
