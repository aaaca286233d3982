// Settings of the environment: its variables, then the `.env` file of the working directory.
//
//     const auto settings = Settings::of_process();
//     auto key = Secret(settings.get("OPENAI_API_KEY").value_or(""));
//
// The file never overrides the environment. A variable that is set but empty counts as not set, in both. Nothing is
// written to the environment, and the file is only looked for where the program was started. Lines of it that cannot be
// read are left out; oddities() says which, in a sentence for whoever wrote them.
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
    /// A test's own; the file's values come second.
    explicit Settings(Variables environment, Variables file = {})
        : environment_(std::move(environment)), file_(std::move(file)) {}
    std::optional<std::string> get(std::string_view name) const;
    /// Which lines of the file were left out, by number, for what is in them may be secret. Empty if there are none.
    const std::string& oddities() const noexcept { return oddities_; }

private:
    Settings() = default;
    Variables environment_, file_;
    std::string oddities_;
    bool process_ = false;  // then the environment is the process's own
};
}
