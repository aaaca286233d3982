// The one exception type that weft throws on purpose: a code for programs, one sentence for people. The sentence names
// the culprit and the cure.
//
//     try { run(...); } catch (const Error& e) { if (e.code() == Code::timed_out) ... }
#pragma once
#include "engine/describe.hpp"
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft {
enum class Code {
    usage,          // the caller asked for something that does not exist or does not fit
    configuration,  // a file, an option or the environment is wrong
    bad_json,       // text or a value is not what a described struct needs
    step_failed,    // a step threw, and no policy or handler saved the run
    edit_conflict,  // parallel steps changed the same slot
    idle,           // nothing is left to do, and no answer can come
    timed_out,
    cancelled,
    deadlock,           // a test waits for something that can never come
    journal,            // the durable store refused
    model_unreachable,  // no connection, or none in time
    model_refused,      // the provider said no: key, model name, request, quota
    model_failed,       // the provider's reply is unusable: server error, broken reply
    script_mismatch,    // a scripted model got a request that its script does not expect
};
BOOST_DESCRIBE_ENUM(Code, usage, configuration, bad_json, step_failed, edit_conflict, idle, timed_out, cancelled,
                    deadlock, journal, model_unreachable, model_refused, model_failed, script_mismatch)
/// The code's name, as logs and JSON show it.
std::string_view name(Code) noexcept;

class Error : public std::runtime_error {
public:
    Error(Code code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
    Code code() const noexcept { return code_; }

private:
    Code code_;
};
}
