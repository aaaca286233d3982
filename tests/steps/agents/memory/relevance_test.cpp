// The choice of exchanges that are relevant to a question.
#include "steps/agents/memory/relevance.hpp"
#include <doctest/doctest.h>
#include <string>
using namespace weft::agents;

namespace {
std::vector<std::size_t> choose(const char* question, const std::vector<std::string>& texts, std::size_t most = 9) {
    std::vector<WordCounts> counts;
    for (const auto& text : texts) counts.emplace_back(text);
    std::vector<const WordCounts*> pointers;
    for (const auto& count : counts) pointers.push_back(&count);
    return most_relevant(WordCounts(question), pointers, most);
}
using Positions = std::vector<std::size_t>;
}

// shows A-26
TEST_CASE("a text with rare words of the question is chosen first, one without common words never") {
    const std::vector<std::string> texts{"the orders of the year 2024", "the capital of Spain", "the weather", "tea"};

    CHECK(choose("What is the CAPITAL?", texts) == Positions{1, 2, 0});
    CHECK(choose("orders, in 2024", texts) == Positions{0});
    CHECK(choose("the", texts, 2) == Positions{2, 0});
    CHECK(choose("nothing", texts).empty());
    CHECK(choose("", texts).empty());
    CHECK(choose("tea", {}).empty());
}
TEST_CASE("the later of equally relevant texts is chosen; letter case, punctuation and repeats do not count") {
    CHECK(choose("tea tea", {"tea", "tea", "coffee"}, 1) == Positions{1});
    CHECK(choose("'TEA'-", {"x tea, y", "coffee"}) == Positions{0});
    CHECK(choose("Stra\xC3\x9F"
                 "e",
                 {"stra\xC3\x9F"
                  "e",
                  "stra"}) == Positions{0});
}
TEST_CASE("a long text is compared up to its 512th word") {
    std::string text;
    for (int i = 0; i < 512; ++i) text += "word ";
    CHECK(WordCounts(text + "end").total() == 512);
    CHECK(choose("end", {text + "end"}).empty());
    CHECK(choose("word", {text + "end"}) == Positions{0});
}
