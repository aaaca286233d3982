// All that is known of a provider: one row. The rows stand in steps/models/protocols/protocols.cpp; no other place in
// the program has a key variable, an address or a default model.
//
//     for (const auto* protocol : protocols()) std::puts(protocol->name);
//
// A new provider is two files, which write its requests and read its replies, and its row.
#pragma once
#include "steps/models/protocols/fault.hpp"
#include <memory>
#include <span>
#include <string>

namespace weft::net {
struct Url;
}
namespace weft::models {
class Features;
class ReplyReader;
class Settings;
struct ChatRequest;
struct Protocol {
    struct Header {
        const char *name = nullptr, *value = nullptr;
    };

    // What users write and read.
    const char* name;   // before the colon of a model's name; what Native::protocol says, too
    const char* about;  // a line of the help
    /// Names without a provider that are its models'; `*` at the end is any rest. The longest that fits counts.
    const char* bare_names[8] = {};
    const char* service = nullptr;      // where no model is named, its key chooses it; null: it is never chosen so
    const char* usual_model = nullptr;  // the one it is asked for then
    const char* missing_model;          // what helps when there is no such model
    const char* unreachable;            // what helps when nobody answers
    const char* wrong_address;          // what helps when there is no such endpoint

    // What the environment says. The variables that may hold the key, the first one first.
    const char* keys[2] = {};
    bool needs_key = true;                              // unless a base URL leads elsewhere
    const char* base_variable;                          // of the base URL
    const char* base;                                   // without it
    const char* version = nullptr;                      // what a base URL has to end in; null if it is taken as it is
    net::Url (*read_base)(std::string text) = nullptr;  // null: as most addresses are read

    // How it is spoken to.
    Header key;                                                  // the value stands before the key
    Header fixed = {};                                           // sent with every request, if there is one
    bool idempotency_key = false;                                // whether its servers take one
    std::string (*path)(const std::string& model, bool stream);  // below the base URL
    /// A JSON document.
    std::string (*request)(const ChatRequest&, const std::string& model, bool stream, const Features&);
    std::unique_ptr<ReplyReader> (*reader)(const ChatRequest&, const Secret& key);  // of streamed and whole replies

    Hints hints() const { return {keys[0], missing_model, unreachable, wrong_address}; }
};

/// All rows, in the order in which they are listed and looked for.
std::span<const Protocol* const> protocols();
/// Every key that is set: whichever a request may contain.
std::vector<Secret> known_keys(const Settings&);
/// As sentences list them: "a, b or c".
std::string one_of(const std::vector<std::string>& words);
}
