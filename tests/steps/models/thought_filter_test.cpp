// Reasoning that chat templates and servers leave in the text of replies.
#include "steps/models/chat_model.hpp"
#include "steps/models/thought_filter.hpp"
#include "tests/support/cuts.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;

namespace {
struct Heard final : ThoughtFilter::Listener {
    std::string said, thoughts;
    int taken_back = 0;
    void text(std::string_view piece) override { said += piece; }
    void thought(std::string_view piece) override { thoughts += piece; }
    void text_was_thought() override {
        (thoughts += thoughts.empty() ? "" : "\n") += said;
        said.clear();
        ++taken_back;
    }
    bool operator==(const Heard& other) const { return said == other.said && thoughts == other.thoughts; }
};
Heard hear(const std::vector<std::string_view>& pieces) {
    Heard heard;
    ThoughtFilter filter(heard);
    for (const auto piece : pieces) filter.pass(piece);
    filter.finish();
    return heard;
}
}

// shows D-07
TEST_CASE("reasoning is separated from the text when a reply has both, however it is cut") {
    struct {
        const char *reply, *thoughts, *text;
    } const table[] = {
        {"<think>\nhm\n</think>\n\nIt is 42.", "hm", "It is 42."},
        {"<think>hm</think>It is 42.", "hm", "It is 42."},
        {"\n <THINK> hm </Think> It is 42.", "hm", "It is 42."},
        {"<thinking>hm</thinking>It is 42.", "hm", "It is 42."},
        {"<thought>hm</thought>It is 42.", "hm", "It is 42."},
        {"<reasoning>hm</reasoning>It is 42.", "hm", "It is 42."},
        {"[THINK]hm[/THINK]It is 42.", "hm", "It is 42."},
        {"<seed:think>hm</seed:think>It is 42.", "hm", "It is 42."},
        {"\u25C1think\u25B7hm\u25C1/think\u25B7It is 42.", "hm", "It is 42."},
        {"<|begin_of_thought|>hm<|end_of_thought|><|begin_of_solution|>It is 42.", "hm", "It is 42."},
        {"<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>It is 42.", "hm", "It is 42."},
        {"<|channel>thought\nhm\n<channel|>It is 42.", "hm", "It is 42."},
        {"<think>a</think>\n<think>b < c</think>d", "a\nb < c", "d"},
        {"<think></think>\n\nIt is 42.", "", "It is 42."},
        {"<think>hm, so it is 42", "hm, so it is 42", ""},
        {"<think>hm</thin", "hm</thin", ""},
        // gpt-oss channels, whole, without their ends, and without their marks
        {"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>It is 42.<|return|>",
         "hm", "It is 42."},
        {"<|channel|>analysis<|message|>hm<|start|>assistant<|channel|>final <|constrain|>json<|message|>{\"n\":42}",
         "hm", "{\"n\":42}"},
        {"<|channel|>final<|message|>It is 42.<|end|>", "", "It is 42."},
        {"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.add "
         "<|constrain|>json<|message|>{}<|call|>",
         "hm", "<|channel|>commentary to=functions.add <|constrain|>json<|message|>{}<|call|>"},
        {"analysisWe need 6*7.assistantfinalIt is 42.", "analysisWe need 6*7.", "It is 42."},
        {"commentaryLet me check.assistantfinalIt is 42.", "commentaryLet me check.", "It is 42."},
        {"analysisWe call.assistantcommentary to=functions.add json{}", "analysisWe call.",
         "assistantcommentary to=functions.add json{}"},
        {"analysisWe.assistantcommentaryI see.assistantfinalIt is 42.", "analysisWe.\nassistantcommentaryI see.",
         "It is 42."},
        {"AnalysisServices is a server.", "", "AnalysisServices is a server."},
        {"analysisServices is named `assistantfinal`.", "", "analysisServices is named `assistantfinal`."},
        {"commentaryTrack = 1", "", "commentaryTrack = 1"},
        {"analysis of it: 42", "", "analysis of it: 42"},
        // words that open reasoning only if the closing ones follow
        {"Here is my thought process: hm.\nHere is my response: It is 42.", "Here is my thought process: hm.\n",
         "It is 42."},
        {"Here is my thought process: I add.", "", "Here is my thought process: I add."},
        {"Thinking...\nhm\n...done thinking.\n\nIt is 42.", "Thinking...\nhm\n", "It is 42."},
        {"Thinking... of it: 42", "", "Thinking... of it: 42"},
        // Kimi K3
        {"<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>response<|sep|>It is 42.<|close|>response<|sep|>"
         "<|close|>message<|sep|><|end_of_msg|>",
         "hm", "It is 42."},
        {"hm<|close|>think<|sep|><|open|>response<|sep|>It is 42.<|close|>response<|sep|>", "hm", "It is 42."},
        {"<|open|>tools<|sep|><|open|>call tool=\"add\"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>", "",
         "<|open|>tools<|sep|><|open|>call tool=\"add\"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"},
        // elements that are reasoning only at the begin
        {"<reason>hm</reason>It is 42.", "hm", "It is 42."},
        {"<analysis>hm</analysis><answer>It is 42.</answer>", "hm", "It is 42."},
        {"<list>\n<reason>a</reason>\n</list>", "", "<list>\n<reason>a</reason>\n</list>"},
        {"<details type=\"reasoning\" done=\"true\">\n<summary>Thought</summary>\n> hm\n</details>\nIt is 42.",
         "done=\"true\">\n<summary>Thought</summary>\n> hm", "It is 42."},
        {"<details>\nhm\n</details>\nIt is 42.", "", "<details>\nhm\n</details>\nIt is 42."},
        {"<inner_monologue>hm</inner_monologue>It is 42.", "hm", "It is 42."},
        {"<|think|>hm<|/think|>It is 42.", "hm", "It is 42."},
        {"<|thinking|>hm<|/thinking|>It is 42.", "hm", "It is 42."},
        // the template has written the opening mark
        {"The user wants {so} 42.\n</think>\n\nIt is 42.", "The user wants {so} 42.\n", "It is 42."},
        {"hm</think>It is 42.", "hm", "It is 42."},
        {"hm[/THINK]It is 42.", "hm", "It is 42."},
        {"hm</think>", "hm", ""},
        {"a </think> b </think> c", "a \nb ", "c"},
        {"<think>a</think>It is 42.</think>", "a", "It is 42."},
        // later in a reply
        {"Thought: x\n<think>hm</think>\nAnswer: 42", "hm", "Thought: x\nAnswer: 42"},
        // text that mentions marks, or looks like one
        {"Write `<think>` and `</think>`.", "", "Write `<think>` and `</think>`."},
        {"Between <think> and </think> stands it.", "", "Between <think> and </think> stands it."},
        {"```\n<think>\nhm\n</think>\n```\nSo.", "", "```\n<think>\nhm\n</think>\n```\nSo."},
        {"The tag \"</think>\" ends it.", "", "The tag \"</think>\" ends it."},
        {"a < b [1] \u2192 \u201Cc\u201D <thin", "", "a < b [1] \u2192 \u201Cc\u201D <thin"},
        {"  It is 42.", "", "  It is 42."},
        // the end of a turn, and an answer in marks
        {"It is 42.<|im_end|>", "", "It is 42."},
        {"It is 42.</s>\n", "", "It is 42."},
        {"It is 42.<|eot_id|><|eom_id|>", "", "It is 42."},
        {"It is <s>41</s>", "", "It is <s>41</s>"},
        {"The mark <|im_end|> ends a turn.", "", "The mark <|im_end|> ends a turn."},
        {"`<|im_end|>`", "", "`<|im_end|>`"},
        {"<think>hm</think>\n<answer>It is 42.</answer>", "hm", "It is 42."},
        {"<think>hm</think>\n<response>It is 42.</response>", "hm", "It is 42."},
        {"<answer>It is 42.</answer>", "", "<answer>It is 42.</answer>"},
        // a template's text around a turn
        {"<|im_start|>assistant\nIt is 42.<|im_end|>", "", "It is 42."},
        {"<|start_header_id|>assistant<|end_header_id|>\n\nIt is 42.", "", "It is 42."},
        {"<|assistant|>It is 42.", "", "It is 42."},
        {"<\uFF5Cbegin\u2581of\u2581sentence\uFF5C>It is 42.", "", "It is 42."},
        {"<start_of_turn>model\nIt is 42.<end_of_turn>\n", "", "It is 42."},
        {"It is 42.<end_of_turn>\n<start_of_turn>user\nWhat else?", "", "It is 42."},
        {"It is 42.<|im_end|>\n<|im_start|>user\nAnd 6*8?", "", "It is 42."},
        {"It is 42.<|im_assistant|>", "", "It is 42."},
        {"It is 42.<|end|>", "", "It is 42."},
        {"It is 42.<|role_end|>", "", "It is 42."},
        {"It is 42.<\uFF5CAssistant\uFF5C>\n", "", "It is 42."},
        {"<|begin_of_box|>It is 42.<|end_of_box|>", "", "It is 42."},
        {"It is <|begin_of_box|>42<|end_of_box|>.", "", "It is 42."},
        {"A <|mark|> and <|im_end|><|x|> stand in it.", "", "A <|mark|> and <|im_end|><|x|> stand in it."},
        {"<|tool_call_start|>[add()]<|tool_call_end|>", "", "<|tool_call_start|>[add()]<|tool_call_end|>"},
        {"```\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>x\n```", "",
         "```\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>x\n```"},
        {"The mark `<|end_of_box|>` ends it, <| is none.", "", "The mark `<|end_of_box|>` ends it, <| is none."},
        {"1 <| 2 |> 3 <", "", "1 <| 2 |> 3 <"},
        {" \n", "", " \n"},
        {"", "", ""},
    };
    for (const auto& row : table) {
        const auto whole = hear({row.reply});
        CHECK_MESSAGE(whole.said == row.text, row.reply);
        CHECK_MESSAGE(whole.thoughts == row.thoughts, row.reply);
        testing::for_all_cuts(row.reply, [&](const auto& pieces) { CHECK_MESSAGE(hear(pieces) == whole, row.reply); });
    }
}
TEST_CASE("text is withdrawn once when only the end of the reasoning is marked") {
    CHECK(hear({"hm", "</think>", "It is 42."}).taken_back == 1);
    CHECK(hear({"<think>hm</think>It is 42."}).taken_back == 0);
}
TEST_CASE("closing marks are text after four without an opening mark") {
    std::string reply;
    for (int i = 0; i < 1000; ++i) reply += "x</think>";
    const auto heard = hear({reply});
    CHECK(heard.taken_back == 4);
    CHECK(heard.said.size() == reply.size() - 4 * std::string_view("x</think>").size());
}
TEST_CASE("text is reported immediately when it cannot be a mark") {
    Heard heard;
    ThoughtFilter filter(heard);
    filter.pass("It is <b>");
    CHECK(heard.said == "It is <b>");
    filter.pass(" 42 <th");
    CHECK(heard.said == "It is <b> 42 ");
}
TEST_CASE("a whole reply has reasoning in its text moved to its reasoning") {
    ChatReply reply{.text = "<think>b</think>42", .reasoning = "a"};
    CHECK(part_thoughts(reply));
    CHECK(reply.text == "42");
    CHECK(reply.reasoning == "a\nb");
    CHECK_FALSE(part_thoughts(reply));
}
