// Takes secrets out of texts and JSON, by value and in every form that steps/models/secret.hpp knows.
//
//     Redactor redactor({key, token});
//     auto clean = redactor.redact(text);          // *** for each of them
//
// Secrets of fewer than eight characters are let through, as everywhere: see steps/models/secret.hpp.
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
    /// Every string in it, names too.
    void redact(nlohmann::json&) const;

private:
    std::vector<Secret> secrets_;
};
}
