// Parts that both protocols of OpenAI share: strict schemas, arguments, usage. Internal to them.
#pragma once
#include "steps/models/protocols/wire/wire.hpp"

namespace weft::models::openai {
/// Returns name, schema and strict, as in both protocols; strict if the schema meets the rules of strict mode. Throws
/// Error{usage} for a schema that is not a JSON object.
wire::json reply_form(const ReplySchema&);
/// Returns arguments that can be sent back. Servers with prompt templates parse them, and refuse the conversation if
/// they are not a JSON object: other arguments are put into one.
std::string sendable_arguments(const std::string& arguments);
/// Reads the usage of a reply. The prefixes are "prompt" and "completion" in one protocol, "input" and "output" in the
/// other; the names for cached tokens differ between servers.
Usage read_usage(const wire::json& usage, std::string_view read, std::string_view written);
/// The same for JSON text; throws Fault for any other text.
Usage read_usage(std::string_view usage, std::string_view read, std::string_view written, const Secret& key);
}
