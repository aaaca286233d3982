// muParser gets only checked tokens and weft's operators: muParser's operators let infinities pass, and muParser
// reads numbers by the locale. Other text is refused before.
#include "tools/calculator.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/make_tool.hpp"
#include <charconv>
#include <cmath>
#include <cstring>
#include <muParserBase.h>

namespace weft::tools {
namespace {
constexpr std::size_t most_bytes = 1000, most_depth = 64;
constexpr const char* names =
    "sqrt, abs, min, max, round, floor, ceil, ln, log, log10, exp, sin, cos, tan, and the constants pi and e";

// ----- operators: each checks its result, so that no infinity vanishes later (1 / (1 / 0) is not 0)

double finite(double value, const char* what) {
    if (!std::isfinite(value)) throw ToolError(std::string(what) + " has no finite result");
    return value;
}
double checked(double a, double b, double value, const char* what) {
    return tools::exact(a, b, finite(value, what), what);
}
double checked_sum(double a, double b) { return checked(a, b, a + b, "an addition"); }
double checked_difference(double a, double b) { return checked(a, b, a - b, "a subtraction"); }
double checked_product(double a, double b) { return checked(a, b, a * b, "a multiplication"); }
double checked_quotient(double a, double b) {
    if (b == 0) throw ToolError("division by zero");
    return finite(a / b, "a division");
}
double modulo(double a, double b) {
    if (b == 0) throw ToolError("modulo by zero");
    auto rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
double power(double a, double b) {
    if (a == 0 && b < 0) throw ToolError("division by zero: 0 to a negative power");
    if (a < 0 && std::trunc(b) != b) throw ToolError("a negative number to a fractional power is not a real number");
    return checked(a, b, std::pow(a, b), "a power");
}
double negate(double a) { return -a; }
double keep(double a) { return a; }

// ----- functions

double square_root(double v) {
    if (v < 0) throw ToolError("the square root of a negative number is not a real number");
    return std::sqrt(v);
}
template <double (*function)(double)> double logarithm(double v) {
    if (v <= 0) throw ToolError("a logarithm needs a number above 0");
    return function(v);
}
double exponential(double v) { return finite(std::exp(v), "exp"); }
double tangent(double v) { return finite(std::tan(v), "tan"); }
double smallest(const double* v, int n) { return *std::min_element(v, v + n); }
double largest(const double* v, int n) { return *std::max_element(v, v + n); }
double round_to(const double* v, int n) {
    if (n > 2) throw ToolError("round takes a number and, if you like, how many decimals");
    if (n == 1) return std::round(v[0]);
    if (std::trunc(v[1]) != v[1] || std::abs(v[1]) > 15) throw ToolError("round takes -15 to 15 decimals");
    auto scale = std::pow(10.0, std::abs(v[1]));
    auto rounded = v[1] < 0 ? std::round(v[0] / scale) * scale : std::round(v[0] * scale) / scale;
    return std::isfinite(rounded) ? rounded : v[0];  // too large to have decimals
}

// muParser without the additions of its Parser: comparisons, assignments, unchecked arithmetic, and numbers by way of
// the locale, which all threads share.
class CalculatorGrammar final : public mu::ParserBase {
public:
    CalculatorGrammar() {
        EnableBuiltInOprt(false);
        EnableOptimizer(false);
        AddValIdent(read_number);
        InitCharSets();
        InitFun();
        InitConst();
        InitOprt();
    }

private:
    static int read_number(const char* text, int* position, double* value) {
        auto [end, error] = std::from_chars(text, text + std::strlen(text), *value);
        if (error != std::errc() || *text == '-') return 0;
        *position += int(end - text);
        return 1;
    }
    void InitCharSets() override {
        DefineNameChars("abcdefghijklmnopqrstuvwxyz0123456789_");
        DefineOprtChars("+-*/^%");
        DefineInfixOprtChars("+-");
    }
    void InitFun() override {
        using One = double (*)(double);
        DefineFun("sqrt", square_root);
        DefineFun("abs", static_cast<One>(std::abs));
        DefineFun("min", smallest);
        DefineFun("max", largest);
        DefineFun("round", round_to);
        DefineFun("floor", static_cast<One>(std::floor));
        DefineFun("ceil", static_cast<One>(std::ceil));
        DefineFun("ln", logarithm<std::log>);
        DefineFun("log", logarithm<std::log>);
        DefineFun("log10", logarithm<std::log10>);
        DefineFun("exp", exponential);
        DefineFun("sin", static_cast<One>(std::sin));
        DefineFun("cos", static_cast<One>(std::cos));
        DefineFun("tan", tangent);
    }
    void InitConst() override {
        DefineConst("pi", 3.141592653589793);
        DefineConst("e", 2.718281828459045);
    }
    void InitOprt() override {
        DefineOprt("+", checked_sum, mu::prADD_SUB);
        DefineOprt("-", checked_difference, mu::prADD_SUB);
        DefineOprt("*", checked_product, mu::prMUL_DIV);
        DefineOprt("/", checked_quotient, mu::prMUL_DIV);
        DefineOprt("%", modulo, mu::prMUL_DIV);
        DefineOprt("^", power, mu::prPOW, mu::oaRIGHT);
        DefineInfixOprt("-", negate);
        DefineInfixOprt("+", keep);
    }
};

// ----- text: muParser gets tokens that were checked here

class FormulaScanner {
public:
    explicit FormulaScanner(std::string_view text) : text_(text) {}
    std::string scan() {
        while (at_ < text_.size()) token();
        if (depth_ > 0) throw ToolError("a closing parenthesis is missing");
        return std::move(clean_);
    }

private:
    static bool letter(char c) { return is_letter(c) || c == '_'; }
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool take(std::string_view s) {
        if (!text_.substr(at_).starts_with(s)) return false;
        at_ += s.size();
        return true;
    }
    void token() {
        char c = peek();
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            clean_ += ' ';
            return void(++at_);
        }
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
        if (letter(c)) return name();
        if (take("//")) throw ToolError("there is no operator //: use floor(a / b)");
        if (take("**")) return void(clean_ += '^');
        if (take("\xC3\x97")) return void(clean_ += '*');      // multiplication sign
        if (take("\xC3\xB7")) return void(clean_ += '/');      // division sign
        if (take("\xE2\x88\x92")) return void(clean_ += '-');  // minus sign
        if (c == ',' && depth_ == 0)
            throw ToolError("one expression at a time, and no commas in numbers: write 5500, not 5,500");
        if (c == '(' && ++depth_ > int(most_depth))
            throw ToolError("more than " + std::to_string(most_depth) + " parentheses in each other");
        if (c == ')' && --depth_ < 0) throw ToolError("a closing parenthesis has no opening one");
        if (c == '=') throw ToolError("there are no assignments and comparisons: write one arithmetic expression");
        if (std::string_view("+-*/%^(),").find(c) == std::string_view::npos) return stranger();
        clean_ += c;
        ++at_;
    }
    void number() {
        double value = 0;
        auto rest = text_.substr(at_);
        auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        std::string_view literal(rest.data(), std::size_t(end - rest.data()));
        if (error != std::errc()) throw ToolError("the number " + shown(literal) + " is too large or too small");
        at_ += literal.size();
        if (literal.find_first_not_of("0123456789") == literal.npos && value >= exact_integers)
            throw ToolError("the integer " + shown(literal) + " is 2^53 or more, too large to be exact");
        // max(1,234) is ambiguous.
        if (peek() == ',' && is_digit(peek(1)) && is_digit(peek(2)) && is_digit(peek(3)) && !is_digit(peek(4)))
            throw ToolError(
                "write numbers without commas (5500, not 5,500) and put a blank after a comma between arguments");
        if (letter(peek()) || is_digit(peek()) || peek() == '.')
            throw ToolError("'" + shown(text_.substr(at_ - literal.size(), literal.size() + 1)) + "' is not a number");
        char exact_text[32];
        clean_.append(exact_text, std::to_chars(exact_text, exact_text + sizeof exact_text, value).ptr);
    }
    void name() {
        auto start = at_;
        while (letter(peek()) || is_digit(peek()) || peek() == '.') ++at_;
        const auto name = lower(std::string_view(text_).substr(start, at_ - start));
        static constexpr std::string_view known[] = {"sqrt", "abs", "min",   "max", "round", "floor", "ceil", "ln",
                                                     "log",  "exp", "log10", "sin", "cos",   "tan",   "pi",   "e"};
        if (std::find(std::begin(known), std::end(known), name) == std::end(known))
            throw ToolError("unknown name '" + shown(name) + "': there are " + names);
        clean_ += name;
    }
    [[noreturn]] void stranger() const {
        auto rest = text_.substr(at_);
        std::size_t n = 1;
        while (n < rest.size() && (rest[n] & 0xC0) == 0x80) ++n;
        auto character = shown(rest.substr(0, n));
        if (auto c = static_cast<unsigned char>(rest[0]); c < 0x20 || c == 0x7F) {
            constexpr const char* digits = "0123456789abcdef";
            character = std::string("\\x") + digits[c >> 4] + digits[c & 15];
        }
        throw ToolError("the character '" + character +
                        "' has no meaning here: use numbers, + - * / % ^, parentheses and functions");
    }
    static std::string shown(std::string_view s) { return repair_utf8(utf8_cut(s, 40)); }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::string clean_;
};

std::string sentence(const mu::ParserError& e) {
    auto token = e.GetToken();
    while (token.ends_with(' ')) token.pop_back();
    switch (e.GetCode()) {
    case mu::ecUNEXPECTED_EOF: return "the expression ends where a value is missing";
    case mu::ecEMPTY_EXPRESSION: return "the expression is empty";
    case mu::ecUNEXPECTED_VAL:
    case mu::ecUNEXPECTED_FUN:
    case mu::ecUNEXPECTED_PARENS: return "there is no operator or no value before '" + token + "'";
    case mu::ecUNEXPECTED_ARG_SEP:
    case mu::ecUNEXPECTED_ARG: return "a list is not a number: only functions take values with commas";
    case mu::ecTOO_MANY_PARAMS: return "too many arguments for " + token;
    case mu::ecTOO_FEW_PARAMS: return "too few arguments for " + token;
    default: return token.empty() ? "this is not an arithmetic expression" : "'" + token + "' stands at a wrong place";
    }
}
}

double operate(char op, double a, double b) {
    switch (op) {
    case '+': return checked_sum(a, b);
    case '-': return checked_difference(a, b);
    case '*': return checked_product(a, b);
    case '/': return checked_quotient(a, b);
    case '%': return modulo(a, b);
    case '^': return power(a, b);
    }
    throw ToolError(std::string("there is no operator ") + op);
}
double calculate(std::string_view expression) {
    if (expression.size() > most_bytes)
        throw ToolError("the expression is longer than " + std::to_string(most_bytes) +
                        " characters: calculate in parts");
    auto clean = FormulaScanner(expression).scan();
    static const CalculatorGrammar empty;
    try {
        auto parser = empty;  // a parser keeps state, and many runs calculate at once
        parser.SetExpr(clean);
        int results = 0;
        auto* values = parser.Eval(results);
        if (results != 1) throw ToolError("a list is not a number: write one expression");
        return finite(values[0], "the expression");
    } catch (const mu::ParserError& e) { throw ToolError(sentence(e)); }
}

std::shared_ptr<Tool> math_calculator() {
    auto run = [](const std::string& expression) { return calculate(expression); };
    return make_tool(
        "math_calculator",
        std::string("Calculates an arithmetic expression: numbers, + - * / % and ^ (or **), parentheses, ") + names +
            ".",
        run, {"expression"});
}
}
