// The exception type that weft throws deliberately: a code for programs, a sentence for people. The sentence names the
// culprit and the cure.
//
//     try { run(...); } catch (const Error& e) { if (e.code() == Code::timed_out) ... }
#pragma once
#include "engine/describe.hpp"
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft {
enum class Code {
    usage,          // the caller asks for something that does not exist or does not fit
    configuration,  // a file, an option or the environment is wrong
    bad_json,       // a text or value does not fit the described struct
    step_failed,    // a step threw, and no policy or handler rescued the run
    edit_conflict,  // parallel steps changed the same slot
    idle,           // no work is left, and no answer can come
    timed_out,
    cancelled,
    deadlock,           // a test waits for an event that can never come
    journal,            // the durable store failed
    model_unreachable,  // no connection in time
    model_refused,      // the provider refuses: key, model name, request, quota
    model_failed,       // the provider's reply is unusable: server error, broken reply
    script_mismatch,    // a scripted model got a request that its script does not expect
};
BOOST_DESCRIBE_ENUM(Code, usage, configuration, bad_json, step_failed, edit_conflict, idle, timed_out, cancelled,
                    deadlock, journal, model_unreachable, model_refused, model_failed, script_mismatch)
/// The code's name, as in logs and JSON.
std::string_view name(Code) noexcept;

class Error : public std::runtime_error {
public:
    Error(Code code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
    Code code() const noexcept { return code_; }

private:
    Code code_;
};
}
