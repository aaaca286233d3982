// A text found in prose is an object, and is found as the same object when it stands alone; the work is linear. The
// other readers of replies accept any bytes.
#include "engine/text/utf8.hpp"
#include "steps/agents/reflect/replies.hpp"
#include "steps/agents/text/json_in_text.hpp"
#include <cstdlib>
using namespace weft;
using namespace weft::agents;

namespace {
std::string first_with_request(std::string_view text) {
    std::string object;
    const auto found = find_json(text, [&object](const nlohmann::json& value) {
        if (!value.is_object()) std::abort();
        if (!value.contains("request")) return "no request";
        object = value.dump();
        return "";
    });
    if (found.examined > 40 * text.size() + (1 << 15)) std::abort();
    if (found.ok() == object.empty()) std::abort();
    return object;
}
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const auto text = repair_utf8({reinterpret_cast<const char*>(data), size});
    const auto object = first_with_request(text);
    if (!object.empty() && first_with_request(object) != object) std::abort();
    const auto action = read_action(text);
    if (action.error.empty() == action.request.empty()) std::abort();
    const auto questions = read_sub_questions(text);
    if (questions.error.empty() == questions.sub_questions.empty()) std::abort();
    const auto summary = read_summary(text);
    if (summary.error.empty() == summary.summary.empty()) std::abort();
    const auto reflection = read_reflection(text);
    if (reflection.size() > 9000 || !is_utf8(reflection)) std::abort();
    return 0;
}
