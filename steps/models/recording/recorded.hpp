// Tests of one's own agents with recorded models: the real model is asked once, from then on its recording.
//
//     auto model = models::recorded("tests/recordings/sales.jsonl", [] { return make_real_model(); });
//     auto answer = run(react.with(*model, ...), {.text = "How did sales vary?"});
//
// The recording answers, without network or key, and `make` is not called. With WEFT_RECORD=1 in the environment the
// real model is asked and the recording begins anew, so each test has a file of its own: look at what changed in it
// before you commit it. Where a prompt has changed since, the request is Error{script_mismatch} that shows the change
// line by line; a run passes it on in the sentence of its RunError, so a test framework that prints what() prints it.
//
// Throws Error{configuration} if there is no recording and none is to be made, so a test never asks a real model by
// accident. `secrets` are left out of the recording: the key of the real model, tokens that prompts contain.
#pragma once
#include "steps/models/recording/recording.hpp"
#include <functional>

namespace weft::models {
std::unique_ptr<models::ChatModel> recorded(const std::string& path,
                                            const std::function<std::unique_ptr<models::ChatModel>()>& make,
                                            std::vector<models::Secret> secrets = {});
/// Whether WEFT_RECORD=1 is set: only then is a key needed.
bool is_recording();
}
