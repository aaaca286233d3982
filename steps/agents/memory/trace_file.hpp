// Questions and answers in a JSON file that people and other programs can read:
//
//     {
//         "question_trace": ["How many orders were there in 2024?"],
//         "answer_trace": ["34"]
//     }
//
// Two lists of the same length, UTF-8; other members are kept. A third list, run_trace, has a mark of each run that
// has added to them, so that one that was killed adds nothing twice. A file that is missing or empty holds nothing.
// Whatever else is not such a file - unequal lists, other types, no JSON, more than 16 MB, a folder, a device, no right
// to read - is Error{configuration} that names file and cure, and the file stays as it is.
//
//     const TraceFile file("memory.json");
//     auto exchanges = file.read();
//     file.change(stop, 5s, [&](TraceContent& all) { all.exchanges.push_back(exchange); });
//
// A change is atomic: a new file, with the mode of the old one or else 0600, is written beside it, synced, and put in
// its place. Readers, also after a power cut, find the old one or the new one. Changes by any number of threads and
// processes come one after the other, so that none loses what another has added. A symbolic link stays: what it leads
// to is replaced. All of this blocks: off the loop.
#pragma once
#include "steps/agents/memory/memory.hpp"
#include <chrono>
#include <functional>
#include <stop_token>

namespace weft::agents {
struct TraceContent {
    std::vector<Exchange> exchanges;
    std::vector<std::string> marks;  // marks of runs that added something, the oldest first
};
class TraceFile {
public:
    /// Throws Error{configuration} if the path leads into no folder, or where nothing may be written. The file need not
    /// exist.
    explicit TraceFile(const std::string& path);
    std::vector<Exchange> read() const;
    /// Reads the file as it is now, changes what it holds, and writes that. Waits so long for others who change it.
    /// Throws Error{configuration} too if the file cannot be written, and system_error(operation_aborted) if stopped.
    void change(const std::stop_token&, std::chrono::milliseconds wait,
                const std::function<void(TraceContent&)>&) const;

private:
    std::string path_;    // as the user wrote it, for sentences
    std::string target_;  // path_ with its links followed
};
}
