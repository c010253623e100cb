//! What leaves the cache when it is full.
//!
//! New items enter a small queue, a tenth of the cache; those that are used again before they come to its end move to the
//! main queue, the others leave. In the main queue an item gets another round for each time it was used. So a scan of
//! many items that nobody uses again only passes through the small queue. An item that comes back soon after it left enters
//! the main queue at once.
//!
//! J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Uses that are counted.
const MAX_USES: u8 = 3;
/// Items that left and are remembered, at least.
const MIN_GHOSTS: usize = 1024;

/// What the policy knows of an item.
#[derive(Debug, Default)]
pub struct Usage {
    /// Bytes of memory.
    pub bytes: usize,
    uses: AtomicU8,
    is_in_main: bool,
}

/// The queues of items, which are told by a name.
pub struct Queues<N> {
    small: Queue<N>,
    main: Queue<N>,
    ghosts: VecDeque<u64>,
    ghost_set: HashSet<u64>,
    budget: usize,
}

struct Queue<N> {
    items: VecDeque<N>,
    bytes: usize,
}

/// What is to become of the item that the policy looked at.
pub enum Verdict {
    /// It stays.
    Keep,
    /// It leaves.
    Remove,
}

impl Usage {
    /// That of a new item of so many bytes.
    pub fn of(bytes: usize) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Counts a use.
    pub fn touch(&self) {
        let uses = self.uses.load(Relaxed);
        // Two at once may count as one.
        if uses < MAX_USES {
            self.uses.store(uses + 1, Relaxed);
        }
    }

    /// That of an item that was split off this one.
    pub fn split(&self) -> Self {
        Self { bytes: 0, uses: AtomicU8::new(self.uses.load(Relaxed)), is_in_main: self.is_in_main }
    }
}

impl<N: Hash + Clone> Queues<N> {
    /// Empty queues of a cache of so many bytes.
    pub fn new(budget: usize) -> Self {
        let queue = || Queue { items: VecDeque::new(), bytes: 0 };
        Self { small: queue(), main: queue(), ghosts: VecDeque::new(), ghost_set: HashSet::new(), budget }
    }

    /// Takes in a new item.
    pub fn insert(&mut self, name: N, usage: &mut Usage) {
        usage.is_in_main |= self.ghost_set.contains(&fingerprint(&name));
        let queue = self.queue(usage);
        queue.bytes += usage.bytes;
        queue.items.push_back(name);
    }

    /// An item has another size than before.
    pub fn resized(&mut self, usage: &Usage, before: usize) {
        let queue = self.queue(usage);
        queue.bytes = (queue.bytes + usage.bytes).saturating_sub(before);
    }

    fn queue(&mut self, usage: &Usage) -> &mut Queue<N> {
        if usage.is_in_main { &mut self.main } else { &mut self.small }
    }

    /// Whether something has to leave.
    pub fn is_full(&self) -> bool {
        self.small.bytes + self.main.bytes > self.budget
    }

    /// Takes the item that is next to be looked at out of its queue. It has to be judged, unless it is gone.
    pub fn next(&mut self) -> Option<N> {
        let is_main =
            self.small.items.is_empty() || self.small.bytes <= self.budget / 10 && !self.main.items.is_empty();
        let queue = if is_main { &mut self.main } else { &mut self.small };
        queue.items.pop_front()
    }

    /// Decides about the item that [`Queues::next`] gave.
    pub fn judge(&mut self, name: N, usage: &mut Usage) -> Verdict {
        let uses = usage.uses.get_mut();
        let was_in_main = usage.is_in_main;
        if *uses > 0 {
            *uses = if was_in_main { *uses - 1 } else { 0 };
            usage.is_in_main = true;
            if !was_in_main {
                self.small.bytes = self.small.bytes.saturating_sub(usage.bytes);
                self.main.bytes += usage.bytes;
            }
            self.main.items.push_back(name);
            return Verdict::Keep;
        }
        let queue = self.queue(usage);
        queue.bytes = queue.bytes.saturating_sub(usage.bytes);
        if !was_in_main {
            self.remember(fingerprint(&name));
        }
        Verdict::Remove
    }

    fn remember(&mut self, ghost: u64) {
        if self.ghost_set.insert(ghost) {
            self.ghosts.push_back(ghost);
        }
        while self.ghosts.len() > self.main.items.len().max(MIN_GHOSTS)
            && let Some(oldest) = self.ghosts.pop_front()
        {
            self.ghost_set.remove(&oldest);
        }
    }

    /// Bytes of all items.
    pub fn bytes(&self) -> usize {
        self.small.bytes + self.main.bytes
    }
}

fn fingerprint(name: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}
