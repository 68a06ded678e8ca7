;; Verbs on ints: of x, from byte 0 of the memory, and y, from byte 32768; results stand where x was, but for `places`, which begins at byte
;; 65536. A turn takes sixteen ints, since a turn costs as much as the work on four.
;; Guarantees: arithmetic wraps, comparisons give 0 and 1. `end` is the byte after the last int; the rest of its turn is computed too.
;; Does not: check anything. `mod` takes one y for all, more than 0.
(module
  (import "" "memory" (memory 0))

  (func (export "plus") (param $end i32) (local $i i32)
    (loop $next
      (v128.store (local.get $i) (i32x4.add (v128.load (local.get $i)) (v128.load offset=32768 (local.get $i))))
      (v128.store offset=16 (local.get $i) (i32x4.add (v128.load offset=16 (local.get $i)) (v128.load offset=32784 (local.get $i))))
      (v128.store offset=32 (local.get $i) (i32x4.add (v128.load offset=32 (local.get $i)) (v128.load offset=32800 (local.get $i))))
      (v128.store offset=48 (local.get $i) (i32x4.add (v128.load offset=48 (local.get $i)) (v128.load offset=32816 (local.get $i))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end)))))

  (func (export "minus") (param $end i32) (local $i i32)
    (loop $next
      (v128.store (local.get $i) (i32x4.sub (v128.load (local.get $i)) (v128.load offset=32768 (local.get $i))))
      (v128.store offset=16 (local.get $i) (i32x4.sub (v128.load offset=16 (local.get $i)) (v128.load offset=32784 (local.get $i))))
      (v128.store offset=32 (local.get $i) (i32x4.sub (v128.load offset=32 (local.get $i)) (v128.load offset=32800 (local.get $i))))
      (v128.store offset=48 (local.get $i) (i32x4.sub (v128.load offset=48 (local.get $i)) (v128.load offset=32816 (local.get $i))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end)))))

  (func (export "times") (param $end i32) (local $i i32)
    (loop $next
      (v128.store (local.get $i) (i32x4.mul (v128.load (local.get $i)) (v128.load offset=32768 (local.get $i))))
      (v128.store offset=16 (local.get $i) (i32x4.mul (v128.load offset=16 (local.get $i)) (v128.load offset=32784 (local.get $i))))
      (v128.store offset=32 (local.get $i) (i32x4.mul (v128.load offset=32 (local.get $i)) (v128.load offset=32800 (local.get $i))))
      (v128.store offset=48 (local.get $i) (i32x4.mul (v128.load offset=48 (local.get $i)) (v128.load offset=32816 (local.get $i))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end)))))

  (func (export "min") (param $end i32) (local $i i32)
    (loop $next
      (v128.store (local.get $i) (i32x4.min_s (v128.load (local.get $i)) (v128.load offset=32768 (local.get $i))))
      (v128.store offset=16 (local.get $i) (i32x4.min_s (v128.load offset=16 (local.get $i)) (v128.load offset=32784 (local.get $i))))
      (v128.store offset=32 (local.get $i) (i32x4.min_s (v128.load offset=32 (local.get $i)) (v128.load offset=32800 (local.get $i))))
      (v128.store offset=48 (local.get $i) (i32x4.min_s (v128.load offset=48 (local.get $i)) (v128.load offset=32816 (local.get $i))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end)))))

  (func (export "max") (param $end i32) (local $i i32)
    (loop $next
      (v128.store (local.get $i) (i32x4.max_s (v128.load (local.get $i)) (v128.load offset=32768 (local.get $i))))
      (v128.store offset=16 (local.get $i) (i32x4.max_s (v128.load offset=16 (local.get $i)) (v128.load offset=32784 (local.get $i))))
      (v128.store offset=32 (local.get $i) (i32x4.max_s (v128.load offset=32 (local.get $i)) (v128.load offset=32800 (local.get $i))))
      (v128.store offset=48 (local.get $i) (i32x4.max_s (v128.load offset=48 (local.get $i)) (v128.load offset=32816 (local.get $i))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end)))))

  (func (export "less") (param $end i32) (local $i i32)
    (loop $next
      (v128.store (local.get $i) (i32x4.neg (i32x4.lt_s (v128.load (local.get $i)) (v128.load offset=32768 (local.get $i)))))
      (v128.store offset=16 (local.get $i) (i32x4.neg (i32x4.lt_s (v128.load offset=16 (local.get $i)) (v128.load offset=32784 (local.get $i)))))
      (v128.store offset=32 (local.get $i) (i32x4.neg (i32x4.lt_s (v128.load offset=32 (local.get $i)) (v128.load offset=32800 (local.get $i)))))
      (v128.store offset=48 (local.get $i) (i32x4.neg (i32x4.lt_s (v128.load offset=48 (local.get $i)) (v128.load offset=32816 (local.get $i)))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end)))))

  (func (export "more") (param $end i32) (local $i i32)
    (loop $next
      (v128.store (local.get $i) (i32x4.neg (i32x4.gt_s (v128.load (local.get $i)) (v128.load offset=32768 (local.get $i)))))
      (v128.store offset=16 (local.get $i) (i32x4.neg (i32x4.gt_s (v128.load offset=16 (local.get $i)) (v128.load offset=32784 (local.get $i)))))
      (v128.store offset=32 (local.get $i) (i32x4.neg (i32x4.gt_s (v128.load offset=32 (local.get $i)) (v128.load offset=32800 (local.get $i)))))
      (v128.store offset=48 (local.get $i) (i32x4.neg (i32x4.gt_s (v128.load offset=48 (local.get $i)) (v128.load offset=32816 (local.get $i)))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end)))))

  (func (export "equal") (param $end i32) (local $i i32)
    (loop $next
      (v128.store (local.get $i) (i32x4.neg (i32x4.eq (v128.load (local.get $i)) (v128.load offset=32768 (local.get $i)))))
      (v128.store offset=16 (local.get $i) (i32x4.neg (i32x4.eq (v128.load offset=16 (local.get $i)) (v128.load offset=32784 (local.get $i)))))
      (v128.store offset=32 (local.get $i) (i32x4.neg (i32x4.eq (v128.load offset=32 (local.get $i)) (v128.load offset=32800 (local.get $i)))))
      (v128.store offset=48 (local.get $i) (i32x4.neg (i32x4.eq (v128.load offset=48 (local.get $i)) (v128.load offset=32816 (local.get $i)))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end)))))

  ;; As in `arithmetic.ts`: x times the inverse of y, taken a little too large, is the quotient towards 0.
  (func (export "mod") (param $end i32) (local $i i32) (local $x v128) (local $y v128) (local $rest v128) (local $inverse v128)
    (local.set $y (v128.load offset=32768 (local.get $i)))
    (local.set $inverse
      (f64x2.mul (f64x2.splat (f64.const 0x1.0000000000004p0))
        (f64x2.div (f64x2.splat (f64.const 1)) (f64x2.convert_low_i32x4_s (local.get $y)))))
    (loop $next
      (local.set $x (v128.load (local.get $i)))
      (local.set $rest
        (i32x4.sub (local.get $x)
          (i32x4.mul (local.get $y)
            (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
              (i32x4.trunc_sat_f64x2_s_zero (f64x2.mul (local.get $inverse) (f64x2.convert_low_i32x4_s (local.get $x))))
              (i32x4.trunc_sat_f64x2_s_zero
                (f64x2.mul (local.get $inverse) (f64x2.convert_low_i32x4_s (v128.load64_zero offset=8 (local.get $i)))))))))
      (v128.store (local.get $i)
        (i32x4.add (local.get $rest) (v128.and (local.get $y) (i32x4.shr_s (local.get $rest) (i32.const 31)))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 16))) (local.get $end)))))

  (func (export "count") (param $end i32) (param $from i32) (local $i i32) (local $four v128)
    (local.set $four (i32x4.add (i32x4.splat (local.get $from)) (v128.const i32x4 0 1 2 3)))
    (loop $next
      (v128.store (local.get $i) (local.get $four))
      (v128.store offset=16 (local.get $i) (i32x4.add (local.get $four) (v128.const i32x4 4 4 4 4)))
      (v128.store offset=32 (local.get $i) (i32x4.add (local.get $four) (v128.const i32x4 8 8 8 8)))
      (v128.store offset=48 (local.get $i) (i32x4.add (local.get $four) (v128.const i32x4 12 12 12 12)))
      (local.set $four (i32x4.add (local.get $four) (v128.const i32x4 16 16 16 16)))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end)))))

  ;; Over: the verb of s and all items, of whole turns. Its order does not matter.
  (func (export "plusOver") (param $end i32) (param $s i32) (result i32) (local $i i32) (local $a v128) (local $b v128)
    (local.set $a (i32x4.replace_lane 0 (v128.const i32x4 0 0 0 0) (local.get $s)))
    (loop $next
      (local.set $a (i32x4.add (local.get $a) (v128.load (local.get $i))))
      (local.set $b (i32x4.add (local.get $b) (v128.load offset=16 (local.get $i))))
      (local.set $a (i32x4.add (local.get $a) (v128.load offset=32 (local.get $i))))
      (local.set $b (i32x4.add (local.get $b) (v128.load offset=48 (local.get $i))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end))))
    (local.set $a (i32x4.add (local.get $a) (local.get $b)))
    (local.set $a (i32x4.add (local.get $a) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $a) (local.get $a))))
    (local.set $a (i32x4.add (local.get $a) (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $a) (local.get $a))))
    (i32x4.extract_lane 0 (local.get $a)))

  (func (export "minOver") (param $end i32) (param $s i32) (result i32) (local $i i32) (local $a v128) (local $b v128)
    (local.set $a (i32x4.splat (local.get $s)))
    (local.set $b (local.get $a))
    (loop $next
      (local.set $a (i32x4.min_s (local.get $a) (v128.load (local.get $i))))
      (local.set $b (i32x4.min_s (local.get $b) (v128.load offset=16 (local.get $i))))
      (local.set $a (i32x4.min_s (local.get $a) (v128.load offset=32 (local.get $i))))
      (local.set $b (i32x4.min_s (local.get $b) (v128.load offset=48 (local.get $i))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end))))
    (local.set $a (i32x4.min_s (local.get $a) (local.get $b)))
    (local.set $a (i32x4.min_s (local.get $a) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $a) (local.get $a))))
    (local.set $a (i32x4.min_s (local.get $a) (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $a) (local.get $a))))
    (i32x4.extract_lane 0 (local.get $a)))

  (func (export "maxOver") (param $end i32) (param $s i32) (result i32) (local $i i32) (local $a v128) (local $b v128)
    (local.set $a (i32x4.splat (local.get $s)))
    (local.set $b (local.get $a))
    (loop $next
      (local.set $a (i32x4.max_s (local.get $a) (v128.load (local.get $i))))
      (local.set $b (i32x4.max_s (local.get $b) (v128.load offset=16 (local.get $i))))
      (local.set $a (i32x4.max_s (local.get $a) (v128.load offset=32 (local.get $i))))
      (local.set $b (i32x4.max_s (local.get $b) (v128.load offset=48 (local.get $i))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end))))
    (local.set $a (i32x4.max_s (local.get $a) (local.get $b)))
    (local.set $a (i32x4.max_s (local.get $a) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $a) (local.get $a))))
    (local.set $a (i32x4.max_s (local.get $a) (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $a) (local.get $a))))
    (i32x4.extract_lane 0 (local.get $a)))

  ;; Scan: the verb of s and all items so far. Gives the last, of whole fours.
  (func (export "plusScan") (param $end i32) (param $s i32) (result i32) (local $i i32) (local $so v128) (local $x v128)
    (local.set $so (i32x4.splat (local.get $s)))
    (loop $next
      (local.set $x (v128.load (local.get $i)))
      (local.set $x (i32x4.add (local.get $x) (i8x16.shuffle 16 17 18 19 0 1 2 3 4 5 6 7 8 9 10 11 (local.get $x) (v128.const i32x4 0 0 0 0))))
      (local.set $x (i32x4.add (local.get $x) (i8x16.shuffle 16 17 18 19 20 21 22 23 0 1 2 3 4 5 6 7 (local.get $x) (v128.const i32x4 0 0 0 0))))
      (local.set $x (i32x4.add (local.get $x) (local.get $so)))
      (v128.store (local.get $i) (local.get $x))
      (local.set $so (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $x) (local.get $x)))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 16))) (local.get $end))))
    (i32x4.extract_lane 0 (local.get $so)))

  (func (export "minScan") (param $end i32) (param $s i32) (result i32) (local $i i32) (local $so v128) (local $x v128)
    (local.set $so (i32x4.splat (local.get $s)))
    (loop $next
      (local.set $x (v128.load (local.get $i)))
      (local.set $x (i32x4.min_s (local.get $x) (i8x16.shuffle 0 1 2 3 0 1 2 3 4 5 6 7 8 9 10 11 (local.get $x) (local.get $x))))
      (local.set $x (i32x4.min_s (local.get $x) (i8x16.shuffle 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))))
      (local.set $x (i32x4.min_s (local.get $x) (local.get $so)))
      (v128.store (local.get $i) (local.get $x))
      (local.set $so (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $x) (local.get $x)))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 16))) (local.get $end))))
    (i32x4.extract_lane 0 (local.get $so)))

  (func (export "maxScan") (param $end i32) (param $s i32) (result i32) (local $i i32) (local $so v128) (local $x v128)
    (local.set $so (i32x4.splat (local.get $s)))
    (loop $next
      (local.set $x (v128.load (local.get $i)))
      (local.set $x (i32x4.max_s (local.get $x) (i8x16.shuffle 0 1 2 3 0 1 2 3 4 5 6 7 8 9 10 11 (local.get $x) (local.get $x))))
      (local.set $x (i32x4.max_s (local.get $x) (i8x16.shuffle 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))))
      (local.set $x (i32x4.max_s (local.get $x) (local.get $so)))
      (v128.store (local.get $i) (local.get $x))
      (local.set $so (i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 (local.get $x) (local.get $x)))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 16))) (local.get $end))))
    (i32x4.extract_lane 0 (local.get $so)))

  ;; For each set of four places, those that are in it, from place 0 on.
  (data (i32.const 98560)
    "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00"
    "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00"
    "\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00"
    "\00\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00"
    "\02\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00"
    "\00\00\00\00\02\00\00\00\00\00\00\00\00\00\00\00"
    "\01\00\00\00\02\00\00\00\00\00\00\00\00\00\00\00"
    "\00\00\00\00\01\00\00\00\02\00\00\00\00\00\00\00"
    "\03\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00"
    "\00\00\00\00\03\00\00\00\00\00\00\00\00\00\00\00"
    "\01\00\00\00\03\00\00\00\00\00\00\00\00\00\00\00"
    "\00\00\00\00\01\00\00\00\03\00\00\00\00\00\00\00"
    "\02\00\00\00\03\00\00\00\00\00\00\00\00\00\00\00"
    "\00\00\00\00\02\00\00\00\03\00\00\00\00\00\00\00"
    "\01\00\00\00\02\00\00\00\03\00\00\00\00\00\00\00"
    "\00\00\00\00\01\00\00\00\02\00\00\00\03\00\00\00")

  ;; The places of the items above 0, counted from `from`, and how many they are. Of whole turns; up to three more places are overwritten.
  (func (export "places") (param $end i32) (param $from i32) (result i32) (local $i i32) (local $out i32) (local $set i32)
    (loop $next
      (local.set $set (i32x4.bitmask (i32x4.gt_s (v128.load (local.get $i)) (v128.const i32x4 0 0 0 0))))
      (v128.store offset=65536 (local.get $out)
        (i32x4.add (i32x4.splat (local.get $from)) (v128.load offset=98560 (i32.shl (local.get $set) (i32.const 4)))))
      (local.set $out (i32.add (local.get $out) (i32.shl (i32.popcnt (local.get $set)) (i32.const 2))))
      (local.set $set (i32x4.bitmask (i32x4.gt_s (v128.load offset=16 (local.get $i)) (v128.const i32x4 0 0 0 0))))
      (v128.store offset=65536 (local.get $out)
        (i32x4.add (i32x4.splat (i32.add (local.get $from) (i32.const 4))) (v128.load offset=98560 (i32.shl (local.get $set) (i32.const 4)))))
      (local.set $out (i32.add (local.get $out) (i32.shl (i32.popcnt (local.get $set)) (i32.const 2))))
      (local.set $set (i32x4.bitmask (i32x4.gt_s (v128.load offset=32 (local.get $i)) (v128.const i32x4 0 0 0 0))))
      (v128.store offset=65536 (local.get $out)
        (i32x4.add (i32x4.splat (i32.add (local.get $from) (i32.const 8))) (v128.load offset=98560 (i32.shl (local.get $set) (i32.const 4)))))
      (local.set $out (i32.add (local.get $out) (i32.shl (i32.popcnt (local.get $set)) (i32.const 2))))
      (local.set $set (i32x4.bitmask (i32x4.gt_s (v128.load offset=48 (local.get $i)) (v128.const i32x4 0 0 0 0))))
      (v128.store offset=65536 (local.get $out)
        (i32x4.add (i32x4.splat (i32.add (local.get $from) (i32.const 12))) (v128.load offset=98560 (i32.shl (local.get $set) (i32.const 4)))))
      (local.set $out (i32.add (local.get $out) (i32.shl (i32.popcnt (local.get $set)) (i32.const 2))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end))))
    (i32.shr_u (local.get $out) (i32.const 2)))

  ;; How many ones; -1 where there is anything but zeros and ones. Of whole turns.
  (func (export "ones") (param $end i32) (result i32) (local $i i32) (local $sums v128) (local $seen v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $next
      (local.set $a (v128.load (local.get $i)))
      (local.set $b (v128.load offset=16 (local.get $i)))
      (local.set $c (v128.load offset=32 (local.get $i)))
      (local.set $d (v128.load offset=48 (local.get $i)))
      (local.set $sums (i32x4.add (local.get $sums) (i32x4.add (i32x4.add (local.get $a) (local.get $b)) (i32x4.add (local.get $c) (local.get $d)))))
      (local.set $seen (v128.or (local.get $seen) (v128.or (v128.or (local.get $a) (local.get $b)) (v128.or (local.get $c) (local.get $d)))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 64))) (local.get $end))))
    (if (v128.any_true (v128.and (local.get $seen) (v128.const i32x4 -2 -2 -2 -2))) (then (return (i32.const -1))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
      (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums))))))
