// Functions shared by the commands that listen for clients.
//
//     const auto tokens = read_tokens(choices.serve.token_file);    // throws Error{configuration}
//     raise_descriptor_limit();
#pragma once
#include "workflows/driver/options.hpp"
#include "workflows/server/guard/guard.hpp"
#include <string>
#include <vector>

namespace weft::driver {
/// Reads one token a line, without empty lines and lines that begin with #. Returns none for an empty file name.
std::vector<std::string> read_tokens(const std::string& file);
/// Runs the server's checks, and appends the options' names to their messages. `address_option` is the option that sets
/// the host. Throws Error{configuration}.
void check_listening(const ServeChoices&, const char* address_option, const std::string& host,
                     const server::GuardOptions&);
/// Raises the soft limit to the hard one: each connection takes a descriptor, and the default is too low for a server.
void raise_descriptor_limit();
/// Refuses --memory and --record, whose files only one run at a time can write. Throws Error{usage}.
void refuse_options_of_one_run(const catalog::AgentOptions&);
}
