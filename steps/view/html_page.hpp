// The trace of a run as one self-contained HTML page: to open from disk, keep, or send to somebody.
//
//     save_page("trace.html", html_page(trace.entries(), {.question = question, .outcome = "answered"}));
// Text of models and tools is neutralised (steps/view/neutralise.hpp) and escaped; a content security policy allows
// only the page's own style and script, by their hashes, so that even text that escaped its element could load, run or
// send nothing. Sub-questions are folded; the script only searches and unfolds: the page can be read without it. The
// size is bounded: long texts are cut and later entries left out, and marks say how much.
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

/// Replaces or creates the file atomically: a reader finds the old page or the whole new one. A symbolic link stays,
/// and its target is replaced. Throws Error{configuration} that names file and cure, also if the file is not such a
/// page. A new file is for its owner alone (0600). Blocks, so do not call it on a loop.
void save_page(const std::string& path, std::string_view page);
/// Throws as save_page() would, before there is a page, as far as that can be told.
void try_page(const std::string& path);
}
