// The trace of a run as one HTML page that needs nothing else: to be opened from disk, kept, or sent to somebody.
//
//     save_page("trace.html", html_page(trace.entries(), {.question = question, .outcome = "answered"}));
//
// Whatever models and tools have said is neutralised (steps/view/neutralise.hpp) and escaped; a content security
// policy allows the page's own style and script by their hashes and nothing else, so that even a text that got out of
// its place could load, run or send nothing. Sub-questions are folded; the script only searches and unfolds: without
// it the page can be read all the same. Bounded: long texts are cut, later entries left out, each with a mark that
// counts.
#pragma once
#include "steps/view/entry.hpp"
#include <span>
#include <string>
#include <string_view>

namespace weft::view {
struct PageHeader {  // what is empty is left out
    std::string question, outcome, workflow, dialect, model;
    std::string begun;  // date and time
    std::string spent;  // besides tokens: requests, calls, cost
};
struct PageLimits {  // bytes
    std::size_t longest_text = 64 << 10;
    std::size_t longest_page = 8 << 20;  // of the entries as HTML; the first one is always there
};
std::string html_page(std::span<const TraceEntry>, const PageHeader&, const PageLimits& = {});

/// Puts the page in place of the file at the path, or makes it: whoever looks finds the old page or the whole new one.
/// A symbolic link stays, and what it leads to is replaced. Throws Error{configuration} that names file and cure, also
/// for a file that is no page. It blocks: off the loop.
void save_page(const std::string& path, std::string_view page);
}
