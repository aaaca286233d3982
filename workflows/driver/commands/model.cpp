// `weft model`: lists the limits of models that a store shares among its processes, and changes them.
#include "engine/json.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/model_flow.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/protocols/model_name.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/values.hpp"
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
using storage::ModelFlow;
using storage::ModelLimit;

std::vector<ModelFlow> limits_in(Store& store) {
    return storage::answer_of<std::vector<ModelFlow>>([&](auto then) { store.model_limits(std::move(then)); });
}
std::string model_limit_text(const ModelLimit& limit) {
    if (limits_nothing(limit)) return "no limits";
    return storage::rates_in_words(limit) + (limit.per.empty() ? "" : ", in turn per " + limit.per);
}
void change_rate(std::optional<std::uint64_t>& rate, const std::string& option, std::string text) {
    constexpr std::string_view minute = "/min";
    if (text.empty()) return;
    if (text == "none") return rate.reset();
    if (text.ends_with(minute)) text.resize(text.size() - minute.size());
    rate = read_number<std::uint64_t>(text);
    if (!rate || *rate == 0 || *rate > storage::most_model_rate)
        throw Error(Code::usage, option + " takes how many a minute, such as 500 or 500/min, or none, not \"" +
                                     excerpt(text, 60) + '"');
}
ExitCode set_model(const Choices& choices) {
    const auto& given = choices.model_limit;
    if (given.model.empty() || (given.requests + given.tokens + given.per).empty())
        throw Error(Code::usage, "`weft model set` needs the name of a model and a limit, such as: weft model set "
                                 "openai:gpt-4o --requests 500");
    const auto name = models::limited_model(given.model);
    const auto opened = visit_store(choices);
    ModelLimit limit{.model = name, .requests = {}, .tokens = {}, .per = {}};
    for (const auto& known : limits_in(*opened.store))
        if (known.model == limit.model) limit = known;
    change_rate(limit.requests, "--requests", given.requests);
    change_rate(limit.tokens, "--tokens", given.tokens);
    if (!given.per.empty()) limit.per = given.per == "none" ? "" : given.per;
    storage::answer_of<bool>([&](auto then) { opened.store->set_model_limit(limit, std::move(then)); });
    say(limit.model + ": " + model_limit_text(limit));
    return ExitCode::ok;
}
ExitCode show_models(const Choices& choices) {
    if (!choices.model_limit.action.empty()) return set_model(choices);
    for (const auto* option : choices.given)
        if (option->group == OptionGroup::model_limits)
            throw Error(Code::usage, std::string(option->name) + " is for `weft model set MODEL`");
    const auto opened = visit_store(choices);
    const auto all = limits_in(*opened.store);
    if (choices.show.json) {
        say_json(to_json(all));
        return ExitCode::ok;
    }
    if (all.empty()) note("no model has limits in this store");
    for (const auto& limit : all) say_in_one_line(limit.model + ": " + model_limit_text(limit));
    return ExitCode::ok;
}
constexpr auto model_examples =
    R"(All processes with this store together ask a model at most so often in any minute, and with at most so many
tokens, of requests and replies. Set the limits of your account. Calls wait for their turn; runs whose value differs
(--per) get equal shares. A running worker takes new limits within five seconds.

  weft model set openai:gpt-4o --requests 500 --tokens 200000 --store weft.db
  weft model set openai:gpt-4o --per value.tenant --store weft.db
  weft model set openai:gpt-4o --requests none --tokens none --store weft.db
  weft model --store weft.db
)";
}

DriverCommand model_command() {
    using enum OptionGroup;
    return {"model",
            "list the limits of models that the processes of a store share, or change them",
            {model_limits, as_json, store},
            show_models,
            model_examples};
}
}
