// Removes secrets from a server's texts, so that no configured token is shown, logged or sent to a model.
//
//     const mcp::ServerRedactor redactor({token});
//     redactor.clean(message);            // all texts of a parsed message
//     redactor.clean(text);               // "*** is not valid"
//
// In unparsed text a secret is also found in the escapes of JSON and addresses; in any text also behind characters
// without width, and line by line if it has several, such as a key in PEM. A secret of less than 6 characters is
// ignored: it would match unrelated text. A server can still repeat a token in another form, since it must know the
// token. Immutable, so any thread may use it.
#pragma once
#include "engine/net/http_client.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools::mcp {
class ServerRedactor {
public:
    ServerRedactor() = default;
    explicit ServerRedactor(std::vector<std::string> secrets);
    void clean(std::string& text) const;
    /// Cleans texts and keys at any depth.
    void clean(nlohmann::json& value) const;
    /// Cleans all of the message except the id.
    void clean(RpcMessage&) const;
    bool finds_any(std::string_view text) const;

private:
    std::vector<std::string> secrets_;  // longest first
};
/// Whether a header with this name holds a secret: Authorization, Cookie, and names of keys or tokens.
bool holds_secret(std::string_view header);
bool holds_secret(const net::HttpHeaders&);  // whether one of them holds a secret
}
