// Removes secrets from texts and JSON, in every form that steps/models/secret.hpp knows.
//
//     Redactor redactor({key, token});
//     auto clean = redactor.redact(text);          // *** in place of each
//
// Secrets of fewer than eight characters stay (steps/models/secret.hpp).
#pragma once
#include "steps/models/secret.hpp"
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace weft::models {
class Redactor {
public:
    Redactor() = default;
    explicit Redactor(const std::vector<Secret>& secrets);
    std::string redact(std::string_view text) const;
    /// Redacts every string, names included.
    void redact(nlohmann::json&) const;

private:
    std::vector<Secret> secrets_;
};
}
