// The real model is made only with WEFT_RECORD=1, so a test needs no key otherwise.
#include "steps/testing/recorded.hpp"
#include "engine/error.hpp"
#include <cstdlib>
#include <filesystem>

namespace weft::testing {
bool is_recording() {
    const char* value = std::getenv("WEFT_RECORD");
    return value && std::string_view(value) == "1";
}
std::unique_ptr<llm::ChatModel> recorded(const std::string& path,
                                         const std::function<std::unique_ptr<llm::ChatModel>()>& make,
                                         std::vector<llm::Secret> secrets) {
    if (is_recording())
        return std::make_unique<llm::RecordingModel>(std::shared_ptr<llm::ChatModel>(make()), path, std::move(secrets));
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown))
        throw Error(Code::configuration,
                    "there is no recording " + path +
                        ": make it by running the test once with WEFT_RECORD=1 in the environment");
    return llm::ReplayModel::from_file(path, std::move(secrets));
}
}
