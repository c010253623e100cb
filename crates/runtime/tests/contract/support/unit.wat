;; A unit of functions that misbehave. Its data: 64 bytes of header, u64 bindings from 64 on, a counter at 0x200.
(module
  (type $code (func (param i32 i32 i64 i64 i64 i64) (result i64)))
  (import "env" "memory" (memory 3072 3072))
  (import "env" "table" (table 0 funcref))
  (import "env" "data_base" (global $data i32))
  (import "env" "table_base" (global $table i32))
  (import "rt" "concat" (func $log (param i32) (result i64)))
  (import "rt" "new_array" (func $stack (param i32) (result i64)))
  (import "rt" "to_boolean" (func $exhaust_rust_stack (param i64) (result i32)))
  (elem (global.get $table) func
    $body $count $spin $exhaust_heap $recurse $hand_over $panic $wait $waited $throw $log_argument $where $stuck
    $recurse_in_guest $describe)
  (data (global.get $data) "\01\00\00\00")

  ;; Binds export n to function n + 1.
  (func $body (type $code)
    (local $index i32)
    (loop $next
      (i64.store
        (i32.add (i32.add (global.get $data) (i32.const 64)) (i32.mul (local.get $index) (i32.const 8)))
        (i64.extend_i32_u (i32.add (i32.add (global.get $table) (i32.const 1)) (local.get $index))))
      (local.set $index (i32.add (local.get $index) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $index) (i32.const 14))))
    (i64.const 0))

  (func $answer (param $address i32) (param $length i32)
    (i32.store (i32.const 0x100058) (local.get $address))
    (i32.store (i32.const 0x10005c) (local.get $length)))

  ;; Counts in the unit's data, in the last page of the heap's limit, and in as many pages as the argument is long;
  ;; answers the largest of the three counts as a digit. (At the pages' ends: the argument itself is at the start of one.)
  (func $count (type $code)
    (local $page i32) (local $most i32)
    (local.set $most (call $bump (i32.add (global.get $data) (i32.const 0x200))))
    (local.set $most (call $max (local.get $most)
      (call $bump (i32.sub (i32.load (i32.const 0x10001c)) (i32.const 4096)))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $page) (local.get 1)))
        (local.set $most (call $max (local.get $most)
          (call $bump (i32.add (i32.const 0x300ff8) (i32.mul (local.get $page) (i32.const 4096))))))
        (local.set $page (i32.add (local.get $page) (i32.const 1)))
        (br $next)))
    (i32.store8 (i32.const 0x120000) (i32.add (i32.const 48) (local.get $most)))
    (call $answer (i32.const 0x120000) (i32.const 1))
    (i64.const 0))
  (func $bump (param $address i32) (result i32)
    (i32.store (local.get $address) (i32.add (i32.load (local.get $address)) (i32.const 1)))
    (i32.load (local.get $address)))
  (func $max (param i32 i32) (result i32)
    (select (local.get 0) (local.get 1) (i32.gt_u (local.get 0) (local.get 1))))

  (func $spin (type $code) (loop $again (br $again)) unreachable)

  (func $exhaust_heap (type $code)
    (i32.store (i32.const 0x100054) (i32.const 1))
    unreachable)

  (func $recurse (type $code)
    (i64.add (i64.const 1) (call $recurse (i32.const 0) (i32.const 0) (i64.const 0) (i64.const 0) (i64.const 0) (i64.const 0))))

  (func $hand_over (type $code)
    (i64.store (i32.const 0x120000) (i64.const 0x6c746e49)) ;; Intl
    (call $answer (i32.const 0x120000) (i32.const 4))
    (i32.store (i32.const 0x100054) (i32.const 2))
    unreachable)

  (func $panic (type $code)
    (i64.store (i32.const 0x120000) (i64.const 0x73706f6f)) ;; oops
    (call $answer (i32.const 0x120000) (i32.const 4))
    (i32.store (i32.const 0x100054) (i32.const 3))
    unreachable)

  ;; Asks for operations 7 and 8, named a and bc, with the arguments 1 and 23.
  (func $wait (type $code)
    (i32.store (i32.const 0x110000) (i32.add (global.get $table) (i32.const 8)))
    (memory.copy (i32.const 0x120000) (i32.add (global.get $data) (i32.const 0x100)) (i32.const 32))
    (call $answer (i32.const 0x120000) (i32.const 32))
    (i64.const 1))
  (func $waited (type $code) (call $answer (local.get 0) (local.get 1)) (i64.const 0))

  (func $throw (type $code) (call $answer (local.get 0) (local.get 1)) (i64.const 2))

  (func $log_argument (type $code)
    (i32.store8 (i32.const 0x120000) (i32.const 3))
    (memory.copy (i32.const 0x120001) (local.get 0) (local.get 1))
    (drop (call $log (i32.add (local.get 1) (i32.const 1))))
    (call $answer (i32.const 0) (i32.const 0))
    (i64.const 0))

  (func $where (type $code)
    (call $answer (i32.const 0x130000) (i32.wrap_i64 (call $stack (i32.const 10))))
    (i64.const 0))

  (func $stuck (type $code) (i64.const 3))

  (func $recurse_in_guest (type $code) (i64.extend_i32_u (call $exhaust_rust_stack (i64.const 0))))

  (func $describe (type $code)
    (call $answer (i32.add (global.get $data) (i32.const 0x140)) (i32.const 115))
    (i64.const 0))

  (data (offset (i32.add (global.get $data) (i32.const 0x100)))
    "\07\00\00\00\01\00\00\00\01\00\00\00a1\00\00"
    "\08\00\00\00\02\00\00\00\02\00\00\00bc23")
  (data (offset (i32.add (global.get $data) (i32.const 0x140)))
    "{\"kind\":\"query\",\"visibility\":\"public\",\"args\":null,\"returns\":null,\"isRouter\":false,\"isCrons\":false,\"isSchema\":false}"))
