// From a workflow and a function that binds it to an entry of the catalogue. For workflows/catalog.cpp.
//
//     make_entry<hello, [](auto&, auto&) { return Bound(hello); }>("greets whoever is named")
#pragma once
#include "engine/engine.hpp"
#include "engine/graph.hpp"
#include "engine/json.hpp"
#include "workflows/catalog.hpp"
#include "workflows/driver/setup.hpp"

namespace weft::workflows::detail {
template <class E> Message describe() { return {type_name<E>, schema<E>()}; }

template <class W, class Q> inline constexpr bool fits_anyones = !W::template paired<Q>;
/// Whether an answer of type E fits a question of type Q.
template <class W, class E, class Q> constexpr bool answers() {
    if constexpr (!W::template takes<E>) return false;
    else if constexpr (std::is_void_v<weft::detail::question_of<E>>) return fits_anyones<W, Q>;
    else return std::is_same_v<weft::detail::question_of<E>, Q>;
}
template <class Do> void for_each_event(Do&& act, auto list) {
    [&]<class... E>(List<E...>) { (act(std::type_identity<E>{}), ...); }(list);
}
template <class W> std::vector<Question> questions() {
    std::vector<Question> all;
    for_each_event(
        [&]<class Q>(std::type_identity<Q>) {
            if constexpr (is_request<Q>) {
                auto& question = all.emplace_back(Question{describe<Q>(), {}});
                for_each_event(
                    [&]<class E>(std::type_identity<E>) {
                        if constexpr (answers<W, E, Q>()) question.answers.push_back(describe<E>());
                    },
                    typename W::Events{});
            }
        },
        typename W::Events{});
    return all;
}

template <class W> class TypedRun final : public JsonRun {
public:
    explicit TypedRun(Run<W> run) : run_(std::move(run)) {}
    awaitable<std::optional<AnyEvent>> next_event() const override { return run_.next_event(); }
    awaitable<nlohmann::json> result() const override { return result_of(run_); }
    void cancel() override { run_.cancel(); }
    std::optional<nlohmann::json> read_question(const AnyEvent& event) const override {
        std::optional<nlohmann::json> data;
        for_each_event(
            [&]<class Q>(std::type_identity<Q>) {
                if constexpr (is_request<Q>)
                    if (const auto* question = event.get_if<Q>()) data = to_json(*question);
            },
            typename W::Events{});
        return data;
    }
    void answer(QuestionId question, std::string_view event, const nlohmann::json& data) override {
        bool known = false;
        for_each_event(
            [&]<class E>(std::type_identity<E>) {
                if constexpr (W::template takes<E>)
                    if (event == type_name<E>) {
                        known = true;
                        run_.send(from_json<E>(data, "answer"), question);
                    }
            },
            typename W::Events{});
        if (!known) throw Error(Code::usage, "this workflow takes no " + std::string(event));
    }

private:
    static awaitable<nlohmann::json> result_of(Run<W> run) {
        const auto stop = co_await run.result();
        auto json = to_json(stop);
        co_return json;
    }
    Run<W> run_;
};

template <class R, auto... Fn> constexpr bool needs(const Workflow<Fn...>&) {
    using Needed = weft::detail::unite<typename weft::detail::Signature<decltype(Fn)>::resources...>;
    return weft::detail::contains<R, Needed> || weft::detail::contains<const R, Needed>;
}
template <const auto& workflow, auto bind> Entry make_entry(std::string_view description) {
    using W = std::remove_cvref_t<decltype(workflow)>;
    Entry entry;
    entry.name = workflow.name;
    entry.description = description;
    entry.has_model = needs<llm::ChatModel>(workflow);
    entry.has_database = needs<weft::tools::Database>(workflow) || needs<weft::tools::Registry>(workflow);
    entry.graph = [] { return graph_of(workflow); };
    entry.start = describe<typename W::Start>;
    entry.stop = describe<typename W::Stop>;
    entry.questions = questions<W>;
    entry.run = [](driver::Setup& here, const nlohmann::json& input,
                   const RunOptions& options) -> std::unique_ptr<JsonRun> {
        auto start = from_json<typename W::Start>(input, "input");
        const Bound<W> bound = bind(here, start);
        return std::make_unique<TypedRun<W>>(here.engine().start(bound, std::move(start), options));
    };
    return entry;
}
}
