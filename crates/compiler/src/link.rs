//! Linking: which binding every import means, in which order modules are evaluated, what namespace objects hold.
//!
//! Pure: units in, a plan out. The plan has indices into the units given; it knows no addresses. Names are resolved as
//! ECMA-262 16.2.1.7.2.2 (ResolveExport) says, so re-exports, stars, cycles and ambiguities come out as in any engine.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};

use crate::error::LinkError;
use crate::unit::{CompiledUnit, ImportSlot, UnitExport};

/// What an import slot or a namespace's name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A module binding.
    Binding {
        /// Index of the unit.
        unit: usize,
        /// Index of the binding in it.
        index: u32,
    },
    /// The namespace object of a unit.
    Namespace {
        /// Index of the unit.
        unit: usize,
    },
    /// `import()` of a specifier that names no unit: the import rejects when it is reached.
    Missing,
    /// `import()` of a unit that cannot be linked: the import rejects with a SyntaxError.
    Unlinkable,
}

/// The names of one module's namespace object, sorted by name in code-unit order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Index of the unit.
    pub unit: usize,
    /// Exported names and what they stand for: bindings and namespaces.
    pub names: Vec<(String, Target)>,
}

/// How to put units together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkPlan {
    /// The units to be evaluated, each with those it needs.
    pub entries: Vec<usize>,
    /// Units, those that another one needs before it, each once; units that no entry reaches are absent.
    pub order: Vec<usize>,
    /// How many of these the entries request. The others are evaluated when an `import()` reaches them, or at last.
    pub requested: usize,
    /// For every unit that is reached the units it requests, in order.
    pub requests: Vec<Vec<usize>>,
    /// The units that `import()` names.
    pub importable: Vec<usize>,
    /// For every unit (reached or not) the targets of its import slots.
    pub imports: Vec<Vec<Target>>,
    /// The namespaces of the entries and of all others that are needed; one that contains another comes after it.
    pub namespaces: Vec<Namespace>,
}

/// Links `units`, evaluating from `entries` (indices, in order). Modules that only `import()` reaches come last.
///
/// # Errors
/// See [`LinkError`].
pub fn link<U: Borrow<CompiledUnit>>(units: &[U], entries: &[usize]) -> Result<LinkPlan, LinkError> {
    let mut linker = Linker::new(units);
    let (order, requested, importable) = linker.evaluation_order(entries)?;
    let mut imports = vec![Vec::new(); units.len()];
    let mut requests = vec![Vec::new(); units.len()];
    for &unit in &order {
        linker.check_exports(unit)?;
        for specifier in &linker.unit(unit).requests {
            requests[unit].push(linker.require(unit, specifier)?);
        }
        for slot in &linker.unit(unit).imports {
            imports[unit].push(linker.import(unit, slot)?);
        }
    }
    let namespaces = linker.namespaces(entries, &imports)?;
    Ok(LinkPlan { entries: entries.to_vec(), order, requested, requests, importable, imports, namespaces })
}

/// Resolves a relative specifier against the path of the module it stands in; `None` if it leads out of the root or
/// is not relative. `.js` is not added.
pub fn resolve_path(importer: &str, specifier: &str) -> Option<String> {
    if !specifier.starts_with("./") && !specifier.starts_with("../") {
        return None;
    }
    let mut parts: Vec<&str> = importer.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

type EvaluationOrder = (Vec<usize>, usize, Vec<usize>);

enum Resolution {
    Found(Target),
    Ambiguous,
    Missing,
}

/// Units by path, and the resolution of names among them.
pub(crate) struct Linker<'a, U> {
    units: &'a [U],
    by_path: HashMap<&'a str, usize>,
    /// Targets of `import()` that cannot be linked.
    unlinkable: BTreeSet<usize>,
}

impl<'a, U: Borrow<CompiledUnit>> Linker<'a, U> {
    pub(crate) fn new(units: &'a [U]) -> Self {
        let by_path = units.iter().enumerate().map(|(index, unit)| (unit.borrow().path.as_str(), index)).collect();
        Linker { units, by_path, unlinkable: BTreeSet::new() }
    }

