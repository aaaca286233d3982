"""Mutants of a C++ text: each is the text with one small mistake in one line.

A mutant's key stays the same when lines move: file, enclosing function, operator, the line's text, and a number if
several mutants have these in common.
"""
import hashlib
import os
import re
import sys
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))
import rule  # noqa: E402  (blanks comments and literals)


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int       # from 1
    function: str   # or type, or "-"
    operator: str
    text: str       # the line without its indentation and comment
    number: int     # among otherwise equal keys, from 1
    start: int      # [start, end) of the file is replaced
    end: int
    new: str

    @property
    def key(self):
        number = f"#{self.number}" if self.number > 1 else ""
        return f"{self.path} {self.function} {self.operator}{number}: {self.text}"

    @property
    def id(self):
        return hashlib.sha256(self.key.encode()).hexdigest()[:8]

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]


# --- the place of a mistake -------------------------------------------------------------------------------------------
_template = re.compile(r"template <[^()]*?> (?=[\w\[:])")
_type = re.compile(r"\b(?:struct|class|namespace|union|enum(?: class)?)\s+(\w+)[^()=]*$")
_name = re.compile(r"([\w:~]*\boperator *(?:\(\)|[^\s\w(]+)|[\w:~]+)\s*\(")


def spans(code):
    """Returns (start, end, name, whether it is a function) of every type and function; outer ones are later."""
    found, stack, head = [], [], 0
    for i, c in enumerate(code):
        if c == "{":
            in_function = bool(stack) and stack[-1][1]
            stack.append((head, *((True, "") if in_function else opened(code[head:i]))))
        elif c == "}" and stack:
            start, is_function, name = stack.pop()
            if name:
                found.append((start, i, name, is_function))
        if c in "{};":
            head = i + 1
    return found


def opened(head):
    """Returns whether a brace after these words opens a function, and its name."""
    head = _template.sub("", re.sub(r"#.*", "", head))
    kind = _type.search(head)
    if kind:
        return False, "" if "namespace" in head else kind.group(1)
    name = _name.search(head)
    return (True, name.group(1)) if name else (False, "")


# --- the mistakes ----------------------------------------------------------------------------------------------------
_compare = re.compile(r"(?<= )(==|!=|<=|>=|<|>)(?= )")
_flip = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_logic = re.compile(r"(?<= )(&&|\|\|)(?=( |$))")
_step = re.compile(r"\+\+|--")
_sum = re.compile(r"(?<= )([+-])(?= 1u?\b(?![.\w]))")
_truth = re.compile(r"\b(true|false)\b")
_bit = re.compile(r"(?<![\w.'])(?<!-)([01])(?=u?\b(?![.'\w]))")
_return = re.compile(r"\b(?:co_)?return\s+([^;{}]+);")
_no_statement = re.compile(
    r"(return|co_return|break|continue|using|case|default|goto|else|if|for|while|do|switch|try|catch|public|private|"
    r"protected|friend|static_assert|typedef|struct|class|enum|template|namespace|const|constexpr|static|auto|inline|"
    r"explicit|extern|virtual|static|thread_local|union)\b")
_declaration = re.compile(r"[\w:]+(?:<[^;()]*>)?(?:\s*[*&]+\s*|\s+)[*&]?\w+\s*(?:[({=;,\[]|$)")


