#include "steps/models/protocols/parts/written_messages.hpp"
#include <doctest/doctest.h>
#include <random>
using namespace weft::models;

namespace {
int writes = 0;
void write(std::string& out, const Message& message, const Features& features) {
    ++writes;
    (out += std::to_string(features.form(Feature::max_tokens))) += message.content;
}
std::string append(WrittenMessages& written, const std::vector<Message>& messages, const Features& features = {}) {
    writes = 0;
    std::string text = "[";
    written.append(text, messages, features, write);
    return text;
}
}

TEST_CASE("WrittenMessages writes only the messages behind the beginning of a conversation") {
    WrittenMessages written;
    std::vector<Message> all = {instruction("a"), user("b")};
    CHECK(append(written, all) == "[0a,0b");
    CHECK(writes == 2);
    all.push_back(assistant("c"));
    CHECK(append(written, all) == "[0a,0b,0c");
    CHECK(writes == 1);
    CHECK(append(written, {all.begin(), all.begin() + 2}) == "[0a,0b");
    CHECK(append(written, all) == "[0a,0b,0c");
    CHECK(writes == 0);
    all.back().content = "d";  // a last message that has changed takes the place of the former
    CHECK(append(written, all) == "[0a,0b,0d");
    CHECK(writes == 1);
    CHECK(append(written, {}) == "[");
}
TEST_CASE("WrittenMessages writes messages again when their features differ") {
    WrittenMessages written;
    const std::vector<Message> all = {instruction("a"), user("b")};
    append(written, all);
    Features other;
    other.set(Feature::max_tokens, 1);
    CHECK(append(written, all, other) == "[1a,1b");
    CHECK(writes == 2);
    CHECK(append(written, all) == "[0a,0b");
    CHECK(writes == 0);
}
TEST_CASE("WrittenMessages writes a message again when its role differs") {
    WrittenMessages written;
    append(written, {user("a"), user("b"), user("c")});
    append(written, {user("a"), assistant("b"), user("c")});
    CHECK(writes == 2);
}
TEST_CASE("WrittenMessages does not keep a conversation of more than 256 KB") {
    WrittenMessages written;
    std::vector<Message> all = {instruction("a"), user(std::string(300 << 10, 'b'))};
    append(written, all);
    append(written, all);
    CHECK(writes == 2);
    all.pop_back();
    append(written, all);
    CHECK(append(written, all) == "[0a");
    CHECK(writes == 0);
}
TEST_CASE("WrittenMessages does not keep messages of more than 256 KB when their text is short") {
    WrittenMessages written;
    std::vector<Message> all = {user("a"), assistant("b")};
    all.back().native.json.text = std::string(300 << 10, 'n');
    append(written, all);
    append(written, all);
    CHECK(writes == 2);
}
TEST_CASE("WrittenMessages keeps eight conversations when further ones take turns with them") {
    WrittenMessages written;
    int written_again = 0;
    for (int round = 0; round < 5; ++round)
        for (int i = 0; i < 12; ++i) {
            append(written, {instruction("a"), user(std::to_string(i)), user(std::to_string(round))});
            if (round > 0) written_again += writes;
        }
    CHECK(written_again == 4 * (8 * 1 + 4 * 2));
}
TEST_CASE("WrittenMessages takes another conversation when one has not come for long") {
    WrittenMessages written;
    const std::vector<Message> late = {user("late"), user("b")};
    for (int i = 0; i < 8; ++i) append(written, {user(std::to_string(i)), user("b")});
    append(written, late);
    append(written, late);
    CHECK(writes == 2);
    for (int i = 0; i < 100; ++i) append(written, {user("1"), user("b")});
    append(written, late);
    append(written, late);
    CHECK(writes == 0);
}
TEST_CASE("WrittenMessages makes the text of each message when twenty conversations take turns") {
    std::mt19937 random(36);
    WrittenMessages written;
    std::vector<std::vector<Message>> talks(20, {instruction("a")});
    for (int i = 0; i < 4000; ++i) {
        auto& talk = talks[random() % talks.size()];
        if (talk.size() > 30) talk.resize(random() % 30);
        if (random() % 4 == 0 && !talk.empty()) talk.back().content += "+";
        talk.push_back(random() % 2 ? user(std::to_string(random() % 3)) : assistant(std::to_string(random() % 3)));
        std::string expected = "[";
        for (const auto& message : talk) {
            if (expected.size() > 1) expected += ',';
            write(expected, message, {});
        }
        REQUIRE(append(written, talk) == expected);
    }
}
