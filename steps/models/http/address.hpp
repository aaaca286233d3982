// Reads the address of a model's server in any usual form: with or without the version, with the path of an endpoint,
// even of another protocol of the same server, or copied from a cloud's page with a query.
//
//     const auto base = read_base("http://localhost:11434/v1/chat/completions", "OLLAMA_HOST", ollama_chat);
//
// Requests go below the base, with its query at the end. An address without a scheme is http for localhost, a numeric
// host or any port but 443 and 8443, and https for other domains.
#pragma once
#include "engine/net/url.hpp"
#include "steps/models/protocols/protocol.hpp"

namespace weft::models {
/// Throws Error{configuration} that names `source`, the variable or option of the address.
net::Url read_base(std::string_view text, const std::string& source, const Protocol&);
/// Throws Error{configuration} for text that is not an address in any protocol.
void check_base(std::string_view text, const std::string& source);
/// Returns the header for the key; Azure has its own.
Protocol::Header key_header(const Protocol&, const net::Url& base, const Secret& key);
}
