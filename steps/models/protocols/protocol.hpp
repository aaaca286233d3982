// All facts about a provider: one row. The rows are in steps/models/protocols/protocols.cpp; the rest of the program
// has no key variable, address or default model.
//
//     for (const auto* protocol : protocols()) std::puts(protocol->name);
//
// A new provider needs its row and two files, which write its requests and read its replies.
#pragma once
#include "steps/models/protocols/wire/fault.hpp"
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
    /// A header of HTTP. Protocol::key has the prefix of the key as its value.
    struct Header {
        const char *name = nullptr,  // null: the header is not sent
            *value = nullptr;        // for a key, the prefix before it
    };

    // For users.
    const char* name;   // prefix of a model's name; also in Native::protocol
    const char* about;  // a line of the help
    /// Names without a provider that belong to it; a final `*` matches any rest. The longest match counts.
    const char* bare_names[8] = {};
    const char* service = nullptr;      // its key selects it if the user names no model; null: never selected
    const char* usual_model = nullptr;  // the model in that case
    const char* missing_model;          // cure if the model does not exist
    const char* unreachable;            // cure if the server does not answer
    const char* wrong_address;          // cure if the endpoint does not exist

    // From the environment. Variables of the key, in order.
    const char* keys[2] = {};                           // names; the first variable with a text counts
    bool needs_key = true;                              // unless a base URL is given
    const char* base_variable;                          // the variable of the base URL
    const char* base;                                   // the default base URL
    const char* version = nullptr;                      // required end of a base URL; null: none
    net::Url (*read_base)(std::string text) = nullptr;  // null: the usual reader

    // On the wire.
    Header key;                                                  // the prefix of the key in its header
    Header fixed = {};                                           // sent with every request
    bool idempotency_key = false;                                // true if the servers support one
    std::string (*path)(const std::string& model, bool stream);  // below the base URL
    /// Returns a JSON document.
    std::string (*request)(const ChatRequest&, const std::string& model, bool stream, const Features&);
    std::unique_ptr<ReplyReader> (*reader)(const ChatRequest&, const Secret& key);  // reads streamed and whole replies

    /// The cures for the sentences of faults.
    ProviderHints hints() const { return {keys[0], missing_model, unreachable, wrong_address}; }
};

/// All rows, in the order of lists and searches.
std::span<const Protocol* const> protocols();
/// Returns every key that is set, because a request may contain any of them.
std::vector<Secret> known_keys(const Settings&);
/// Returns "a, b or c", for sentences.
std::string one_of(const std::vector<std::string>& words);
}
