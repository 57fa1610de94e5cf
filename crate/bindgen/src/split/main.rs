//! Divides a module in two: what a session needs up to its first block, and the rest, loaded when something of it is first called.
//!
//! Usage:
//!
//! - `split mark MODULE.wasm MARKED.wasm` writes the same module with a global `ran0`, `ran1` … for each function, set to 1 when it runs.
//! - `split divide MODULE.wasm RAN.txt FIRST.wasm REST.wasm` divides it by the numbers of those that ran, one a line.
//!
//! In the first part a function of the rest that is called from there is a stub: it has the rest loaded (through the
//! export [`LOADER`]), then calls on through a slot of the function table, which the rest fills when it is instantiated. Both parts
//! share memory, tables and globals; data stays in the first.

// A number is a place in the very list it indexes.
#![allow(clippy::indexing_slicing)]

use std::collections::{BTreeSet, HashMap};
use std::process::ExitCode;

use walrus::ir::{Call, RefFunc, UnaryOp, Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind,
    GlobalKind, ImportedFunction, Module, ModuleConfig, TableId, ValType,
};

/// The export that has the rest loaded. It must have run.
const LOADER: &str = "loadRest";
/// The name by which the rest imports from the first part.
const FIRST: &str = "first";
/// An export that only a first part has: whether its rest is there.
const REST: &str = "rest";
/// A function that calls nothing and has at most this many instructions is no larger than its stub.
const STUB_INSTRUCTIONS: u64 = 8;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["mark", module, marked] => mark(module, marked),
        ["divide", module, ran, first, rest] => divide(module, ran, first, rest),
        _ => {
            eprintln!("usage: split mark MODULE.wasm MARKED.wasm");
            eprintln!("       split divide MODULE.wasm RAN.txt FIRST.wasm REST.wasm");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("split: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Reads a module. Functions are numbered in the module's own order, the same in every reading of it.
fn parse(path: &str) -> Result<Module> {
    let mut config = ModuleConfig::new();
    config
        .generate_name_section(false)
        .generate_producers_section(false);
    Ok(config.parse(&std::fs::read(path)?)?)
}

fn mark(module: &str, marked: &str) -> Result<()> {
    let mut module = parse(module)?;
    for (at, id) in all(&module).into_iter().enumerate() {
        if !is_local(&module, id) {
            continue;
        }
        let zero = ConstExpr::Value(Value::I32(0));
        let ran = module.globals.add_local(ValType::I32, true, false, zero);
        module.exports.add(&format!("ran{at}"), ran);
        if let FunctionKind::Local(local) = &mut module.funcs.get_mut(id).kind {
            let entry = local.entry_block();
            let mut body = local.builder_mut().instr_seq(entry);
            body.const_at(0, Value::I32(1)).global_set_at(1, ran);
        }
    }
    Ok(std::fs::write(marked, module.emit_wasm())?)
}

fn divide(module: &str, ran: &str, first: &str, rest: &str) -> Result<()> {
    let mut ours = parse(module)?;
    let mut theirs = parse(module)?;
    let ran = std::fs::read_to_string(ran)?;
    let ran: BTreeSet<usize> = ran
        .lines()
        .map(str::parse)
        .collect::<std::result::Result<_, _>>()?;
    let plan = Plan::of(&ours, &ran)?;
    let base = first_part(&mut ours, &plan)?;
    rest_part(&mut theirs, &plan, base)?;
    std::fs::write(first, ours.emit_wasm())?;
    Ok(std::fs::write(rest, theirs.emit_wasm())?)
}

/// What goes where, by the functions' numbers.
struct Plan {
    /// Functions of the rest.
    deferred: BTreeSet<usize>,
    /// Those of them that the first part calls, exports or holds in its table, in the order of their slots.
    entered: Vec<usize>,
    /// Functions of the first part that the rest calls.
    shared: BTreeSet<usize>,
    loader: usize,
}

impl Plan {
    fn of(module: &Module, ran: &BTreeSet<usize>) -> Result<Self> {
        let ids = all(module);
        let numbers: HashMap<FunctionId, usize> =
            ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        let numbered = |ids: Vec<FunctionId>| -> Vec<usize> {
            ids.iter()
                .filter_map(|id| numbers.get(id).copied())
                .collect()
        };
        let calls: Vec<Vec<usize>> = module
            .funcs
            .iter()
            .map(|function| numbered(called(function)))
            .collect();
        let loader = numbered(vec![module.exports.get_func(LOADER)?]);
        let loader = loader.first().copied().filter(|at| ran.contains(at));
        let loader = loader.ok_or_else(|| format!("`{LOADER}` did not run"))?;
        let goes = |at: usize| {
            !ran.contains(&at)
                && match &module.funcs.get(ids[at]).kind {
                    FunctionKind::Local(local) => {
                        local.size() > STUB_INSTRUCTIONS || !calls[at].is_empty()
                    }
                    _ => false,
                }
        };
        let deferred: BTreeSet<usize> = (0..ids.len()).filter(|at| goes(*at)).collect();
        let all_calls = |of_deferred: bool| -> BTreeSet<usize> {
            let callers = (0..ids.len()).filter(|at| deferred.contains(at) == of_deferred);
            callers.flat_map(|at| calls[at].iter().copied()).collect()
        };
        let mut reached = all_calls(false);
        reached.extend(numbered(rooted(module)));
        Ok(Self {
            entered: deferred.intersection(&reached).copied().collect(),
            shared: all_calls(true).difference(&deferred).copied().collect(),
            deferred,
            loader,
        })
    }
}

fn is_local(module: &Module, id: FunctionId) -> bool {
    matches!(module.funcs.get(id).kind, FunctionKind::Local(_))
}

/// Functions that are reached from outside, or through the table.
fn rooted(module: &Module) -> Vec<FunctionId> {
    let exported = module
        .exports
        .iter()
        .filter_map(|export| match export.item {
            ExportItem::Function(id) => Some(id),
            _ => None,
        });
    let mut out: Vec<FunctionId> = exported.chain(module.start).collect();
    for element in module.elements.iter() {
        match &element.items {
            ElementItems::Functions(ids) => out.extend(ids),
            ElementItems::Expressions(_, items) => {
                out.extend(items.iter().filter_map(|item| match item {
                    ConstExpr::RefFunc(id) => Some(*id),
                    _ => None,
                }));
            }
        }
    }
    out
}

/// Functions that a function names in its code.
fn called(function: &walrus::Function) -> Vec<FunctionId> {
    struct Calls(Vec<FunctionId>);
    impl Visitor<'_> for Calls {
        fn visit_call(&mut self, call: &Call) {
            self.0.push(call.func);
        }
        fn visit_ref_func(&mut self, named: &RefFunc) {
            self.0.push(named.func);
        }
    }
    let mut calls = Calls(Vec::new());
    if let FunctionKind::Local(local) = &function.kind {
        dfs_in_order(&mut calls, local, local.entry_block());
    }
    calls.0
}

fn all(module: &Module) -> Vec<FunctionId> {
    module.funcs.iter().map(|function| function.id()).collect()
}

fn functions(module: &Module) -> Result<TableId> {
    let found = module.tables.main_function_table()?;
    Ok(found.ok_or("the module has no table of functions")?)
}

/// Turns a module into its first part. Returns the first slot of the rest.
fn first_part(module: &mut Module, plan: &Plan) -> Result<u64> {
    let ids = all(module);
    let table = functions(module)?;
    let base = module.tables.get(table).initial;
    let slots = module.tables.get_mut(table);
    slots.initial += plan.entered.len() as u64;
    slots.maximum = slots.maximum.map(|most| most.max(slots.initial));

    let is_loaded =
        module
            .globals
            .add_local(ValType::I32, true, false, ConstExpr::Value(Value::I32(0)));
    module.exports.add(REST, is_loaded);
    let mut ensure = FunctionBuilder::new(&mut module.types, &[], &[]);
    ensure
        .func_body()
        .global_get(is_loaded)
        .unop(UnaryOp::I32Eqz)
        .if_else(
            None,
            |then| {
                then.call(ids[plan.loader])
                    .i32_const(1)
                    .global_set(is_loaded);
            },
            |_| {},
        );
    let ensure = ensure.finish(Vec::new(), &mut module.funcs);

    for (slot, at) in plan.entered.iter().enumerate() {
        let id = ids[*at];
        let ty = module.funcs.get(id).ty();
        let params = module.types.params(ty).to_vec();
        let results = module.types.results(ty).to_vec();
        let args: Vec<_> = params.iter().map(|ty| module.locals.add(*ty)).collect();
        let mut stub = FunctionBuilder::new(&mut module.types, &params, &results);
        let mut body = stub.func_body();
        body.call(ensure);
        for arg in &args {
            body.local_get(*arg);
        }
        body.i32_const(i32::try_from(base)? + i32::try_from(slot)?)
            .call_indirect(ty, table);
        module.funcs.get_mut(id).kind = FunctionKind::Local(stub.local_func(args));
    }
    for at in &plan.shared {
        module.exports.add(&name("f", *at), ids[*at]);
    }
    for (at, table) in ids_of(module.tables.iter().map(|table| table.id())) {
        module.exports.add(&name("t", at), table);
    }
    for (at, memory) in ids_of(module.memories.iter().map(|memory| memory.id())) {
        module.exports.add(&name("m", at), memory);
    }
    for (at, global) in ids_of(module.globals.iter().map(|global| global.id())) {
        if global != is_loaded {
            module.exports.add(&name("g", at), global);
        }
    }
    walrus::passes::gc::run(module);
    Ok(base)
}

/// Turns a module into its rest.
fn rest_part(module: &mut Module, plan: &Plan, base: u64) -> Result<()> {
    let ids = all(module);
    let table = functions(module)?;
    let outside: Vec<_> = module.imports.iter().map(|import| import.id()).collect();
    for id in outside {
        module.imports.delete(id);
    }
    for (at, id) in ids.iter().enumerate() {
        if plan.deferred.contains(&at) {
            continue;
        }
        let ty = module.funcs.get(*id).ty();
        let import = module.imports.add(FIRST, &name("f", at), *id);
        module.funcs.get_mut(*id).kind = FunctionKind::Import(ImportedFunction { import, ty });
    }
    for (at, id) in ids_of(module.tables.iter().map(|table| table.id())) {
        let import = module.imports.add(FIRST, &name("t", at), id);
        let here = module.tables.get_mut(id);
        here.import = Some(import);
        here.elem_segments = Default::default();
        if id == table {
            here.initial += plan.entered.len() as u64;
            here.maximum = here.maximum.map(|most| most.max(here.initial));
        }
    }
    for (at, id) in ids_of(module.memories.iter().map(|memory| memory.id())) {
        let import = module.imports.add(FIRST, &name("m", at), id);
        let here = module.memories.get_mut(id);
        here.import = Some(import);
        here.data_segments = Default::default();
    }
    for (at, id) in ids_of(module.globals.iter().map(|global| global.id())) {
        let import = module.imports.add(FIRST, &name("g", at), id);
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
    let data: Vec<_> = module.data.iter().map(|data| data.id()).collect();
    data.into_iter().for_each(|id| module.data.delete(id));
    let elements: Vec<_> = module.elements.iter().map(|element| element.id()).collect();
    elements
        .into_iter()
        .for_each(|id| module.elements.delete(id));
    let exports: Vec<_> = module.exports.iter().map(|export| export.id()).collect();
    exports.into_iter().for_each(|id| module.exports.delete(id));
    module.start = None;
    let offset = ConstExpr::Value(Value::I32(i32::try_from(base)?));
    let slots = plan.entered.iter().map(|at| ids[*at]).collect();
    let element = module.elements.add(
        ElementKind::Active { table, offset },
        ElementItems::Functions(slots),
    );
    module.tables.get_mut(table).elem_segments.insert(element);
    walrus::passes::gc::run(module);
    Ok(())
}

/// Short, and unlike any name of the generator.
fn name(kind: &str, at: usize) -> String {
    format!("{kind}{at}")
}

fn ids_of<T>(ids: impl Iterator<Item = T>) -> Vec<(usize, T)> {
    ids.enumerate().collect()
}
