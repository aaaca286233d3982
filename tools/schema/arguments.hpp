// Checks JSON against a schema, and says what does not fit: for the arguments of tools, and for answers.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::tools {
/// A compiled JSON Schema. Immutable, so any number of threads may use it.
class Validator {
public:
    /// Of a tool's arguments. Throws Error{usage} if this is not a schema of an object.
    explicit Validator(const nlohmann::json& schema);
    /// For any value; messages call it by this name. Throws Error{usage} if this is not a schema.
    Validator(const nlohmann::json& schema, std::string subject);
    ~Validator();
    /// Empty if the value fits; else where and why not: "arguments.b: expected a number, got a string".
    std::string mistake(const nlohmann::json& value) const;
    /// The schema, short: {"a": number, "limit" (optional): integer}
    const std::string& summary() const { return summary_; }

private:
    struct Compiled;
    std::unique_ptr<const Compiled> compiled_;
    std::string subject_, summary_;
};
}
