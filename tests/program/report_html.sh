#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# `halograph report --html` and `partition --report`: pages, what they refuse, and several folders beside each other.
#   report_html.sh PROGRAM
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"

expect 0 '' -- generate hetero --nodes 300 --seed 5 --out graph
expect 0 'the page is in made.html' -- partition --input graph --parts 4 --hops 2 --out good --name g --report made.html
expect 0 '' -- partition --input graph --parts 4 --method random --out drawn --name g --json
! grep -q '"report"' out || fail 'a page is reported that nobody asked for'

# one folder: the same bytes at any time, for any number of threads; measured times only where they belong
expect 0 'the page is in one.html' -- report good/g.json --html one.html --threads 1
expect 0 '"html": "two.html"' -- report good/g.json --html two.html --threads 4 --json
cmp -s one.html two.html || fail 'two pages of a folder differ'
grep -q 'Time and memory' made.html || fail 'partition --report has no times'
! grep -q 'Time and memory' one.html || fail 'report --html has times'
for word in author paper institution 'hop&nbsp;2' 'Drawing of' 'In-degrees'; do
  grep -qF "$word" one.html || fail "the page has no $word"
done
# the numbers of the page are those of the terminal
expect 0 'stored nodes: # inner, + halo' -- report good/g.json
cut=$(sed -n 's/^edge cut *//p' out)
[[ -n $cut ]] && grep -q "<dt>Edge cut</dt><dd>$(sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta' <<<"$cut")</dd>" one.html ||
  fail "the page does not have the edge cut $cut"
[[ $(grep -c '^[0-3]  *#*+*  *[0-9.]*%$' out) == 4 ]] || fail "no bar for each part: $(cat out)"
[[ $(grep -c '=.*|\||.*=' out) -ge 3 ]] || fail "no bar for each constraint: $(cat out)"

# several
expect 0 'replication  imbalance' -- report good/g.json drawn/g.json --html both.html
[[ $(grep -c '^good/g.json  *multilevel  *4 ' out) == 1 && $(grep -c '^drawn/g.json  *random  *4 ' out) == 1 ]] || fail 'no table compares the folders'
grep -q '>lowest<' both.html || fail 'the page does not compare'
expect 0 '"folders"' -- report good/g.json drawn/g.json --json
[[ $(grep -c '"edge_cut"' out) == 2 ]] || fail 'JSON lacks a folder'
expect 0 '' -- simulate good/g.json --fanout 3 --save
expect 0 '' -- report good/g.json drawn/g.json --html both.html
grep -q 'Sampled training' both.html || fail 'figures of simulate are left out'

# names that are markup
sed 's/"graph_name": *"[^"]*"/"graph_name": "<img src=x onerror=alert(1)>"/; s/"part_method": *"[^"]*"/"part_method": "<\/title>\&"/' good/g.json >good/named.json
expect 0 '' -- report good/named.json --html hostile.html
! grep -q '<img\|</title>&' hostile.html || fail 'a name became markup'
grep -qF '<h1><bdi>&#60;img src=x' hostile.html || fail 'the hostile name is not shown'
rm good/named.json

# refused before the work, and nothing is left behind
expect 2 'is inside the partition folder' -- report good/g.json --html good/page.html
expect 2 'is inside the partition folder' -- report drawn/g.json good/g.json --html good/part0/page.html
expect 2 'is inside the partition folder' -- partition --input graph --parts 2 --out new --report new/page.html
echo mine >mine.html
expect 1 'not a page of halograph; refusing to replace it' -- report good/g.json --html mine.html
expect 1 'not a page of halograph; refusing to replace it' -- partition --input graph --parts 2 --out new --report mine.html
[[ $(cat mine.html) == mine ]] || fail 'a file that is no page was replaced'
expect 1 'no such folder' -- report good/g.json --html nowhere/page.html
expect 1 'no such folder' -- partition --input graph --parts 2 --out new --report nowhere/page.html
[[ ! -e new && ! -e nowhere ]] || fail 'a refused run left something behind'
expect 2 '' -- report
cp -r good broken && cp good/part1/graph.dgl broken/part0/graph.dgl
cp one.html kept.html
expect 1 'part0' -- report good/g.json broken/g.json --html kept.html
cmp -s one.html kept.html || fail 'a failed run changed an earlier page'
expect 0 '' -- report good/g.json --html kept.html
[[ -z $(find . -name '*halograph-tmp*') ]] || fail "left behind: $(find . -name '*halograph-tmp*')"
exit $failed
