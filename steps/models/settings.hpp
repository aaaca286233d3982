// Reads settings from the environment, then from the `.env` file of the working directory.
//
//     const auto settings = Settings::of_process();
//     auto key = Secret(settings.get("OPENAI_API_KEY").value_or(""));
//
// The environment overrides the file. An empty variable counts as unset, in both. Nothing is written to the
// environment, and only the working directory is searched for the file. Malformed lines are skipped; oddities() names
// them in a sentence for the user, and exposure() warns of readers of the file.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace weft::models {
class Settings {
public:
    using Variables = std::map<std::string, std::string, std::less<>>;
    /// Throws Error{configuration} if there is a `.env` that cannot be read or is larger than 64 KB.
    static Settings of_process(const std::string& file = ".env");
    /// For tests; the environment precedes the file.
    explicit Settings(Variables environment, Variables file = {})
        : environment_(std::move(environment)), file_(std::move(file)) {}
    std::optional<std::string> get(std::string_view name) const;
    /// A sentence with the numbers of skipped lines, whose content may be secret. Empty if there are none.
    const std::string& oddities() const noexcept { return oddities_; }
    /// A sentence with the cure if the file has a secret and other users of the machine can read it. Otherwise empty.
    const std::string& exposure() const noexcept { return exposure_; }

private:
    Settings() = default;
    Variables environment_, file_;
    std::string oddities_, exposure_;
    bool process_ = false;  // reads the environment of the process, too
};
}
