//! Walks the statements of an entry; calls are expanded in place.

use std::collections::HashMap;

use super::code::Code;
use super::draft::{Draft, Ending, Extra, Item, Kind, Slot};
use super::symbols::Symbols;
use crate::exec::{Handler, Isa};
use crate::program::{Class, Info};
use crate::ptx::{
    Function, Instruction, LabelId, Module, Operand, PtxError, RegId, RegKind, Statement,
};

/// Calls within calls that are expanded before the reader gives up.
const DEEPEST: usize = 16;

/// A function that is being expanded.
#[derive(Clone, Default)]
pub(super) struct Instance {
    registers: u32,
    labels: u32,
    /// Tells the variables of one expansion from those of another.
    number: u32,
    /// Parameters and results, and the caller's variables that they are.
    bound: HashMap<String, String>,
    returns: Option<LabelId>,
    /// Offsets of its variables in local memory.
    pub locals: HashMap<String, u64>,
    names: Vec<String>,
}

pub(super) struct Lower<'m> {
    pub module: &'m Module,
    pub function: &'m Function,
    pub isa: Isa,
    pub symbols: Symbols,
    pub items: Vec<Item>,
    pub info: Vec<Info>,
    pub kinds: Vec<Kind>,
    pub labels: u32,
    pub local_bytes: u64,
    /// Smallest access to shared memory.
    pub granule: u32,
    /// The same of global memory.
    pub global_granule: u32,
    /// Blocks see the order in which they run: results of atomics are used.
    pub ordered: bool,
    /// It has mbarriers, whose order only exact clocks follow.
    pub exact: bool,
    /// Registers that are defined once and only rename something.
    pub aliases: HashMap<RegId, Slot>,
    pub definitions: Vec<u32>,
    /// Registers that stand for `.param` variables of calls, by variable and offset.
    passed: HashMap<(String, i64), RegId>,
    pub instance: Instance,
    instances: u32,
    pub line: u32,
}

impl<'m> Lower<'m> {
    pub fn new(module: &'m Module, function: &'m Function, isa: Isa) -> Result<Self, PtxError> {
        Ok(Lower {
            module,
            function,
            isa,
            symbols: Symbols::new(module, function)?,
            items: Vec::new(),
            info: Vec::new(),
            kinds: Vec::new(),
            labels: 0,
            local_bytes: 0,
            granule: 4,
            global_granule: 4,
            ordered: false,
            exact: false,
            aliases: HashMap::new(),
            definitions: Vec::new(),
            passed: HashMap::new(),
            instance: Instance::default(),
            instances: 0,
            line: function.line,
        })
    }

    /// The whole entry.
    pub fn entry(&mut self) -> Result<(), PtxError> {
        let function = self.function;
        self.instance = self.instantiate(function);
        self.statements(function)?;
        let info = self.note("ret", self.function.line, 0, Class::Control);
        self.items.push(Item::End(Ending::Exit, info));
        Ok(())
    }

    /// Registers, labels and local memory for one expansion of a function.
    fn instantiate(&mut self, function: &Function) -> Instance {
        let mut instance = Instance {
            registers: self.kinds.len() as u32,
            labels: self.labels,
            number: self.instances,
            ..Instance::default()
        };
        self.instances += 1;
        self.labels += function.labels;
        self.kinds
            .extend(function.registers.iter().map(|kind| match kind {
                RegKind::Pred => Kind::Pred,
                RegKind::B16 | RegKind::B32 => Kind::B32,
                RegKind::B64 => Kind::B64,
            }));
        self.definitions.resize(self.kinds.len(), 0);
        for statement in &function.body {
            let Statement::Instruction(instruction) = statement else {
                continue;
            };
            let mut define = |reg: RegId| {
                let at = (instance.registers + reg.0) as usize;
                if let Some(count) = self.definitions.get_mut(at) {
                    *count += 1;
                }
            };
            match instruction.operands.first() {
                Some(Operand::Reg(reg)) => define(*reg),
                Some(Operand::Pair(a, b)) => [a, b].into_iter().for_each(|reg| define(*reg)),
                Some(Operand::Vector(parts)) => parts.iter().for_each(|part| {
                    if let Operand::Reg(reg) = part {
                        define(*reg);
                    }
                }),
                _ => {}
            }
        }
        for variable in &function.variables {
            if variable.space == crate::ptx::Space::Local {
                let offset = self.local_bytes.next_multiple_of(variable.align);
                self.local_bytes = offset + variable.size;
                instance.locals.insert(variable.name.clone(), offset);
            }
        }
        instance
    }

