// Asks a store and blocks until the answer: for code without a loop, such as a command or a test.
//
//     const auto run = storage::answer_of<storage::History>([&](auto then) { store.load("r1", std::move(then), 0); });
#pragma once
#include <exception>
#include <future>
#include <memory>
#include <utility>

namespace weft::storage {
/// Passes a callback to `ask`, which starts the call; blocks until the answer, and returns it or throws its error.
/// Never call it on a loop or on a store's own thread, which it would block.
template <class T, class Ask> T answer_of(Ask ask) {
    const auto answer = std::make_shared<std::promise<T>>();  // the store may release it after the answer was read
    ask([answer](std::exception_ptr error, T value) {
        if (error) answer->set_exception(error);
        else answer->set_value(std::move(value));
    });
    return answer->get_future().get();
}
}
