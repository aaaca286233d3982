// The HTML page of a trace: its content, harmless texts, and its file.
#include "engine/error.hpp"
#include "steps/view/html_page.hpp"
#include "steps/view/neutralise.hpp"
#include "steps/view/page_text.hpp"
#include "tests/support/trace.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>
using namespace test;

namespace {
namespace fs = std::filesystem;

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
    return n;
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
/// Returns the tags without the text between them.
std::string tags_of(const std::string& page) {
    std::string tags;
    bool inside = false;
    for (const char c : page) {
        inside = inside || c == '<';
        if (inside) tags += c;
        if (c == '>') inside = false;
    }
    return tags;
}
std::string without(std::string page, const std::string& part) {
    const auto at = page.find(part);
    REQUIRE(at != page.npos);
    return page.erase(at, part.size());
}
struct Folder {
    const fs::path path = fs::temp_directory_path() / ("weft_pages_" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string file(const char* name) const { return (path / name).string(); }
};
std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
}

// shows A-23
TEST_CASE("a page shows the question, the outcome, and every entry with its time and tokens") {
    auto entries = every_kind("hello");
    entries[1].usage = {100, 20};
    entries[1].step = 3;
    const auto page = html_page(entries, {.question = "How many?",
                                          .outcome = "answered",
                                          .workflow = "reflect",
                                          .model = "script:sales",
                                          .begun = "2024-05-01 10:00"});
    CHECK(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    for (const char* part :
         {"<title>How many? - trace</title>", "<meta name=\"viewport\"", "<meta charset=\"utf-8\">",
          "<h1 dir=\"auto\">How many?</h1>", "<dd>answered</dd>", "<dd>script:sales</dd>", "<dd>reflect</dd>",
          "<dd>2024-05-01 10:00</dd>", "step 3, at 2.00 s, 100 tokens read, 20 written", "<dd>15.00 s</dd>"})
        CHECK_MESSAGE(has(page, part), part);
    CHECK(count(page, "<article ") == 13);  // the question is the heading, the sub-question a fold
    CHECK(count(page, "<details class=\"sub\">") == 1);
    CHECK(has(page, "<details class=\"sub\">\n<summary><span class=\"kind\">Sub-question 1</span>"));
    CHECK_FALSE(has(page, "<dt>Dialect</dt>"));
}
TEST_CASE("entries of parallel sub-questions are folded at their own places") {
    std::vector<TraceEntry> entries;
    const auto add = [&](TraceKind kind, int sub_question, const char* text) {
        auto& entry = entries.emplace_back();
        entry.kind = kind;
        entry.sub_question = sub_question;
        entry.text = text;
    };
    add(TraceKind::sub_question, 1, "one?");
    add(TraceKind::sub_question, 2, "two?");
    add(TraceKind::reflection, 2, "two.");
    add(TraceKind::reflection, 1, "one.");
    add(TraceKind::reflection, 7, "of a question that nobody has asked");
    add(TraceKind::summary, 0, "both");
    const auto page = html_page(entries, {});
    std::size_t at = 0;
    for (const char* part : {"one?", "one.", "</details>", "two?", "two.", "</details>", "Sub-question 7",
                             "nobody has asked", "</details>", "both"}) {
        const auto next = page.find(part, at);
        CHECK_MESSAGE(next != page.npos, part);
        at = std::min(next, page.size());
    }
}
// shows B-A17
TEST_CASE("any text stays in its place on the page") {
    const auto plain = tags_of(html_page(every_kind("x"), {"x", "x", "x", "x", "x", "x"}));
    for (const auto& text : hostile_texts()) {
        const auto page = html_page(every_kind(text), {text, text, text, text, text, text},
                                    {.longest_text = std::size_t(4) << 20, .longest_page = std::size_t(1) << 30});
        CHECK(tags_of(page) == plain);
        CHECK(neutralise(page) == page);  // no hidden or invalid characters
    }
}
TEST_CASE("the content security policy allows only the page's own style and script, by their hashes") {
    const auto page = html_page(every_kind("x"), {});
    CHECK(has(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"" + page_policy() + "\">"));
    CHECK(page_policy().starts_with("default-src 'none'; style-src 'sha256-"));
    CHECK_FALSE(has(page_policy(), "unsafe"));
    CHECK(has(page, "<style>" + std::string(page_style()) + "</style>"));
    CHECK(has(page, "<script>" + std::string(page_script()) + "</script>"));
    const auto rest = without(without(page, std::string(page_style())), std::string(page_script()));
    for (const char* outside : {"http:", "https:", "src=", "url(", "style=", "onclick", "javascript:", "@import"})
        CHECK_FALSE_MESSAGE(has(rest, outside), outside);
    CHECK_FALSE(has(std::string(page_style()), "url("));
    CHECK_FALSE(has(std::string(page_style()), "</"));
    for (const char* danger : {"</", "<!--", "innerHTML", "eval", "fetch"})
        CHECK_FALSE_MESSAGE(has(std::string(page_script()), danger), danger);
}
// shows B-A18
TEST_CASE("a page is bounded: long texts are cut and later entries left out, and the marks count") {
    auto entries = every_kind(std::string(100, 'x'));
    for (auto& entry : entries) entry.label.clear();
    const auto cut = html_page(entries, {.question = "?"}, {.longest_text = 60});
    CHECK(has(cut, ">" + std::string(60, 'x') + "<em class=\"meta\">\n[40 more bytes]</em>"));
    CHECK_FALSE(has(cut, std::string(61, 'x')));
    const std::vector<TraceEntry> many(10000, every_kind("x")[1]);
    const auto short_page = html_page(many, {}, {.longest_page = 100000});
    CHECK(short_page.size() < 130000);
    const auto shown = count(short_page, "<article ");
    CHECK(has(short_page, "[" + std::to_string(10000 - shown) + " more entries]"));
    const auto huge = html_page(every_kind(std::string(std::size_t(1) << 22, '\x01')), {});
    CHECK(huge.size() < std::size_t(24) << 20);
    CHECK(has(html_page({}, {}), "</html>"));
}
TEST_CASE("a page is written as a whole or not at all") {
    const Folder folder;
    const auto path = folder.file("trace.html");
    save_page(path, "<!DOCTYPE html>one");
    CHECK(read(path) == "<!DOCTYPE html>one");
    CHECK(fs::status(path).permissions() == fs::perms(0600));
    fs::create_symlink("trace.html", folder.file("link.html"));
    save_page(folder.file("link.html"), "<!DOCTYPE html>two");
    CHECK(read(path) == "<!DOCTYPE html>two");
    CHECK(fs::is_symlink(folder.file("link.html")));
    CHECK(fs::status(path).permissions() == fs::perms(0600));
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 2);  // no temporary file is left
    std::ofstream(folder.file("notes.txt")) << "mine";
    CHECK_THROWS_AS(save_page(folder.file("notes.txt"), "<!DOCTYPE html>"), Error);
    CHECK_THROWS_AS(try_page(folder.file("notes.txt")), Error);
    try_page(path);
    try_page(folder.file("new.html"));
    CHECK_FALSE(fs::exists(folder.file("new.html")));
    CHECK(read(folder.file("notes.txt")) == "mine");
}
TEST_CASE("an unusable path of a page is refused in a sentence that names it") {
    const Folder folder;
    fs::create_symlink("round.html", folder.file("round.html"));
    for (const auto& path : {folder.path.string(), folder.file("none/trace.html"), std::string("/dev/null"),
                             std::string(), folder.file("round.html")}) {
        CAPTURE(path);
        try {
            CHECK_THROWS_AS(try_page(path), Error);
            save_page(path, "x");
            FAIL("it was taken");
        } catch (const Error& error) {
            CHECK(error.code() == Code::configuration);
            CHECK(has(error.what(), path.empty() ? "an empty name" : path));
        }
    }
}
