//! From a pattern's tree to instructions.

use super::char_class::{CharClass, Folding, Latin1Set, Ranges};
use super::first::{Analysis, First, Follow};
use super::flags::Flags;
use super::instruction::{Code, Instruction, NO_CLASS, Run, Single};
use super::prefix::Prefix;
use super::syntax::{Node, Pattern, Unsupported};

/// Largest program.
const MAX_INSTRUCTIONS: usize = 50_000;
/// Most iterations that a repetition with bounds is written out to, and how long it may get.
const MAX_UNROLLED: (u32, usize) = (16, 256);

/// Compiles a pattern.
pub fn compile(pattern: Pattern, flags: Flags) -> Result<Code, Unsupported> {
    let Pattern { node, mut classes, group_count, .. } = pattern;
    let analysis = Analysis { classes: &classes, flags };
    let mut sets = vec![];
    analysis.prefix(&node, &mut sets);
    let (first, may_be_empty) = analysis.first(&node);
    if sets.is_empty() && !may_be_empty {
        sets.push(first);
    }
    let is_plain = analysis.plain_length(&node) == Some(sets.len());
    let mut compiler = Compiler {
        instructions: vec![],
        added_classes: vec![],
        analysis,
        slots: group_count * 2,
        is_backward: false,
        is_memoizable: true,
    };
    compiler.node(&node, &Follow::END)?;
    compiler.emit(Instruction::Match)?;
    let Compiler { instructions, added_classes, slots, is_memoizable, .. } = compiler;
    classes.extend(added_classes);
    Ok(Code {
        run: Run::of(&instructions, &classes, flags.folding()),
        instructions,
        classes,
        slots,
        group_count,
        prefix: Prefix::new(&sets),
        is_plain,
        is_memoizable,
        starts_at_zero: !flags.has(Flags::MULTILINE) && starts_with_anchor(&node),
        multiline: flags.has(Flags::MULTILINE),
        folding: flags.folding(),
    })
}

/// Whether every match begins with `^`.
fn starts_with_anchor(node: &Node) -> bool {
    match node {
        Node::Start => true,
        Node::Sequence(nodes) => nodes.first().is_some_and(starts_with_anchor),
        Node::Alternatives(nodes) => nodes.iter().all(starts_with_anchor),
        Node::Capture(_, node) => starts_with_anchor(node),
        _ => false,
    }
}

/// A quantifier.
#[derive(Clone, Copy)]
struct Quantifier {
    min: u32,
    max: u32,
    greedy: bool,
    /// Groups inside: first, and the one behind the last.
    groups: (u32, u32),
}

/// Whether an iteration that takes nothing fails.
#[derive(Clone, Copy)]
enum EmptyCheck {
    /// It cannot take nothing.
    Needless,
    /// Always.
    Always,
    /// In iterations beyond a minimum, which a counter counts.
    Beyond { counter: u32, min: u32 },
}

struct Compiler<'a> {
    instructions: Vec<Instruction>,
    /// Classes beyond those of the pattern.
    added_classes: Vec<CharClass>,
    analysis: Analysis<'a>,
    /// Slots of groups, then registers of loops.
    slots: u32,
    /// Inside a lookbehind, which is matched from right to left.
    is_backward: bool,
    is_memoizable: bool,
}

