// Whether arguments fit a tool's schema, and how to say what does not: for the registry.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::tools {
/// A compiled JSON Schema. Immutable, so any number of threads may ask it.
class Validator {
public:
    /// Throws Error{usage} if this is not a schema of an object.
    explicit Validator(const nlohmann::json& schema);
    ~Validator();
    /// Empty if the arguments fit; else where and why not: "arguments.b: expected a number, got a string".
    std::string mistake(const nlohmann::json& arguments) const;
    /// The schema, short: {"a": number, "limit" (optional): integer}
    const std::string& summary() const { return summary_; }

private:
    struct Compiled;
    std::unique_ptr<const Compiled> compiled_;
    std::string summary_;
};
}
