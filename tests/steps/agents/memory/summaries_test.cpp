#include "steps/agents/memory/summaries.hpp"
#include "steps/models/chat_model.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::agents;
using models::assistant, models::user;

TEST_CASE("a summary is found as long as its conversation continues, and the longest one counts") {
    Summaries summaries;
    const std::vector<models::Message> one{user("a?"), assistant("A.")}, two{user("b?"), assistant("B.")};
    auto both = one;
    both.insert(both.end(), two.begin(), two.end());
    CHECK(!summaries.find(both));
    summaries.keep(one, "only a");
    summaries.keep(both, "a and b");

    auto longer = both;
    longer.push_back(user("c?"));
    CHECK(summaries.find(longer)->text == "a and b");
    CHECK(summaries.find(longer)->messages == 4);
    CHECK(summaries.find(one)->text == "only a");
    const auto later = summaries.find({user("b?"), assistant("B."), user("c?")});  // the memory has dropped the first
    CHECK(later->text == "a and b");
    CHECK(later->messages == 2);
    CHECK(!summaries.find({user("c?"), assistant("C.")}));
    CHECK(!summaries.find({}));
}
TEST_CASE("only the latest summaries are kept") {
    Summaries summaries(2);
    for (const auto* text : {"a", "b", "c"}) summaries.keep({user(text)}, text);
    CHECK(!summaries.find({user("a")}));
    CHECK(summaries.find({user("b")})->text == "b");
    CHECK(summaries.find({user("c")})->text == "c");
}
