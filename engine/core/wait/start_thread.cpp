// A std::system_error of a thread has no word about threads.
#include "engine/core/wait/start_thread.hpp"
#include "engine/error.hpp"
#include <string>
#include <system_error>

namespace weft::core {
std::thread start_thread(std::string_view owner, std::function<void()> work) {
    try {
        return std::thread(std::move(work));
    } catch (const std::system_error& error) {
        throw Error(Code::configuration, "the system starts no thread for " + std::string(owner) + " (" + error.what() +
                                             "): raise the limit of ulimit -u, or of the container");
    }
}
}
