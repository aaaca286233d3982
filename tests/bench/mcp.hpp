// What the programs of workload I share: a server of MCP that costs as little as possible, so that a figure is about
// the client, whoever that is, and processes that are spoken to by their pipes.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

namespace bench {
/// Speaks both eras, and has the tool "echo", as that of the official server "everything". The time before it begins,
/// in ms, is that of a server which starts slowly. Until its input ends.
int serve_mcp_by_pipes(int pause);
/// Prints its address. Until it is killed.
int serve_mcp_by_http();

/// A program with its input and its output, killed when this object goes.
class Child {
public:
    explicit Child(std::vector<std::string> words);
    ~Child();
    Child(const Child&) = delete;
    void write(const std::string& bytes) const;
    std::string read_line();

private:
    pid_t id_ = 0;
    int input_ = -1, output_ = -1;
    std::string read_;
};
/// This program again, with other words.
std::vector<std::string> this_program(std::vector<std::string> words);
}
