# SPDX-License-Identifier: BSL-1.0
# For tables: 1234567 as 1,234,567.
function grouped(n, text) {
  for (text = ""; n >= 1000; n = int(n / 1000)) text = sprintf(",%03d", n % 1000) text
  return n text
}
