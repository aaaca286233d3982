// A reflection that is reported while it arrives.
#include "engine/text/text.hpp"
#include "steps/agents/reflect/reflection_stream.hpp"
#include "steps/agents/reflect/replies.hpp"
#include "tests/support/reflect.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
/// A model that replies in pieces of a number of bytes.
class InPieces final : public models::ChatModel {
public:
    InPieces(std::string reflection, std::size_t size) : reflection_(std::move(reflection)), size_(size) {}
    using ChatModel::chat;
    std::string name() const override { return "in pieces"; }
    awaitable<models::ChatReply> chat(const models::ChatRequest& request, const models::OnDelta& on_delta) override {
        auto reply = say(read_request(request).kind == Request::reflection ? reflection_
                                                                           : test::request("final_answer", "done"));
        if (breaks && !std::exchange(broken_, true)) {
            on_delta("A beginning that nobody is going to see the end of, for it breaks off in the middle of");
            if (!request.restart) throw Error(Code::model_failed, "it broke off, and was not asked again");
            models::CallNote note;
            note.kind = models::CallNote::Kind::restart;
            request.on_note(note);
        }
        for (std::size_t i = 0; on_delta && i < reply.text.size(); i += size_) on_delta(reply.text.substr(i, size_));
        co_return reply;
    }
    bool breaks = false;

private:
    const std::string reflection_;
    const std::size_t size_;
    bool broken_ = false;
};
struct Heard {
    std::vector<std::string> names;
    std::string since_restart;
    std::string whole;
    std::size_t pieces = 0;
};
template <class R> awaitable<void> hear_all(R run, Heard& heard) {
    while (auto event = co_await run.next_event()) {
        heard.names.emplace_back(event->name());
        if (event->template get_if<CallNoteEvent>()) heard.since_restart.clear();
        if (auto* piece = event->template get_if<ReflectionDeltaEvent>()) {
            heard.since_restart += piece->text;
            ++heard.pieces;
        }
        if (auto* all = event->template get_if<ReflectionEvent>()) heard.whole = all->text;
    }
}
Heard listen_to(InPieces& model) {
    Heard heard;
    tools::Registry none;
    ReflectOptions options;
    testing::ManualClock clock;
    asio::io_context io{1};
    Loop loop(Runtime{io.get_executor(), &clock});
    auto run = loop.start(workflows::reflect.with(model, no_memory(), none, options), {.text = "?"});
    spawn(io.get_executor(), hear_all(std::move(run), heard), asio::detached);
    testing::drive(io, clock);
    return heard;
}
const std::string long_one = "I know the sales of both quarters, é, and the difference of them is what is missing; "
                             "so the next step is the calculator.";
}

TEST_CASE("the pieces of a reflection are its text, without labels and words of other sections") {
    const std::string replies[] = {
        "REFLECTION >> " + long_one,
        " \n**Reflection:** " + long_one + "\n\nSecond line.\n\nACTION >>\n",
        long_one + "\nOBSERVATION >> forged\nand more",
        long_one,
        "Short.",
    };
    for (const auto& reply : replies)
        for (const std::size_t size : {1, 3, 12, 1000}) {
            InPieces model(reply, size);
            const auto heard = listen_to(model);
            CAPTURE(reply);
            CHECK(heard.whole == read_reflection(reply));
            CHECK(heard.since_restart == heard.whole);
            CHECK(heard.names.back() == "AnswerEvent");
            if (size < 100 && reply.size() > 100) CHECK(heard.pieces > 3);
        }
}
TEST_CASE("the pieces of a reflection join to its text at any end and any cut") {
    const std::string replies[] = {
        "Text.\nACTION\nARGUMENT\nOBSERVATION\nREFLECTION\nFINAL ANSWER",
        "Text.\n" + std::string(50, '*') + "\nACTION",
        "I look.\n" + std::string(60, '*') + "OBSERVATION >> x",
        "\n" + std::string(60, '*') + "OBSERVATION >> x",
        "REFLECTION" + std::string(60, '_') + ">> x",
        "I look.\n" + std::string(60, ' ') + "**Observation" + std::string(20, '_') + ":\nmore",
        "I look.\n" + std::string(90, '*') + "Observation >> is too far to the right, é",
        "Reflection is what I do. ACTIO",
        "  ** > \n\t**Reflections, of ALL OF THE SALES.** ACTION >> ",
        "OBSERVATION >> nothing but this",
    };
    for (const auto& reply : replies)
        for (std::size_t size = 1; size <= reply.size() + 1; ++size) {
            InPieces model(reply, size);
            const auto heard = listen_to(model);
            CAPTURE(reply);
            CAPTURE(size);
            CHECK(heard.whole == read_reflection(reply));
            CHECK(heard.since_restart == heard.whole);
        }
}
TEST_CASE("a reported part of a reflection stays valid, whatever follows") {
    const std::string parts[] = {"\n",          "*",   "____", ">", ":", " ", "ACTION",     "FINAL ANSWER",
                                 "Observation", "OBS", "x",    ".", "é", "#", "REFLECTION", std::string(60, '*')};
    std::uint64_t state = 7;
    for (int round = 0; round < 3000; ++round) {
        std::string reply;
        for (int i = 0; i < 12; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            reply += parts[(state >> 33) % std::size(parts)];
        }
        const auto whole = read_reflection(reply);
        const auto text = trimmed_front(reply);
        CAPTURE(reply);
        for (std::size_t size = 0; size <= text.size(); ++size)
            REQUIRE(whole.starts_with(certain_reflection(text.substr(0, size))));
    }
}
TEST_CASE("a restarted reply is reported again without any option") {
    InPieces model("REFLECTION >> " + long_one, 5);
    model.breaks = true;
    const auto heard = listen_to(model);
    CHECK(heard.names[0] == "ReflectionDeltaEvent");
    CHECK(heard.since_restart == long_one);
}
TEST_CASE("an overlong reflection is cut, and its pieces join to the cut text") {
    const std::string reply(200'000, 'x');
    InPieces model(reply, 10);
    const auto heard = listen_to(model);
    CHECK(heard.whole.ends_with("... [cut]"));
    CHECK(heard.since_restart == heard.whole);
}
