//! TimSort, the stable merge sort of Tim Peters (CPython's `listsort.txt` describes it), over a fallible order.
//!
//! V8 sorts with the same algorithm and parameters. So a comparator that contradicts itself (`() => random() - 0.5`,
//! `(a, b) => a > b`) is asked the same questions and leaves the same order here as there.

/// Runs shorter than this many elements are extended by insertion.
const MIN_MERGE: usize = 64;
/// Wins in a row after which a merge starts to gallop.
const MIN_GALLOP: usize = 7;

/// A sorted stretch of the array that waits to be merged.
#[derive(Clone, Copy)]
struct Run {
    base: usize,
    length: usize,
}

/// Sorts `items`. `less(a, b)` says whether `a` belongs before `b`; its first error ends the sort, and `items` then
/// hold their values in some order.
pub fn tim_sort<T: Copy, E>(items: &mut [T], less: impl FnMut(T, T) -> Result<bool, E>) -> Result<(), E> {
    if items.len() < 2 {
        return Ok(());
    }
    let min_run = min_run_length(items.len());
    let mut sorter = Sorter { items, less, runs: Vec::new(), min_gallop: MIN_GALLOP, buffer: Vec::new() };
    let mut low = 0;
    while low < sorter.items.len() {
        let remaining = sorter.items.len() - low;
        let mut length = sorter.take_run(low)?;
        if length < min_run {
            let forced = min_run.min(remaining);
            sorter.insert_into_run(low, low + length, low + forced)?;
            length = forced;
        }
        sorter.runs.push(Run { base: low, length });
        sorter.collapse()?;
        low += length;
    }
    sorter.collapse_all()
}

/// A number in 32..=64 such that `length` divided by it is a power of two, or a little less.
fn min_run_length(mut length: usize) -> usize {
    let mut rest = 0;
    while length >= MIN_MERGE {
        rest |= length & 1;
        length >>= 1;
    }
    length + rest
}

struct Sorter<'a, T, F> {
    items: &'a mut [T],
    less: F,
    runs: Vec<Run>,
    min_gallop: usize,
    /// The shorter run of the merge under way.
    buffer: Vec<T>,
}