impl Compiler<'_> {
    fn emit(&mut self, instruction: Instruction) -> Result<usize, Unsupported> {
        if self.instructions.len() >= MAX_INSTRUCTIONS {
            return Err(Unsupported);
        }
        self.instructions.push(instruction);
        Ok(self.instructions.len() - 1)
    }

    fn here(&self) -> u32 {
        self.instructions.len() as u32
    }

    fn register(&mut self) -> u32 {
        self.slots += 1;
        self.slots - 1
    }

    fn add_class(&mut self, class: CharClass) -> u32 {
        let index = self.analysis.classes.len() + self.added_classes.len();
        self.added_classes.push(class);
        index as u32
    }

    /// A class for the prediction of a choice between something that begins with `first`, and `other`: the class, and
    /// whether it decides the choice for good.
    fn prediction(&mut self, (first, may_be_empty): (First, bool), other: &Follow) -> (u32, bool) {
        if may_be_empty || self.is_backward {
            return (NO_CLASS, false);
        }
        (self.add_class(CharClass::predicted(first.latin1, first.beyond)), other.excludes(&first))
    }

    /// The node as a test of one character.
    fn single(&mut self, node: &Node) -> Result<Option<Single>, Unsupported> {
        let folding = self.analysis.flags.folding();
        Ok(match node {
            Node::Char(unit) if folding != Folding::None => Some(self.folded(*unit, folding)?),
            Node::Char(unit) => Some(Single::Char(*unit)),
            Node::Dot if self.analysis.flags.has(Flags::DOT_ALL) => Some(Single::Any),
            Node::Dot => Some(Single::Dot),
            Node::Class(class) => Some(Single::Class(*class)),
            _ => None,
        })
    }

    /// A character in any case.
    fn folded(&mut self, unit: u32, folding: Folding) -> Result<Single, Unsupported> {
        let (lower, upper) = ((unit as u8).to_ascii_lowercase() as u32, (unit as u8).to_ascii_uppercase() as u32);
        if unit < 0x80 && lower == upper {
            return Ok(Single::Char(unit));
        }
        if unit < 0x80 && folding == Folding::Upper {
            return Ok(Single::Either(lower, upper));
        }
        let mut ranges = Ranges::default();
        ranges.add(unit, unit);
        let class = ranges.compile(folding).ok_or(Unsupported)?;
        Ok(Single::Class(self.add_class(class)))
    }

    /// Emits a node that `follow` comes behind.
    fn node(&mut self, node: &Node, follow: &Follow) -> Result<(), Unsupported> {
        if let Some(single) = self.single(node)? {
            let back = self.is_backward;
            self.emit(if back { Instruction::SingleBack(single) } else { Instruction::Single(single) })?;
            return Ok(());
        }
        match node {
            Node::Sequence(nodes) => self.sequence(nodes, follow)?,
            Node::Alternatives(nodes) => self.alternatives(nodes, follow)?,
            Node::Capture(group, inner) => {
                let (first, last) = (group * 2, group * 2 + 1);
                let (first, last) = if self.is_backward { (last, first) } else { (first, last) };
                self.emit(Instruction::Save(first))?;
                self.node(inner, follow)?;
                self.emit(Instruction::Save(last))?;
            }
            Node::Repeat { node, min, max, greedy, groups } => {
                self.repeat(node, Quantifier { min: *min, max: *max, greedy: *greedy, groups: *groups }, follow)?;
            }
            Node::Start => drop(self.emit(Instruction::Start)?),
            Node::End => drop(self.emit(Instruction::End)?),
            Node::WordBoundary(wanted) => drop(self.emit(Instruction::WordBoundary(*wanted))?),
            Node::Look { ahead, positive, node } => self.look(*ahead, *positive, node)?,
            Node::BackReference(group) => {
                self.is_memoizable = false;
                let back = self.is_backward;
                self.emit(match back {
                    true => Instruction::BackReferenceBack(*group),
                    false => Instruction::BackReference(*group),
                })?;
            }
            Node::Empty | Node::Char(_) | Node::Dot | Node::Class(_) => {}
        }
        Ok(())
    }

    fn sequence(&mut self, nodes: &[Node], follow: &Follow) -> Result<(), Unsupported> {
        if self.is_backward {
            return nodes.iter().rev().try_for_each(|node| self.node(node, &Follow::UNKNOWN));
        }
        nodes.iter().enumerate().try_for_each(|(index, node)| {
            let follow = self.analysis.follow(&nodes[index + 1..], follow);
            self.node(node, &follow)
        })
    }

    fn look(&mut self, ahead: bool, positive: bool, node: &Node) -> Result<(), Unsupported> {
        self.is_memoizable = false;
        let look = self.emit(Instruction::Look { positive, end: 0 })?;
        let was_backward = core::mem::replace(&mut self.is_backward, !ahead);
        self.node(node, if ahead { &Follow::END } else { &Follow::UNKNOWN })?;
        self.is_backward = was_backward;
        self.emit(Instruction::Match)?;
        self.instructions[look] = Instruction::Look { positive, end: self.here() };
        Ok(())
    }

    fn alternatives(&mut self, nodes: &[Node], follow: &Follow) -> Result<(), Unsupported> {
        let mut jumps = vec![];
        // What can come instead of each alternative: the later ones.
        let mut others = vec![Follow { may_be_empty: false, first: First::NONE, ..*follow }];
        for node in nodes.iter().rev() {
            let mut other = others[others.len() - 1];
            let (first, may_be_empty) = self.analysis.first(node);
            other.first.unite(&first);
            if may_be_empty {
                other.first.unite(&follow.first);
                other.may_be_empty |= follow.may_be_empty;
            }
            others.push(other);
        }
        for (index, node) in nodes.iter().enumerate() {
            if index + 1 == nodes.len() {
                self.node(node, follow)?;
                continue;
            }
            let first = self.analysis.first(node);
            let (first, is_certain) = self.prediction(first, &others[nodes.len() - 1 - index]);
            let split = self.emit(Instruction::Match)?;
            self.node(node, follow)?;
            jumps.push(self.emit(Instruction::Match)?);
            let (primary, secondary) = (split as u32 + 1, self.here());
            self.instructions[split] = Instruction::Split { primary, secondary, first, is_certain };
        }
        let end = self.here();
        for jump in jumps {
            self.instructions[jump] = Instruction::Jump(end);
        }
        Ok(())
    }

    fn repeat(&mut self, node: &Node, quantifier: Quantifier, follow: &Follow) -> Result<(), Unsupported> {
        let Quantifier { min, max, greedy, .. } = quantifier;
        if max == 0 {
            return Ok(());
        }
        if !self.is_backward
            && let Some(single) = self.single(node)?
        {
            let possessive = greedy && self.gives_nothing_back(node, follow);
            self.emit(Instruction::Repeat { single, min, max, greedy, possessive })?;
            return Ok(());
        }
        let (_, may_be_empty) = self.analysis.first(node);
        match (min, max) {
            (1, 1) => self.node(node, follow),
            (0, 1 | u32::MAX) => self.star(node, quantifier, may_be_empty, follow),
            (1, u32::MAX) if !may_be_empty => self.plus(node, quantifier, follow),
            _ if !may_be_empty && self.is_short(node, quantifier) => self.unrolled(node, quantifier, follow),
            _ => self.counted(node, quantifier),
        }
    }

    /// Whether a repetition of single characters never has to give one back.
    fn gives_nothing_back(&self, node: &Node, follow: &Follow) -> bool {
        let (first, _) = self.analysis.first(node);
        // A boundary of words is not between two characters of words.
        let mut words = Latin1Set::EMPTY;
        (0..128).filter(|&unit| super::char_class::is_word(unit, Folding::None)).for_each(|unit| words.add(unit));
        let is_boundary = follow.is_boundary && !first.beyond && first.latin1.is_subset(&words);
        follow.succeeds || follow.excludes(&first) || is_boundary
    }

    /// What comes behind an iteration: another one, or what comes behind the loop.
    fn follow_in_loop(&self, node: &Node, follow: &Follow) -> Follow {
        let (mut first, may_be_empty) = self.analysis.first(node);
        first.unite(&follow.first);
        let may_be_empty = follow.may_be_empty || may_be_empty;
        Follow { first, may_be_empty, succeeds: false, is_boundary: false }
    }

    fn split(&mut self, at: usize, (body, exit): (u32, u32), greedy: bool, (first, is_certain): (u32, bool)) {
        self.instructions[at] = if greedy {
            Instruction::Split { primary: body, secondary: exit, first, is_certain }
        } else {
            Instruction::Split { primary: exit, secondary: body, first: NO_CLASS, is_certain: false }
        };
    }

    /// `x*` and `x?`
    fn star(
        &mut self,
        node: &Node,
        quantifier: Quantifier,
        may_be_empty: bool,
        follow: &Follow,
    ) -> Result<(), Unsupported> {
        let prediction = self.prediction(self.analysis.first(node), follow);
        let split = self.emit(Instruction::Match)?;
        let check = if may_be_empty { EmptyCheck::Always } else { EmptyCheck::Needless };
        let is_loop = quantifier.max != 1;
        let in_loop = if is_loop || may_be_empty { &self.follow_in_loop(node, follow) } else { follow };
        self.body(node, quantifier.groups, check, in_loop)?;
        if is_loop {
            self.emit(Instruction::Jump(split as u32))?;
        }
        let exit = self.here();
        self.split(split, (split as u32 + 1, exit), quantifier.greedy, prediction);
        Ok(())
    }

    /// `x+` of something that is never empty.
    fn plus(&mut self, node: &Node, quantifier: Quantifier, follow: &Follow) -> Result<(), Unsupported> {
        let prediction = self.prediction(self.analysis.first(node), follow);
        let start = self.here();
        let in_loop = self.follow_in_loop(node, follow);
        self.body(node, quantifier.groups, EmptyCheck::Needless, &in_loop)?;
        let split = self.emit(Instruction::Match)?;
        self.split(split, (start, split as u32 + 1), quantifier.greedy, prediction);
        Ok(())
    }

    /// Whether all iterations can be written one after the other.
    fn is_short(&self, node: &Node, quantifier: Quantifier) -> bool {
        let count = if quantifier.max == u32::MAX { quantifier.min + 1 } else { quantifier.max };
        count <= MAX_UNROLLED.0 && node.size().saturating_mul(count as usize) <= MAX_UNROLLED.1
    }

    /// `x{min,max}` without a counter: `xx(x(x)?)?` or `xxx*`.
    fn unrolled(&mut self, node: &Node, quantifier: Quantifier, follow: &Follow) -> Result<(), Unsupported> {
        let Quantifier { min, max, greedy, groups } = quantifier;
        let in_loop = self.follow_in_loop(node, follow);
        for _ in 0..min {
            self.body(node, groups, EmptyCheck::Needless, &in_loop)?;
        }
        if max == u32::MAX {
            return self.star(node, Quantifier { min: 0, ..quantifier }, false, follow);
        }
        let mut splits = vec![];
        for _ in min..max {
            let prediction = self.prediction(self.analysis.first(node), follow);
            splits.push((self.emit(Instruction::Match)?, prediction));
            self.body(node, groups, EmptyCheck::Needless, &in_loop)?;
        }
        let exit = self.here();
        for (split, prediction) in splits {
            self.split(split, (split as u32 + 1, exit), greedy, prediction);
        }
        Ok(())
    }

    /// `x{min,max}` in general, with a counter.
    fn counted(&mut self, node: &Node, quantifier: Quantifier) -> Result<(), Unsupported> {
        self.is_memoizable = false;
        let Quantifier { min, max, greedy, groups } = quantifier;
        let counter = self.register();
        self.emit(Instruction::SetCounter(counter))?;
        let test = self.emit(Instruction::Match)?;
        self.body(node, groups, EmptyCheck::Beyond { counter, min }, &Follow::UNKNOWN)?;
        self.emit(Instruction::Jump(test as u32))?;
        let exit = self.here();
        self.instructions[test] = Instruction::Count { counter, min, max, greedy, exit };
        Ok(())
    }

    /// One iteration.
    fn body(&mut self, node: &Node, groups: (u32, u32), check: EmptyCheck, follow: &Follow) -> Result<(), Unsupported> {
        if groups.0 < groups.1 {
            self.emit(Instruction::ResetGroups { first: groups.0 * 2, end: groups.1 * 2 })?;
        }
        let (counter, min) = match check {
            EmptyCheck::Needless => return self.node(node, follow),
            EmptyCheck::Always => (NO_CLASS, 0),
            EmptyCheck::Beyond { counter, min } => (counter, min),
        };
        let position = self.register();
        self.emit(Instruction::Save(position))?;
        self.node(node, follow)?;
        self.emit(Instruction::EmptyCheck { position, counter, min })?;
        Ok(())
    }
}
