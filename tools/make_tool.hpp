// Makes a tool from a plain function, and derives the schema from its parameters.
//
//     double add(double a, double b);
//     tools.add(make_tool("add", "Adds two numbers.", add, {"a", "b"}));              // named scalars
//
//     struct Search { std::string text; std::optional<int> limit; };
//     BOOST_DESCRIBE_STRUCT(Search, (), (text, limit))
//     awaitable<std::vector<Hit>> search(Search);
//     tools.add(make_tool("search", "Searches the archive.", search));                // one described struct
//     auto now = [&clock] { return clock.text(); };
//     tools.add(make_tool("now", "Tells the time.", now));                            // no arguments
//
// A first or last parameter ToolContext& gives access to tools/tool_context.hpp, and is not part of the schema.
// The result may be an Observation, a string, a number, a boolean, void, or any type with a JSON form, and an
// awaitable of these. The model gets the text of an exception; throw ToolError for that. All runs and threads share a
// callable, so it must be callable as const; objects that it refers to must outlive the registry. A function that
// blocks takes a weft::Pool, and returns an awaitable. This header includes JSON: include it in .cpp files.
#pragma once
#include "engine/json.hpp"
#include "tools/schema/number.hpp"
#include "tools/tool.hpp"
#include "tools/tool_context.hpp"
#include <boost/mp11/algorithm.hpp>
#include <memory>
#include <tuple>

