// Starts a thread, or says in a sentence that the system refuses to: a user or a container may have too many.
//
//     std::thread thread = core::start_thread("an engine", [&io] { io.run(); });
#pragma once
#include <functional>
#include <string_view>
#include <thread>

namespace weft::core {
/// Throws Error{configuration} with the cure if the system starts no thread. `owner` is the subject that needs it.
std::thread start_thread(std::string_view owner, std::function<void()> work);
}