    pub(crate) fn unit(&self, index: usize) -> &'a CompiledUnit {
        self.units[index].borrow()
    }

    /// The unit a specifier names.
    pub(crate) fn find(&self, importer: usize, specifier: &str) -> Option<usize> {
        let path = resolve_path(&self.unit(importer).path, specifier)?;
        let found = self.by_path.get(path.as_str());
        found.or_else(|| self.by_path.get(format!("{path}.js").as_str())).copied()
    }

    fn require(&self, importer: usize, specifier: &str) -> Result<usize, LinkError> {
        self.find(importer, specifier).ok_or_else(|| LinkError::ModuleNotFound {
            importer: self.unit(importer).path.clone(),
            specifier: specifier.to_owned(),
        })
    }

    /// Post-order over static requests, and how many these are; then the modules that `import()` names in what was reached
    /// so far; and which the latter are.
    fn evaluation_order(&mut self, entries: &[usize]) -> Result<EvaluationOrder, LinkError> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.units.len()];
        for &entry in entries {
            self.visit(entry, &mut seen, &mut order)?;
        }
        let requested = order.len();
        let mut importable: Vec<usize> = Vec::new();
        let mut position = 0;
        while position < order.len() {
            let unit = order[position];
            for slot in self.unit(unit).imports.iter().filter(|slot| slot.name.is_none()) {
                let Some(target) = self.find(unit, &slot.specifier) else { continue };
                if self.unlinkable.contains(&target) || importable.contains(&target) {
                    continue;
                }
                let mut needed = Vec::new();
                if self.visit(target, &mut vec![false; self.units.len()], &mut needed).is_err()
                    || needed.iter().any(|&unit| self.check_imports(unit).and(self.check_exports(unit)).is_err())
                {
                    self.unlinkable.insert(target);
                    continue;
                }
                for &unit in &needed {
                    if !std::mem::replace(&mut seen[unit], true) {
                        order.push(unit);
                    }
                }
                importable.push(target);
            }
            position += 1;
        }
        Ok((order, requested, importable))
    }

    fn check_imports(&self, unit: usize) -> Result<(), LinkError> {
        self.unit(unit).imports.iter().try_for_each(|slot| self.import(unit, slot).map(drop))
    }

    fn visit(&self, root: usize, seen: &mut [bool], order: &mut Vec<usize>) -> Result<(), LinkError> {
        if std::mem::replace(&mut seen[root], true) {
            return Ok(());
        }
        // Each entry is a unit and the number of its requests that were followed already.
        let mut stack = vec![(root, 0)];
        while let Some((unit, next)) = stack.last_mut() {
            let unit = *unit;
            if let Some(specifier) = self.unit(unit).requests.get(*next) {
                *next += 1;
                let target = self.require(unit, specifier)?;
                if !std::mem::replace(&mut seen[target], true) {
                    stack.push((target, 0));
                }
            } else {
                order.push(unit);
                stack.pop();
            }
        }
        Ok(())
    }

    fn import(&self, importer: usize, slot: &ImportSlot) -> Result<Target, LinkError> {
        let Some(name) = &slot.name else {
            let is_static = self.unit(importer).requests.contains(&slot.specifier);
            return match self.find(importer, &slot.specifier) {
                Some(unit) if self.unlinkable.contains(&unit) => Ok(Target::Unlinkable),
                Some(unit) => Ok(Target::Namespace { unit }),
                None if is_static => self.require(importer, &slot.specifier).map(|unit| Target::Namespace { unit }),
                None => Ok(Target::Missing),
            };
        };
        self.imported(importer, &slot.specifier, name)
    }

    fn imported(&self, importer: usize, specifier: &str, name: &str) -> Result<Target, LinkError> {
        let unit = self.require(importer, specifier)?;
        let (importer, specifier, name) = (self.unit(importer).path.clone(), specifier.to_owned(), name.to_owned());
        match self.resolve_export(unit, &name, &mut BTreeSet::new())? {
            Resolution::Found(target) => Ok(target),
            Resolution::Ambiguous => Err(LinkError::AmbiguousExport { importer, specifier, name }),
            Resolution::Missing => Err(LinkError::MissingExport { importer, specifier, name }),
        }
    }

    /// What a module exports from others must exist, even if nobody imports it.
    fn check_exports(&self, unit: usize) -> Result<(), LinkError> {
        self.unit(unit).exports.iter().try_for_each(|export| match export {
            UnitExport::From { specifier, imported: Some(imported), .. } => {
                self.imported(unit, specifier, imported).map(drop)
            }
            _ => Ok(()),
        })
    }

    /// What an exported name stands for, if it is exported and unambiguous.
    pub(crate) fn find_export(&self, unit: usize, name: &str) -> Option<Target> {
        match self.resolve_export(unit, name, &mut BTreeSet::new()) {
            Ok(Resolution::Found(target)) => Some(target),
            _ => None,
        }
    }

    fn resolve_export(
        &self,
        unit: usize,
        name: &str,
        visited: &mut BTreeSet<(usize, String)>,
    ) -> Result<Resolution, LinkError> {
        if !visited.insert((unit, name.to_owned())) {
            return Ok(Resolution::Missing);
        }
        for export in &self.unit(unit).exports {
            match export {
                UnitExport::Local { name: exported, binding } if exported == name => {
                    return Ok(Resolution::Found(Target::Binding { unit, index: *binding }));
                }
                UnitExport::From { name: exported, specifier, imported } if exported == name => {
                    let target = self.require(unit, specifier)?;
                    return match imported {
                        None => Ok(Resolution::Found(Target::Namespace { unit: target })),
                        Some(imported) => self.resolve_export(target, imported, visited),
                    };
                }
                _ => {}
            }
        }
        if name == "default" {
            return Ok(Resolution::Missing);
        }
        self.resolve_star(unit, name, visited)
    }

    fn resolve_star(
        &self,
        unit: usize,
        name: &str,
        visited: &mut BTreeSet<(usize, String)>,
    ) -> Result<Resolution, LinkError> {
        let mut found = None;
        for export in &self.unit(unit).exports {
            let UnitExport::Star { specifier } = export else { continue };
            let target = self.require(unit, specifier)?;
            match self.resolve_export(target, name, visited)? {
                Resolution::Ambiguous => return Ok(Resolution::Ambiguous),
                Resolution::Missing => {}
                Resolution::Found(target) if found.is_none_or(|earlier| earlier == target) => found = Some(target),
                Resolution::Found(_) => return Ok(Resolution::Ambiguous),
            }
        }
        Ok(found.map_or(Resolution::Missing, Resolution::Found))
    }

    /// All names a module exports; those that `export *` leaves ambiguous are left out, as in a namespace object.
    fn namespace(&self, unit: usize) -> Result<Namespace, LinkError> {
        let mut names = BTreeSet::new();
        self.exported_names(unit, &mut vec![false; self.units.len()], &mut names)?;
        let mut resolved = Vec::new();
        for name in names {
            if let Resolution::Found(target) = self.resolve_export(unit, &name, &mut BTreeSet::new())? {
                resolved.push((name, target));
            }
        }
        resolved.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
        Ok(Namespace { unit, names: resolved })
    }

    fn exported_names(&self, unit: usize, seen: &mut [bool], names: &mut BTreeSet<String>) -> Result<(), LinkError> {
        if std::mem::replace(&mut seen[unit], true) {
            return Ok(());
        }
        for export in &self.unit(unit).exports {
            match export {
                UnitExport::Local { name, .. } | UnitExport::From { name, .. } => {
                    names.insert(name.clone());
                }
                UnitExport::Star { specifier } => {
                    let mut through = BTreeSet::new();
                    self.exported_names(self.require(unit, specifier)?, seen, &mut through)?;
                    through.remove("default");
                    names.append(&mut through);
                }
            }
        }
        Ok(())
    }

    fn namespaces(&self, entries: &[usize], imports: &[Vec<Target>]) -> Result<Vec<Namespace>, LinkError> {
        let imported = imports.iter().flatten().filter_map(|target| match target {
            Target::Namespace { unit } => Some(*unit),
            _ => None,
        });
        let wanted: BTreeSet<usize> = entries.iter().copied().chain(imported).collect();
        let mut state = vec![Visit::New; self.units.len()];
        let mut namespaces = Vec::new();
        for unit in wanted {
            self.add_namespace(unit, &mut state, &mut namespaces)?;
        }
        Ok(namespaces)
    }

    fn add_namespace(
        &self,
        unit: usize,
        state: &mut [Visit],
        namespaces: &mut Vec<Namespace>,
    ) -> Result<(), LinkError> {
        match state[unit] {
            Visit::Done => return Ok(()),
            Visit::Open => return Err(LinkError::CyclicNamespace { path: self.unit(unit).path.clone() }),
            Visit::New => state[unit] = Visit::Open,
        }
        let namespace = self.namespace(unit)?;
        for (_, target) in &namespace.names {
            if let Target::Namespace { unit } = target {
                self.add_namespace(*unit, state, namespaces)?;
            }
        }
        state[unit] = Visit::Done;
        namespaces.push(namespace);
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Visit {
    New,
    Open,
    Done,
}
