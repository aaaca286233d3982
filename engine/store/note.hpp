// A store notifies operators when it fails, and when it works again.
//
//     SqliteStore store("weft.db", {.note = [](const StoreNote& note) { std::cerr << note.text << '\n'; }});
//
// engine/telemetry/store_watch.hpp counts these notes as metrics.
#pragma once
#include <functional>
#include <string>

namespace weft {
struct StoreNote {
    std::string text;    // a sentence that names the store and the cause, without a password
    bool fails = false;  // false: the store works again
};
/// Called on a thread of the store, which waits for the return. It must not throw.
using StoreNotes = std::function<void(const StoreNote&)>;
}
