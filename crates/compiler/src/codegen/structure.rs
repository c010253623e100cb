//! Control-flow graphs and the order and nesting in which Wasm's structured instructions can express them.
//!
//! The method is that of Norman Ramsey, *Beyond Relooper* (ICFP 2022): every block is placed within its immediate
//! dominator; a block that several forward edges reach becomes the place after a Wasm `block`, a target of back edges a
//! Wasm `loop`. It needs a reducible graph, so loops with several entries are first given a single one, a dispatcher
//! that every edge into the loop passes with the number of the entry it wants.

use crate::ir::Block;

/// Index of a node in a [`Graph`].
pub type NodeId = usize;

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A block of the function.
    Block(Block),
    /// Start of a resume function: goes where the frame's state says. Successors: by state.
    Resume,
    /// Continuation of a suspension point: reloads registers. Successors depend on the suspension.
    Continuation(usize),
    /// Sets the dispatcher's selector, then goes on to it.
    Select { dispatcher: NodeId, choice: u32 },
    /// Goes to the successor that its selector names.
    Dispatcher,
}

/// A node and its edges.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it stands for.
    pub kind: NodeKind,
    /// Successors, in the order the terminator names them.
    pub successors: Vec<NodeId>,
    /// Where its exceptions go, if they stay in the function.
    pub handler: Option<NodeId>,
    /// Whether it goes to its successors by `br_table`, so that each needs a label.
    pub by_table: bool,
}

impl Node {
    /// A node without a handler.
    pub fn new(kind: NodeKind, successors: Vec<NodeId>) -> Self {
        let by_table = matches!(kind, NodeKind::Resume | NodeKind::Dispatcher);
        Self { kind, successors, handler: None, by_table }
    }

    fn edges(&self) -> impl Iterator<Item = NodeId> {
        self.successors.iter().copied().chain(self.handler)
    }
}

/// A control-flow graph; execution starts at node 0.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// All nodes; unreachable ones are ignored.
    pub nodes: Vec<Node>,
}

impl Graph {
    fn add_select(&mut self, dispatcher: NodeId, choice: u32) -> NodeId {
        self.nodes.push(Node::new(NodeKind::Select { dispatcher, choice }, vec![dispatcher]));
        self.nodes.len() - 1
    }
}

/// How to nest the nodes of a reducible graph.
pub struct Structure {
    /// Position of each node in reverse postorder; `usize::MAX` if unreachable.
    order: Vec<usize>,
    /// Whether the node is the target of a back edge.
    is_loop: Vec<bool>,
    /// Whether the node needs a label that forward edges branch to.
    is_merge: Vec<bool>,
    /// Whether the node is part of a loop.
    in_loop: Vec<bool>,
    /// Merge nodes that each node immediately dominates, in reverse postorder.
    merges: Vec<Vec<NodeId>>,
}

impl Structure {
    /// Makes the graph reducible (it may get more nodes) and finds its structure.
    pub fn of(graph: &mut Graph) -> Self {
        let in_loop = make_reducible(graph);
        let postorder = postorder(graph);
        let mut order = vec![usize::MAX; graph.nodes.len()];
        for (position, &node) in postorder.iter().rev().enumerate() {
            order[node] = position;
        }
        let reverse: Vec<NodeId> = postorder.into_iter().rev().collect();
        let mut predecessors = vec![Vec::new(); graph.nodes.len()];
        let mut is_loop = vec![false; graph.nodes.len()];
        let mut is_merge = vec![false; graph.nodes.len()];
        for &node in &reverse {
            for target in graph.nodes[node].edges() {
                predecessors[target].push(node);
                if order[target] <= order[node] {
                    is_loop[target] = true;
                }
            }
            let data = &graph.nodes[node];
            let labelled = if data.by_table { &data.successors[..] } else { &[] };
            for &target in labelled.iter().chain(&data.handler) {
                is_merge[target] |= order[target] > order[node];
            }
        }
        for &node in &reverse {
            let forward = predecessors[node].iter().filter(|&&from| order[from] < order[node]).count();
            is_merge[node] |= forward > 1;
        }
        let dominators = immediate_dominators(&reverse, &order, &predecessors);
        let mut merges = vec![Vec::new(); graph.nodes.len()];
        for &node in &reverse[1..] {
            if is_merge[node] {
                merges[dominators[node]].push(node);
            }
        }
        Self { order, is_loop, is_merge, in_loop, merges }
    }

