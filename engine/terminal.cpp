// What any exception says, also one that is not weft's.
#include "engine/terminal.hpp"

namespace weft {
Code code_of(const std::exception_ptr& error) noexcept {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) { return e.code(); } catch (...) {
        return Code::step_failed;
    }
}
std::string sentence_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) { return e.what(); } catch (...) {
        return "an exception that is not derived from std::exception";
    }
}
}
