// Nested fan-outs: each chapter is collected, and then the book from all chapters.
#include "engine/run.hpp"
#include <iostream>
using namespace weft;

struct BookEvent : StartEvent {
    std::vector<std::vector<std::string>> chapters;
};
struct ChapterEvent {
    std::vector<std::string> pages;
};
struct PageEvent {
    std::string text;
};
struct BlankEvent {};
struct ProofEvent {
    std::string text;
};
struct ChapterProofEvent {
    std::string text;
};
struct BookProofEvent : StopEvent {
    std::string text;
};

// [outer]
std::vector<ChapterEvent> lay_out(Context&, BookEvent book) {
    std::vector<ChapterEvent> all;
    for (auto& pages : book.chapters) all.push_back({pages});
    return all;
}
BookProofEvent bind_book(Context&, std::vector<ChapterProofEvent> chapters) {
    std::string text;
    for (auto& chapter : chapters) text += '[' + chapter.text + ']';
    return {.text = text};
}
// [/outer]
// [inner]
std::vector<std::variant<PageEvent, BlankEvent>> leaf(Context&, ChapterEvent chapter) {
    std::vector<std::variant<PageEvent, BlankEvent>> all;
    for (auto& page : chapter.pages) {
        if (page.empty()) all.push_back(BlankEvent());
        else all.push_back(PageEvent{page});
    }
    return all;
}
ProofEvent proof(Context&, PageEvent page) { return {page.text + "."}; }
void skip(Context&, BlankEvent) {}
ChapterProofEvent bind_chapter(Context&, std::vector<ProofEvent> proofs) {
    std::string text;
    for (auto& p : proofs) text += p.text;
    return {text};
}
// [/inner]
inline constexpr auto printing = workflow("printing", step<lay_out>, step<leaf>, step<proof>, step<skip>,
                                          step<bind_chapter>, step<bind_book>);

int main() { std::cout << run(printing, {.chapters = {{"a", "", "b"}, {}, {"c"}}}).text << '\n'; }
// prints:
// [a.b.][][c.]