    /// Whether the edge goes back to the start of a loop.
    pub fn is_back_edge(&self, from: NodeId, to: NodeId) -> bool {
        self.order[to] <= self.order[from]
    }

    /// Whether the node starts a loop.
    pub fn is_loop(&self, node: NodeId) -> bool {
        self.is_loop[node]
    }

    /// Whether the node may run many times in one call.
    pub fn is_in_loop(&self, node: NodeId) -> bool {
        self.in_loop.get(node).copied().unwrap_or(true)
    }

    /// Whether forward edges reach the node by a branch rather than by falling into it.
    pub fn is_merge(&self, node: NodeId) -> bool {
        self.is_merge[node]
    }

    /// Merge nodes to place behind the node, first to come first.
    pub fn merges(&self, node: NodeId) -> &[NodeId] {
        &self.merges[node]
    }
}

/// Nodes reachable from node 0, each after those that can be reached from it (but for back edges).
fn postorder(graph: &Graph) -> Vec<NodeId> {
    let mut visited = vec![false; graph.nodes.len()];
    let mut result = Vec::new();
    let mut stack: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    visited[0] = true;
    // Edges are popped from the end: the handler is visited first and so comes last in reverse postorder.
    let pending = |node: NodeId| -> Vec<NodeId> {
        let data = &graph.nodes[node];
        data.successors.iter().copied().chain(data.handler).collect()
    };
    stack.push((0, pending(0)));
    while let Some((node, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if !visited[next] => {
                visited[next] = true;
                let edges = pending(next);
                stack.push((next, edges));
            }
            Some(_) => {}
            None => {
                result.push(*node);
                stack.pop();
            }
        }
    }
    result
}

/// Immediate dominators, by the method of Cooper, Harvey and Kennedy, *A Simple, Fast Dominance Algorithm*.
fn immediate_dominators(reverse: &[NodeId], order: &[usize], predecessors: &[Vec<NodeId>]) -> Vec<NodeId> {
    let mut dominators = vec![usize::MAX; order.len()];
    dominators[reverse[0]] = reverse[0];
    let mut changed = true;
    while changed {
        changed = false;
        for &node in &reverse[1..] {
            let mut known = predecessors[node].iter().copied().filter(|&from| dominators[from] != usize::MAX);
            let Some(first) = known.next() else { continue };
            let dominator = known.fold(first, |mut a, mut b| {
                while a != b {
                    while order[a] > order[b] {
                        a = dominators[a];
                    }
                    while order[b] > order[a] {
                        b = dominators[b];
                    }
                }
                a
            });
            if dominators[node] != dominator {
                dominators[node] = dominator;
                changed = true;
            }
        }
    }
    dominators
}

/// Gives every loop a single entry. Loops are strongly connected components; within each, those that remain without the
/// edges to its entry are its inner loops. Answers which of the original nodes are in loops.
fn make_reducible(graph: &mut Graph) -> Vec<bool> {
    clear_unreachable(graph);
    let mut in_loop = vec![false; graph.nodes.len()];
    for node in strongly_connected(graph, &postorder(graph), &[]).into_iter().flatten() {
        in_loop[node] = true;
    }
    let mut work: Vec<(Vec<NodeId>, Vec<NodeId>)> = vec![(postorder(graph), Vec::new())];
    while let Some((region, cut)) = work.pop() {
        for component in strongly_connected(graph, &region, &cut) {
            let entry = single_entry(graph, &component);
            let mut region = component;
            if !region.contains(&entry) {
                region.push(entry);
            }
            let mut cut = cut.clone();
            cut.push(entry);
            region.retain(|&node| node != entry);
            if !region.is_empty() {
                work.push((region, cut));
            }
        }
    }
    in_loop
}

/// Takes the edges of unreachable nodes away, so that they make nobody an entry of a loop.
fn clear_unreachable(graph: &mut Graph) {
    let mut reachable = vec![false; graph.nodes.len()];
    for node in postorder(graph) {
        reachable[node] = true;
    }
    for (node, reachable) in graph.nodes.iter_mut().zip(reachable) {
        if !reachable {
            node.successors.clear();
            node.handler = None;
        }
    }
}