impl<T: Copy, E, F: FnMut(T, T) -> Result<bool, E>> Sorter<'_, T, F> {
    /// Length of the run that begins at `low`; a strictly descending one is turned round.
    fn take_run(&mut self, low: usize) -> Result<usize, E> {
        let rest = self.items.len() - low;
        if rest == 1 {
            return Ok(1);
        }
        let descending = (self.less)(self.items[low + 1], self.items[low])?;
        let mut length = 2;
        while length < rest {
            if (self.less)(self.items[low + length], self.items[low + length - 1])? != descending {
                break;
            }
            length += 1;
        }
        if descending {
            self.items[low..low + length].reverse();
        }
        Ok(length)
    }

    /// Binary insertion sort of `low..high`, of which `low..start` is sorted.
    fn insert_into_run(&mut self, low: usize, start: usize, high: usize) -> Result<(), E> {
        for next in start..high {
            let pivot = self.items[next];
            let (mut left, mut right) = (low, next);
            while left < right {
                let middle = left + ((right - left) >> 1);
                if (self.less)(pivot, self.items[middle])? {
                    right = middle;
                } else {
                    left = middle + 1;
                }
            }
            self.items.copy_within(left..next, left + 1);
            self.items[left] = pivot;
        }
        Ok(())
    }

    /// Whether run `n` is shorter than the two below it together allow.
    fn is_balanced(&self, n: usize) -> bool {
        n < 2 || self.runs[n - 2].length > self.runs[n - 1].length + self.runs[n].length
    }

    /// Merges until the lengths of the waiting runs shrink fast enough.
    fn collapse(&mut self) -> Result<(), E> {
        while self.runs.len() > 1 {
            let mut n = self.runs.len() - 2;
            if !self.is_balanced(n + 1) || !self.is_balanced(n) {
                if self.runs[n - 1].length < self.runs[n + 1].length {
                    n -= 1;
                }
            } else if self.runs[n].length > self.runs[n + 1].length {
                break;
            }
            self.merge_at(n)?;
        }
        Ok(())
    }

    /// Merges all waiting runs.
    fn collapse_all(&mut self) -> Result<(), E> {
        while self.runs.len() > 1 {
            let mut n = self.runs.len() - 2;
            if n > 0 && self.runs[n - 1].length < self.runs[n + 1].length {
                n -= 1;
            }
            self.merge_at(n)?;
        }
        Ok(())
    }

    /// Merges runs `n` and `n + 1`.
    fn merge_at(&mut self, n: usize) -> Result<(), E> {
        let (a, b) = (self.runs[n], self.runs[n + 1]);
        self.runs[n].length = a.length + b.length;
        self.runs.remove(n + 1);

        // What is before B's first element, and what is after A's last, is in place already.
        let first = self.items[b.base];
        let settled = gallop_right(&mut self.less, &self.items[a.base..b.base], first, 0)?;
        let a = Run { base: a.base + settled, length: a.length - settled };
        if a.length == 0 {
            return Ok(());
        }
        let last = self.items[b.base - 1];
        let b_items = &self.items[b.base..b.base + b.length];
        let b = Run { base: b.base, length: gallop_left(&mut self.less, b_items, last, b.length - 1)? };
        if b.length == 0 {
            return Ok(());
        }
        if a.length <= b.length { self.merge_low(a, b) } else { self.merge_high(a, b) }
    }

    /// Merges with A in the buffer, from the left. A's last element is known to be the largest and B's first the
    /// smallest.
    fn merge_low(&mut self, a: Run, b: Run) -> Result<(), E> {
        let mut buffer = core::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend_from_slice(&self.items[a.base..a.base + a.length]);
        let mut merge = Merge { left: 0, left_end: a.length, right: b.base, right_end: b.base + b.length, out: a.base };
        let result = self.merge_low_steps(&buffer, &mut merge);
        // Whatever A still holds goes before what is left of B, which is in place; after an error too, so that no
        // value is lost.
        let rest = &buffer[merge.left..merge.left_end];
        if result.is_ok() && rest.len() == 1 {
            // Only A's largest is left: it goes behind the rest of B.
            self.items.copy_within(merge.right..merge.right_end, merge.out);
            self.items[merge.right_end - 1] = rest[0];
        } else {
            self.items[merge.out..merge.out + rest.len()].copy_from_slice(rest);
        }
        self.buffer = buffer;
        result
    }

    /// The steps of [`Self::merge_low`], until B is used up or A has one element left.
    fn merge_low_steps(&mut self, a: &[T], merge: &mut Merge) -> Result<(), E> {
        merge.take_right(self.items);
        if merge.right == merge.right_end || merge.left_end - merge.left == 1 {
            return Ok(());
        }
        let mut min_gallop = self.min_gallop;
        loop {
            let (mut wins_a, mut wins_b) = (0, 0);
            while wins_a < min_gallop && wins_b < min_gallop {
                if (self.less)(self.items[merge.right], a[merge.left])? {
                    merge.take_right(self.items);
                    wins_b += 1;
                    wins_a = 0;
                    if merge.right == merge.right_end {
                        return Ok(());
                    }
                } else {
                    merge.take_left(self.items, a);
                    wins_a += 1;
                    wins_b = 0;
                    if merge.left_end - merge.left == 1 {
                        return Ok(());
                    }
                }
            }
            min_gallop += 1;
            let mut first = true;
            while first || wins_a >= MIN_GALLOP || wins_b >= MIN_GALLOP {
                first = false;
                min_gallop = (min_gallop - 1).max(1);
                self.min_gallop = min_gallop;

                wins_a = gallop_right(&mut self.less, &a[merge.left..merge.left_end], self.items[merge.right], 0)?;
                for _ in 0..wins_a {
                    merge.take_left(self.items, a);
                }
                // All of A is possible only for a contradictory order.
                if merge.left_end - merge.left <= 1 {
                    return Ok(());
                }
                merge.take_right(self.items);
                if merge.right == merge.right_end {
                    return Ok(());
                }

                wins_b = gallop_left(&mut self.less, &self.items[merge.right..merge.right_end], a[merge.left], 0)?;
                for _ in 0..wins_b {
                    merge.take_right(self.items);
                }
                if merge.right == merge.right_end {
                    return Ok(());
                }
                merge.take_left(self.items, a);
                if merge.left_end - merge.left == 1 {
                    return Ok(());
                }
            }
            min_gallop += 1;
            self.min_gallop = min_gallop;
        }
    }

    /// Merges with B in the buffer, from the right.
    fn merge_high(&mut self, a: Run, b: Run) -> Result<(), E> {
        let mut buffer = core::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend_from_slice(&self.items[b.base..b.base + b.length]);
        let mut merge =
            Merge { left: a.base, left_end: a.base + a.length, right: 0, right_end: b.length, out: b.base + b.length };
        let result = self.merge_high_steps(&buffer, &mut merge);
        let rest = &buffer[..merge.right_end];
        if result.is_ok() && rest.len() == 1 {
            // Only B's smallest is left: it goes before the rest of A.
            let length = merge.left_end - merge.left;
            self.items.copy_within(merge.left..merge.left_end, merge.out - length);
            self.items[merge.out - length - 1] = rest[0];
        } else {
            self.items[merge.out - rest.len()..merge.out].copy_from_slice(rest);
        }
        self.buffer = buffer;
        result
    }

    /// The steps of [`Self::merge_high`], until A is used up or B has one element left.
    fn merge_high_steps(&mut self, b: &[T], merge: &mut Merge) -> Result<(), E> {
        merge.take_left_end(self.items);
        if merge.left == merge.left_end || merge.right_end == 1 {
            return Ok(());
        }
        let mut min_gallop = self.min_gallop;
        loop {
            let (mut wins_a, mut wins_b) = (0, 0);
            while wins_a < min_gallop && wins_b < min_gallop {
                if (self.less)(b[merge.right_end - 1], self.items[merge.left_end - 1])? {
                    merge.take_left_end(self.items);
                    wins_a += 1;
                    wins_b = 0;
                    if merge.left == merge.left_end {
                        return Ok(());
                    }
                } else {
                    merge.take_right_end(self.items, b);
                    wins_b += 1;
                    wins_a = 0;
                    if merge.right_end == 1 {
                        return Ok(());
                    }
                }
            }
            min_gallop += 1;
            let mut first = true;
            while first || wins_a >= MIN_GALLOP || wins_b >= MIN_GALLOP {
                first = false;
                min_gallop = (min_gallop - 1).max(1);
                self.min_gallop = min_gallop;

                let a = &self.items[merge.left..merge.left_end];
                wins_a = a.len() - gallop_right(&mut self.less, a, b[merge.right_end - 1], a.len() - 1)?;
                for _ in 0..wins_a {
                    merge.take_left_end(self.items);
                }
                if merge.left == merge.left_end {
                    return Ok(());
                }
                merge.take_right_end(self.items, b);
                if merge.right_end == 1 {
                    return Ok(());
                }

                let rest = &b[..merge.right_end];
                let key = self.items[merge.left_end - 1];
                wins_b = rest.len() - gallop_left(&mut self.less, rest, key, rest.len() - 1)?;
                for _ in 0..wins_b {
                    merge.take_right_end(self.items, b);
                }
                // All of B is possible only for a contradictory order.
                if merge.right_end <= 1 {
                    return Ok(());
                }
                merge.take_left_end(self.items);
                if merge.left == merge.left_end {
                    return Ok(());
                }
            }
            min_gallop += 1;
            self.min_gallop = min_gallop;
        }
    }
}

