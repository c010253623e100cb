;; A stand-in for the guest: just enough of the bridge to run `unit.wat`.
;; A binding holds the table index of a function; `invoke` calls it with the argument's address and length, and what it
;; answers is the status. A function that answers PENDING leaves the table index of its continuation at 0x110000.
(module
  (type $code (func (param i32 i32 i64 i64 i64 i64) (result i64)))
  (import "env" "memory" (memory 3072 3072))
  (import "host" "call" (func $host_call (param i32 i32 i32) (result i32)))
  (import "host" "take" (func $host_take (param i32)))
  (import "host" "capture_stack" (func $host_capture_stack (param i32 i32) (result i32)))
  (table (export "__indirect_function_table") 1 funcref)
  (global $stack_pointer (export "__stack_pointer") (mut i32) (i32.const 0x100000))

  (global (export "__heap_base") i32 (i32.const 0x200000))
  (func (export "boot"))

  (func $allocate (export "allocate") (param $bytes i32) (result i32)
    (local $at i32) (local $top i32)
    (local.set $at (i32.load (i32.const 0x100018)))
    (local.set $top (i32.and (i32.add (i32.add (local.get $at) (local.get $bytes)) (i32.const 7)) (i32.const -8)))
    (if (i32.gt_u (local.get $top) (i32.load (i32.const 0x10001c)))
      (then (i32.store (i32.const 0x100054) (i32.const 1)) unreachable))
    (i32.store (i32.const 0x100018) (local.get $top))
    (local.get $at))

  (func (export "link_unit") (param i32 i32 i32))
  (func (export "make_namespace") (param i32 i32) (result i32) (call $allocate (i32.const 8)))

  (func $run (param $code i32) (param $address i32) (param $length i32) (result i32)
    (i32.wrap_i64 (call_indirect (type $code)
      (local.get $address) (local.get $length) (i64.const 0) (i64.const 0) (i64.const 0) (i64.const 0)
      (local.get $code))))

  (func (export "register_requests") (param i32 i32 i32))
  (func (export "register_import") (param i32 i32))
  (func (export "clear_garbage"))
  (func (export "evaluate") (param $code i32) (result i32)
    (call $run (local.get $code) (i32.const 0) (i32.const 0)))
  (func (export "describe") (param $binding i32) (result i32)
    (call $run (i32.load (local.get $binding)) (i32.const 0) (i32.const 0)))
  (func (export "invoke") (param $binding i32) (param i32 i32) (param $argument i32) (param $length i32) (result i32)
    (call $run (i32.load (local.get $binding)) (local.get $argument) (local.get $length)))
  (func (export "resume") (param $results i32) (param $length i32) (result i32)
    (call $run (i32.load (i32.const 0x110000)) (local.get $results) (local.get $length)))

  ;; Two functions of the real guest, lent to the unit for what it needs of the host:
  ;; `concat` writes the argument to the console, `new_array` answers the text of the stack.
  (func (export "rt_concat") (param $length i32) (result i64)
    (drop (call $host_call (i32.const 3) (i32.const 0x120000) (local.get $length)))
    (i64.const 0))
  (func (export "rt_new_array") (param $capacity i32) (result i64)
    (local $frames i32)
    ;; A trace: at most `capacity` frames, none left out.
    (i32.store (i32.const 0x120000) (local.get $capacity))
    (i64.store (i32.const 0x120004) (i64.const 0xffffffff))
    (local.set $frames (call $host_capture_stack (i32.const 0x12000c) (local.get $capacity)))
    (local.set $frames (i32.add (i32.mul (local.get $frames) (i32.const 8)) (i32.const 12)))
    (local.set $frames (call $host_call (i32.const 4) (i32.const 0x120000) (local.get $frames)))
    (call $host_take (i32.const 0x130000))
    (i64.extend_i32_u (local.get $frames)))
  ;; Takes the Rust stack down to nothing, as a recursion of the guest's own would.
  (func (export "rt_to_boolean") (param i64) (result i32)
    (global.set $stack_pointer (i32.sub (global.get $stack_pointer) (i32.const 0x200000)))
    (i32.load (global.get $stack_pointer))))
