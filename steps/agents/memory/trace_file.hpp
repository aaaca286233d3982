// Questions and answers in a JSON file that people and other programs can read:
//
//     {
//         "question_trace": ["How many orders were there in 2024?"],
//         "answer_trace": ["34"]
//     }
//
// The two lists have the same length; the text is UTF-8; other members are kept. A third list, run_trace, has a mark of
// each run that has added to the lists, so that a resumed run adds nothing twice. A missing or empty file is an empty
// memory. Any other file - unequal lists, other types, no JSON, more than 16 MB, a folder, a device, no right to read -
// is Error{configuration} that names the file and the cure, and the file stays unchanged.
//
//     const TraceFile file("memory.json");
//     auto exchanges = file.read();
//     file.change(stop, 5s, [&](TraceContent& all) { all.exchanges.push_back(exchange); });
//
// A change is atomic: it writes and syncs a new file beside the old one, with the same mode or else 0600, and renames
// it. Readers find the old or the new file, even after a power cut. A lock puts the changes of all threads and
// processes in sequence, so that none is lost. A symbolic link stays, and its target is replaced. All functions block:
// call them off the loop.
#pragma once
#include "steps/agents/memory/memory.hpp"
#include <chrono>
#include <functional>
#include <stop_token>

namespace weft::agents {
struct TraceContent {
    std::vector<Exchange> exchanges;
    std::vector<std::string> marks;  // marks of runs that added exchanges, the oldest first
};
class TraceFile {
public:
    /// Throws Error{configuration} if the path's folder does not exist, or if the file or its folder is not writable.
    /// The file need not exist.
    explicit TraceFile(const std::string& path);
    std::vector<Exchange> read() const;
    /// Reads the file, applies the function, and writes the result. Waits at most `wait` for the lock of other writers.
    /// Throws Error{configuration} also if the file cannot be written, and system_error(operation_aborted) if stopped.
    void change(const std::stop_token&, std::chrono::milliseconds wait,
                const std::function<void(TraceContent&)>&) const;

private:
    std::string path_;    // as the user wrote it, for messages
    std::string target_;  // path_ with its links followed
};
}