/// The only node of the component that edges from outside reach, after putting a dispatcher there if there were several.
fn single_entry(graph: &mut Graph, component: &[NodeId]) -> NodeId {
    let mut inside = vec![false; graph.nodes.len()];
    for &node in component {
        inside[node] = true;
    }
    let mut is_entry = vec![false; graph.nodes.len()];
    is_entry[0] = inside[0];
    for (node, data) in graph.nodes.iter().enumerate() {
        for target in data.edges() {
            is_entry[target] |= inside[target] && !inside[node];
        }
    }
    let entries: Vec<NodeId> = (0..graph.nodes.len()).filter(|&node| is_entry[node]).collect();
    if let [entry] = entries[..] {
        return entry;
    }
    let dispatcher = graph.nodes.len();
    graph.nodes.push(Node::new(NodeKind::Dispatcher, entries.clone()));
    // Edges from inside and from outside the loop choose in different nodes, or those would be entries again.
    let selects = [false, true].map(|_| {
        entries.iter().zip(0..).map(|(_, choice)| graph.add_select(dispatcher, choice)).collect::<Vec<NodeId>>()
    });
    for node in 0..dispatcher {
        let data = &mut graph.nodes[node];
        let selects = &selects[usize::from(inside[node])];
        for target in data.successors.iter_mut().chain(&mut data.handler) {
            if let Some(choice) = entries.iter().position(|entry| entry == target) {
                *target = selects[choice];
            }
        }
    }
    dispatcher
}

/// Strongly connected components with a cycle, of the region without edges to the nodes in `cut` (Tarjan, iterative).
fn strongly_connected(graph: &Graph, region: &[NodeId], cut: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut walk = Tarjan {
        graph,
        allowed: vec![false; graph.nodes.len()],
        index: vec![usize::MAX; graph.nodes.len()],
        low: vec![0; graph.nodes.len()],
        on_stack: vec![false; graph.nodes.len()],
        stack: Vec::new(),
        count: 0,
        components: Vec::new(),
    };
    for &node in region {
        walk.allowed[node] = true;
    }
    for &node in cut {
        walk.allowed[node] = false;
    }
    for &node in region {
        if walk.allowed[node] && walk.index[node] == usize::MAX {
            walk.run(node);
        }
    }
    walk.components
}

struct Tarjan<'a> {
    graph: &'a Graph,
    allowed: Vec<bool>,
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<NodeId>,
    count: usize,
    components: Vec<Vec<NodeId>>,
}

impl Tarjan<'_> {
    fn run(&mut self, root: NodeId) {
        let mut calls: Vec<(NodeId, Vec<NodeId>)> = vec![(root, self.enter(root))];
        while let Some((node, rest)) = calls.last_mut() {
            let node = *node;
            if let Some(next) = rest.pop() {
                if self.index[next] == usize::MAX {
                    let edges = self.enter(next);
                    calls.push((next, edges));
                } else if self.on_stack[next] {
                    self.low[node] = self.low[node].min(self.index[next]);
                }
            } else {
                calls.pop();
                if let Some((caller, _)) = calls.last() {
                    self.low[*caller] = self.low[*caller].min(self.low[node]);
                }
                self.leave(node);
            }
        }
    }

    /// Numbers a node and answers its edges within the region.
    fn enter(&mut self, node: NodeId) -> Vec<NodeId> {
        self.index[node] = self.count;
        self.low[node] = self.count;
        self.count += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
        self.graph.nodes[node].edges().filter(|&next| self.allowed[next]).collect()
    }

    /// Takes a component off the stack if `node` is its root.
    fn leave(&mut self, node: NodeId) {
        if self.low[node] != self.index[node] {
            return;
        }
        let start = self.stack.iter().rposition(|&member| member == node).unwrap_or(0);
        let component = self.stack.split_off(start);
        for &member in &component {
            self.on_stack[member] = false;
        }
        if component.len() > 1 || self.graph.nodes[node].edges().any(|next| next == node) {
            self.components.push(component);
        }
    }
}
