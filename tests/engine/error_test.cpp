// The names of error codes.
#include "engine/error.hpp"
#include "engine/terminal.hpp"
#include <doctest/doctest.h>
#include <string>
using namespace weft;

TEST_CASE("every code has its own name, and any other number is unknown") {
    const std::pair<Code, const char*> names[] = {{Code::usage, "usage"},
                                                  {Code::configuration, "configuration"},
                                                  {Code::bad_json, "bad_json"},
                                                  {Code::step_failed, "step_failed"},
                                                  {Code::edit_conflict, "edit_conflict"},
                                                  {Code::idle, "idle"},
                                                  {Code::timed_out, "timed_out"},
                                                  {Code::cancelled, "cancelled"},
                                                  {Code::deadlock, "deadlock"},
                                                  {Code::journal, "journal"},
                                                  {Code::model_unreachable, "model_unreachable"},
                                                  {Code::model_refused, "model_refused"},
                                                  {Code::model_failed, "model_failed"},
                                                  {Code::script_mismatch, "script_mismatch"}};
    for (auto& [code, text] : names) CHECK(name(code) == text);
    CHECK(name(Code(99)) == "unknown");
}
TEST_CASE("the code and the sentence of any exception are found, whatever was thrown") {
    const auto own = std::make_exception_ptr(Error(Code::model_failed, "the model stammers"));
    CHECK(code_of(own) == Code::model_failed);
    CHECK(sentence_of(own) == "the model stammers");
    const auto foreign = std::make_exception_ptr(std::runtime_error("broken"));
    CHECK(code_of(foreign) == Code::step_failed);
    CHECK(sentence_of(foreign) == "broken");
    const auto number = std::make_exception_ptr(7);
    CHECK(code_of(number) == Code::step_failed);
    CHECK(sentence_of(number) == "an exception that is not derived from std::exception");
}