def matching(text, at):
    """Returns the closing position of the parenthesis at `at`, or -1."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


def _conditions(line):
    for head in re.finditer(r"\b(if|while) \(", line):
        opened = head.end() - 1
        closed = matching(line, opened)
        if closed < 0:
            continue
        start = max(opened, line.rfind(";", opened, closed)) + 1  # after an initialiser
        start += len(line[start:closed]) - len(line[start:closed].lstrip())
        if not re.match(r"(const )?auto\b|[\w:]+[ *&]+\w+ = ", line[start:closed]):
            yield start, closed


def _statements(line, before):
    """Returns the place of an expression that is a whole statement. `before` is the end of the code above this line."""
    start = len(line) - len(line.lstrip())
    if not re.search(r"([;{}:]|\belse|\))$", before) and start > 0 or not line.strip():
        return
    if before.endswith(")") and not re.search(r"\b(if|while|for)\b[^;{}]*\)$", before):
        return
    while True:
        head = re.match(r"(if|while|for|switch) \(|else\b|do\b|(case [\w:]+|default|'.*?'):|\}|try\b|\{", line[start:])
        if not head:
            break
        end = start + head.end()
        if head.group(1):
            closed = matching(line, end - 1)
            if closed < 0:
                return
            end = closed + 1
        start = end + len(line[end:]) - len(line[end:].lstrip())
    body = re.match(r"[\w:~ .,*&<>\[\]()+-]*\) (?:const |noexcept |override )*\{ ", line)
    if body:  # a function in one line
        start = body.end()
    end = line.find(";", start)
    statement = line[start:end]
    if end < 0 or not statement or _no_statement.match(statement) or statement.count("(") != statement.count(")"):
        return
    if statement.endswith("= default"):
        return
    if "{" in statement and statement.count("{") != statement.count("}"):
        return
    if _declaration.match(statement) and not statement.startswith(("throw ", "delete ")):
        return
    yield start, end


def _mistakes(line, before):
    """Yields (operator, start, end, new) within one line without comments and literals."""
    for m in _compare.finditer(line):
        if not re.search(r"operator $|template $", line[:m.start()]):
            yield "compare", m.start(), m.end(), _flip[m.group()]
    for start, end in _conditions(line):
        yield "negate", start, end, None
    for m in _logic.finditer(line):
        yield "logic", m.start(), m.end(), "||" if m.group() == "&&" else "&&"
    for m in _sum.finditer(line):
        yield "plus-minus", m.start(), m.end(), "-" if m.group() == "+" else "+"
    for m in _step.finditer(line):
        yield "up-down", m.start(), m.end(), "--" if m.group() == "++" else "++"
    for m in _truth.finditer(line):
        yield "truth", m.start(), m.end(), "false" if m.group() == "true" else "true"
    for m in _bit.finditer(line):
        yield "constant", m.start(), m.end(), "1" if m.group() == "0" else "0"
    for m in _return.finditer(line):
        if m.group(1) not in ("false", "0", "nullptr", "std::nullopt", '""'):
            yield "return", m.start(1), m.end(1), "{}"
    for start, end in _statements(line, before):
        yield "remove", start, end, ""


def mutants(path, text):
    """Returns all mutants of one file; of a header those in functions that are neither templates nor constexpr,
    because its other code is compiled into its users."""
    code = without_text(text)
    around = spans(code)
    found, seen, offset, before = [], {}, 0, ""
    for number, line in enumerate(code.split("\n"), 1):
        if not line.lstrip().startswith(("#", "static_assert", "template <", "using ")):
            for operator, start, end, new in _mistakes(line, before):
                shown = text[offset:offset + len(line)]
                new = f"!({shown[start:end]})" if new is None else new
                kept = shown[:len(line.rstrip())].strip()
                inside = [s for s in reversed(around) if s[0] <= offset + start <= s[1]]
                if path.endswith(".hpp") and not is_compiled_alone(text, inside):
                    continue
                function = "::".join(name for _, _, name, _ in inside) or "-"
                alike = (function, operator, kept)
                seen[alike] = seen.get(alike, 0) + 1
                found.append(Mutant(path, number, function, operator, kept, seen[alike],
                                    offset + start, offset + end, new))
        offset += len(line) + 1
        before = line.rstrip() or before
    return found


def is_compiled_alone(text, inside):
    """Returns whether code within these spans of a header is in a function that is no template and not constexpr."""
    heads = [text[start:text.index("{", start)] for start, _, _, _ in inside]
    return any(is_function for _, _, _, is_function in inside) and \
        not any(re.search("template <|const(expr|eval) ", head) for head in heads)


def without_text(text):
    """Returns the text with comments, literals, attributes and template headers blanked, at the same length."""
    code = rule.bare(text)
    return re.sub(r"\[\[[^\]]*\]\]", lambda m: " " * len(m.group()), code)


def in_order(found, seed):
    """Returns all mutants in an order of which each beginning is spread over files and functions in proportion, and in
    which each mutant is equally likely to come early. It depends only on the keys: a change of one function keeps the
    order of other functions' mutants."""
    def drawn_by(text):
        return hashlib.sha256(f"{seed} {text}".encode()).digest()

    drawn = sorted(found, key=lambda m: drawn_by(m.key))
    for place in (lambda m: (m.path, m.function), lambda m: m.path):
        groups = {}
        for mutant in drawn:
            groups.setdefault(place(mutant), []).append(mutant)
        placed = []
        for name, group in groups.items():
            first = int.from_bytes(drawn_by(name)[:4], "big") / 2 ** 32
            placed += [((i + first) / len(group), str(name), mutant) for i, mutant in enumerate(group)]
        drawn = [mutant for _, _, mutant in sorted(placed, key=lambda p: p[:2])]
    return drawn
