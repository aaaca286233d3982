"""Tests the mutants that each operator makes of a line, the lines that it does not change, and unique keys."""
import mutator

PATH = "engine/a.cpp"


def made(body, operator, before=""):
    """Returns the lines that an operator makes of one line in a function."""
    text = f"{before}void f(int a) {{\n    g();\n    {body}\n}}\n"
    line = 2 + before.count("\n")
    return [m.apply(text).split("\n")[line].strip() for m in mutator.mutants(PATH, text)
            if m.operator == operator and m.line == line + 1]


def expect(operator, body, *lines):
    got = made(body, operator)
    assert got == list(lines), f"{operator} of '{body}': expected {list(lines)}, got {got}"


expect("compare", "g(a == b);", "g(a != b);")
expect("compare", "g(a < b, c >= d);", "g(a <= b, c >= d);", "g(a < b, c > d);")
expect("compare", "std::vector<int> v; g(a->b, a >> b, a << b, a <=> b);")
expect("compare", 'g(" == "); // a == b')
expect("negate", "if (a) g();", "if (!(a)) g();")
expect("negate", "while (a && b(c)) g();", "while (!(a && b(c))) g();")
expect("negate", "if (auto* p = g(); p->ok) g();", "if (auto* p = g(); !(p->ok)) g();")
expect("negate", "if (auto* p = g()) g();")
expect("negate", "if constexpr (a) g();")
expect("logic", "g(a && b || c);", "g(a || b || c);", "g(a && b && c);")
expect("logic", "for (auto&& x : y) g(x);")
expect("plus-minus", "g(a + 1, b - 1u);", "g(a - 1, b - 1u);", "g(a + 1, b + 1u);")
expect("plus-minus", "g(a + b, 1 + a, a + 10);")
expect("up-down", "g(++a, b--);", "g(--a, b--);", "g(++a, b++);")
expect("truth", "g(true, false, trueish);", "g(false, false, trueish);", "g(true, true, trueish);")
expect("constant", "g(0, 1, 1u, 10, 0x1, 1.5, a1);", "g(1, 1, 1u, 10, 0x1, 1.5, a1);",
       "g(0, 0, 1u, 10, 0x1, 1.5, a1);", "g(0, 1, 0u, 10, 0x1, 1.5, a1);")
expect("return", "return g(a);", "return {};")
expect("return", "if (a) co_return a;", "if (a) co_return {};")
expect("return", "return false;")
expect("return", "return nullptr;")
expect("return", "return;")
expect("remove", "g(a);", ";")
expect("remove", "a.b->c[1] = 2;", ";")
expect("remove", "if (a) g(b);", "if (a) ;")
expect("remove", "else ++b;", "else ;")
expect("remove", 'throw Error("no; not at all");', ";")
for kept in ("return g();", "int b = 1;", "const auto b = g();", "std::lock_guard lock(mutex);", "break;",
             "using A = B;", "Handle first = g(a), count = 2;", "if (a) return;"):
    expect("remove", kept)

# A statement over several lines is not removed.
TWO_LINES = "void f() {\n    g(a,\n      b);\n}\n"
assert not [m for m in mutator.mutants(PATH, TWO_LINES) if m.operator == "remove"]

assert not [m for m in mutator.mutants(PATH, "namespace weft {\nReader::~Reader() = default;\n}\n")]

# A header's mutants are only in functions that are neither templates nor constexpr: its other code is compiled into its
# users, and not again with a mutant.
HEADER = "struct Plan {\n    bool paired = false;\n    bool empty() const { return size == 0; }\n};\n"
assert {m.line for m in mutator.mutants(PATH, HEADER)} == {2, 3}
assert {m.line for m in mutator.mutants("engine/a.hpp", HEADER)} == {3}
TEMPLATE = "struct Cells {\n    template <class E> void put(E e) { size = 0; }\n    void clear() { size = 0; }\n};\n"
assert {m.line for m in mutator.mutants("engine/a.hpp", TEMPLATE)} == {3}
CONSTEXPR = "struct Cells {\n    constexpr int first() { return cells[0]; }\n    void clear() { size = 0; }\n};\n"
assert {m.line for m in mutator.mutants("engine/a.hpp", CONSTEXPR)} == {3}

# A mutant differs from the text in exactly one line.
TEXT = """namespace weft {
struct Reducer {
    bool empty() const { return first == none; }
    void leave(Handle group) {  // a == b
        while (group != none && --open == 0) group = settle(group);
        const auto collect = [&](StepIndex step) { take(step); };
    }
};
bool Loop::pump(Run& run) {
    if (run.ended) return true;
    g(0);
    g(0);
}
}
"""
found = mutator.mutants(PATH, TEXT)
for mutant in found:
    changed = [(a, b) for a, b in zip(TEXT.split("\n"), mutant.apply(TEXT).split("\n")) if a != b]
    assert len(changed) == 1 and changed[0][0].strip().startswith(mutant.text), mutant

# A key has file, function, operator and the line's text; equal keys are numbered.
keys = [m.key for m in found]
assert len(set(keys)) == len(keys)
for key in ("engine/a.cpp Reducer::empty compare: bool empty() const { return first == none; }",
            "engine/a.cpp Reducer::leave logic: while (group != none && --open == 0) group = settle(group);",
            "engine/a.cpp Loop::pump negate: if (run.ended) return true;",
            "engine/a.cpp Loop::pump constant: g(0);", "engine/a.cpp Loop::pump constant#2: g(0);"):
    assert key in keys, (key, keys)

# Keys stay when lines move and when comments change.
moved = "// new\n\n" + TEXT.replace("// a == b", "").replace("    g(0);\n    g(0);", "    g(0);\n\n    g(0);  // again")
assert [m.key for m in mutator.mutants(PATH, moved)] == keys

# The order depends on keys alone, and each beginning of it is spread in proportion.
many = [m for n in range(3) for m in mutator.mutants(f"engine/{n}.cpp", TEXT)]
order = mutator.in_order(many, 1)
assert [m.key for m in order] == [m.key for m in mutator.in_order(many[::-1], 1)]
assert [m.key for m in order] != [m.key for m in mutator.in_order(many, 2)]
assert sorted(m.key for m in order) == sorted(m.key for m in many)
half = order[:len(order) // 2]
for n in range(3):
    share = sum(m.path == f"engine/{n}.cpp" for m in half)
    assert abs(share - len(half) / 3) <= 1, share  # the place of the first one is random
