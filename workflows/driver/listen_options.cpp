// Tokens are read once, at the start. A token file that other users can read causes a warning only.
#include "workflows/driver/listen_options.hpp"
#include "engine/error.hpp"
#include "engine/text/file_access.hpp"
#include "engine/text/text.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/server/guard/address.hpp"
#include "workflows/server/guard/origin.hpp"
#include <fstream>
#include <sys/resource.h>

namespace weft::driver {
namespace {
constexpr std::size_t most_tokens = 1000, longest_token = 4096;
}
std::vector<std::string> read_tokens(const std::string& file) {
    if (file.empty()) return {};
    std::ifstream in(file);
    if (!in) throw Error(Code::configuration, "cannot read " + file + ", which --token-file names");
    if (others_can_open(file))
        note(file + " can be read by other users of this machine: chmod 600 keeps its tokens secret");
    std::vector<std::string> tokens;
    for (std::string line; std::getline(in, line);) {
        const std::string token(trimmed_end(line));
        if (token.empty() || token[0] == '#') continue;
        if (token.size() > longest_token)
            throw Error(Code::configuration, file + " has a line of more than " + std::to_string(longest_token) +
                                                 " bytes, which is too long for a token: write one token a line");
        if (tokens.size() == most_tokens)
            throw Error(Code::configuration, file + " has more than " + std::to_string(most_tokens) +
                                                 " tokens: remove those that no client uses any more");
        tokens.push_back(token);
    }
    if (tokens.empty()) throw Error(Code::configuration, file + " has no token: write one in its first line");
    return tokens;
}
void check_listening(const ServeChoices& serve, const char* address_option, const std::string& host,
                     const server::GuardOptions& guard) {
    const auto naming = [](const std::string& options, const auto& check) {
        try {
            check();
        } catch (const Error& error) { throw Error(error.code(), error.what() + (" (" + options + ')')); }
    };
    naming(std::string(address_option) + ", --token-file, --no-auth",
           [&] { server::check_address(host, guard, serve.no_auth); });
    naming("--cert, --key", [&] { server::check_pair(serve.certificate, serve.key); });
    for (const auto& name : guard.hosts) naming("--allow-host", [&] { server::normal_host(name); });
    for (const auto& origin : guard.origins) naming("--allow-origin", [&] { server::normal_origin(origin); });
}
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}
void refuse_options_of_one_run(const catalog::AgentOptions& options) {
    if (!options.memory_file.empty())
        throw Error(Code::usage, "--memory is for one conversation: leave it out. Each run of a server has its own "
                                 "memory, or shares one by the client's conversation_id");
    if (!options.record_file.empty())
        throw Error(Code::usage, "--record is for one run at a time, and a server or a worker has many: leave it out");
}
}