/// Positions of a merge: what is left of both runs, and where the next element goes (from the right: behind it).
struct Merge {
    left: usize,
    left_end: usize,
    right: usize,
    right_end: usize,
    out: usize,
}

impl Merge {
    #[inline(always)]
    fn take_left<T: Copy>(&mut self, items: &mut [T], buffer: &[T]) {
        items[self.out] = buffer[self.left];
        self.left += 1;
        self.out += 1;
    }

    #[inline(always)]
    fn take_right<T: Copy>(&mut self, items: &mut [T]) {
        items[self.out] = items[self.right];
        self.right += 1;
        self.out += 1;
    }

    #[inline(always)]
    fn take_left_end<T: Copy>(&mut self, items: &mut [T]) {
        self.left_end -= 1;
        self.out -= 1;
        items[self.out] = items[self.left_end];
    }

    #[inline(always)]
    fn take_right_end<T: Copy>(&mut self, items: &mut [T], buffer: &[T]) {
        self.right_end -= 1;
        self.out -= 1;
        items[self.out] = buffer[self.right_end];
    }
}

/// Where `key` belongs in sorted `run`, before its equals; the search widens from `hint`.
fn gallop_left<T: Copy, E>(
    less: &mut impl FnMut(T, T) -> Result<bool, E>,
    run: &[T],
    key: T,
    hint: usize,
) -> Result<usize, E> {
    gallop(run, hint, |element| less(element, key))
}

/// Where `key` belongs in sorted `run`, behind its equals; the search widens from `hint`.
fn gallop_right<T: Copy, E>(
    less: &mut impl FnMut(T, T) -> Result<bool, E>,
    run: &[T],
    key: T,
    hint: usize,
) -> Result<usize, E> {
    gallop(run, hint, |element| Ok(!less(key, element)?))
}

/// Number of elements at the start of `run` that come `before` the key: exponential search from `hint`, then binary.
fn gallop<T: Copy, E>(run: &[T], hint: usize, mut before: impl FnMut(T) -> Result<bool, E>) -> Result<usize, E> {
    let (mut last, mut offset) = (0, 1);
    // Afterwards everything below `low` comes before the key and everything from `high` on does not.
    let (mut low, mut high);
    if before(run[hint])? {
        let most = run.len() - hint;
        while offset < most && before(run[hint + offset])? {
            last = offset;
            offset = offset * 2 + 1;
        }
        (low, high) = (hint + last + 1, hint + offset.min(most));
    } else {
        let most = hint + 1;
        while offset < most && !before(run[hint - offset])? {
            last = offset;
            offset = offset * 2 + 1;
        }
        (low, high) = (hint + 1 - offset.min(most), hint - last);
    }
    while low < high {
        let middle = low + ((high - low) >> 1);
        if before(run[middle])? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}
