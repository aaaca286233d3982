// Tests agents with recorded models: the real model is asked once, then its recording.
//
//     auto model = models::recorded("tests/recordings/sales.jsonl", [] { return make_real_model(); });
//     auto answer = run(react.with(*model, ...), {.text = "How did sales vary?"});
//
// The recording answers, without network or key, and `make` is not called. With WEFT_RECORD=1 in the environment the
// real model answers and the recording starts again, so each test has its own file: check the changes before a commit.
// A request with a changed prompt throws Error{script_mismatch}, which shows the change line by line; the run's
// RunError repeats the sentence, so a test framework that prints what() shows it.
//
// Throws Error{configuration} if the recording is missing without WEFT_RECORD=1, so a test never asks a real model by
// accident. `secrets` do not enter the recording: the key of the real model, tokens in prompts.
#pragma once
#include "steps/models/recording/recording.hpp"
#include <functional>

namespace weft::models {
std::unique_ptr<models::ChatModel> recorded(const std::string& path,
                                            const std::function<std::unique_ptr<models::ChatModel>()>& make,
                                            std::vector<models::Secret> secrets = {});
/// True if WEFT_RECORD=1 is set: only then is a key needed.
bool is_recording();
}
