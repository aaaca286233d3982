// Any bytes as a recording are read, or refused in a sentence. The model replays a read recording, and names the
// difference of another request. A written recording is read as the same recording.
#include "engine/error.hpp"
#include "engine/testing/await.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/model_error.hpp"
#include "steps/models/recording/recording.hpp"
#include "steps/models/recording/recording_text.hpp"
#include <cstdint>
#include <cstdlib>

using namespace weft;
using namespace weft::models;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const Redactor redactor({Secret("sk-12345")});
        std::string written = recording_head;
        for (const auto& exchange : read_recording(text, "r").exchanges) written += line_of(exchange, redactor);
        if (written.find("sk-12345") != written.npos) std::abort();
        std::string again = recording_head;
        for (const auto& exchange : read_recording(written, "r").exchanges) again += line_of(exchange, redactor);
        if (again != written) std::abort();

        const auto model = ReplayModel::from_text(text, "r");
        ChatRequest request;
        request.messages = {user("another\nquestion")};
        testing::await(model->chat(request));
    } catch (const ModelError&) {
    } catch (const Error& error) {
        if (error.code() == Code::script_mismatch && !is_utf8(error.what())) std::abort();
    }
    return 0;
}
