// Properties of the parser of labelled lines, with the rules of each dialect: the same result and pieces for any cuts,
// and linear time.
#include "steps/agents/react/dialects/text_parser.hpp"
#include "tests/support/bare_tools.hpp"
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <vector>
using namespace weft::agents;

namespace {
constexpr Grammar grammars[] = {react_grammar, langchain_grammar, pause_grammar};
struct Read {
    Reply reply;
    std::map<PieceKind, std::string> pieces;
    std::size_t examined = 0;
};
template <class NextCut> Read read(const Grammar& grammar, std::string_view text, NextCut next_cut) {
    Read out;
    TextParser parser(grammar, &test::bare_tools());
    const OnPiece on_piece = [&out](PieceKind kind, std::string_view piece) { out.pieces[kind] += piece; };
    while (!text.empty()) {
        const auto n = std::min(text.size(), next_cut());
        parser.feed(text.substr(0, n), on_piece);
        text.remove_prefix(n);
    }
    out.reply = parser.finish(on_piece);
    out.examined = parser.examined();
    return out;
}
bool same(const Reply& a, const Reply& b) {
    return a.kind == b.kind && a.thought == b.thought && a.action == b.action && a.action_input == b.action_input &&
           a.answer == b.answer && a.error == b.error && a.text == b.text && a.ignored == b.ignored &&
           a.invented == b.invented && a.unlabelled == b.unlabelled && a.note == b.note;
}
const std::vector<std::string> words = {"Thought:",
                                        "Action:",
                                        "Action Input:",
                                        "Answer:",
                                        "Final Answer:",
                                        "Observation:",
                                        "\n",
                                        "\n",
                                        "\n",
                                        " ",
                                        "  ",
                                        "\t",
                                        "\r\n",
                                        "**",
                                        "*",
                                        "`",
                                        "```",
                                        "```json",
                                        "_",
                                        "#",
                                        ">",
                                        "add",
                                        "{\"a\": 1}",
                                        "{'b': [1,",
                                        "}",
                                        "x",
                                        "é",
                                        "日本",
                                        "\xE2\x82",
                                        "\xFF",
                                        "\xEF\xBC\x9A",
                                        "Action",
                                        "Thought",
                                        "input",
                                        "-",
                                        "\"",
                                        "// c\n",
                                        "PAUSE",
                                        "\nPAUSE\n",
                                        "PAU",
                                        ": ",
                                        "add: 1",
                                        "calculate:",
                                        "\xEF\xBB\xBF",
                                        "\xEF\xBB",
                                        "\\",
                                        "calculate\n",
                                        "add(a=1)",
                                        "{{'a': 'it's'}}",
                                        "\nObservation:",
                                        "Answer"};
std::string hostile(std::mt19937& random) {
    std::string text;
    const auto add = [&](unsigned most) {
        for (auto n = random() % most; n > 0; --n) text += words[random() % words.size()];
    };
    add(40);
    return text;
}
void check_linear(const Grammar& grammar) {
    constexpr std::size_t size = 1 << 18;
    for (const std::string piece : {"PAUSE",
                                    "PAUSE\n",
                                    "PAUSE \n",
                                    "Action: calculate: ",
                                    "Action:\n",
                                    " \n",
                                    "`",
                                    "**",
                                    "\xEF\xBC",
                                    "\xEF\xBC\x9A",
                                    "\xEF\xBB\xBF",
                                    "\xEF\xBB",
                                    "\\",
                                    "calculate(",
                                    "{\"a\": 1}",
                                    "'",
                                    "' ",
                                    ":",
                                    "((",
                                    "\"",
                                    "{\"a\":",
                                    "```\n",
                                    "Observation",
                                    "Action: a\nAction Input: b\n",
                                    "["})
        for (const std::string start :
             {"", "Action: `", "Action: calculate\n", "Thought: x\nAction: calculate\nAction Input: "}) {
            auto text = start;
            while (text.size() < size) text += piece;
            const auto got = read(grammar, text, [] { return std::size_t{4096}; });
            INFO(start, "|", piece);
            REQUIRE(got.examined <= 20 * text.size());
        }
}
}

// shows L-14: answers stream in pieces
// shows B-W05
TEST_CASE("a reply gives the same result and the same pieces however it is cut") {
    for (unsigned seed = 0; seed < 6000; ++seed) {
        const auto& grammar = grammars[seed % std::size(grammars)];
        std::mt19937 random(seed);
        const auto text = hostile(random);
        const auto whole = read(grammar, text, [&] { return text.size(); });
        const auto single = read(grammar, text, [] { return std::size_t{1}; });
        const auto cut = read(grammar, text, [&random] { return std::size_t{1 + random() % 7}; });
        INFO("seed ", seed, ": ", text);
        REQUIRE(same(whole.reply, single.reply));
        REQUIRE(same(whole.reply, cut.reply));
        REQUIRE(whole.pieces == single.pieces);
        REQUIRE(whole.pieces == cut.pieces);
    }
}
TEST_CASE("the pieces of thought and answer join to the reply's thought and answer") {
    for (unsigned seed = 0; seed < 6000; ++seed) {
        const auto& grammar = grammars[seed % std::size(grammars)];
        std::mt19937 random(seed);
        const auto text = hostile(random);
        auto got = read(grammar, text, [&random] { return std::size_t{1 + random() % 5}; });
        INFO("seed ", seed, ": ", text);
        REQUIRE(got.pieces[PieceKind::thought] == got.reply.thought);
        REQUIRE(got.pieces[PieceKind::action] == got.reply.action);
        if (got.reply.kind == ReplyKind::answer) REQUIRE(got.pieces[PieceKind::answer] == got.reply.answer);
    }
}
// shows L-13
TEST_CASE("a long hostile text is read in linear time, each character at most twenty times") {
    for (const std::string piece : {"Thought:",
                                    "Thought: \n",
                                    "Action:\n",
                                    "Action: a\nAction Input: {\n",
                                    "\n",
                                    " ",
                                    "*",
                                    "**\n",
                                    "`",
                                    "```\n",
                                    "Action Input",
                                    "Action \n",
                                    "Observation",
                                    "> ",
                                    "Thought: x\nAction",
                                    "{\"a\":",
                                    "\xE2",
                                    "\xEF\xBC",
                                    "_ ",
                                    "**Answer: **",
                                    "Answer:\n```\n",
                                    "a b\n",
                                    "Action : \n```\n",
                                    "((((",
                                    "\r",
                                    "\xEF\xBB\xBF",
                                    "\xEF\xBB",
                                    "\\",
                                    "\\\n",
                                    "<"})
        for (const std::string start : {"", "Thought: x\nAction: add\nAction Input: ", "Answer: ", "**Answer:"}) {
            auto text = start;
            const std::size_t size = 1 << (start.empty() ? 18 : 16);  // the counts show linear time for any size
            while (text.size() < size) text += piece;
            const auto got = read(react_grammar, text, [] { return std::size_t{4096}; });
            INFO(start, "|", piece);
            REQUIRE(got.examined <= 20 * text.size());
        }
}
// shows L-10
TEST_CASE("langchain reads a long hostile text in linear time") { check_linear(langchain_grammar); }
TEST_CASE("pause reads a long hostile text in linear time") { check_linear(pause_grammar); }
TEST_CASE("a reply without an end is refused at four megabytes") {
    TextParser parser;
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 6; ++i) parser.feed(block);
    CHECK(parser.finish().error == "the reply is longer than 4 MB");
    CHECK(parser.examined() <= 2 * (std::size_t{4} << 20));
}
