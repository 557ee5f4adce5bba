#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Pages of `halograph report` in a real browser: layout at three widths, by boxes and by screenshots, light, dark, on paper and without scripts, sorting,
# contrast, names for assistive technology, an empty console, and no request but the page. Registered where Chromium is found.
#   report_browser.sh PROGRAM PYTHON CHROMIUM
python=${2:?} chromium=${3:?}
support=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../support")
source "$support/program.sh"

expect 0 '' -- generate hetero --nodes 200 --seed 5 --out graph
expect 0 '' -- generate rmat --scale 10 --out large
expect 0 '' -- partition --input graph --parts 4 --hops 2 --out good --name g --report one.html
expect 0 '' -- partition --input graph --parts 4 --method random --out drawn --name g
expect 0 '' -- partition --input large --parts 70 --out many --name g --report many.html
expect 0 '' -- simulate good/g.json --fanout 3 --save
sed 's/"graph_name": *"[^"]*"/"graph_name": "<img src=http:\/\/localhost\/x onerror=console.log(1)>AnEndlessNameWithoutAnySpace"/; s/"part_method": *"[^"]*"/"part_method": "<script>console.log(1)<\/script>AnEndlessMethodWithoutAnySpaceInIt"/' \
  good/g.json >good/named.json
expect 0 '' -- report good/named.json drawn/g.json good/g.json --html several.html
[[ $failed == 0 ]] || exit 1

PYTHONPATH=$support PYTHONDONTWRITEBYTECODE=1 timeout 300 "$python" - "$chromium" <<'END' || failed=1
import struct
import sys
import zlib

from browser import Browser

failed = []


def check(condition, sentence):
    if not condition:
        failed.append(sentence)
        print("FAILED:", sentence)


def pixels(png):
    """Rows of (r, g, b) of a PNG as Chromium writes it: 8 bits, RGB or RGBA, not interlaced."""
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", png[at + 8:at + 18])
            assert depth == 8 and color in (2, 6)
        elif kind == b"IDAT":
            data += png[at + 8:at + 8 + size]
        at += size + 12
    step = 3 if color == 2 else 4
    raw, before, rows = zlib.decompress(data), bytearray(width * step), []
    for y in range(height):
        start = y * (width * step + 1)
        how, row = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for i in range(len(row)):
            left, up = row[i - step] if i >= step else 0, before[i]
            if how == 1:
                row[i] = row[i] + left & 255
            elif how == 2:
                row[i] = row[i] + up & 255
            elif how == 3:
                row[i] = row[i] + (left + up) // 2 & 255
            elif how == 4:
                corner = before[i - step] if i >= step else 0
                p = left + up - corner
                a, b, c = abs(p - left), abs(p - up), abs(p - corner)
                row[i] = row[i] + (left if a <= b and a <= c else up if b <= c else corner) & 255
        rows.append([tuple(row[x * step:x * step + 3]) for x in range(width)])
        before = row
    return rows


# What sticks out of the window, outside the regions that scroll; and sections that cover each other.
LAYOUT = """(() => {
  const wrong = [], width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) wrong.push("the page scrolls sideways");
  for (const one of document.body.querySelectorAll("*")) {
    if (one.closest(".scroll") !== null && !one.matches(".scroll") || one.closest("svg") !== null && !one.matches("svg")) continue;
    const box = one.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 1 || box.left < -1)) wrong.push(one.tagName + "." + one.className + " sticks out");
  }
  for (const group of document.querySelectorAll("main, .panels, .cards")) {
    const boxes = [...group.children].map(one => one.getBoundingClientRect()).filter(box => box.width > 0);
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
        wrong.push("parts of " + group.className + " cover each other");
    }));
  }
  return wrong;
})()"""

# The contrast of all text with what is behind it, as WCAG 2 defines it.
CONTRAST = """(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => {
    const [r, g, b] = channels(color).slice(0, 3).map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const wrong = new Set();
  for (const one of document.body.querySelectorAll("*")) {
    if (one.closest("svg") || ![...one.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    let behind = one;
    while (behind !== document.documentElement && channels(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
    const a = light(getComputedStyle(one).color), b = light(getComputedStyle(behind).backgroundColor);
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) wrong.add(one.tagName + "." + one.className + " " + ratio.toFixed(2));
  }
  return [...wrong];
})()"""

