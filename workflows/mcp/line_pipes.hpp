// Standard input and output as lines, with a thread each: descriptors that are shared with other programs must not be
// made non-blocking, and files cannot be waited for. Internal to workflows/mcp.
//
//     LineReader reader(0, limits, signal);                       // rings when there is something to take
//     while (auto line = reader.take()) use(*line);
//     const bool over = reader.ended();                         // and all lines were taken
//     LineWriter writer(1, signal);                               // rings when it has caught up, and when nobody reads
//     writer.put(line);
//
// Both are destroyed at any time, also while the other side neither writes nor reads.
#pragma once
#include "engine/signal.hpp"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace weft::mcp_server {
struct Line {
    std::string text;
    bool too_long = false;  // then the text is missing
};
class LineReader {
public:
    LineReader(int descriptor, std::size_t longest, Signal signal);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    std::optional<Line> take();  // the next; nothing: there is none so far
    bool closed() const;         // the other side has closed it; there may be lines left
    bool ended() const;          // and all lines were taken

private:
    void read_all();
    void add(std::string_view bytes);
    bool add_text(std::string text);
    bool add_line(Line);
    const int descriptor_;
    const std::size_t longest_;
    const Signal signal_;
    int stop_[2] = {-1, -1};
    mutable std::mutex mutex_;
    std::condition_variable taken_;
    std::deque<Line> lines_;
    std::size_t bytes_ = 0;  // of the lines
    bool ended_ = false, stopping_ = false;
    // Of the thread:
    std::string begun_;
    bool skipping_ = false;
    std::thread thread_;
};
class LineWriter {
public:
    LineWriter(int descriptor, Signal signal);
    /// Gives what was put a moment to be written.
    ~LineWriter();
    LineWriter(const LineWriter&) = delete;
    void put(std::string line);  // adds the end of the line
    std::size_t unwritten() const;
    bool broken() const;  // nobody reads any more

private:
    void write_all();
    bool write(std::string_view text);
    const int descriptor_;
    const Signal signal_;
    int stop_[2] = {-1, -1};
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> lines_;
    std::size_t bytes_ = 0;
    bool broken_ = false, stopping_ = false;
    std::thread thread_;
};
}
