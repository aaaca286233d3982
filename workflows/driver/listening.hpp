// What the commands that listen for clients have in common.
//
//     const auto tokens = read_tokens(choices.serve.token_file);    // throws Error{configuration}
//     raise_descriptor_limit();
#pragma once
#include "workflows/driver/options.hpp"
#include "workflows/server/guard/guard.hpp"
#include <string>
#include <vector>

namespace weft::driver {
/// One a line; empty lines and those that begin with # say nothing. Without a file there are none.
std::vector<std::string> read_tokens(const std::string& file);
/// The server's own checks, whose sentences know no options: these stand behind the sentence. `address_option`: which
/// option has given the host. Throws Error{configuration}.
void check_listening(const ServeChoices&, const char* address_option, const std::string& host,
                     const server::GuardOptions&);
/// Each connection takes a descriptor, and the usual limit is far below what a server may have.
void raise_descriptor_limit();
/// Files that one conversation, or one run at a time, writes. Throws Error{usage}.
void refuse_options_of_one_run(const catalog::AgentOptions&);
}
