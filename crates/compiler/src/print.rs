//! The intermediate representation as text, for tests and for people.
//!
//! Registers are `%1`, blocks `b1`, functions `@1`; constants `#1`, listed first.

use std::fmt::{self, Debug, Display, Formatter};

use crate::ir::{Block, Constant, ConstantValue, Function, FunctionId, Instruction, Module, Reg};

impl Debug for Reg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Debug for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

impl Debug for FunctionId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

impl Debug for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, import) in self.imports.iter().enumerate() {
            writeln!(f, "import {index}: {:?} from {:?}", import.name, import.specifier)?;
        }
        for (index, binding) in self.bindings.iter().enumerate() {
            let kind = if binding.lexical { "lexical" } else { "variable" };
            writeln!(f, "binding {index}: {kind} {} {:?}", binding.name, binding.known_function)?;
        }
        for export in &self.exports {
            writeln!(f, "export {export:?}")?;
        }
        for (index, constant) in self.constants.iter().enumerate() {
            writeln!(f, "constant #{index}: {}", ConstantText(constant))?;
        }
        for (index, function) in self.functions.iter().enumerate() {
            writeln!(f, "\nfunction @{index} {}{function}", function.name)?;
        }
        Ok(())
    }
}

struct ConstantText<'a>(&'a ConstantValue);

impl Display for ConstantText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            ConstantValue::String(units) => write!(f, "{:?}", String::from_utf16_lossy(units)),
            other => write!(f, "{other:?}"),
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({:?}", self.parameters)?;
        for (label, register) in [
            ("rest", self.rest),
            ("this", self.this),
            ("new.target", self.new_target),
            ("arguments", self.arguments),
            ("callee", self.callee),
            ("env", self.env),
        ] {
            if let Some(register) = register {
                write!(f, ", {label} {register:?}")?;
            }
        }
        write!(f, ") {:?}", self.kind)?;
        if self.is_async {
            write!(f, " async")?;
        }
        if self.is_generator {
            write!(f, " generator")?;
        }
        if let Some(reason) = &self.refused {
            return write!(f, " refused: {reason}");
        }
        for (index, block) in self.blocks.iter().enumerate() {
            write!(f, "\n  b{index}:")?;
            if let Some(handler) = block.handler {
                write!(f, " handler {handler:?}")?;
            }
            for Instruction { result, op, .. } in &block.instructions {
                match result {
                    Some(result) => write!(f, "\n    {result:?} = {op:?}")?,
                    None => write!(f, "\n    {op:?}")?,
                }
            }
            write!(f, "\n    {:?}", block.terminator)?;
        }
        Ok(())
    }
}
