// What OpenAI's two protocols have in common: what their models take, and how. Internal to them.
#pragma once
#include "steps/models/protocols/wire.hpp"

namespace weft::models::openai {
/// Whether a schema keeps to what strict mode takes: every object says additionalProperties false and requires all of
/// its properties, and no keyword is used that strict mode does not know.
bool is_strict(const wire::json& schema);
/// name, schema and strict, as both protocols have them. Throws Error{usage} for a schema that is no JSON object.
wire::json reply_form(const ReplySchema&);
/// Arguments that may be sent back. Servers that fill them into a prompt by a template read them, and refuse the whole
/// conversation if they are no JSON object: what is none is put into one.
std::string sendable_arguments(const std::string& arguments);
/// The cost of a reply. The protocols call what was read and written "prompt" and "completion", or "input" and
/// "output"; what came from a cache, and went into it, has another name with almost every server.
Usage read_usage(const wire::json& usage, const std::string& read, const std::string& written);
}
