"""A type has a name of its own: no two classes, structs, enums or aliases of the product have the same unqualified
name. Declarations without a body, specializations, types of a function's body, names in lower case, which templates
compute, and aliases that keep the name of what they stand for do not count.
"""
import re

import rule

# Names that a class may give to a type within it, because they say what the type is to that class: its parts and state
# (Entry, Impl, Item, Node, Parts, State), its options (Options, Settings), the sorts of it (Form, Kind), what finds or
# holds it (Handle, Key), and the types of its clock and of its bound, which templates ask it for (Limit, Time).
NESTED = {"Entry", "Form", "Handle", "Impl", "Item", "Key", "Kind", "Limit", "Node", "Options", "Parts", "Settings",
          "State", "Time"}
_source = re.compile(r"(engine|steps|workflows|tools)/.*\.[ch]pp")
_delimiter = re.compile(r"[{};]")
_macro = re.compile(r"^(\s*BOOST_DESCRIBE_\w+\((?:[^()]|\([^()]*\))*\))+")  # it has no semicolon
_template = re.compile(r"^\s*template\s*<")
_type = re.compile(r"(?:class|struct|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?((?:\w+::)*)(\w+)"
                   r"(?:\s+final)?\s*(?::(?!:).*)?$", re.S)
_alias = re.compile(r"using\s+(\w+)\s*=\s*(.*)$", re.S)


def without_template(head):
    """Cuts `template <...>` off, and a requires clause behind it, up to the keyword of a type."""
    while _template.match(head):
        depth, at = 0, head.index("<")
        for at in range(at, len(head)):
            depth += (head[at] == "<") - (head[at] == ">")
            if depth == 0:
                break
        head = head[at + 1:]
        keyword = re.search(r"\b(class|struct|union|using)\b", head)
        if keyword and "requires" in head[:keyword.start()]:
            head = head[keyword.start():]
    return head.strip()


def types(text):
    """Each type that is defined: its name with the class before it, if it stands outside of that class; whether it is
    nested in a class; and its line."""
    bare = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", lambda m: re.sub(r"[^\n]", " ", m.group()), rule.bare(text), flags=re.M)
    bare = bare.replace("\0", " ")
    scopes, begin = ["namespace"], 0
    for delimiter in _delimiter.finditer(bare):
        head = re.sub(r"^(\s*(public|private|protected)\s*:(?!:))+", "", bare[begin:delimiter.start()])
        head = without_template(_macro.sub("", head).strip())
        line = rule.line_of(text, delimiter.start())
        begin = delimiter.end()
        is_open = scopes[-1] in ("namespace", "type")
        if delimiter.group() == "}":
            if len(scopes) > 1:
                scopes.pop()
        elif delimiter.group() == ";":
            alias = _alias.match(head)
            if is_open and alias and not re.search(rf"\b{alias[1]}\b", alias[2]):
                yield alias[1], scopes[-1] == "type", line
        elif re.match(r"(inline\s+)?namespace\b|extern\s", head):
            scopes.append("namespace")
        else:
            found = _type.match(head) if is_open else None
            scopes.append("type" if found else "body")
            if found:
                yield found[1] + found[2], scopes[-2] == "type" or bool(found[1]), line


def check(files):
    known = {}
    for path, text in sorted(files.items()):
        if not _source.fullmatch(path):
            continue
        for full, is_nested, line in types(text):
            name = full.split("::")[-1]
            if name[0].islower() or is_nested and name in NESTED:
                continue
            place, other = known.setdefault(name, (f"{path}:{line}", full))
            if place == f"{path}:{line}" or "::" in full and full == other:  # one class, with and without a library
                continue
            yield f"{path}:{line}: {place} has a type {name}, too: give each a name that says what it is"


_twice = "tools/b.hpp:1: tools/a.hpp:1 has a type Offer, too"
rule.main(check, bad=[
    ({"tools/a.hpp": "struct Offer {};", "tools/b.hpp": "class Offer final : public A<int> {};"}, _twice),
    ({"tools/a.hpp": "namespace a { enum class Offer { x }; }", "tools/b.hpp": "using Offer = int;"}, _twice),
    ({"tools/a.hpp": "template <class T> requires (x<T>) struct Offer {};",
      "tools/b.hpp": "struct A { struct Offer {}; };"}, _twice),
    ({"tools/a.hpp": "struct Offer {};", "tools/b.hpp": "struct A::Offer { int x; };"}, _twice),
    ({"tools/a.hpp": "struct Node {};", "tools/b.hpp": "struct Node {};"}, "Node"),
    ({"tools/a.hpp": "struct Offer {};",
      "tools/b.hpp": "struct A {}; BOOST_DESCRIBE_STRUCT(A, (), (x)) struct Offer {};"}, _twice),
], good=[{"tools/a.hpp": "struct Offer; class A { struct Node {}; using json = x::json; };", "tools/b.hpp":
          "struct Offer {}; struct B { struct Node {}; }; using json = x::json; void f() { struct Offer {}; }"},
         {"tools/a.cpp": "class A::Offer {};", "tools/b.cpp": "class A::Offer { int x; };"}])
