// Takes secrets out of what a server says, so that no token of a configuration is shown, logged or told to a model.
//
//     const mcp::Redactor redactor({token});
//     redactor.clean(message);            // all texts of a message, after it was parsed
//     redactor.clean(text);               // "*** is not valid"
//
// In a text that was not parsed a secret is also found as JSON or an address would write it, and in any text behind
// characters without width, and each line of a secret that has several, such as a key in PEM. A secret of less than 6
// characters is not looked for: it would be found where nobody has repeated it. A server that wants to repeat a token
// in other words can; that it knows it is in the nature of tokens. Immutable, so any thread may use it.
#pragma once
#include "engine/net/http_client.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools::mcp {
class Redactor {
public:
    Redactor() = default;
    explicit Redactor(std::vector<std::string> secrets);
    void clean(std::string& text) const;
    /// Its texts and keys, at any depth.
    void clean(nlohmann::json& value) const;
    /// All of it but the id.
    void clean(Message&) const;
    bool finds_any(std::string_view text) const;

private:
    std::vector<std::string> secrets_;  // the longest first
};
/// Whether a header of this name holds a secret: Authorization, Cookie, and whatever is named after a key or a token.
bool holds_secret(std::string_view header);
bool holds_secret(const net::HttpHeaders&);  // whether one of them does
}
