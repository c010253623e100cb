//! From a pattern's tree to instructions.

use super::char_class::{CharClass, Folding, Latin1Set, Ranges};
use super::first::first_set;
use super::flags::Flags;
use super::instruction::{Code, Instruction, NO_CLASS, Single};
use super::syntax::{Node, Pattern, Unsupported};

/// Largest program.
const MAX_INSTRUCTIONS: usize = 50_000;

/// Compiles a pattern.
pub fn compile(pattern: &Pattern, flags: Flags) -> Result<Code, Unsupported> {
    let mut compiler = Compiler { instructions: vec![], classes: vec![], flags, slots: pattern.group_count * 2 };
    compiler.node(&pattern.node)?;
    compiler.emit(Instruction::Match)?;
    let (first, may_be_empty) = first_set(&pattern.node, flags);
    let first = if may_be_empty { None } else { first };
    let is_single = match &pattern.node {
        Node::Char(unit) => *unit < 256 && flags.folding() == Folding::None,
        // Beyond Latin-1 the set is only exact if it has nothing there.
        Node::Class(_) => first.as_ref().is_some_and(|first| !first.beyond),
        _ => false,
    };
    let starts_at_zero = !flags.has(Flags::MULTILINE) && starts_with_anchor(&pattern.node);
    Ok(Code {
        instructions: compiler.instructions,
        classes: compiler.classes,
        slots: compiler.slots,
        group_count: pattern.group_count,
        first,
        is_single,
        starts_at_zero,
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

struct Compiler {
    instructions: Vec<Instruction>,
    classes: Vec<CharClass>,
    flags: Flags,
    /// Slots of groups, then registers of loops.
    slots: u32,
}

impl Compiler {
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

    /// The class with this Latin-1 part and everything beyond, for predictions.
    fn prediction(&mut self, node: &Node) -> u32 {
        match first_set(node, self.flags) {
            (Some(first), false) => self.add_class(first.into_class()),
            _ => NO_CLASS,
        }
    }

    fn add_class(&mut self, class: CharClass) -> u32 {
        self.classes.push(class);
        self.classes.len() as u32 - 1
    }

    /// The node as a test of one character.
    fn single(&mut self, node: &Node) -> Result<Option<Single>, Unsupported> {
        let folding = self.flags.folding();
        Ok(match node {
            Node::Char(unit) if folding != Folding::None => Some(self.folded(*unit, folding)?),
            Node::Char(unit) => Some(Single::Char(*unit)),
            Node::Dot if self.flags.has(Flags::DOT_ALL) => Some(Single::Any),
            Node::Dot => Some(Single::Dot),
            Node::Class(ranges) => {
                let class = ranges.compile(folding).ok_or(Unsupported)?;
                Some(Single::Class(self.add_class(class)))
            }
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

    fn node(&mut self, node: &Node) -> Result<(), Unsupported> {
        if let Some(single) = self.single(node)? {
            self.emit(Instruction::Single(single))?;
            return Ok(());
        }
        match node {
            Node::Sequence(nodes) => nodes.iter().try_for_each(|node| self.node(node))?,
            Node::Alternatives(nodes) => self.alternatives(nodes)?,
            Node::Capture(group, inner) => {
                self.emit(Instruction::Save(group * 2))?;
                self.node(inner)?;
                self.emit(Instruction::Save(group * 2 + 1))?;
            }
            Node::Repeat { node, min, max, greedy, groups } => self.repeat(node, *min, *max, *greedy, *groups)?,
            Node::Start => drop(self.emit(Instruction::Start)?),
            Node::End => drop(self.emit(Instruction::End)?),
            Node::WordBoundary(wanted) => drop(self.emit(Instruction::WordBoundary(*wanted))?),
            Node::Lookahead(positive, inner) => {
                let look = self.emit(Instruction::Lookahead { positive: *positive, end: 0 })?;
                self.node(inner)?;
                self.emit(Instruction::Match)?;
                self.instructions[look] = Instruction::Lookahead { positive: *positive, end: self.here() };
            }
            Node::BackReference(group) => drop(self.emit(Instruction::BackReference(*group))?),
            Node::Empty | Node::Char(_) | Node::Dot | Node::Class(_) => {}
        }
        Ok(())
    }

    fn alternatives(&mut self, nodes: &[Node]) -> Result<(), Unsupported> {
        let mut jumps = vec![];
        for (index, node) in nodes.iter().enumerate() {
            if index + 1 == nodes.len() {
                self.node(node)?;
                continue;
            }
            let first = self.prediction(node);
            let split = self.emit(Instruction::Match)?;
            self.node(node)?;
            jumps.push(self.emit(Instruction::Match)?);
            self.instructions[split] = Instruction::Split { primary: split as u32 + 1, secondary: self.here(), first };
        }
        let end = self.here();
        for jump in jumps {
            self.instructions[jump] = Instruction::Jump(end);
        }
        Ok(())
    }

    fn repeat(&mut self, node: &Node, min: u32, max: u32, greedy: bool, groups: (u32, u32)) -> Result<(), Unsupported> {
        if max == 0 {
            return Ok(());
        }
        if let Some(single) = self.single(node)? {
            self.emit(Instruction::Repeat { single, min, max, greedy })?;
            return Ok(());
        }
        let (_, may_be_empty) = first_set(node, self.flags);
        let is_simple = max == 1 || max == u32::MAX;
        if is_simple && min == 0 {
            return self.star(node, max, greedy, groups, may_be_empty);
        }
        if min == 1 && max == u32::MAX && !may_be_empty {
            return self.plus(node, greedy, groups);
        }
        if min == 1 && max == 1 {
            return self.node(node);
        }
        self.counted(node, (min, max), greedy, groups)
    }

    fn split(&mut self, at: usize, body: u32, exit: u32, greedy: bool, first: u32) {
        self.instructions[at] = if greedy {
            Instruction::Split { primary: body, secondary: exit, first }
        } else {
            Instruction::Split { primary: exit, secondary: body, first: NO_CLASS }
        };
    }

    /// `x*` and `x?`
    fn star(
        &mut self,
        node: &Node,
        max: u32,
        greedy: bool,
        groups: (u32, u32),
        may_be_empty: bool,
    ) -> Result<(), Unsupported> {
        let first = self.prediction(node);
        let split = self.emit(Instruction::Match)?;
        self.body(node, groups, may_be_empty.then_some(None))?;
        if max != 1 {
            self.emit(Instruction::Jump(split as u32))?;
        }
        let exit = self.here();
        self.split(split, split as u32 + 1, exit, greedy, first);
        Ok(())
    }

    /// `x+` of something that is never empty.
    fn plus(&mut self, node: &Node, greedy: bool, groups: (u32, u32)) -> Result<(), Unsupported> {
        let first = self.prediction(node);
        let start = self.here();
        self.body(node, groups, None)?;
        let split = self.emit(Instruction::Match)?;
        self.split(split, start, split as u32 + 1, greedy, first);
        Ok(())
    }

    /// `x{min,max}` in general, with a counter.
    fn counted(
        &mut self,
        node: &Node,
        (min, max): (u32, u32),
        greedy: bool,
        groups: (u32, u32),
    ) -> Result<(), Unsupported> {
        let counter = self.register();
        self.emit(Instruction::SetCounter(counter))?;
        let test = self.emit(Instruction::Match)?;
        self.body(node, groups, Some(Some((counter, min))))?;
        self.emit(Instruction::Jump(test as u32))?;
        let exit = self.here();
        self.instructions[test] = Instruction::Count { counter, min, max, greedy, exit };
        Ok(())
    }

    /// One iteration. `empty_check`: whether an iteration that matches nothing fails; with a counter and a minimum,
    /// only those beyond the minimum.
    fn body(
        &mut self,
        node: &Node,
        groups: (u32, u32),
        empty_check: Option<Option<(u32, u32)>>,
    ) -> Result<(), Unsupported> {
        if groups.0 < groups.1 {
            self.emit(Instruction::ResetGroups { first: groups.0 * 2, end: groups.1 * 2 })?;
        }
        let Some(counted) = empty_check else { return self.node(node) };
        let position = self.register();
        self.emit(Instruction::Save(position))?;
        self.node(node)?;
        let (counter, min) = counted.unwrap_or((NO_CLASS, 0));
        self.emit(Instruction::EmptyCheck { position, counter, min })?;
        Ok(())
    }
}

/// Characters that something can begin with.
pub struct First {
    /// Those of Latin-1.
    pub latin1: Latin1Set,
    /// Whether characters beyond are possible.
    pub beyond: bool,
}

impl First {
    fn into_class(self) -> CharClass {
        CharClass::predicted(self.latin1, self.beyond)
    }
}
