// Asks a store, and waits: for code that has nothing else to do meanwhile, as a command or a test.
//
//     const auto run = storage::answer_of<storage::History>([&](auto then) { store.load("r1", std::move(then), 0); });
#pragma once
#include <exception>
#include <future>
#include <memory>
#include <utility>

namespace weft::storage {
/// Waits for the answer to what `ask` begins with the function that it is given, and throws what comes in place of an
/// answer. Never on a loop or on a store's own thread: nothing else would go on there.
template <class T, class Ask> T answer_of(Ask ask) {
    const auto answer = std::make_shared<std::promise<T>>();  // the store may let go of it after the answer was read
    ask([answer](std::exception_ptr error, T value) {
        if (error) answer->set_exception(error);
        else answer->set_value(std::move(value));
    });
    return answer->get_future().get();
}
}
