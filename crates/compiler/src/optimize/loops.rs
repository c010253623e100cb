//! Natural loops of a control-flow graph.

use super::operands::successors;
use crate::ir::{Block, Function};

/// A loop: the blocks from which its header is reached again without leaving what the header dominates.
#[derive(Debug)]
pub struct Loop {
    /// Its only entry.
    pub header: Block,
    /// All its blocks, ascending; inner loops included.
    pub blocks: Vec<Block>,
}

/// The loops of a function, one for each header, those with most blocks first. Cycles with several entries are none.
pub fn natural_loops(function: &Function) -> Vec<Loop> {
    let edges: Vec<Vec<usize>> = function
        .blocks
        .iter()
        .map(|block| {
            let next = successors(&block.terminator).into_iter().chain(block.handler);
            next.map(|block| block.0 as usize).collect()
        })
        .collect();
    let order = reverse_postorder(&edges);
    let mut predecessors = vec![Vec::new(); edges.len()];
    for &from in &order {
        for &to in &edges[from] {
            predecessors[to].push(from);
        }
    }
    let dominators = immediate_dominators(&order, &predecessors);
    let mut loops = Vec::new();
    for &header in &order {
        let latches: Vec<usize> =
            predecessors[header].iter().copied().filter(|&latch| dominates(&dominators, header, latch)).collect();
        if !latches.is_empty() {
            loops.push(body(header, latches, &predecessors));
        }
    }
    loops.sort_by_key(|each| std::cmp::Reverse(each.blocks.len()));
    loops
}

/// All blocks that reach the latches without passing the header.
fn body(header: usize, latches: Vec<usize>, predecessors: &[Vec<usize>]) -> Loop {
    let mut inside = std::collections::BTreeSet::from([header]);
    let mut work = latches;
    while let Some(block) = work.pop() {
        if inside.insert(block) {
            work.extend(&predecessors[block]);
        }
    }
    let block = |number: usize| Block(number as u32);
    Loop { header: block(header), blocks: inside.into_iter().map(block).collect() }
}

fn reverse_postorder(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; edges.len()];
    let mut path = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = path.last_mut() {
        let block = *block;
        match edges[block].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    path.push((to, 0));
                }
            }
            None => {
                order.push(block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Immediate dominators by the algorithm of Cooper, Harvey and Kennedy, *A Simple, Fast Dominance Algorithm* (2001).
/// Block 0 and blocks that are not reached have none.
fn immediate_dominators(order: &[usize], predecessors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut position = vec![0; predecessors.len()];
    for (index, &block) in order.iter().enumerate() {
        position[block] = index;
    }
    let mut dominators: Vec<Option<usize>> = vec![None; predecessors.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().skip(1) {
            let known = predecessors[block].iter().copied().filter(|&from| from == 0 || dominators[from].is_some());
            let meet = known.reduce(|mut a, mut b| {
                while a != b {
                    if position[a] < position[b] {
                        std::mem::swap(&mut a, &mut b);
                    }
                    a = dominators[a].unwrap_or(0);
                }
                a
            });
            changed |= dominators[block] != meet;
            dominators[block] = meet;
        }
    }
    dominators
}

fn dominates(dominators: &[Option<usize>], above: usize, mut block: usize) -> bool {
    loop {
        if block == above {
            return true;
        }
        match dominators[block] {
            Some(next) => block = next,
            None => return false,
        }
    }
}
