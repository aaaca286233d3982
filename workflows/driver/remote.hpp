// Runs of a server (`weft serve`), asked for as its client.
//
//     Remote server("http://127.0.0.1:8080", token);
//     const auto handler = server.post("/workflows/hello/run-nowait", body);     // throws what the server refuses
//     server.follow(handler["handler_id"], [&](const nlohmann::json& envelope) { ... });
//
// Errors: Error{configuration} for a server that is not there or wants a token, Error{usage} for what it refuses, with
// its own sentence. `weft run`, `weft answer` and `weft cancel` with --server use it. Unlike curl, it takes up a stream
// that has broken off, and ends with the exit code of the run (docs/exit_codes.md).
#pragma once
#include "engine/engine.hpp"
#include "engine/net/http_client.hpp"
#include "workflows/driver/commands.hpp"
#include <nlohmann/json.hpp>

namespace weft::driver {
class Interrupts;
class Remote {
public:
    Remote(const std::string& url, std::string token);
    /// `wrong_is_body`: a run that has failed is answered with status 500 and its handler.
    nlohmann::json get(const std::string& path, bool wrong_is_body = false);
    nlohmann::json post(const std::string& path, const nlohmann::json& body);
    /// Calls back with each event of the run, until the last one or until the function says that it has seen enough, on
    /// this thread. A stream that breaks off is taken up again. A signal ends it at once.
    void follow(const std::string& handler, Interrupts&,
                const std::function<bool(const nlohmann::json& envelope)>& goes_on);
    const std::string& url() const { return url_; }

private:
    net::HttpRequest request(std::string method, const std::string& path) const;
    nlohmann::json answered(net::HttpRequest, bool wrong_is_body);
    template <class T> T wait(awaitable<T> work);
    bool read_stream(const net::HttpRequest&, const std::function<bool(const nlohmann::json&)>& goes_on,
                     const Interrupts&, std::string& last_id);
    const std::string url_, token_;
    const net::Url base_;
    net::HttpClient client_;
    Engine engine_;
    std::shared_ptr<asio::cancellation_signal> cancel_ = std::make_shared<asio::cancellation_signal>();
};
/// The token of --token-file, else of WEFT_SERVER_TOKEN; empty if there is none.
std::string server_token(const Choices&);
Exit run_remotely(const Choices&);
Exit answer_remotely(const Choices&);
Exit cancel_remotely(const Choices&);
/// Throws Error{usage} for an option that has no effect with --server.
void refuse_local_options(const Choices&);
}
