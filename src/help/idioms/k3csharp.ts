/** The idioms that K3CSharp runs as K does, apart from the layout of output: measured on its head of 2026-04-18, held by a test. */
export const onK3CSharp: ReadonlySet<string> = new Set(
  `
  sum product mean weighted-mean min-max argmax clamp sign absolute round-to integer-division factorial binomial arithmetic-series
  linspace interpolate running-sum running-max running-mean differences ratios moving-sum moving-average previous-next rotate
  trapezoid replace-nulls sort sort-by sort-by-columns rank dense-rank is-sorted top-n binary-search insert-at reverse index-of
  find-all contains filter count-if any-all first-match where-nested group frequency count-by-key unique duplicates run-decode
  split-runs chunks last every-nth enumerate-items zip flatten cross-product outer-product interleave pad-list remove-at
  remove-value remove-several count-nested repeat-item is-list is-palindrome union intersection difference subset same-set matrix transpose
  row-sums matrix-product dot-product inverse-matrix least-squares norm rotate-matrix upper-case replace-char find-text
  contains-text pad-left repeat-string count-char remove-chars keep-chars number-to-string parse-numbers symbol-string char-codes alphabet
  anagram sort-strings is-number common-prefix string-of-value fixed-decimals digits from-digits binary mixed-base date-difference
  add-days date-parts loop call-with-list named-parameters global-assign run-text amend-at count-into append dictionary has-key
  directory serialise random-ints sample slice dice variables
  percentile scale share trimmed-mean categories percent-change compound drawdown autocorrelation as-of-join date-from-unix
  iso-date parse-iso-date date-text add-months parse-time gaps
`.match(/[\w-]+/g),
)
