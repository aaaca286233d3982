#include "tools/arithmetic.hpp"
#include "tools/calculator.hpp"
#include "tools/schema/number.hpp"
#include <clocale>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
using namespace weft::tools;

namespace {
std::string result(std::string_view expression) { return print_number(calculate(expression)); }
std::string refusal(std::string_view expression) {
    try {
        return "it gave " + result(expression);
    } catch (const ToolError& e) { return e.what(); }
}
bool refused(std::string_view expression, std::string_view because) {
    auto sentence = refusal(expression);
    INFO(sentence);
    bool found = sentence.find(because) != sentence.npos;
    CHECK(found);
    return found;
}
}

TEST_CASE("an expression has its value by the rules of arithmetic and Python") {
    CHECK(result("(17200 - 5500) / 5500 * 100") == "212.72727272727275");
    CHECK(result("(5500)") == "5500");
    CHECK(result("5 * 3") == "15");
    CHECK(result("0.1 + 0.2") == "0.30000000000000004");
    CHECK(result("-2 ** 2") == "-4");
    CHECK(result("2 ** 3 ^ 2") == "512");
    CHECK(result("2^-1") == "0.5");
    CHECK(result("10 - 4 - 3") == "3");
    CHECK(result("3--2") == "5");
    CHECK(result("7 % 3") == "1");
    CHECK(result("-7 % 3") == "2");
    CHECK(result("7 % -3") == "-2");
    CHECK(result("5.5 % 2") == "1.5");
    CHECK(result("2*(3+(4-1))") == "12");
    CHECK(result("6 \xC3\x97 7 \xE2\x88\x92 2 \xC3\xB7 2") == "41");
    CHECK(result("1e3 + .5 + 1.5E-1") == "1000.65");
    CHECK(result("sqrt(16) + abs(-2) + MAX(1, 2, 3) + min(4, 5)") == "13");
    CHECK(result("round(212.7272727, 2)") == "212.73");
    CHECK(result("round(2.5) + round(-2.5) + round(1234, -2)") == "1200");
    CHECK(result("floor(2.7) + ceil(2.1)") == "5");
    CHECK(result("ln(e) + log(e) + log10(1000) + exp(0)") == "6");
    CHECK(result("sin(0) + cos(0) + tan(0)") == "1");
    CHECK(result("pi") == "3.141592653589793");
}

TEST_CASE("numbers are printed in their shortest form, and integers as integers") {
    CHECK(print_number(18527.424242424244) == "18527.424242424244");
    CHECK(print_number(5500.0) == "5500");
    CHECK(print_number(-0.0) == "0");
    CHECK(print_number(100000) == "100000");
    CHECK(print_number(0.0001) == "0.0001");
    CHECK(print_number(0.00001) == "1e-05");
    CHECK(print_number(9007199254740991.0) == "9007199254740991");
    CHECK(print_number(1e20) == "1e+20");
    CHECK(print_float(5500) == "5500.0");
    CHECK(print_float(1e16) == "1e+16");
    CHECK_THROWS_AS(print_number(std::nan("")), ToolError);
}

// shows B-A07: calculating executes nothing and is bounded
TEST_CASE("the calculator accepts only arithmetic, and its error shows the form") {
    refused("", "empty");
    refused("   ", "empty");
    refused("1,2", "one expression at a time");
    refused("(1,2)", "a list is not a number");
    refused("5,500 + 1", "5500, not 5,500");
    refused("(1), (2)", "one expression at a time");
    refused("max(1,234)", "without commas");
    refused("x = 3", "unknown name 'x'");
    refused("3 = 3", "no assignments");
    refused("__import__('os').system('id')", "unknown name '__import__'");
    refused("math.sqrt(4)", "unknown name 'math.sqrt': there are sqrt");
    refused("1 < 2", "the character '<' has no meaning");
    refused("1 ? 2 : 3", "the character '?'");
    refused("1 && 1", "the character '&'");
    refused("\"text\"", "the character '\"'");
    refused("\xE6\xB0\xB4 + 1", "the character '\xE6\xB0\xB4'");
    refused("\xFF", "the character '\xEF\xBF\xBD'");
    refused(std::string_view("1\0+1", 4), "the character '\\x00' has no meaning");
    refused("7 // 2", "floor(a / b)");
    refused("1 +", "ends where a value is missing");
    refused("2(3)", "no operator or no value before '('");
    refused("2 3", "no operator or no value before '3'");
    refused("2x", "'2x' is not a number");
    refused("1.2.3", "'1.2.' is not a number");
    refused("0x10", "'0x' is not a number");
    refused("(1 + 2", "closing parenthesis is missing");
    refused("1 + 2)", "has no opening one");
    refused("sqrt(1, 2)", "too many arguments for sqrt");
    refused("sqrt()", "too few arguments for sqrt");
    refused("min()", "too few arguments for min");
    refused("round(1, 2, 3)", "round takes");
    refused("round(1, 0.5)", "round takes");
    refused("sqrt", "");
    refused("*", "");
    refused("5%", "ends where a value is missing");
    refused("--2", "wrong place");
}

TEST_CASE("the calculator returns no infinity, lost digit or undefined value, also of a part") {
    refused("1 / 0", "division by zero");
    refused("1 / (1 / 0)", "division by zero");
    refused("5 % 0", "modulo by zero");
    refused("0 ^ -1", "division by zero");
    refused("9**9**9", "no finite result");
    refused("1e308 * 10", "no finite result");
    refused("exp(1000)", "exp has no finite result");
    refused("1e999", "too large");
    refused("sqrt(-1)", "not a real number");
    refused("(-8) ^ (1/3)", "not a real number");
    refused("ln(0)", "above 0");
    refused("2 ^ 60", "too large to be exact");
    refused("9007199254740993", "too large to be exact");
    refused("9007199254740992 + 1 + 1", "too large to be exact");
    refused("2 ^ 53", "2^53");
    CHECK(result("(2 ^ 52 - 1) * 2 + 1") == "9007199254740991");
    CHECK(result("6.02e23 / 2") == "3.01e+23");
}

TEST_CASE("an expression's length and depth are bounded") {
    refused(std::string(1001, '1'), "longer than 1000");
    refused(std::string(65, '(') + "1" + std::string(65, ')'), "more than 64 parentheses");
    CHECK(result(std::string(64, '(') + "1" + std::string(64, ')')) == "1");
    std::string sum = "1", tower = "1";
    while (sum.size() < 990) sum += "+1";
    while (tower.size() < 990) tower += "^1";
    CHECK(result(sum) == std::to_string((sum.size() + 1) / 2));
    CHECK(result(tower) == "1");
}

TEST_CASE("the calculator is independent of the process's locale") {
    std::string before = std::setlocale(LC_ALL, nullptr);
    for (auto* name : {"de_DE.UTF-8", "fr_FR.UTF-8"})
        if (std::setlocale(LC_ALL, name)) { CHECK(result("1.5 + 2.25") == "3.75"); }
    std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("a division by zero is refused") {
    CHECK(divide(1, 4) == 0.25);
    CHECK_THROWS_AS(divide(1, 0), ToolError);
}
TEST_CASE("the calculator's errors name the expression, and no parameter") {
    CHECK(refusal("1 / 0") == "division by zero");
}
