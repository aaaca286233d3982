// Shows the trace of a run as one self-contained HTML page, which can be opened from disk, kept or sent.
//
//     save_page("trace.html", html_page(trace.entries(), {.question = question, .outcome = "answered"}));
// Text of models and tools is neutralised (steps/view/neutralise.hpp) and escaped. A content security policy allows
// only the page's own style and script, by their hashes, so even text outside of its element could load, run or send
// nothing. Sub-questions are folded; the script only searches and unfolds, so the page is readable without it. The size
// is bounded: long texts are cut and later entries left out, with marks that count the rest.
#pragma once
#include "steps/view/entry.hpp"
#include <span>
#include <string>
#include <string_view>

namespace weft::view {
struct PageHeader {  // empty members are omitted
    std::string question, outcome, workflow, dialect, model;
    std::string begun;  // date and time
    std::string spent;  // besides tokens: requests, calls, cost
};
struct PageLimits {  // bytes
    std::size_t longest_text = 64 << 10;
    std::size_t longest_page = 8 << 20;  // maximum HTML of the entries; the first entry is always included
};
std::string html_page(std::span<const TraceEntry>, const PageHeader&, const PageLimits& = {});

/// Replaces or creates the file atomically: a reader finds the old page or the whole new one. A symbolic link stays,
/// and its target is replaced. Throws Error{configuration} that names file and cure, also if an existing file is not
/// such a page. Only the owner can read a new file (0600). Blocks, so do not call it on a loop.
void save_page(const std::string& path, std::string_view page);
/// Throws like save_page() before there is a page, as far as the file system tells.
void try_page(const std::string& path);
}
