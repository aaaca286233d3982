// A memory in a file.
#include "engine/error.hpp"
#include "engine/pool.hpp"
#include "engine/testing/await.hpp"
#include "steps/agents/memory/memory_file.hpp"
#include "tests/support/folder.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
using namespace weft;
using namespace weft::agents;
using nlohmann::json;
using test::Folder;

namespace {
struct World : Folder {
    Pool pool;
    MemoryFile open(const std::string& name = "memory.json", MemoryFileLimits limits = {}) {
        return {pool, path(name), limits};
    }
    std::vector<std::string> questions(const std::string& name = "memory.json") {
        return json::parse(read(name)).at("question_trace");
    }
};
void save(MemoryFile& memory) { testing::await(memory.save()); }
std::string why(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) {
        CHECK(error.code() == Code::configuration);
        return error.what();
    }
    return "nothing";
}
}

// shows A-24: every answered question is remembered, sub-questions too
// shows A-25: the memory is a JSON file of two lists
TEST_CASE("the memory file has questions and answers as two lists, indented by four, in UTF-8") {
    World world;
    auto memory = world.open();
    memory.append("", {"Was hei\xC3\x9Ft \"Tee\"?", "tea\n"});
    save(memory);

    CHECK(world.read("memory.json") ==
          "{\n    \"question_trace\": [\n        \"Was hei\xC3\x9Ft \\\"Tee\\\"?\"\n    ],\n"
          "    \"answer_trace\": [\n        \"tea\\n\"\n    ]\n}\n");
    auto later = world.open();
    REQUIRE(later.read("").size() == 2);
    CHECK(later.read("")[1].content == "tea\n");
    CHECK(later.read("")[1].role == models::Role::assistant);
}
// shows B-A01: a memory works with or without a file
// shows B-A02: a bad memory file is refused, or replaced by an empty one
TEST_CASE("a missing, empty or blank file is an empty memory that can grow") {
    for (const char* text : {"", " \n", "{}", R"({"question_trace": [], "answer_trace": []})"}) {
        World world;
        if (*text) world.write("memory.json", text);
        auto memory = world.open();
        CHECK(memory.read("?").empty());
        memory.append("run", {"a?", "a"});
        save(memory);
        CHECK(world.questions() == std::vector<std::string>{"a?"});
    }
}
TEST_CASE("an invalid file is refused with the reason and the cure, and stays unchanged") {
    World world;
    for (const auto& [text, part] :
         {std::pair<std::string, const char*>{"{", "is not JSON"},
          {"[]", "must hold a JSON object"},
          {R"({"name": "weft"})", "it has no question_trace"},
          {R"({"question_trace": []})", "it has no answer_trace"},
          {R"({"question_trace": ["a"], "answer_trace": []})", "has 1 questions and 0 answers"},
          {R"({"question_trace": [1], "answer_trace": ["a"]})", "question_trace must be a list of texts"},
          {R"({"question_trace": ["a"], "answer_trace": [null]})", "answer_trace must be a list of texts"},
          {R"({"question_trace": "a", "answer_trace": "a"})", "question_trace must be a list of texts"},
          {"\xFF\xFE", "is not JSON"},
          {std::string((16u << 20) + 1, ' '), "larger than 16 MB"}}) {
        world.write("memory.json", text);
        CHECK(why([&] { world.open(); }).find(part) != std::string::npos);
        CHECK(world.read("memory.json") == text);
    }
    CHECK(why([&] { world.open("."); }).find("memory file") != std::string::npos);
    CHECK(why([&] { world.open("none/memory.json"); }).find("make the folder first") != std::string::npos);
    CHECK(why([&] { MemoryFile(world.pool, "/dev/null"); }).find("is not a plain file") != std::string::npos);
    CHECK(why([&] { MemoryFile(world.pool, ""); }).find("has no name") != std::string::npos);
    REQUIRE(::mkfifo(world.path("pipe").c_str(), 0600) == 0);
    CHECK(why([&] { world.open("pipe"); }).find("is not a plain file") != std::string::npos);
}
TEST_CASE("a file broken while the program runs is not overwritten, and nothing is lost once it is mended") {
    World world;
    auto memory = world.open();
    memory.append("1", {"a?", "a"});
    world.write("memory.json", "not JSON");

    CHECK(why([&] { save(memory); }).find("is not JSON") != std::string::npos);
    CHECK(world.read("memory.json") == "not JSON");
    CHECK(memory.read("").size() == 2);

    world.write("memory.json", "");
    memory.append("2", {"b?", "b"});
    save(memory);
    CHECK(world.questions() == std::vector<std::string>{"a?", "b?"});
}
// shows B-A03: memories share nothing
TEST_CASE("each file is its own memory, and a run is remembered once") {
    World world;
    auto one = world.open("one.json"), other = world.open("other.json");
    one.append("run", {"a?", "a"});
    save(one);
    one.append("run", {"a?", "again"});
    save(one);

    CHECK(one.read("").size() == 2);
    CHECK(other.read("").empty());
    CHECK(world.questions("one.json").size() == 1);
}
TEST_CASE("a run killed after its save adds nothing twice, and another run may save the same text") {
    World world;
    for (const char* run : {"a run", "a run", "another run"}) {
        auto memory = world.open();  // like a new process
        memory.append(run, {"a?", "a"});
        save(memory);
        CHECK(memory.read("").size() == 2 * world.questions().size());
    }
    CHECK(world.questions() == std::vector<std::string>{"a?", "a?"});

    auto memory = world.open();
    memory.append("a run", {"b?", "b"});  // another run with the same id
    save(memory);
    CHECK(world.questions().size() == 3);
    world.write("memory.json", R"({"question_trace": [], "answer_trace": [], "run_trace": [1]})");
    CHECK(why([&] { world.open(); }).find("run_trace must be a list of texts") != std::string::npos);
}
TEST_CASE("the marks of runs are bounded") {
    World world;
    for (int i = 0; i < 2; ++i) {
        auto memory = world.open("memory.json", {.stored = 2000});
        for (int n = 0; n < 600; ++n) memory.append(std::to_string(i) + " " + std::to_string(n), {"a?", "a"});
        save(memory);
    }
    CHECK(world.questions().size() == 1200);
    CHECK(json::parse(world.read("memory.json")).at("run_trace").size() == 1000);
}
// shows B-A21: memory is saved after each run, atomically, by one process at a time
TEST_CASE("a save replaces the file as a whole, keeps its mode, and leaves nothing else behind") {
    World world;
    world.write("memory.json", R"({"note": {"mine": 1}, "question_trace": ["a?"], "answer_trace": ["a"]})");
    REQUIRE(::chmod(world.path("memory.json").c_str(), 0640) == 0);
    world.write(".memory.json.new", "of one that was killed");
    auto memory = world.open();
    memory.append("", {"b?", "b"});
    save(memory);

    struct stat about {};
    REQUIRE(::stat(world.path("memory.json").c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0640);
    auto another = world.open("new.json");
    another.append("", {"c?", "c"});
    save(another);
    REQUIRE(::stat(world.path("new.json").c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0600);
    CHECK(json::parse(world.read("memory.json")).at("note").at("mine") == 1);
    CHECK(world.questions() == std::vector<std::string>{"a?", "b?"});
    CHECK(world.names() == std::vector<std::string>{"memory.json", "new.json"});
}
TEST_CASE("a symbolic link stays and its target is replaced; a cyclic link is refused") {
    World world;
    REQUIRE(::mkdir(world.path("real").c_str(), 0700) == 0);
    REQUIRE(::symlink("real/memory.json", world.path("link.json").c_str()) == 0);
    auto memory = world.open("link.json");
    memory.append("", {"a?", "a"});
    save(memory);

    CHECK(world.questions("real/memory.json").size() == 1);
    CHECK(world.names() == std::vector<std::string>{"link.json", "real"});
    REQUIRE(::symlink("round", world.path("round").c_str()) == 0);
    CHECK(why([&] { world.open("round"); }).find("leads back to itself") != std::string::npos);
}
TEST_CASE("a save waits a bounded time for a file locked by another process") {
    World world;
    auto memory = world.open("memory.json", {.wait = std::chrono::milliseconds(20)});
    memory.append("", {"a?", "a"});
    save(memory);
    memory.append("", {"b?", "b"});
    const int file = ::open(world.path("memory.json").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(file, LOCK_EX) == 0);
    CHECK(why([&] { save(memory); }).find("locked by another process") != std::string::npos);
    ::close(file);
    save(memory);
    CHECK(world.questions().size() == 2);
}
TEST_CASE("several processes at once lose nothing") {
    Folder folder;
    constexpr int processes = 3, runs = 15;
    for (int p = 0; p < processes; ++p)
        if (::fork() == 0) {
            int done = 1;
            try {
                Pool pool;
                MemoryFile memory(pool, folder.path("memory.json"));
                for (int i = 0; i < runs; ++i) {
                    const auto text = std::to_string(p * 1000 + i);
                    memory.append(text, {text, text});
                    save(memory);
                }
                done = 0;
            } catch (const std::exception&) {}
            ::_exit(done);
        }
    for (int p = 0; p < processes; ++p) {
        int status = 1;
        ::wait(&status);
        CHECK(status == 0);
    }
    Pool pool;
    MemoryFile memory(pool, folder.path("memory.json"), {.shown = 1000});
    const auto messages = memory.read("");
    CHECK(messages.size() == 2 * processes * runs);
    for (std::size_t i = 0; i < messages.size(); i += 2) CHECK(messages[i].content == messages[i + 1].content);
}
TEST_SUITE("threads") {
    TEST_CASE("several threads and memories of one file at once lose nothing") {
        World world;
        auto one = world.open(), other = world.open();
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                auto& memory = t % 2 ? one : other;
                for (int i = 0; i < 10; ++i) {
                    const auto text = std::to_string(t * 1000 + i);
                    memory.append(text, {text, text});
                    save(memory);
                    if (memory.read(text).empty()) std::abort();
                }
            });
        for (auto& thread : threads) thread.join();
        CHECK(world.questions().size() == 40);
    }
}
// shows A-26: the memory stands at the beginning of the prompt
// shows B-A19: the memory's part of a prompt has a mark at each end, and a limit
TEST_CASE("a prompt has the latest and the relevant exchanges, not all of them") {
    World world;
    auto memory = world.open("memory.json", {.shown = 5, .latest = 2});
    memory.append("", {"How many orders were there in 2024?", "34"});
    for (int i = 0; i < 20; ++i) memory.append("", {"What is " + std::to_string(i) + " squared?", "a number"});

    const auto messages = memory.read("Which orders were the largest?");

    REQUIRE(messages.size() == 6);
    CHECK(messages[0].content == "How many orders were there in 2024?");
    CHECK(messages[2].content == "What is 18 squared?");
    CHECK(messages[4].content == "What is 19 squared?");
    CHECK(memory.read("squared").size() == 10);
    CHECK(memory.read("").size() == 4);
}
TEST_CASE("texts and their sum are bounded in a prompt, and so are texts in the file") {
    World world;
    auto memory = world.open("memory.json", {.shown_bytes = 1000});
    memory.append("", {"short?", "short"});
    memory.append("", {"long?", std::string(100'000, 'x')});

    const auto messages = memory.read("");

    REQUIRE(messages.size() == 2);
    CHECK(messages[1].content.size() < 17'000);
    CHECK(messages[1].content.ends_with("\n[truncated]"));
    save(memory);
    CHECK(world.read("memory.json").size() < 18'000);
}
TEST_CASE("the file is bounded: the oldest exchanges are dropped first, the last one stays") {
    World world;
    auto memory = world.open("memory.json", {.stored = 3});
    for (const char* text : {"a", "b", "c", "d"}) memory.append("", {text, text});
    save(memory);
    CHECK(world.questions() == std::vector<std::string>{"b", "c", "d"});

    auto small = world.open("small.json", {.stored_bytes = 200});
    for (int i = 0; i < 9; ++i) small.append("", {std::string(20, char('a' + i)), "\x01\x02"});
    save(small);
    CHECK(world.questions("small.json").size() == 3);
    CHECK(world.questions("small.json").back() == std::string(20, 'i'));
}
