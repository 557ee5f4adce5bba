# SPDX-License-Identifier: BSL-1.0
# Reads GCC's call graphs (-fcallgraph-info=su): fails where a function can call itself, directly or through
# others, where a call's target or a frame's size is not known, and where the deepest chain of calls needs more
# than `most` bytes of stack. Functions of other objects (memcpy, division) count as nothing.
#
#   awk -v most=BYTES -f calls.awk FILE.ci...

function field(name,   at, rest) {
  at = index($0, name ": \"")
  if (at == 0) return ""
  rest = substr($0, at + length(name) + 3)
  return substr(rest, 1, index(rest, "\"") - 1)
}

# A title is "file:function".
function short(title,   parts, n) {
  n = split(title, parts, ":")
  return parts[n]
}

function complain(text) {
  print "FAILED: " text
  bad = 1
}

# The deepest chain from a function, in bytes. state: 1 being visited, 2 done.
function depth(node,   i, below, deepest, target) {
  if (state[node] == 2) return deep[node]
  state[node] = 1
  deepest = 0
  for (i = 1; i <= calls[node]; ++i) {
    target = callee[node, i]
    if (state[target] == 1) {
      complain(short(node) " calls " short(target) ", which led to it: recursion")
      continue
    }
    below = depth(target)
    if (below > deepest) {
      deepest = below
      next_in_chain[node] = target
    }
  }
  state[node] = 2
  deep[node] = frame[node] + deepest
  return deep[node]
}

/^node:/ {
  title = field("title")
  label = field("label")
  if (match(label, /[0-9]+ bytes \([a-z,]+\)/)) {
    text = substr(label, RSTART, RLENGTH)
    frame[title] = text + 0
    if (text ~ /\(dynamic\)/) complain(short(title) " has a frame whose size only running tells")
    functions[++count] = title
  }
}
/^edge:/ {
  from = field("sourcename")
  to = field("targetname")
  if (to == "__indirect_call") complain(short(from) " calls through a pointer")
  callee[from, ++calls[from]] = to
}
END {
  if (count == 0) complain("no function was found")
  worst = 0
  for (i = 1; i <= count; ++i) {
    if (depth(functions[i]) > worst) {
      worst = depth(functions[i])
      first = functions[i]
    }
  }
  print count " functions, none calls itself unless said above; the deepest chain takes " worst " bytes of stack:"
  for (at = first; at != ""; at = next_in_chain[at]) print "  " frame[at] + 0 "\t" short(at)
  if (most != "" && worst > most + 0) complain("the deepest chain takes " worst " bytes of stack; " most " are allowed")
  exit bad
}