    fn statements(&mut self, function: &'m Function) -> Result<(), PtxError> {
        for statement in &function.body {
            match statement {
                Statement::Label(label) => {
                    let label = LabelId(self.instance.labels + label.0);
                    self.items.push(Item::Label(label));
                }
                Statement::Instruction(instruction) => self.guarded(instruction)?,
            }
        }
        Ok(())
    }

    /// A guard on anything but a branch becomes a short branch around it.
    fn guarded(&mut self, instruction: &'m Instruction) -> Result<(), PtxError> {
        self.line = instruction.line;
        let code = Code::new(&instruction.name);
        let Some(guard) = instruction.guard.filter(|_| code.root != "bra") else {
            return self.instruction(instruction, &code);
        };
        let around = self.fresh_label();
        let pred = self.reg(guard.pred);
        let guard = Some((pred, !guard.negated));
        let info = self.note(
            &instruction.name,
            instruction.line,
            instruction.place,
            Class::Control,
        );
        let ending = Ending::Branch {
            label: around,
            guard,
            predicated: true,
        };
        self.items.push(Item::End(ending, info));
        self.instruction(instruction, &code)?;
        self.items.push(Item::Label(around));
        Ok(())
    }

    /// Calls, parameters of calls, and everything that needs a handler.
    fn instruction(&mut self, i: &'m Instruction, code: &Code<'_>) -> Result<(), PtxError> {
        let info = self.note(&i.name, i.line, i.place, Class::Integer);
        match code.root {
            "call" => self.call(i),
            "ret" => {
                self.class(info, Class::Control);
                let ending = match self.instance.returns {
                    Some(label) => Ending::Branch {
                        label,
                        guard: None,
                        predicated: false,
                    },
                    None => Ending::Exit,
                };
                self.items.push(Item::End(ending, info));
                Ok(())
            }
            _ => {
                let known = self.arithmetic(i, code, info)?
                    || self.conversion(i, code, info)?
                    || self.memory_access(i, code, info)?
                    || self.control(i, code, info)?
                    || self.exchange(i, code, info)?
                    || self.hopper(i, code, info)?;
                if known {
                    Ok(())
                } else {
                    Err(PtxError::unsupported(i.line, &i.name))
                }
            }
        }
    }

