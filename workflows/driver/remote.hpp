// Runs of a server (`weft serve`), asked for as its client.
//
//     Remote server("http://127.0.0.1:8080", token);
//     const auto handler = server.post("/workflows/hello/run-nowait", body);     // throws what the server refuses
//     server.follow(handler["handler_id"], [&](const nlohmann::json& envelope) { ... });
//
// Errors: Error{configuration} for a server that is not there or wants a token, Error{usage} for what it refuses, with
// its own sentence.
#pragma once
#include "engine/engine.hpp"
#include "engine/net/http_client.hpp"
#include "workflows/driver/commands.hpp"
#include <nlohmann/json.hpp>

namespace weft::driver {
class Remote {
public:
    Remote(const std::string& url, std::string token);
    /// `wrong_is_body`: a run that has failed is answered with status 500 and its handler.
    nlohmann::json get(const std::string& path, bool wrong_is_body = false);
    nlohmann::json post(const std::string& path, const nlohmann::json& body);
    /// Calls back with each event of the run, until the last one, on this thread. A stream that breaks off is taken up
    /// again. Stops when `stop` says so, asked at least once a second.
    void follow(const std::string& handler, const std::function<void(const nlohmann::json& envelope)>& on_event,
                const std::function<bool()>& stop);
    const std::string& url() const { return url_; }

private:
    net::HttpRequest request(std::string method, const std::string& path) const;
    nlohmann::json answered(net::HttpRequest, bool wrong_is_body);
    const std::string url_, token_;
    const net::Url base_;
    net::HttpClient client_;
    Engine engine_;
};
/// The token of --token-file, else of WEFT_SERVER_TOKEN; empty if there is none.
std::string server_token(const Choices&);
/// A part of a path.
std::string path_part(std::string_view text);
Exit run_remotely(const Choices&);
Exit answer_remotely(const Choices&);
Exit cancel_remotely(const Choices&);
/// Throws Error{usage} for an option that has no effect with --server.
void refuse_local_options(const Choices&);
}
