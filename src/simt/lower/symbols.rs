//! Where variables and parameters lie.

use std::collections::{HashMap, HashSet};

use crate::ptx::{Base, Function, Module, Operand, PtxError, Space, Statement, Variable};

/// Addresses of everything that a kernel names.
#[derive(Default)]
pub(super) struct Symbols {
    /// Offset in shared memory.
    shared: HashMap<String, u64>,
    pub shared_bytes: u64,
    /// Number among the module's global and const variables.
    globals: HashMap<String, u32>,
    /// Offset of each parameter of the entry.
    params: HashMap<String, u32>,
    pub param_bytes: u32,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Shared(u64),
    Global(u32),
    Param(u32),
}

impl Symbols {
    pub fn new(module: &Module, entry: &Function) -> Result<Symbols, PtxError> {
        let mut symbols = Symbols::default();
        let globals = module
            .variables
            .iter()
            .filter(|variable| matches!(variable.space, Space::Global | Space::Const));
        for (number, variable) in globals.enumerate() {
            symbols.globals.insert(variable.name.clone(), number as u32);
        }
        for param in &entry.params {
            let offset = symbols.param_bytes.next_multiple_of(param.align);
            symbols.params.insert(param.name.clone(), offset);
            symbols.param_bytes = offset + param.size;
        }
        symbols.place_shared(module, entry)?;
        Ok(symbols)
    }

    /// Static variables in the order of the text, then the dynamic ones.
    fn place_shared(&mut self, module: &Module, entry: &Function) -> Result<(), PtxError> {
        let functions = reachable(module, entry);
        let named: HashSet<&str> = functions
            .iter()
            .flat_map(|function| function.body.iter())
            .flat_map(names)
            .collect();
        let of_module = module
            .variables
            .iter()
            .filter(|v| named.contains(v.name.as_str()));
        let inside = functions.iter().flat_map(|function| &function.variables);
        let shared: Vec<&Variable> = of_module
            .chain(inside)
            .filter(|v| v.space == Space::Shared)
            .collect();
        for variable in shared.iter().filter(|variable| !variable.unsized_) {
            if self.shared.contains_key(&variable.name) {
                continue;
            }
            let offset = self.shared_bytes.next_multiple_of(variable.align);
            self.shared.insert(variable.name.clone(), offset);
            self.shared_bytes = offset + variable.size;
            if self.shared_bytes > 1 << 20 {
                let message = format!("`{}` leaves no room in shared memory", variable.name);
                return Err(PtxError::new(variable.line, message));
            }
        }
        for variable in shared.iter().filter(|variable| variable.unsized_) {
            let start = self.shared_bytes.next_multiple_of(variable.align.max(16));
            self.shared.insert(variable.name.clone(), start);
        }
        // The launch's dynamic bytes begin where the extern arrays do.
        if shared.iter().any(|variable| variable.unsized_) {
            let align = shared.iter().map(|v| v.align).max().unwrap_or(16).max(16);
            self.shared_bytes = self.shared_bytes.next_multiple_of(align);
            for variable in shared.iter().filter(|variable| variable.unsized_) {
                self.shared.insert(variable.name.clone(), self.shared_bytes);
            }
        }
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<Symbol> {
        if let Some(offset) = self.shared.get(name) {
            return Some(Symbol::Shared(*offset));
        }
        if let Some(offset) = self.params.get(name) {
            return Some(Symbol::Param(*offset));
        }
        self.globals.get(name).map(|number| Symbol::Global(*number))
    }
}

/// The entry and every function that it may call.
pub(super) fn reachable<'m>(module: &'m Module, entry: &'m Function) -> Vec<&'m Function> {
    let mut found = vec![entry];
    let mut at = 0;
    while let Some(function) = found.get(at).copied() {
        let called: HashSet<&str> = function.body.iter().flat_map(names).collect();
        for callee in &module.functions {
            let known = found.iter().any(|f| f.name == callee.name);
            if !known && called.contains(callee.name.as_str()) {
                found.push(callee);
            }
        }
        at += 1;
    }
    found
}

/// Symbols that a statement names.
fn names(statement: &Statement) -> Vec<&str> {
    let Statement::Instruction(instruction) = statement else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for operand in &instruction.operands {
        collect(operand, &mut found);
    }
    found
}

fn collect<'s>(operand: &'s Operand, found: &mut Vec<&'s str>) {
    match operand {
        Operand::Symbol(name) => found.push(name),
        Operand::Address(address) => {
            if let Base::Symbol(name) = &address.base {
                found.push(name);
            }
        }
        Operand::Vector(items) | Operand::List(items) => {
            items.iter().for_each(|item| collect(item, found));
        }
        _ => {}
    }
}
