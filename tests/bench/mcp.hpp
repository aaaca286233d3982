// Common code of workload I: a server of MCP with minimal cost, so that a figure shows the client's cost, and child
// processes with pipes.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

namespace bench {
/// Serves both eras until its input ends, with the tool "echo" of the official server "everything". It begins after a
/// number of milliseconds, like a slow server.
int serve_mcp_by_pipes(int pause);
/// Prints its address, and serves until it is killed.
int serve_mcp_by_http();

/// A program with its input and its output, killed by the destructor.
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
/// Starts this program with other arguments.
std::vector<std::string> this_program(std::vector<std::string> words);
}
