// Data in the pipes of a child process, in both directions.
#include "tests/engine/process/children.hpp"
#include <boost/asio/detached.hpp>
#include <csignal>
using namespace test;
using Strings = std::vector<std::string>;

TEST_CASE("a child gets all input and its end, and its lines are read to their end") {
    const auto lines = testing::await([]() -> awaitable<Strings> {
        const process::Options options{.command = "sort", .arguments = {"-r"}};
        Process sort(*co_await this_runtime(), options);
        co_await sort.write("a\nb");
        co_await sort.write("b\nc\n");
        sort.close_input();
        auto sorted = co_await rest_of(sort);
        const auto status = co_await sort.stop();
        sorted.push_back(status.sentence());
        co_return sorted;
    }());
    CHECK(lines == Strings{"c", "bb", "a", "exited with code 0"});
    CHECK(is_childless());
}
TEST_CASE("texts far beyond a pipe's size arrive whole and in order, while answers are read") {
    const std::string text(3'000'000, 'x');
    const auto sizes = testing::await([](const std::string& t) -> awaitable<std::vector<std::size_t>> {
        const auto* runtime = co_await this_runtime();
        const process::Options options{.command = "cat"};
        Process cat(*runtime, options);
        for (char end : {'1', '2', '3'}) spawn(*runtime, cat.write(t + end + "\n"), asio::detached);
        std::vector<std::size_t> found;
        for (char end : {'1', '2', '3'}) {
            auto line = co_await cat.read_line();
            if (line && line->text.back() == end) found.push_back(line->text.size());
        }
        co_return found;
    }(text));
    CHECK(sizes == std::vector<std::size_t>(3, text.size() + 1));
}
TEST_CASE("a last line without a newline is a line") {
    CHECK(outcome_of(script("printf 'one\\ntwo'")).lines == Strings{"one", "two"});
}
TEST_CASE("a line of 50 MB is dropped and reported with its length, and the text after it is read") {
    const auto lines = testing::await([]() -> awaitable<std::vector<process::SplitLine>> {
        Process process(*co_await this_runtime(), script("head -c 50000000 /dev/zero | tr '\\0' x; echo; echo after"));
        std::vector<process::SplitLine> found;
        while (auto line = co_await process.read_line()) found.push_back(std::move(*line));
        co_return found;
    }());
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].left_out == 50'000'000);
    CHECK(lines[0].text.empty());
    CHECK(lines[1].text == "after");
}
TEST_CASE("a flood on standard error blocks no reader, and its end is kept") {
    auto options = script("head -c 50000000 /dev/zero | tr '\\0' e >&2; echo the last words >&2; echo done");
    options.kept_errors = 100;
    const auto outcome = outcome_of(options);
    CHECK(outcome.lines == Strings{"done"});
    CHECK(outcome.errors.size() == 100);
    CHECK(outcome.errors.ends_with("eeethe last words\n"));
}
TEST_CASE("each line of standard error is reported, also the last one, and after exceptions") {
    Strings told;
    auto options = script("echo one >&2; head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; printf three >&2");
    options.on_error_line = [&](std::string_view line) {
        told.emplace_back(line);
        throw std::runtime_error("a caller's mistake");
    };
    testing::await([](process::Options o) -> awaitable<void> {
        Process process(*co_await this_runtime(), std::move(o));
        co_await process.stop();
    }(options));
    CHECK(told == Strings{"one", "(a line of 100000 bytes)", "three"});
}
TEST_CASE("a child waits while its lines are unread, and continues when they are read") {
    const Folder folder;
    auto options = script("yes " + std::string(99, 'y') + " | head -n 20000; echo done > " + folder.path("done"));
    options.waiting_output = 10'000;
    Bench bench;
    Process process(bench.runtime, options);
    for (int i = 0; i < 20; ++i) bench.settle();
    CHECK(folder.names().empty());

    const auto lines = bench.begin(rest_of(process));
    REQUIRE(bench.until([&] { return lines->has_value(); }));
    CHECK((*lines)->size() == 20'000);
    CHECK(folder.names() == Strings{"done"});
}
TEST_CASE("writing to a child that has closed its input gives a descriptive error and no signal") {
    const auto sentences = testing::await([]() -> awaitable<Strings> {
        Process deaf(*co_await this_runtime(), script("exec 0<&-; echo closed; exec sleep 1000"));
        Strings said;
        said.push_back(co_await next_line(deaf));
        for (int i = 0; i < 2; ++i) {
            try {
                co_await deaf.write("hello\n");
            } catch (const Error& error) { said.push_back(error.what()); }
        }
        co_return said;
    }());
    REQUIRE(sentences.size() == 3);
    CHECK(sentences[1] == "nothing can be written to the program \"sh\": it has closed its standard input");
    CHECK(sentences[2] == sentences[1]);
}
TEST_CASE("a writer that waits for a child's input learns how the child ended") {
    const auto sentence = testing::await([]() -> awaitable<std::string> {
        Process process(*co_await this_runtime(), script("read x; exit 7"));
        co_await process.write("go on\n");
        co_await process.ended();
        try {
            co_await process.write(std::string(1'000'000, 'x'));
        } catch (const Error& error) { co_return error.what(); }
        co_return "(none)";
    }());
    CHECK(sentence == "nothing can be written to the program \"sh\": it exited with code 7");
}
TEST_CASE("a cancelled write leaves no partial text: a begun one is finished, a waiting one is dropped") {
    Bench bench;
    Process process(bench.runtime, script("kill -STOP $$; exec cat"));
    Strings given_up;
    const auto try_to_write = [&](char what) {
        spawn(
            bench.runtime,
            [](Process& p, char c, Strings& ends) -> awaitable<void> {
                auto writing = p.write(std::string(1'000'000, c) + "\n");
                try {
                    co_await with_timeout(1s, std::move(writing));
                    ends.push_back(std::string("done ") + c);
                } catch (const Error& error) { ends.push_back(std::string("given up ") + c); }
            }(process, what, given_up),
            asio::detached);
    };
    try_to_write('a');
    try_to_write('b');
    bench.settle();
    bench.clock.advance(1s);
    REQUIRE(bench.until([&] { return given_up.size() == 2; }));
    CHECK(given_up == Strings{"given up a", "given up b"});

    try_to_write('c');
    bench.settle();
    process.close_input();
    const auto lines = bench.begin(rest_of(process));
    REQUIRE(bench.until([&] {
        ::kill(process.id(), SIGCONT);  // it may not have stopped yet
        return lines->has_value();
    }));
    REQUIRE((*lines)->size() == 2);
    CHECK((**lines)[0] == std::string(1'000'000, 'a'));
    CHECK((**lines)[1] == std::string(1'000'000, 'c'));
}
TEST_CASE("a child's input takes nothing after its end, and ending it twice is harmless") {
    const auto sentence = testing::await([]() -> awaitable<std::string> {
        const process::Options options{.command = "cat"};
        Process cat(*co_await this_runtime(), options);
        cat.close_input();
        cat.close_input();
        try {
            co_await cat.write("late\n");
        } catch (const Error& error) { co_return error.what(); }
        co_return "(none)";
    }());
    CHECK(sentence == "nothing can be written to the program \"cat\": it has no input any more, because "
                      "it was closed here");
}
TEST_CASE("a second reader of one output is a reported mistake") {
    Bench bench;
    Process cat(bench.runtime, {.command = "cat"});
    const auto first = bench.begin(next_line(cat));
    bench.settle();
    std::string refusal;
    spawn(bench.runtime, next_line(cat), [&](std::exception_ptr error, std::string) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const Error& e) { refusal = e.what(); }
    });
    bench.settle();
    CHECK(refusal.find("two coroutines") != refusal.npos);
    spawn(bench.runtime, cat.write("for the first\n"), asio::detached);
    REQUIRE(bench.until([&] { return first->has_value(); }));
    CHECK(**first == "for the first");
}
TEST_CASE("text sent without waiting is bounded, arrives whole and in order, and may arrive after the child's end") {
    Bench bench;
    Process cat(bench.runtime, script("kill -STOP $$; exec cat"));
    for (char what : {'a', 'b', 'c', 'd'}) cat.send(std::string(400'000, what) + "\n");
    cat.close_input();
    cat.send("late\n");
    const auto lines = bench.begin(rest_of(cat));
    REQUIRE(bench.until([&] {
        ::kill(cat.id(), SIGCONT);
        return lines->has_value();
    }));
    std::string begins;
    for (const auto& line : **lines) begins += line.size() == 400'000 ? line[0] : '?';
    CHECK(begins == "ab");
}
