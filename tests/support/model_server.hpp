// Model servers of other projects (tests/protocol/package.json), as child processes of a test.
//
//     Aimock server("replies.json");                     // a file of fixtures in tests/protocol
//     OpenaiMock second("second_opinion.json");
//     HttpModelOptions options{.base = parse_url(server.url() + "/v1"), ...};
//
// Each takes a free port and ends with the object, or with the test if that is killed. If a server is not installed or
// does not start within twenty seconds, the constructor throws a message with the cure: such a test fails, and is not
// skipped.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

namespace weft::testing {
class ModelServer {
public:
    ModelServer(const ModelServer&) = delete;
    const std::string& url() const { return url_; }  // http://127.0.0.1:PORT

protected:
    ModelServer() = default;
    ~ModelServer() { stop(); }
    /// `program` is a path below node_modules. Returns the output up to the end of the line with the given words.
    std::string start(const std::string& program, std::vector<std::string> words, const std::string& until);
    void stop() noexcept;
    std::string url_;

private:
    std::string listen(const std::string& until);
    pid_t process_ = -1;
    int output_ = -1;
};
/// aimock: all protocols, faults on request, a journal of requests.
struct Aimock : ModelServer {
    explicit Aimock(const std::string& fixtures);
};
/// openai-mock-api: chat completions with a key, in a slightly different form.
struct OpenaiMock : ModelServer {
    explicit OpenaiMock(const std::string& replies);
};
}