    /// Expands `call.uni (retval0), name, (param0, param1);` in place.
    fn call(&mut self, call: &'m Instruction) -> Result<(), PtxError> {
        let name = call.operands.iter().find_map(|operand| match operand {
            Operand::Symbol(name) => Some(name.as_str()),
            _ => None,
        });
        let name = name.unwrap_or_default();
        let callee = self
            .module
            .functions
            .iter()
            .find(|function| function.name == name);
        let Some(callee) = callee else {
            let message = format!("the call of `{name}` leads out of this text");
            return Err(PtxError::new(call.line, message)
                .help("printf and assert do not run on the machine; call functions of the unit"));
        };
        if self.instance.names.len() >= DEEPEST || self.instance.names.iter().any(|n| n == name) {
            let message = format!("`{name}` calls itself, or calls nest too deeply");
            return Err(PtxError::new(call.line, message).help("write it as a loop"));
        }
        let lists: Vec<&Vec<Operand>> = call
            .operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::List(items) => Some(items),
                _ => None,
            })
            .collect();
        let formals = callee.returns.iter().chain(&callee.params);
        let actuals = lists.into_iter().flatten();
        let mut bound = HashMap::new();
        for (formal, actual) in formals.zip(actuals) {
            if let Operand::Symbol(actual) = actual {
                bound.insert(formal.name.clone(), self.variable(actual));
            }
        }
        let mut inner = self.instantiate(callee);
        let after = self.fresh_label();
        inner.bound = bound;
        inner.returns = Some(after);
        inner.names = self.instance.names.clone();
        inner.names.push(name.to_owned());
        let outer = std::mem::replace(&mut self.instance, inner);
        let done = self.statements(callee);
        self.instance = outer;
        done?;
        self.items.push(Item::Label(after));
        Ok(())
    }

    /// The unique name of a variable of this expansion.
    fn variable(&self, name: &str) -> String {
        let bound = self.instance.bound.get(name).cloned();
        bound.unwrap_or_else(|| format!("{name}#{}", self.instance.number))
    }

    /// The register that stands for bytes of a call's parameter.
    pub fn passed(&mut self, name: &str, offset: i64, kind: Kind) -> RegId {
        let key = (self.variable(name), offset);
        if let Some(reg) = self.passed.get(&key) {
            return *reg;
        }
        let reg = self.temporary(kind);
        self.passed.insert(key, reg);
        reg
    }

    pub fn fresh_label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId(self.labels - 1)
    }

    pub fn label(&self, label: LabelId) -> LabelId {
        LabelId(self.instance.labels + label.0)
    }

    pub fn reg(&self, reg: RegId) -> RegId {
        RegId(self.instance.registers + reg.0)
    }

    pub fn kind(&self, reg: RegId) -> Kind {
        self.kinds.get(reg.0 as usize).copied().unwrap_or(Kind::B32)
    }

    pub fn temporary(&mut self, kind: Kind) -> RegId {
        self.kinds.push(kind);
        self.definitions.push(2);
        RegId(self.kinds.len() as u32 - 1)
    }

    /// A new entry of the instruction table.
    pub fn note(&mut self, name: &str, line: u32, place: u32, class: Class) -> u32 {
        let name = name.to_owned();
        self.info.push(Info {
            name,
            line,
            place,
            class,
            ..Info::default()
        });
        self.info.len() as u32 - 1
    }

    pub fn class(&mut self, info: u32, class: Class) {
        if let Some(info) = self.info.get_mut(info as usize) {
            info.class = class;
        }
    }

    pub fn flops(&mut self, info: u32, class: Class, flops: u32) {
        if let Some(info) = self.info.get_mut(info as usize) {
            (info.class, info.flops) = (class, flops);
        }
    }

    pub fn wrong(&self, message: impl Into<String>) -> PtxError {
        PtxError::new(self.line, message)
    }

    /// Operand `at` of an instruction.
    pub fn operand<'i>(&self, i: &'i Instruction, at: usize) -> Result<&'i Operand, PtxError> {
        let missing = || self.wrong(format!("`{}` lacks operand {}", i.name, at + 1));
        i.operands.get(at).ok_or_else(missing)
    }

    /// Adds an instruction with one result.
    pub fn push(&mut self, run: Handler, def: RegId, uses: [Slot; 3], info: u32) {
        self.push_extra(run, Some(def), uses, Extra::Value(0), info);
    }

    pub fn push_extra(
        &mut self,
        run: Handler,
        def: Option<RegId>,
        uses: [Slot; 3],
        extra: Extra,
        info: u32,
    ) {
        let draft = Draft {
            run,
            def,
            uses,
            extra,
            list_defs: Vec::new(),
            list_uses: Vec::new(),
            info,
        };
        self.items.push(Item::Do(draft));
    }
}
