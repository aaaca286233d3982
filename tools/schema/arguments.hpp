// Validates JSON by a schema, and explains errors: for the arguments of tools, and for answers.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::tools {
/// A compiled JSON Schema. Immutable, so any number of threads may use it.
class Validator {
public:
    /// For the arguments of a tool. Throws Error{usage} if this is not the schema of an object.
    explicit Validator(const nlohmann::json& schema);
    /// For any value, under the given name in messages. Throws Error{usage} if this is not a schema.
    Validator(const nlohmann::json& schema, std::string subject);
    ~Validator();
    /// Empty if the value fits; otherwise the place and the error: "arguments.b: expected a number, got a string".
    std::string mistake(const nlohmann::json& value) const;
    /// The schema in short: {"a": number, "limit" (optional): integer}
    const std::string& summary() const { return summary_; }

private:
    struct CompiledSchema;
    std::unique_ptr<const CompiledSchema> compiled_;
    std::string subject_, summary_;
};
}