browser = Browser(sys.argv[1])
try:
    for page in ("one.html", "many.html", "several.html"):
        for width in (360, 800, 1400):
            sizes = []
            for dark in (False, True):
                where = f"{page} at {width}{' dark' if dark else ''}"
                browser.resize(width, 300, dark)
                browser.open(page)
                for sentence in browser.run(LAYOUT)[:3]:
                    check(False, f"{where}: {sentence}")
                for sentence in browser.run(CONTRAST)[:3]:
                    check(False, f"{where}: contrast of {sentence}")
                shot = pixels(browser.screenshot(whole=False))
                sizes.append(browser.run("document.documentElement.scrollHeight"))
                check(len(shot[0]) == width, f"{where}: the screenshot has another width")
                check((sum(shot[2][2]) < 150) == dark, f"{where}: the background is {shot[2][2]}")
                check(len({color for row in shot for color in row}) > 30, f"{where}: the screenshot is empty")
            browser.resize(width, 300)
            browser.open(page, scripts=False)
            sizes.append(browser.run("document.documentElement.scrollHeight"))
            check(max(sizes) - min(sizes) <= 40, f"{page} at {width}: theme or script change the layout: {sizes}")
        browser.resize(1000, 200, dark=True, media="print")
        browser.open(page)
        check(sum(pixels(browser.screenshot(whole=False))[2][2]) == 765, f"{page}: the paper is not white")
        for sentence in browser.run(CONTRAST)[:3]:
            check(False, f"{page} on paper: contrast of {sentence}")

    # Screenshots: the same page at the same width is the same picture again, and every section shows something in its
    # box: beyond its heading, too, and in the right half where it has columns.
    def colors(box):
        x, y, width, height = box
        shot = pixels(browser.screenshot(region=(x, y, width, height, min(1, 300 / width))))
        return len({color for row in shot for color in row})

    for width in (360, 800, 1400):
        browser.resize(width)
        browser.open("several.html")
        first = browser.screenshot()
        for _ in range(4):  # on a busy machine a picture may be taken before the last frame is drawn
            browser.open("several.html")
            before, first = first, browser.screenshot()
            if first == before:
                break
        check(first == before, f"several.html at {width}: each rendering differs from the one before")
        boxes = browser.run("""[...document.querySelectorAll("main > section")].map(s => {
          const all = s.getBoundingClientRect(), head = s.querySelector("h2").getBoundingClientRect();
          return [s.querySelector("h2").textContent, [all.left, head.bottom + scrollY, all.width, all.bottom - head.bottom]];
        })""")
        check(len(boxes) >= 6, f"several.html at {width} has {len(boxes)} sections")
        for name, (x, y, w, h) in boxes:
            h = min(h, 600)
            check(w > 0.6 * width or width == 1400, f"several.html at {width}: {name} is {w} wide")
            check(h > 20 and colors((x, y, w, h)) > 8, f"several.html at {width}: {name} is empty")
            check(colors((x + w / 2, y, w / 2, h)) > 2, f"several.html at {width}: the right half of {name} is empty")

    # Columns where there is room, one below the other where there is none.
    tops = "[...document.querySelectorAll('main > section:not(.wide)')].slice(0, 2).map(s => s.getBoundingClientRect().top)"
    panels = "new Set([...document.querySelectorAll('.panels')[1].children].map(p => p.getBoundingClientRect().top)).size"
    for width, beside in ((360, False), (1400, True)):
        browser.resize(width)
        browser.open("one.html")
        first, second = browser.run(tops)
        check((first == second) == beside, f"sections of one folder at {width}: {first}, {second}")
        browser.open("several.html")
        check(browser.run(panels) == (1 if beside else 3), f"folders at {width} are not {'beside' if beside else 'below'} each other")

    # Sorting, by the second heading that can be clicked: inner nodes.
    browser.open("one.html")
    column = "[...document.querySelector('table.sort').tBodies[0].rows].map(r => Number(r.cells[2].textContent.replace(/,/g, '')))"
    before = browser.run(column)
    for order in ("descending", "ascending"):
        browser.run("document.querySelectorAll('table.sort button')[1].click()")
        check(browser.run(column) == sorted(before, reverse=order == "descending"), f"not sorted: {order} {browser.run(column)}")
        check(browser.run("document.querySelector('table.sort').tHead.rows[0].cells[2].ariaSort") == order, f"aria-sort is not {order}")

    # Names for assistive technology.
    for page in ("one.html", "many.html", "several.html"):
        browser.open(page)
        met = browser.accessible()
        roles = [role for role, _ in met]
        for role, name in met:
            if role in ("image", "img", "table", "button", "region", "heading", "RootWebArea", "columnheader", "rowheader"):
                check(name.strip(), f"{page}: a {role} has no name")
        check(roles.count("main") == 1, f"{page}: there is not one main part")
        check(any(role in ("image", "img") and name.startswith("Drawing of ") and "between parts" in name for role, name in met),
              f"{page}: the drawing is not described")
        check(roles.count("table") >= 5 and "button" in roles, f"{page}: tables or buttons are missing")
        levels = browser.run("[...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))")
        check(levels[0] == 1 and levels.count(1) == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])), f"{page}: headings {levels}")
    check(browser.run("document.querySelector('h1').textContent").startswith("<img src=http"), "the hostile name is not shown as text")

    check(not browser.messages, f"the console is not empty: {browser.messages[:3]}")
    strange = {url for url in browser.requests if not url.startswith("file:") or not url.endswith(".html")}
    check(not strange, f"pages make requests: {sorted(strange)[:3]}")
finally:
    browser.close()
sys.exit(1 if failed else 0)
END
[[ $failed == 0 ]] || echo 'FAILED: the browser has found faults'
exit $failed