namespace weft::tools {
namespace detail {
enum class ContextPlace { none, first, last };
template <class... P> constexpr ContextPlace place_of_context() {
    constexpr bool is_context[] = {false, std::is_same_v<P, ToolContext&>..., false};
    if (is_context[1]) return ContextPlace::first;
    return is_context[sizeof...(P)] ? ContextPlace::last : ContextPlace::none;
}
template <class F> struct Callable : Callable<decltype(&F::operator())> {};
template <class R, class... P> struct Callable<R(P...)> {
    using Result = R;
    using Values =
        boost::mp11::mp_transform<std::remove_cvref_t, boost::mp11::mp_remove<std::tuple<P...>, ToolContext&>>;
    static constexpr auto arity = std::tuple_size_v<Values>;
    static constexpr auto context = place_of_context<P...>();
    static constexpr bool no_other_context = (0 + ... + int(std::is_same_v<std::remove_cvref_t<P>, ToolContext>)) ==
                                             int(context != ContextPlace::none);
    static constexpr bool only_reads = ((std::is_same_v<P, ToolContext&> || !std::is_lvalue_reference_v<P> ||
                                         std::is_const_v<std::remove_reference_t<P>>)&&...);
};
template <class R, class... P> struct Callable<R (*)(P...)> : Callable<R(P...)> {};
template <class R, class... P> struct Callable<R (*)(P...) noexcept> : Callable<R(P...)> {};
template <class C, class R, class... P> struct Callable<R (C::*)(P...) const> : Callable<R(P...)> {};
template <class C, class R, class... P> struct Callable<R (C::*)(P...) const noexcept> : Callable<R(P...)> {};

template <class T> Observation observe(T&& result) {
    using Plain = std::remove_cvref_t<T>;
    if constexpr (std::is_same_v<Plain, Observation>) return std::forward<T>(result);
    else if constexpr (std::is_same_v<Plain, bool>) return {.text = result ? "true" : "false"};
    else if constexpr (std::is_integral_v<Plain>) return {std::to_string(result)};
    else if constexpr (std::is_floating_point_v<Plain>) return {print_number(result)};
    else if constexpr (std::is_convertible_v<T, std::string>) return {std::string(std::forward<T>(result))};
    else return {to_json(result).dump()};
}

template <class F> class FunctionTool final : public ContextTool {
    using Traits = Callable<F>;
    using Arguments = typename Traits::Values;
    using Result = typename Traits::Result;

public:
    /// `names` of the parameters; empty: the function has one struct or no parameters.
    FunctionTool(std::string name, std::string description, F function, std::vector<std::string> names)
        : name_(std::move(name)),
          description_(std::move(description)),
          function_(std::move(function)),
          names_(std::move(names)),
          schema_(make_schema()) {}
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return description_; }
    const nlohmann::json& schema() const override { return schema_; }
    std::vector<std::string> parameters() const override {
        auto names = names_;
        if constexpr (Traits::arity == 1)
            if (names.empty())
                json_detail::for_each_member<std::tuple_element_t<0, Arguments>>(
                    [&names](auto member) { names.emplace_back(member.name); });
        return names;
    }
    using ContextTool::call;
    awaitable<Observation> call(const nlohmann::json& arguments, ToolContext& context) override {
        auto values = read(arguments);  // lives until the end: the function may be a coroutine that refers to it
        Observation done;
        done.text = "Done.";
        if constexpr (weft::core::is_awaitable<Result>) {
            auto running = begin(std::move(values), context);
            if constexpr (std::is_void_v<typename Result::value_type>) co_await std::move(running);
            else {
                auto result = co_await std::move(running);
                co_return observe(std::move(result));
            }
        } else if constexpr (std::is_void_v<Result>) begin(std::move(values), context);
        else done = observe(begin(std::move(values), context));
        co_return done;
    }

private:
    Result begin(Arguments&& values, ToolContext& context) const {
        const F& function = function_;
        const auto with_context = [&]<class... V>(V&&... value) -> Result {
            if constexpr (Traits::context == ContextPlace::first) return function(context, std::forward<V>(value)...);
            else if constexpr (Traits::context == ContextPlace::last)
                return function(std::forward<V>(value)..., context);
            else return function(std::forward<V>(value)...);
        };
        return std::apply(with_context, std::move(values));
    }
    template <std::size_t... I> nlohmann::json schema_of_names(std::index_sequence<I...>) const {
        nlohmann::json object = {{"type", "object"}, {"properties", nlohmann::json::object()}};
        [[maybe_unused]] auto add = [&]<class P>(std::type_identity<P>, const std::string& name) {
            object["properties"][name] = weft::schema<P>();
            if constexpr (!json_detail::is_optional<P>) object["required"].push_back(name);
        };
        (add(std::type_identity<std::tuple_element_t<I, Arguments>>{}, names_[I]), ...);
        return object;
    }
    nlohmann::json make_schema() const {
        if constexpr (Traits::arity == 1)
            if (names_.empty()) return weft::schema<std::tuple_element_t<0, Arguments>>();
        return schema_of_names(std::make_index_sequence<Traits::arity>{});
    }
    template <std::size_t... I>
    Arguments read_names([[maybe_unused]] const nlohmann::json& arguments, std::index_sequence<I...>) const {
        [[maybe_unused]] auto one = [&]<class P>(std::type_identity<P>, const std::string& name) -> P {
            if (auto found = arguments.find(name); found != arguments.end())
                return from_json<P>(*found, "arguments." + name);
            if constexpr (json_detail::is_optional<P>) return {};
            else throw Error(Code::bad_json, "arguments." + name + ": missing");
        };
        return Arguments{one(std::type_identity<std::tuple_element_t<I, Arguments>>{}, names_[I])...};
    }
    Arguments read(const nlohmann::json& arguments) const {
        if constexpr (Traits::arity == 1)
            if (names_.empty()) return Arguments(from_json<std::tuple_element_t<0, Arguments>>(arguments, "arguments"));
        return read_names(arguments, std::make_index_sequence<Traits::arity>{});
    }
    std::string name_, description_;
    F function_;
    std::vector<std::string> names_;
    nlohmann::json schema_;
};
/// Whether the other checks make sense, or would only repeat the first error.
template <class F> constexpr bool check_function() {
    constexpr bool once = Callable<F>::no_other_context;
    static_assert(once,
                  "a tool's function takes its context once, as ToolContext&, as its first or its last parameter");
    static_assert(!once || Callable<F>::only_reads,
                  "a tool's function takes its parameters by value or by const reference");
    return once;
}
}

/// Makes a tool from a function with one described struct or no parameters.
template <class F> std::shared_ptr<Tool> make_tool(std::string name, std::string description, F function) {
    if constexpr (detail::check_function<F>()) {
        using Traits = detail::Callable<F>;
        static_assert(Traits::arity <= 1,
                      "name the parameters: make_tool(name, description, function, {\"a\", \"b\"})");
        if constexpr (Traits::arity == 1)
            static_assert(json_detail::form<std::tuple_element_t<0, typename Traits::Values>> ==
                              json_detail::Form::object,
                          "describe the argument struct with BOOST_DESCRIBE_STRUCT, or name the parameter");
        return std::make_shared<detail::FunctionTool<F>>(std::move(name), std::move(description), std::move(function),
                                                         std::vector<std::string>{});
    } else return nullptr;
}
/// Makes a tool from a function with named parameters, each a scalar or another type with a JSON form.
template <class F, std::size_t n>
std::shared_ptr<Tool> make_tool(std::string name, std::string description, F function, const char* const (&names)[n]) {
    if constexpr (detail::check_function<F>()) {
        static_assert(n == detail::Callable<F>::arity, "as many names as the function has parameters");
        return std::make_shared<detail::FunctionTool<F>>(std::move(name), std::move(description), std::move(function),
                                                         std::vector<std::string>(names, names + n));
    } else return nullptr;
}
}
