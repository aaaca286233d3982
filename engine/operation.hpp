// Operations: parts of a step that metrics and traces time separately, such as a request to a model.
//
//     awaitable<std::string> look_up(Context& ctx, Index& index, std::string word) {
//         auto operation = ctx.operation("look_up", [&](OperationDetails& details) {
//             details.name = index.name;
//             details.add("index.word.length", word.size());
//         });
//         auto found = co_await index.find(word);
//         operation.end([&](OperationDetails& details) { details.add("index.hits", found.hits); });
//         co_return found.text;
//     }
// Observers (engine/observer.hpp) are notified of the begin and the end. Without observers, and in a context without a
// run, neither function is called and nothing is allocated. An operation that is destroyed before end() or fail() was
// interrupted, by a cancellation or an exception. An operation belongs to its step and must end first. Attributes must
// never hold secrets; they may hold texts of people or models only if details.content is true.
#pragma once
#include "engine/context.hpp"
#include "engine/observer.hpp"
#include "engine/trace_context.hpp"
#include <deque>
#include <memory>

namespace weft {
/// At most 64 attributes; a text is cut to 32 KB, a list to 128 texts; invalid UTF-8 is repaired.
class OperationDetails {
public:
    explicit OperationDetails(bool with_content) : content(with_content) {}
    OperationDetails(const OperationDetails&) = delete;
    std::string name;
    const bool content;  // an observer wants prompts, replies, arguments and results

    /// A text, an integer, a number, a bool, or a container of texts. The key must be a literal: it is not copied.
    template <class T> void add(std::string_view key, const T& value) {
        if constexpr (std::is_same_v<T, bool>) put({key, value});
        else if constexpr (std::is_integral_v<T>) put({key, static_cast<std::int64_t>(value)});
        else if constexpr (std::is_floating_point_v<T>) put({key, static_cast<double>(value)});
        else if constexpr (std::is_convertible_v<const T&, std::string_view>) put({key, kept(value)});
        else {
            auto& list = lists_.emplace_back();
            for (const auto& text : value)
                if (list.size() < most_in_list) list.push_back(kept(text));
            put({key, std::span<const std::string_view>(list)});
        }
    }
    /// The attributes so far, in the order of add(). Valid until the next add().
    std::span<const Observer::Attribute> attributes() const { return attributes_; }

private:
    static constexpr std::size_t most_in_list = 128;
    void put(Observer::Attribute);
    std::string_view kept(std::string_view text);
    std::deque<std::string> texts_;
    std::deque<std::vector<std::string_view>> lists_;
    std::vector<Observer::Attribute> attributes_;
};

class [[nodiscard]] Operation {
public:
    /// An operation of a context's run, which may be null; it begins later. If the lease of the run's engine is in
    /// doubt (EngineOptions::lease), the run leaves memory, and the constructor throws like a cancelled wait.
    Operation(core::RunInterface* run, unsigned token);
    Operation(Operation&&) noexcept = default;
    ~Operation();
    /// Whether the operation has an observer.
    explicit operator bool() const { return state_ != nullptr; }
    /// For requests of the operation: from a tracing observer, else the run's. Empty: none.
    std::string_view traceparent() const;
    std::string_view tracestate() const;  // beside traceparent(); empty: none

    void end() { finish({}, {}); }
    template <class Describe> void end(Describe&& describe) {
        if (state_) describe(details());
        end();
    }
    void fail(const std::exception_ptr& error) { finish(error, {}); }
    /// A failure without an exception: a word such as "unknown_tool".
    void fail(std::string_view error_type) { finish({}, error_type); }
    template <class Describe> void fail(std::string_view error_type, Describe&& describe) {
        if (state_) describe(details());
        fail(error_type);
    }

private:
    friend class Context;
    struct State;
    struct Delete {
        void operator()(State*) const noexcept;
    };
    OperationDetails& details();
    void begin(std::string_view kind);
    void finish(const std::exception_ptr&, std::string_view error_type) noexcept;
    std::unique_ptr<State, Delete> state_;
    const TraceContext* of_run_ = nullptr;
};

template <class Describe> Operation Context::operation(std::string_view kind, Describe&& describe) {
    Operation operation(run_, token_);
    if (operation) {
        describe(operation.details());
        operation.begin(kind);
    }
    return operation;
}
/// The name of an exception in metrics and traces: name(Code) for an Error, else "exception".
std::string_view error_type_of(const std::exception_ptr&) noexcept;
}
