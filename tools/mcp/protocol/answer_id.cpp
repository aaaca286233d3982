// The id is before or behind the result: the last brace of a message closes the message, so text right before it is no
// part of the result. In a JSON text a backslash precedes each quote.
#include "tools/mcp/protocol/answer_id.hpp"
#include <re2/re2.h>

namespace weft::tools::mcp {
namespace {
const std::string an_id = R"re("id"\s*:\s*(?:(-?\d{1,18})|"([^"\\]*)")\s*)re";
const std::string a_version = R"re("jsonrpc"\s*:\s*"2\.0"\s*)re";
const std::string an_outcome = R"re("(?:result|error)"\s*:)re";
const std::string begin_of_message = R"re(^\s*\{\s*(?:)re" + a_version + R"re(,\s*)?)re";
}

std::optional<Id> id_of_answer(std::string_view begin, std::string_view end) {
    static const re2::RE2 with_id(begin_of_message + an_id + R"re(,\s*(?:)re" + a_version + R"re(,\s*)?)re" +
                                  an_outcome);
    static const re2::RE2 without_id(begin_of_message + an_outcome);
    static const re2::RE2 at_end(R"re(,\s*(?:)re" + a_version + R"re(,\s*)?)re" + an_id + R"re((?:,\s*)re" + a_version +
                                 R"re()?\}\s*$)re");
    const re2::StringPiece head(begin.data(), begin.size()), tail(end.data(), end.size());
    std::string number, text;
    if (!re2::RE2::PartialMatch(head, with_id, &number, &text) &&
        !(re2::RE2::PartialMatch(head, without_id) && re2::RE2::PartialMatch(tail, at_end, &number, &text)))
        return std::nullopt;
    if (number.empty()) return Id(text);
    return Id(std::int64_t(std::stoll(number)));
}
}
