"""The reference: a page in Markdown for each public header, made from Doxygen's XML.

A header is public if it stands in engine/ itself, or if a page or an example of docs/ names it. The first comment of a
header opens its page; each public name follows once, with its comment.

    python3 reference.py OUT            writes OUT/*.md, OUT/index.json, and the number of names without a docstring
    python3 reference.py OUT --missing  prints these names, too
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = [  # of the reference, by the folders of the headers
    ("engine", "Engine"), ("engine/store", "Stores"), ("engine/storage", "Stores"), ("engine/journal", "Stores"),
    ("engine/testing", "Testing"), ("engine/telemetry", "Telemetry"), ("engine/net", "Network and JSON"),
    ("engine/json", "Network and JSON"),
    ("steps/models", "Models"), ("steps/agents", "Agents"), ("steps/view", "Agents"), ("tools", "Tools"),
    ("workflows", "Workflows and servers")]
_inner = re.compile(r"/(core|impl|detail|driver)/")
_named = re.compile(r"\b(?:engine|steps|tools|workflows)/[a-z0-9_/]+\.hpp\b")
# Names whose meaning C++ defines.
_known = re.compile(r"::(operator\b.*|operator\W.*|c?begin|c?end|size|empty|front|back|data|clear|emplace_back"
                    r"|value_type|difference_type|reference|iterator_category|const_iterator)$")
_opening = re.compile(r"^(\s*(?:template.*> )?(?:struct|class|enum)\b.*\{)\s+// ?(\S.*)$")
_trailing = re.compile(r"^(\s*[^\s/].*?[;,}]|\s*\w+)\s+// ?(\S.*)$")


def public_headers():
    named = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "docs")):
        if "node_modules" not in folder and not folder.startswith(os.path.join(ROOT, "docs", "site")):
            for file in files:
                if file.endswith((".md", ".cpp")):
                    with open(os.path.join(folder, file), encoding="utf-8") as text:
                        named |= set(_named.findall(text.read()))
    named |= {f"engine/{file}" for file in os.listdir(os.path.join(ROOT, "engine")) if file.endswith(".hpp")}
    return sorted(h for h in named if not _inner.search(h) and os.path.exists(os.path.join(ROOT, h)))


def filtered(text):
    """Every comment that documents a name, as one verbatim text of Doxygen, which changes no character in it."""
    out, block, after = [], "", False
    for line in text.split("\n") + [""]:
        bare = line.strip()
        own, trail, opening = re.match(r"\s*/// ?(.*)$", line), _trailing.match(line), _opening.match(line)
        more = after and bare.startswith("// ") and len(line) - len(line.lstrip()) > 16
        if block and not (own if block == "own" else more):
            out[-1] += " @endverbatim"
            block = ""
        if own:
            out.append(line if block else "/// @verbatim " + own.group(1))
            block = "own"
        elif more:
            out.append("///< " + bare[3:])
        elif opening:
            out += [f"/// @verbatim {opening.group(2)} @endverbatim", opening.group(1)]
        elif trail:
            out.append(f"{trail.group(1)}  ///<@verbatim {trail.group(2)}")
            block = "after"
        else:
            out.append(line)
        after = block == "after"
    return "\n".join(out)


def head_of(text):
    """The first comment, with its indented lines as code."""
    out, words, code = [], [], False
    for line in text.split("\n") + [""]:
        is_head = line.startswith("//")
        line = line[2:]
        is_code = is_head and (line.startswith("     ") or (code and not line.strip()))
        if is_code != code or not is_head:
            out += ["```", ""] if code else [plain(joined(words)), ""]
            out += ["```cpp"] if is_code else []
            code, words = is_code, []
        if not is_head:
            break
        if code:
            out.append(line[5:])
        else:
            words.append(line[1:])
    return re.sub(r"\n+```\n\n+", "\n```\n\n", "\n".join(out)).strip()


def plain(text):
    """Text of a comment, so that Markdown shows each character of it. Backticks and *terms* stay."""
    pieces = re.split(r"(`[^`]*`|(?<!\w)\*\w[\w ]*\*(?!\w))", text)
    return "".join(p if i % 2 else re.sub(r"([\[\]<])|(?<![\w*])(\*)(?=[\s&,.)])|(?<=\w)(\*)(?!\w)", r"\\\g<0>", p)
                   for i, p in enumerate(pieces))


def text_of(node):
    return re.sub(r"\s+", " ", "".join(node.itertext())).strip() if node is not None else ""


def comment_of(node):
    found = []
    for part in ("briefdescription", "detaileddescription"):
        for verbatim in node.findall(f"./{part}//verbatim"):
            lines = [re.sub(r"^\s*///<? ?", "", line).rstrip() for line in "".join(verbatim.itertext()).split("\n")]
            found.append(joined(lines))
    return "\n".join(found).strip()


def joined(lines):
    """Lines of text as one line for each paragraph and each item of a list."""
    out = []
    for line in lines:
        is_more = out and out[-1] and line.strip() and not re.match(r"\s*(- |\d+\. |\|)", line)
        if is_more:
            out[-1] += " " + line.strip()
        else:
            out.append(line.strip())
    return "\n".join(out)


def tidy(code):
    code = re.sub(r"<\s+", "<", re.sub(r"\s+>", ">", code))
    code = re.sub(r"\s+([&*]+)\s*(?=[\w.(]|$)", r"\1 ", re.sub(r"\s+", " ", code)).replace("( ", "(")
    code = re.sub(r"(?<=\w)=(?=[\w{])", " = ", re.sub(r"([&*]) (?=[,)]|\.\.\.)", r"\1", code))
    return code.strip()


def template_of(node):
    params = node.find("templateparamlist")
    if params is None:
        return ""
    rows = []
    for p in params.findall("param"):
        row = text_of(p.find("type"))
        name, value = text_of(p.find("declname")), text_of(p.find("defval"))
        if name and not re.search(rf"\b{re.escape(name)}$", row):
            row += " " + name
        rows.append(row + (f" = {value}" if value else ""))
    clause = text_of(node.find("requiresclause"))
    return tidy(f"template <{', '.join(rows)}>") + (f" requires {tidy(clause)}" if clause else "") + "\n"


def signature(node):
    kind, name = node.get("kind"), node.findtext("name")
    full = node.findtext("qualifiedname") or name
    code = (node.findtext("definition") or "").replace(full, name).replace("weft::", "")
    code = re.sub(r"\b(\w+::)+(?=" + re.escape(name) + r"\b)", "", code)
    if kind == "function":
        code += node.findtext("argsstring") or ""
        code = re.sub(r"\s*=\s*(default|0)$", lambda m: " = " + m.group(1), code)
        if node.get("explicit") == "yes" and "explicit" not in code:
            code = "explicit " + code
    elif kind == "variable":
        initial = node.findtext("initializer") or text_of(node.find("initializer"))
        if initial and len(initial) < 70 and "\n" not in initial:
            code += " " + initial if initial.startswith("=") else initial
    code = tidy(code)
    if len(code) > 88 and "(" in code and kind == "function":
        at = code.index("(", code.index(name))
        code = code[:at + 1] + "\n    " + split_arguments(code[at + 1:])
    return template_of(node) + code


def split_arguments(text):
    out, depth = "", 0
    for i, c in enumerate(text):
        depth += c in "(<{[" and 1 or (c in ")}]" or (c == ">" and text[i - 1] != "-")) and -1 or 0
        out += c
        if c == "," and depth == 0:
            out += "\n   "
    return out


def slug(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


class Page:
    def __init__(self, header):
        self.header, self.names, self.lines, self.slugs = header, [], [], {}
        with open(os.path.join(ROOT, header), encoding="utf-8") as text:
            self.head = head_of(text.read())

    def file(self):
        return self.header[:-4].replace("/", "_") + ".md"

    def add_heading(self, level, title, full, has_comment, kind="name"):
        mark = slug(title)
        count = self.slugs.get(mark, 0)
        self.slugs[mark] = count + 1
        self.lines += ["", "#" * level + " " + plain(title), ""]
        self.add_name(full, mark + (f"-{count}" if count else ""), has_comment, kind)

    def add_name(self, full, mark, has_comment, kind="value"):
        last = full.rsplit("::", 1)[-1]
        self.names.append({"name": full, "mark": mark, "page": self.file(), "kind": kind,
                           "is_listed": kind != "value", "documented":
                           bool(has_comment) or bool(re.search(rf"(?<!\w){re.escape(last)}(?!\w)", self.head)) or
                           bool(_known.search(full)) or self.is_subject(last)})

    def is_subject(self, name):
        """Whether the header is about this type, as chat_model.hpp is about ChatModel: its head is the docstring."""
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
        return name != name.lower() and os.path.basename(self.header) == snake + ".hpp"

    def code(self, text):
        self.lines += ["```cpp", text, "```", ""]

    def add_functions(self, level, scope, functions):
        """Overloads share a heading."""
        by_name = {}
        for f in functions:
            by_name.setdefault(f.findtext("name"), []).append(f)
        for name, all_of_it in by_name.items():
            title = f"{scope.rsplit('::', 1)[-1]}::{name}" if level == 3 else name
            comments = [comment_of(f) for f in all_of_it]
            self.add_heading(level, title, f"{scope}::{name}",
                             any(comments) or any(f.find("reimplements") is not None or
                                                  "override" in (f.findtext("argsstring") or "")
                                                  for f in all_of_it), "function")
            pending = []
            for f, comment in zip(all_of_it, comments):
                pending.append(signature(f))
                if comment or f is all_of_it[-1]:
                    self.code("\n".join(pending))
                    pending = []
                    self.lines += [plain(comment), ""] if comment else []

    def add_values(self, scope, mark, rows):
        for code, name, comment in rows:
            self.lines.append(f"- `{code}`" + (": " + plain(comment).replace("\n", "\n  ") if comment else ""))
            self.add_name(f"{scope}::{name}", mark, comment)
        if rows:
            self.lines.append("")


def is_public_name(name):
    parts = name.split("::")
    return parts[0] == "weft" and not any(p in ("core", "detail", "impl", "check") or p.startswith("@") or "<" in p
                                          for p in parts)


def line_of(node):
    where = node.find("location")
    return int(where.get("line")) if where is not None else 0


class Reference:
    def __init__(self, headers, folder):
        self.pages = {h: Page(h) for h in headers}
        self.hidden = set()  # private classes of classes
        self.top = {h: [] for h in headers}
        roots = [ET.parse(os.path.join(folder, file)).getroot() for file in sorted(os.listdir(folder))
                 if file.endswith(".xml") and file not in ("index.xml", "Doxyfile.xml")]
        for root in roots:
            self.hidden |= {inner.get("refid") for inner in root.iter("innerclass") if inner.get("prot") != "public"}
        for root in roots:
            self.read(root)
        for header, page in self.pages.items():
            functions = {}
            for line, kind, node, scope in sorted(self.top[header], key=lambda r: r[0]):
                if kind == "function":
                    functions.setdefault((scope, node.findtext("name")), []).append(node)
            done = set()
            for line, kind, node, scope in sorted(self.top[header], key=lambda r: r[0]):
                if kind == "function":
                    key = (scope, node.findtext("name"))
                    if key not in done:
                        page.add_functions(2, scope, functions[key])
                    done.add(key)
                else:
                    self.add(page, kind, node, scope)

    def read(self, root):
        for compound in root.findall("compounddef"):
            kind, name = compound.get("kind"), compound.findtext("compoundname")
            if kind == "namespace" and is_public_name(name):
                for member in compound.findall("./sectiondef/memberdef"):
                    self.keep(member.get("kind"), member, name)
            elif kind == "file":
                for member in compound.findall("./sectiondef[@kind='define']/memberdef"):
                    self.keep("define", member, "")
            elif (kind in ("class", "struct", "concept") and is_public_name(name) and
                  compound.get("id") not in self.hidden):
                self.keep(kind, compound, name.rsplit("::", 1)[0])

    def keep(self, kind, node, scope):
        where = node.find("location")
        name = node.findtext("name") or node.findtext("compoundname") or ""
        if where is None or where.get("file") not in self.top or "<" in name and "operator" not in name:
            return
        if kind == "define" and not name.startswith("WEFT_"):
            return
        if kind in ("function", "variable") and "deleted" in (node.findtext("argsstring") or ""):
            return
        self.top[where.get("file")].append((line_of(node), kind, node, scope))

    def add(self, page, kind, node, scope):
        comment = comment_of(node)
        if kind in ("class", "struct", "concept"):
            return self.add_type(page, kind, node, scope, comment)
        name = node.findtext("name")
        if kind == "enum":
            page.add_heading(2, name, f"{scope}::{name}", comment)
            page.lines += [plain(comment), ""] if comment else []
            rows = [(v.findtext("name") + (" " + text_of(v.find("initializer")) if v.find("initializer") is not None
                                           else ""), v.findtext("name"), comment_of(v))
                    for v in node.findall("enumvalue")]
            page.add_values(f"{scope}::{name}", page.names[-1]["mark"], rows)
        elif kind in ("typedef", "variable", "define"):
            page.add_heading(2, name, f"{scope}::{name}" if scope else name, comment)
            if kind == "define":
                inside = [p.findtext("defname") or "" for p in node.findall("param")]
                page.code(f"#define {name}" + (f"({', '.join(inside)})" if inside else ""))
            else:
                page.code(signature(node))
            page.lines += [plain(comment), ""] if comment else []

    def add_type(self, page, kind, node, scope, comment):
        full = node.findtext("compoundname")
        shown = full[len("weft::"):]
        page.add_heading(2, shown, full, comment)
        bases = [text_of(b) for b in node.findall("basecompoundref") if b.get("prot") == "public"]
        bases = [b.replace("weft::", "") for b in bases if not re.search(r"\b(core|detail)::", b)]
        code = template_of(node) + f"{kind} {shown}" + (f" : {', '.join(map(tidy, bases))}" if bases else "")
        if kind == "concept":
            code = tidy(node.findtext("initializer") or code)
            code = code.replace("weft::", "")
        page.code(code)
        page.lines += [plain(comment), ""] if comment else []
        mark = page.names[-1]["mark"]
        members = [m for section in node.findall("sectiondef") if section.get("kind").startswith(("public", "user"))
                   for m in section.findall("memberdef") if m.get("prot") == "public"]
        members.sort(key=line_of)
        last = full.rsplit("::", 1)[-1]
        page.add_values(full, mark, [(signature(m), m.findtext("name"), comment_of(m)) for m in members
                                     if m.get("kind") in ("variable", "typedef")])
        for m in members:
            if m.get("kind") == "enum" and m.findtext("name"):
                about = comment_of(m)
                page.lines += [f"`enum {m.findtext('name')}`" + (": " + plain(about) if about else ""), ""]
                page.add_values(f"{full}::{m.findtext('name')}", mark,
                                [(v.findtext("name"), v.findtext("name"), comment_of(v))
                                 for v in m.findall("enumvalue")])
        makers, functions = [], []
        for m in members:
            args = m.findtext("argsstring") or ""
            if m.get("kind") != "function" or args.endswith(("=delete", "= delete")):
                continue
            name = m.findtext("name")
            if name == last:
                trivial = re.match(r"\(\s*(const )?" + re.escape(last) + r"\s*&", args) and not comment_of(m)
                if not trivial:
                    makers.append(m)
            elif not name.startswith("~") and not name.startswith("operator="):
                functions.append(m)
        for m in makers:
            page.code(signature(m))
            if comment_of(m):
                page.lines += [plain(comment_of(m)), ""]
        page.add_functions(3, full, functions)


def run_doxygen(headers, folder):
    settings = {
        "INPUT": " ".join(headers), "OUTPUT_DIRECTORY": folder, "GENERATE_HTML": "NO", "GENERATE_LATEX": "NO",
        "GENERATE_XML": "YES", "XML_PROGRAMLISTING": "NO", "EXTRACT_ALL": "YES", "QUIET": "YES",
        "WARN_IF_UNDOCUMENTED": "NO", "WARN_IF_DOC_ERROR": "NO", "WARNINGS": "NO", "STRIP_FROM_PATH": ".",
        "MACRO_EXPANSION": "YES", "EXPAND_ONLY_PREDEF": "YES", "AUTOLINK_SUPPORT": "NO", "MARKDOWN_SUPPORT": "NO",
        "PREDEFINED": '"BOOST_DESCRIBE_STRUCT(...)=" "BOOST_DESCRIBE_ENUM(...)=" "BOOST_DESCRIBE_NESTED_ENUM(...)="',
        "SHOW_INCLUDE_FILES": "NO", "HAVE_DOT": "NO", "EXTRACT_PRIVATE": "NO", "SORT_MEMBER_DOCS": "NO",
        "MAX_INITIALIZER_LINES": "1"}
    for header in headers:
        copy = os.path.join(folder, header)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(os.path.join(ROOT, header), encoding="utf-8") as source, open(copy, "w", encoding="utf-8") as to:
            to.write(filtered(source.read()))
    with open(os.path.join(folder, "Doxyfile"), "w", encoding="utf-8") as out:
        out.writelines(f"{key} = {value}\n" for key, value in settings.items())
    subprocess.run(["doxygen", "Doxyfile"], cwd=folder, check=True, stdin=subprocess.DEVNULL)


def part_of(header):
    return [title for folder, title in PARTS if header.startswith(folder + "/")][-1]


def main(out, missing):
    headers = public_headers()
    with tempfile.TemporaryDirectory() as folder:
        run_doxygen(headers, folder)
        reference = Reference(headers, os.path.join(folder, "xml"))
    os.makedirs(out, exist_ok=True)
    names, first = [], {}
    for page in reference.pages.values():
        for name in page.names:
            first.setdefault((name["name"]), []).append(name)
        names += page.names
    # Overloads of a function may stand in several headers.
    twice = sorted(n for n, found in first.items() if len([f for f in found if f["kind"] != "function"]) > 1)
    links = {}
    for n in names:
        short = n["name"].rsplit("::", 1)[-1]
        links.setdefault(short, set()).add((n["page"], n["mark"]))
    for page in reference.pages.values():
        parts = {n: next(iter(where)) for n, where in links.items() if len(where) == 1}
        text = linked(page.head + "\n" + "\n".join(page.lines), page, parts)
        with open(os.path.join(out, page.file()), "w", encoding="utf-8") as file:
            file.write(f"# {page.header}\n\n```cpp\n#include \"{page.header}\"\n```\n\n" +
                       re.sub(r"\n{3,}", "\n\n", text).strip() + "\n")
    without = [n for n in names if not n["documented"]]
    named = [n for n in without if n["kind"] != "value"]
    index = {"pages": [{"header": p.header, "file": p.file(), "part": part_of(p.header),
                        "about": re.split(r"(?<=\.)\s", p.head.replace("\n", " "))[0].rstrip(":") if p.head else ""}
                       for p in reference.pages.values()], "names": names, "twice": twice,
             "missing": [n["name"] for n in without]}
    with open(os.path.join(out, "index.json"), "w", encoding="utf-8") as file:
        json.dump(index, file, indent=1, sort_keys=True)
    print(f"reference: {len(headers)} headers, {len(names)} public names, without a docstring: "
          f"{len(named)} types and functions, {len(without) - len(named)} members and values")
    if missing:
        print("\n".join(f"{n['page'][:-3]}: {n['name']}" for n in named + [n for n in without if n not in named]))
    if twice:
        sys.exit("these names stand twice in the reference: " + ", ".join(twice))


def linked(text, page, places):
    """Names in the text, which only one place declares, as links."""
    def link(match):
        name = match.group()
        where = places.get(name)
        if not where or where[0] == page.file():
            return name
        return f"[{name}]({where[0]}#{where[1]})"
    out, code = [], False
    for line in text.split("\n"):
        code ^= line.startswith("```")
        if code or line.startswith(("```", "#", "- `")):
            out.append(line)
        else:
            out.append("".join(p if i % 2 else re.sub(r"(?<![\w:/.])[A-Z]\w*[a-z][A-Z]\w*(?![\w/]|::|\.hpp)", link, p)
                               for i, p in enumerate(re.split(r"(`[^`]*`|\[[^\]]*\]\([^)]*\))", line))))
    return "\n".join(out)


if __name__ == "__main__":
    main(sys.argv[1], "--missing" in sys.argv)
