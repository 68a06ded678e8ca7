;; One row of a matrix product: sums of the rows of y, each times a factor, for 32 bytes of columns at a time.
;; Guarantees: sums are made in the order of the rows, from 0 or -0, so that floats come out as they do one by one.
;; Does not: check anything. All are bytes of the memory: `end` is that of the factors, from one row to the next it is `stride`, and `width`,
;; a multiple of 32, is how much of each row is wanted.
(module
  (import "" "memory" (memory 0))

  (func (export "ints") (param $out i32) (param $x i32) (param $end i32) (param $y i32) (param $stride i32) (param $width i32)
    (local $column i32) (local $factor i32) (local $row i32) (local $a v128) (local $b v128) (local $times v128)
    (loop $columns
      (local.set $a (v128.const i32x4 0 0 0 0))
      (local.set $b (v128.const i32x4 0 0 0 0))
      (local.set $row (i32.add (local.get $y) (local.get $column)))
      (local.set $factor (local.get $x))
      (loop $rows
        (local.set $times (v128.load32_splat (local.get $factor)))
        (local.set $a (i32x4.add (local.get $a) (i32x4.mul (local.get $times) (v128.load (local.get $row)))))
        (local.set $b (i32x4.add (local.get $b) (i32x4.mul (local.get $times) (v128.load offset=16 (local.get $row)))))
        (local.set $row (i32.add (local.get $row) (local.get $stride)))
        (br_if $rows (i32.lt_u (local.tee $factor (i32.add (local.get $factor) (i32.const 4))) (local.get $end))))
      (v128.store (i32.add (local.get $out) (local.get $column)) (local.get $a))
      (v128.store offset=16 (i32.add (local.get $out) (local.get $column)) (local.get $b))
      (br_if $columns (i32.lt_u (local.tee $column (i32.add (local.get $column) (i32.const 32))) (local.get $width)))))

  (func (export "floats") (param $out i32) (param $x i32) (param $end i32) (param $y i32) (param $stride i32) (param $width i32)
    (local $column i32) (local $factor i32) (local $row i32) (local $a v128) (local $b v128) (local $times v128)
    (loop $columns
      (local.set $a (v128.const f64x2 -0 -0))
      (local.set $b (v128.const f64x2 -0 -0))
      (local.set $row (i32.add (local.get $y) (local.get $column)))
      (local.set $factor (local.get $x))
      (loop $rows
        (local.set $times (v128.load64_splat (local.get $factor)))
        (local.set $a (f64x2.add (local.get $a) (f64x2.mul (local.get $times) (v128.load (local.get $row)))))
        (local.set $b (f64x2.add (local.get $b) (f64x2.mul (local.get $times) (v128.load offset=16 (local.get $row)))))
        (local.set $row (i32.add (local.get $row) (local.get $stride)))
        (br_if $rows (i32.lt_u (local.tee $factor (i32.add (local.get $factor) (i32.const 8))) (local.get $end))))
      (v128.store (i32.add (local.get $out) (local.get $column)) (local.get $a))
      (v128.store offset=16 (i32.add (local.get $out) (local.get $column)) (local.get $b))
      (br_if $columns (i32.lt_u (local.tee $column (i32.add (local.get $column) (i32.const 32))) (local.get $width))))))
