// A client of a server (`weft serve`) and its runs.
//
//     Remote server("http://127.0.0.1:8080", token);
//     const auto handler = server.post("/workflows/hello/run-nowait", body);     // throws if the server refuses it
//     server.follow(handler["handler_id"], [&](const nlohmann::json& envelope) { ... });
//
// Throws Error{configuration} for a server that cannot be reached or needs a token, Error{usage} with the server's
// message for other refusals. `weft run`, `weft answer`, `weft signal` and `weft cancel` use it for --server. Unlike
// curl, it resumes a broken stream, and the process ends with the exit code of the run (docs/exit_codes.md).
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
    /// `wrong_is_body`: also returns the body of status 500, which describes a failed run.
    nlohmann::json get(const std::string& path, bool wrong_is_body = false);
    nlohmann::json post(const std::string& path, const nlohmann::json& body);
    /// Calls back on this thread with each event of the run, until the last one or until the function returns false.
    /// Resumes a broken stream. A signal ends it immediately.
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
/// The token in --token-file, else in WEFT_SERVER_TOKEN, else "".
std::string server_token(const Choices&);
ExitCode run_remotely(const Choices&);
ExitCode answer_remotely(const Choices&);
ExitCode signal_remotely(const Choices&);
ExitCode cancel_remotely(const Choices&);
}
