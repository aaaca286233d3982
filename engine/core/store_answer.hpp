// Asks a store, and waits.
#pragma once
#include <exception>
#include <future>
#include <utility>

namespace weft::core {
/// Waits for the answer to what `ask` begins with the function that it is given. On no thread of the store's own.
template <class T, class Ask> T answer_of(Ask ask) {
    std::promise<T> promise;
    auto answer = promise.get_future();
    ask([&promise](std::exception_ptr error, T value) {
        if (error) promise.set_exception(error);
        else promise.set_value(std::move(value));
    });
    return answer.get();
}
}
