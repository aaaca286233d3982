// Reads and writes lines with a thread for each descriptor, since descriptors that other programs share must stay
// blocking, and poll(2) does not wait for files. Internal to workflows/mcp.
//
//     LineReader reader(0, limits, signal);                       // rings when a line or the end has come
//     while (auto line = reader.take()) use(*line);
//     const bool over = reader.ended();                         // the input has ended, and all lines are taken
//     LineWriter writer(1, signal);                               // rings when all is written or the reader has gone
//     writer.put(line);
//
// You may destroy both at any time, also while the other side neither writes nor reads.
#pragma once
#include "engine/signal.hpp"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace weft::mcp_server {
struct IncomingLine {
    std::string text;
    bool too_long = false;  // the text is empty then
};
class LineReader {
public:
    LineReader(int descriptor, std::size_t longest, Signal signal);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    std::optional<IncomingLine> take();  // the next line; std::nullopt if none has come
    bool closed() const;                 // the input has ended; lines may be left
    bool ended() const;                  // the input has ended, and all lines are taken

private:
    void read_all();
    void add(std::string_view bytes);
    bool add_text(std::string text);
    bool add_line(IncomingLine);
    const int descriptor_;
    const std::size_t longest_;
    const Signal signal_;
    int stop_[2] = {-1, -1};
    mutable std::mutex mutex_;
    std::condition_variable taken_;
    std::deque<IncomingLine> lines_;
    std::size_t bytes_ = 0;  // of untaken lines
    bool ended_ = false, stopping_ = false;
    // Used by the thread only:
    std::string begun_;
    bool skipping_ = false;
    std::thread thread_;
};
class LineWriter {
public:
    LineWriter(int descriptor, Signal signal);
    /// Waits a moment until the lines are written.
    ~LineWriter();
    LineWriter(const LineWriter&) = delete;
    void put(std::string line);  // adds the end of the line
    std::size_t unwritten() const;
    bool broken() const;  // the reader has gone

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
