// Where a model's server is, from whatever address people have at hand: with the version or without, down to the very
// end of an example, of another protocol of the same server, or copied from a cloud's page with a query.
//
//     const auto base = read_base("http://localhost:11434/v1/chat/completions", "OLLAMA_HOST", ollama_chat);
//
// Requests go below the base; its query stays at the end of each. An address without a scheme is http if it is of this
// machine, a number, or has a port, and https if it is a domain.
#pragma once
#include "engine/net/url.hpp"
#include "steps/models/protocols/protocol.hpp"

namespace weft::models {
/// Throws Error{configuration} that names the source, the variable or option that it comes from.
net::Url read_base(std::string_view text, const std::string& source, const Protocol&);
/// Throws Error{configuration} for what is no address of any server, whatever its protocol.
void check_base(std::string_view text, const std::string& source);
/// The header that the key goes in: Azure has its own.
Protocol::Header key_header(const Protocol&, const net::Url& base, const Secret& key);
}
