# SPDX-License-Identifier: BSL-1.0
# Prints every place of C++ sources where a mutation can be made. Formatted sources are assumed: binary operators stand
# between blanks, template brackets do not. Comments, strings, directives, code under #if, template headers, constraints,
# aliases and static assertions have no places.
#
#   awk -v seed=1 -v root=include/halograph/ -f mutants.awk FILE...
#
# Fields, separated by the character 31: a number to sort by, the file below root, line, first column, length, what stands
# there instead, the change in words, the line's text. The number depends on the seed and on these fields but the line and
# column: a change elsewhere leaves the order of the other places as it is.
BEGIN {
  OFS = "\037"
  for (i = 1; i < 256; ++i) value_of[sprintf("%c", i)] = i
  count = split("< <= > >= == != + - * / % && || & | += -= |= &= << >>", from, " ")
  split("<= < >= > != == - + / * / || && | & -= += &= |= >> <<", into, " ")
}

function hash(text, i, h) {
  h = seed % 2147483647
  for (i = 1; i <= length(text); ++i) h = (h * 2097143 + value_of[substr(text, i, 1)]) % 2147483647
  for (i = 0; i < 3; ++i) h = (h * 3000017 + 12345) % 2147483647
  return h
}

# The line with blanks for comments and letters for what is within quotes; of the same length.
function without_text(line, i, c, before, out, quote) {
  out = ""
  quote = ""
  for (i = 1; i <= length(line); ++i) {
    c = substr(line, i, 1)
    if (in_comment) {
      if (c == "*" && substr(line, i + 1, 1) == "/") { in_comment = 0; c = " "; ++i; out = out " " }
      out = out " "
    } else if (quote != "") {
      if (c == "\\") { ++i; out = out "ss" }
      else if (c == quote) { quote = ""; out = out c }
      else out = out "s"
    } else if (c == "/" && substr(line, i + 1, 1) == "/") {
      while (length(out) < length(line)) out = out " "
      break
    } else if (c == "/" && substr(line, i + 1, 1) == "*") {
      in_comment = 1
      ++i
      out = out "  "
    } else {
      before = out
      sub(/.*[^0-9A-Za-z_']/, "", before)
      if (c == "\"" || (c == "'" && before !~ /^[0-9]/)) quote = c
      out = out c
    }
  }
  return out
}

function place(column, width, to, words, text) {
  text = $0
  gsub(/^ +| +$/, "", text)
  ++seen[text, words]
  printf "%d%s", hash(name OFS text OFS words OFS seen[text, words]), OFS
  print name, FNR, column, width, to, words, text
}
function becomes(column, old, to) { place(column, length(old), to, "`" old "` becomes `" to "`") }

# Each place where `old` stands and neither a letter nor a digit is beside it.
function words_become(code, old, to, at, from_column) {
  from_column = 1
  while ((at = index(substr(code, from_column), old)) > 0) {
    at += from_column - 1
    if (substr(" " code, at, 1) !~ /[A-Za-z0-9_.']/ && substr(code " ", at + length(old), 1) !~ /[A-Za-z0-9_.']/) becomes(at, old, to)
    from_column = at + length(old)
  }
}
# Each place where `old` stands.
function all_become(code, old, to, at, from_column) {
  from_column = 1
  while ((at = index(substr(code, from_column), old)) > 0) {
    at += from_column - 1
    becomes(at, old, to)
    from_column = at + length(old)
  }
}

function balance(code, opening, closing, copy) {
  copy = code
  return gsub(opening, "", copy) - gsub(closing, "", copy)
}
function nesting(code) { return balance(code, "[({]", "[)}]") }

# Does this line belong to what is not mutated?
function passed_over(code, angles) {
  if (in_statement) {
    depth += nesting(code)
    if (depth <= 0 && code ~ /;$/) in_statement = 0
    return 1
  }
  if (in_template || code ~ /^ *template </) {
    angles = code
    gsub(/->| (<|<=|>=|>|<<|>>) /, "", angles)
    depth = (in_template ? depth : 0) + balance(angles, "<", ">")
    in_template = depth > 0
    return 1
  }
  if (in_constraint || code ~ /^ *requires[ (]/) {
    if (!in_constraint) depth = 0
    angles = code
    if (depth + nesting(code) == 1) sub(/ [{]$/, "", angles)  # the body of what is constrained
    depth += nesting(angles)
    in_constraint = depth > 0 || code ~ /(&&|\|\|)$/
    return 1
  }
  if (code ~ /^ *(static_assert|concept|using|typedef)[ (]/) {
    depth = nesting(code)
    in_statement = !(depth <= 0 && code ~ /;$/)
    return 1
  }
  return 0
}

function places(code, i, c, at, start, end, depth_here, text) {
  for (i = 1; i <= count; ++i) {
    start = 1
    while ((at = index(substr(code " ", start), " " from[i] " ")) > 0) {
      at += start - 1
      becomes(at + 1, from[i], into[i])
      start = at + length(from[i]) + 1
    }
  }
  start = 1
  while (match(substr(code " ", start), / [-+] 1[^0-9A-Za-z_.']/)) {
    at = start + RSTART - 1
    place(at, 4, "", "`" substr(code, at + 1, 3) "` is removed")
    start = at + 4
  }
  if (code !~ /[)] [a-z ]*= 0;$/) words_become(code, "0", "1")
  words_become(code, "1", "0")
  words_become(code, "true", "false")
  words_become(code, "false", "true")
  words_become(code, "break;", "continue;")
  words_become(code, "continue;", "break;")
  words_become(code, "std::min", "std::max")
  words_become(code, "std::max", "std::min")
  all_become(code, "++", "--")
  all_become(code, "--", "++")
  start = 1
  while (match(substr(code, start), /[ (]![A-Za-z_(:]/)) {
    place(start + RSTART, 1, "", "`!` is removed")
    start += RSTART + 1
  }
  if (match(code, /(^|[^A-Za-z_])if [(]/)) {
    start = RSTART + RLENGTH
    depth_here = 1
    for (end = start; end <= length(code) && depth_here > 0; ++end) {
      c = substr(code, end, 1)
      if (c == "(") ++depth_here
      else if (c == ")") --depth_here
      else if (c == ";" && depth_here == 1) start = end + 2  # if (initialization; condition)
    }
    if (depth_here == 0) {
      text = substr($0, start, end - 1 - start)
      place(start, length(text), "!(" text ")", "the condition is negated")
    }
  }
  if (match(code, /(^|[ )])return [^;]+;$/)) {
    at = index(substr(code, RSTART), "return ") + RSTART - 1
    text = substr(code, at + 7)
    if (text !~ /^([{].*[}]|true|false|0|status::ok|nullptr|std::nullopt|""|[*]this);$/)
      place(at, length(code) - at + 1, "return {};", "the default is returned")
  }
  # A call or an assignment on a line of its own, after the end of something else.
  if (previous ~ /([;{}:)]|else)$/ && nesting(code) == 0 &&
      (code ~ /^ *[A-Za-z_(*][^ =]*[(].*[)];$/ || code ~ /^ *[A-Za-z_*(][^ ]* [-+*|&^%]?= .*;$/) &&
      code !~ /^ *(return|throw|if|for|while|switch|else|delete|case)[ (;]/) {
    match(code, /^ */)
    place(RLENGTH + 1, length(code) - RLENGTH, ";", "the statement is removed")
  }
}

FNR == 1 {
  name = substr(FILENAME, length(root) + 1)
  in_comment = in_statement = in_template = in_constraint = in_directive = conditions = 0
  previous = ""
  split("", seen)
}
{
  code = without_text($0)
  sub(/ +$/, "", code)
  if (in_directive || code ~ /^ *#/) {
    in_directive = code ~ /\\$/
    if (code ~ /^ *# *if/) ++conditions
    if (code ~ /^ *# *endif/) --conditions
    next
  }
  if (code == "" || conditions > 0) next
  if (!passed_over(code)) places(code)
  previous = code
}
