"""Bar charts as SVG, readable in light and dark pages. Equal figures make equal pictures."""
import html
import math

WIDTH, LEFT, BARS, ROW, HEAD = 760, 250, 420, 20, 46
STYLE = """<style>
text { font: 13px sans-serif; fill: #24292f } .title { font-weight: bold }
.page { fill: #ffffff } .weft { fill: #0969da } .peer { fill: #8c959f }
.p0 { fill: #0969da } .p1 { fill: #bf8700 } .p2 { fill: #1a7f37 } .p3 { fill: #8250df } .p4 { fill: #cf222e }
.p5 { fill: #57606a } .p6 { fill: #0a7e8c } .p7 { fill: #bf3989 }
.p8 { fill: #a5d6a7 } .p9 { fill: #c9d1d9 }
@media (prefers-color-scheme: dark) { .page { fill: #0d1117 } text { fill: #e6edf3 }
.weft { fill: #58a6ff } .peer { fill: #6e7681 } }
</style>"""


def number(value):
    """Three digits, with k or M."""
    for limit, sign in ((1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            return f"{shortest(value / (1e6 if sign == 'M' else 1e3))}{sign}"
    return shortest(value)


def shortest(value):
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}"


def text(x, y, words, kind=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind}>{html.escape(words)}</text>'


def picture(height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
                      f'viewBox="0 0 {WIDTH} {height}">', STYLE,
                      f'<rect class="page" width="{WIDTH}" height="{height}"/>', *parts, "</svg>"]) + "\n"


def bars(panels):
    """Panels of a title and rows of a name and a value. The bars of a panel with large ratios are logarithmic."""
    parts, y = [], 0
    for title, rows in panels:
        least = min(value for _, value in rows)
        most = max(value for _, value in rows)
        is_linear = most < 10 * least
        parts.append(text(10, y + 24, title + ("" if is_linear else " (logarithmic)"), ' class="title"'))
        floor = 10 ** math.floor(math.log10(least) - 0.3)
        y += HEAD - 10
        for name, value in rows:
            width = BARS * (value / most if is_linear else math.log10(value / floor) / math.log10(most / floor))
            kind = "weft" if name.startswith("weft") else "peer"
            parts += [text(LEFT - 8, y + 14, name, ' text-anchor="end"'),
                      f'<rect class="{kind}" x="{LEFT}" y="{y + 3}" width="{width:.1f}" height="14"/>',
                      text(LEFT + width + 6, y + 14, number(value))]
            y += ROW
        y += 8
    return picture(y + 4, parts)


def shares(rows):
    """Rows of a title and parts, name -> percent; each row is one bar."""
    names = list(dict.fromkeys(name for _, parts in rows for name in parts))
    parts, y = [], 10
    for title, values in rows:
        parts.append(text(LEFT - 8, y + 15, title, ' text-anchor="end"'))
        x = LEFT
        for name in names:
            width = values.get(name, 0) * (WIDTH - LEFT - 20) / 100
            parts.append(f'<rect class="p{names.index(name)}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="20"/>')
            x += width
        y += 30
    for i, name in enumerate(names):
        x, row = LEFT + i % 3 * 165, y + i // 3 * ROW
        parts += [f'<rect class="p{i}" x="{x}" y="{row + 3}" width="12" height="12"/>', text(x + 18, row + 14, name)]
    return picture(y + (len(names) + 2) // 3 * ROW + 8, parts)
