//! Code generation from hand-written intermediate representation: every unit must validate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use convex_wasm_abi::value;
use convex_wasm_compiler::codegen::{SourceInfo, emit};
use convex_wasm_compiler::ir::*;

/// A function with `registers` value registers.
fn function(name: &str, kind: FunctionKind, registers: u32, blocks: Vec<BlockData>) -> Function {
    Function {
        name: name.to_owned(),
        class: String::new(),
        kind,
        is_async: false,
        is_generator: false,
        strict: true,
        length: 0,
        source: (0, 0),
        parameters: Vec::new(),
        rest: None,
        this: None,
        new_target: None,
        arguments: None,
        callee: None,
        env: None,
        registers: vec![RegKind::Value; registers as usize],
        blocks,
        refused: None,
    }
}

fn block(instructions: Vec<(Option<u32>, Op)>, terminator: Terminator) -> BlockData {
    let instructions =
        instructions.into_iter().map(|(result, op)| Instruction { result: result.map(Reg), op, position: 0 }).collect();
    BlockData { instructions, terminator, handler: None }
}

fn handled(mut data: BlockData, handler: u32) -> BlockData {
    data.handler = Some(Block(handler));
    data
}

fn body() -> Function {
    let blocks = vec![block(vec![(Some(0), Op::Special(value::UNDEFINED))], Terminator::Return(Reg(0)))];
    function("", FunctionKind::ModuleBody, 1, blocks)
}

/// Emits a module of a body and one function, validates it, and answers its text.
fn validated(other: Function) -> String {
    let module = Module {
        functions: vec![body(), other],
        constants: vec![ConstantValue::String("key".encode_utf16().collect())],
        bindings: vec![Binding { name: "other".to_owned(), lexical: false, known_function: Some(FunctionId(1)) }],
        ..Module::default()
    };
    let unit = emit(&module, &SourceInfo { text: "" });
    wasmparser::Validator::new().validate_all(&unit.wasm).expect("the unit is valid");
    assert_eq!(unit.wasm, emit(&module, &SourceInfo { text: "" }).wasm, "the same module gives the same bytes");
    wasmprinter::print_bytes(&unit.wasm).unwrap()
}

fn jump(to: u32) -> Terminator {
    Terminator::Jump(Block(to))
}

fn branch(condition: u32, then: u32, otherwise: u32) -> Terminator {
    Terminator::Branch { condition: Reg(condition), then: Block(then), otherwise: Block(otherwise) }
}

#[test]
fn a_loop_counter_is_an_unboxed_integer() {
    // for (i = 0; i < 10; i = i + 1); return i
    let blocks = vec![
        block(vec![(Some(0), Op::Int(0)), (Some(1), Op::Number(10.0)), (Some(2), Op::Number(1.0))], jump(1)),
        block(vec![(Some(3), Op::Binary(Binary::Less, Reg(0), Reg(1)))], branch(3, 2, 3)),
        block(vec![(Some(0), Op::Binary(Binary::Add, Reg(0), Reg(2)))], jump(1)),
        block(vec![], Terminator::Return(Reg(0))),
    ];
    let text = validated(function("count", FunctionKind::Normal, 4, blocks));
    assert!(text.contains("i64.lt_s"), "{text}");
    assert!(!text.contains("\"less\""), "{text}");
}

#[test]
fn an_irreducible_graph_gets_a_dispatcher() {
    // 0 branches into the middle of the cycle 1 <-> 2 from both sides.
    let mut other = function(
        "irreducible",
        FunctionKind::Normal,
        2,
        vec![
            block(vec![], branch(0, 1, 2)),
            block(vec![(Some(1), Op::Get(Reg(0), Constant(0)))], branch(1, 2, 3)),
            block(vec![(Some(1), Op::Get(Reg(0), Constant(0)))], branch(1, 1, 3)),
            block(vec![], Terminator::Return(Reg(0))),
        ],
    );
    other.parameters = vec![Reg(0)];
    let text = validated(other);
    assert!(text.contains("br_table"), "{text}");
}

#[test]
fn exceptions_go_to_handlers_inside_loops() {
    let mut other = function(
        "retry",
        FunctionKind::Normal,
        3,
        vec![
            block(vec![(Some(2), Op::Special(value::NULL))], jump(1)),
            handled(block(vec![(Some(1), Op::Get(Reg(0), Constant(0)))], branch(1, 1, 3)), 2),
            block(vec![(Some(2), Op::Catch)], branch(2, 1, 3)),
            block(vec![], Terminator::Return(Reg(2))),
        ],
    );
    other.parameters = vec![Reg(0)];
    validated(other);
}

/// An async loop that awaits on one of its paths only: resuming enters the loop in its middle.
#[test]
fn resuming_into_a_loop_validates() {
    let mut other = function(
        "poll",
        FunctionKind::Normal,
        4,
        vec![
            block(vec![(Some(1), Op::Int(0)), (Some(3), Op::Number(1.0))], jump(1)),
            handled(block(vec![(Some(2), Op::Get(Reg(0), Constant(0)))], branch(2, 2, 3)), 5),
            handled(
                block(vec![], Terminator::Await { value: Reg(2), result: Reg(2), resume: Block(3), position: 0 }),
                5,
            ),
            block(vec![(Some(1), Op::Binary(Binary::Add, Reg(1), Reg(3)))], branch(2, 1, 4)),
            block(vec![], Terminator::Return(Reg(1))),
            block(vec![(Some(2), Op::Catch)], jump(3)),
        ],
    );
    other.parameters = vec![Reg(0)];
    other.is_async = true;
    let text = validated(other);
    assert!(text.contains("\"await\""), "{text}");
}

#[test]
fn a_generator_delegates() {
    let mut other = function(
        "delegate",
        FunctionKind::Normal,
        5,
        vec![
            block(vec![], Terminator::InitialYield(Block(1))),
            block(
                vec![
                    (Some(1), Op::DelegateOpen { iterable: Reg(0), is_async: false }),
                    (Some(2), Op::Int(0)),
                    (Some(3), Op::Special(value::UNDEFINED)),
                ],
                jump(2),
            ),
            block(
                vec![(Some(4), Op::DelegateStep(Reg(1), Reg(2), Reg(3))), (Some(3), Op::IsEmpty(Reg(4)))],
                branch(3, 3, 4),
            ),
            block(vec![], Terminator::YieldDelegate { mode: Reg(2), result: Reg(3), resume: Block(2) }),
            block(vec![], Terminator::Return(Reg(4))),
        ],
    );
    other.parameters = vec![Reg(0)];
    other.is_generator = true;
    validated(other);
}

#[test]
fn known_functions_are_called_directly() {
    let mut other = function(
        "recurse",
        FunctionKind::Normal,
        3,
        vec![block(
            vec![
                (Some(1), Op::LoadBinding(0)),
                (
                    Some(2),
                    Op::Call {
                        callee: Reg(1),
                        this: Reg(0),
                        arguments: Arguments::List(vec![Reg(0)]),
                        known: Some(FunctionId(1)),
                        name: None,
                    },
                ),
            ],
            Terminator::Return(Reg(2)),
        )],
    );
    other.parameters = vec![Reg(0)];
    let text = validated(other);
    assert!(!text.contains("call_indirect"), "{text}");
}
