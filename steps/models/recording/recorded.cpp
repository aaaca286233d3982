// Only WEFT_RECORD=1 makes the real model, so other tests need no key.
#include "steps/models/recording/recorded.hpp"
#include "engine/error.hpp"
#include <cstdlib>
#include <filesystem>

namespace weft::models {
bool is_recording() {
    const char* value = std::getenv("WEFT_RECORD");
    return value && std::string_view(value) == "1";
}
std::unique_ptr<models::ChatModel> recorded(const std::string& path,
                                            const std::function<std::unique_ptr<models::ChatModel>()>& make,
                                            std::vector<models::Secret> secrets) {
    if (is_recording())
        return std::make_unique<models::RecordingModel>(std::shared_ptr<models::ChatModel>(make()), path,
                                                        std::move(secrets));
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown))
        throw Error(Code::configuration,
                    "there is no recording " + path +
                        ": make it by running the test once with WEFT_RECORD=1 in the environment");
    return models::ReplayModel::from_file(path, std::move(secrets));
}
}
