// aimock, a model server that nobody here wrote (tests/protocol/package.json), as a process of a test's own.
//
//     Aimock server("replies.json");                     // a file of fixtures in tests/protocol
//     HttpModelOptions options{.base = parse_url(server.url() + "/v1"), ...};
//
// It takes a free port and ends with the object, or with the test if that is killed. Where it is not installed, or
// does not start within twenty seconds, the constructor throws a sentence that says what to do: such a test fails, it
// is not skipped.
#pragma once
#include <string>
#include <sys/types.h>

namespace weft::testing {
class Aimock {
public:
    explicit Aimock(const std::string& fixtures);
    ~Aimock() { stop(); }
    Aimock(const Aimock&) = delete;
    const std::string& url() const { return url_; }  // http://127.0.0.1:PORT

private:
    void read_address();
    void stop() noexcept;
    pid_t process_ = -1;
    int output_ = -1;
    std::string url_;
};
}
