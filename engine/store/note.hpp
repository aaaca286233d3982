// A store tells people that it fails, and that it works again.
//
//     SqliteStore store("weft.db", {.note = [](const StoreNote& note) { std::cerr << note.text << '\n'; }});
//
// engine/telemetry/store_watch.hpp makes metrics of it.
#pragma once
#include <functional>
#include <string>

namespace weft {
struct StoreNote {
    std::string text;    // a sentence that names the store and the cause, without a password
    bool fails = false;  // else it works again
};
/// Called on a thread of the store's own, which waits for it. It must not throw.
using StoreNotes = std::function<void(const StoreNote&)>;
}
