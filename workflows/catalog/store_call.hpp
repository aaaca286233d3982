// Waits for what a store answers, for code that has nothing else to do meanwhile: a command, a test.
//
//     const auto rows = wait_for<std::vector<RunRow>>([&](auto then) { store.list({}, then); });
//
// Never on a loop, and never on a store's own thread: nothing else would go on there.
#pragma once
#include "engine/store.hpp"
#include <future>
#include <memory>

namespace weft::catalog {
/// Throws what the store answers in place of a value.
template <class T, class Call> T wait_for(Call call) {
    const auto answer = std::make_shared<std::promise<T>>();
    call([answer](std::exception_ptr error, T value) {
        if (error) answer->set_exception(error);
        else answer->set_value(std::move(value));
    });
    return answer->get_future().get();
}
}
