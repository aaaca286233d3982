// `weft run`, `weft answer`, `weft signal` and `weft cancel` with --server: a server does the work instead of this
// process.
#include "engine/ending.hpp"
#include "engine/text/percent_encoding.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/driver/approval.hpp"
#include "workflows/driver/remote.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/input_lines.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include "workflows/driver/tool_form.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>

namespace weft::driver {
namespace {
using nlohmann::json;
bool has_role(const json& envelope, const char* role) {
    const auto types = envelope.find("types");
    return types != envelope.end() && types->is_array() && std::ranges::find(*types, json(role)) != types->end();
}
class RemoteRun {
public:
    RemoteRun(Remote& server, Interrupts& interrupts, const Choices& choices)
        : server_(server), interrupts_(interrupts), choices_(choices), lines_(interrupts) {}
    ExitCode run() {
        json body = {{"start_event", read_input(choices_.input)}};
        if (const auto values = catalog::values_of(choices_.agent); !values.text.empty())
            body["values"] = json::parse(values.text);
        const auto begun = server_.post("/workflows/" + percent_encoded(choices_.workflow) + "/run-nowait", body);
        handler_ = text_in(begun, "handler_id");
        if (!choices_.show.quiet) note("run " + in_one_line(handler_) + " at " + server_.url());
        server_.follow(handler_, interrupts_, [this](const json& envelope) {
            on(envelope);
            return left_ == ExitCode::ok;
        });
        if (left_ != ExitCode::ok) return left_;
        if (interrupts_.seen()) {
            complain("interrupted: run " + handler_ + " continues at the server; end it with: " + command("cancel"));
            return ExitCode::cancelled;
        }
        return ended(server_.get("/handlers/" + percent_encoded(handler_), true));
    }

private:
    void on(const json& envelope) {
        const auto type = text_in(envelope, "type");
        const auto value = envelope.value("value", json::object());
        last_ = type;
        if (choices_.show.events) {
            json line = {{"event", type}, {"data", value}};
            for (const auto* of_child : {"run", "path"})
                if (envelope.contains(of_child)) line[of_child] = envelope[of_child];
            say_json(line);
        } else if (has_role(envelope, "StopEvent")) return;
        else if (!choices_.show.quiet && !has_role(envelope, "InputRequiredEvent"))
            tell(type + " " + excerpt(ascii(value), 200) + "\n");
        if (has_role(envelope, "InputRequiredEvent")) ask(type, value, text_in(envelope, "question"));
    }
    std::vector<std::string> answers_to(const std::string& question) {
        const auto all = server_.get("/workflows/" + percent_encoded(choices_.workflow) + "/questions");
        for (const auto& each : all.value("questions", json::array()))
            if (text_in(each, "type") == question) return each.value("answers", std::vector<std::string>());
        return {};
    }
    void ask(const std::string& question, const json& value, const std::string& id) {
        const bool is_call = question == "ToolApprovalRequestEvent", is_form = question == "ToolQuestionEvent";
        if (is_call && lines_.terminal()) tell(shown_call(call_in_question(value)));
        else if (is_form && lines_.terminal()) tell(shown_form(form_in_question(value)));
        else tell("? " + question + ' ' + ascii(value) + '\n');
        const auto answers = answers_to(question);
        struct NoInput {};
        const auto next = [&](const std::string& prompt, const std::string& begun) {
            auto line = lines_.next(prompt, {.deadline = {}, .begun = begun});
            return line ? *line : throw NoInput();
        };
        for (;;) {
            try {
                const auto data = is_call   ? ask_approval(call_in_question(value), {next, lines_.terminal()})
                                  : is_form ? ask_form(form_in_question(value), {next, lines_.terminal()})
                                            : read_json(next("answer, as JSON: ", {}), "the answer to " + question);
                return send(answers, id, data);
            } catch (const NoInput&) { return leave(question, answers, id); } catch (const Error& error) {
                const bool mistake = error.code() == Code::usage || error.code() == Code::bad_json;
                if (!mistake || !lines_.terminal()) throw;
                complain(error.what());
            }
        }
    }
    void send(const std::vector<std::string>& answers, const std::string& id, json data) {
        auto type = answers.empty() ? std::string() : answers.front();
        if (answers.size() != 1) {
            if (!data.is_object() || data.size() != 1)
                throw Error(Code::usage, "several events can answer this, so the answer has to be {\"EVENT\": {...}}");
            type = data.begin().key();
            data = json(data.begin().value());
        }
        server_.post("/events/" + percent_encoded(handler_),
                     {{"event", {{"type", type}, {"value", data}}}, {"question", id}});
    }
    void leave(const std::string& question, const std::vector<std::string>& answers, const std::string& id) {
        complain("run " + handler_ + " waits for the answer to " + question +
                 ", and standard input has none. The run continues at the server: answer it there");
        for (const auto& each : answers)
            tell(command("answer") + " --event " + each + " --question " + id + " --json '{...}'\n");
        left_ = ExitCode::waiting;
    }
    std::string command(const char* name) const {
        return std::string("weft ") + name + " " + shell_quoted(handler_) + " --server " + shell_quoted(server_.url());
    }
    ExitCode ended(const json& handler) {
        const auto status = text_in(handler, "status");
        if (status == "completed") {
            if (!choices_.show.events) say_json(handler.at("result").at("value"));
            return ExitCode::ok;
        }
        const bool is_cancelled = status == "cancelled";
        complain(is_cancelled ? "the run was cancelled" : text_in(handler, "error"));
        if (is_cancelled) return ExitCode::cancelled;
        const auto* ending = last_.starts_with("Workflow") ? ending_named("Run" + last_.substr(8)) : nullptr;
        return ending ? ExitCode(row_of(ending->status).exit_code) : ExitCode::failed;
    }
    Remote& server_;
    Interrupts& interrupts_;
    const Choices& choices_;
    InputLines lines_;
    std::string handler_, last_;
    ExitCode left_ = ExitCode::ok;
};
}

/// Throws Error{usage} for an option that has no effect with --server.
static void refuse_local_options(const Choices& choices) {
    using enum OptionGroup;
    constexpr OptionGroup with_effect[] = {remote, workflow,  input,      quiet, events,
                                           run_id, answering, signalling, values};
    for (const auto* option : choices.given)
        if (std::ranges::find(with_effect, option->group) == std::end(with_effect))
            throw Error(Code::usage, std::string(option->name) +
                                         " has no effect on a run of a server: leave it out, or "
                                         "give it to `weft serve`");
}
ExitCode run_remotely(const Choices& choices) {
    refuse_local_options(choices);
    Interrupts interrupts;
    Remote server(choices.remote.server, server_token(choices));
    return RemoteRun(server, interrupts, choices).run();
}
ExitCode answer_remotely(const Choices& choices) {
    refuse_local_options(choices);
    const auto& chosen = choices.stored;
    Remote server(choices.remote.server, server_token(choices));
    json body = {{"event", {{"type", chosen.event}, {"value", read_json(chosen.json, "--json")}}}};
    if (!chosen.question.empty()) body["question"] = chosen.question;
    if (!chosen.id.empty())
        throw Error(
            Code::usage,
            "--id is for answers in a store: leave it out, because a server takes one answer for each question");
    server.post("/events/" + percent_encoded(chosen.run), body);
    note("the answer has reached run " + chosen.run);
    return ExitCode::ok;
}
ExitCode signal_remotely(const Choices& choices) {
    refuse_local_options(choices);
    const auto& chosen = choices.stored;
    Remote server(choices.remote.server, server_token(choices));
    json body = {{"signal", {{"type", chosen.event}, {"value", read_input(choices.input)}}}};
    if (!chosen.id.empty()) body["id"] = chosen.id;
    const auto sent = server.post("/handlers/" + percent_encoded(chosen.run) + "/signals", body);
    if (sent.value("status", "") == "known") note("the signal " + chosen.id + " was already sent: nothing has changed");
    else note("the signal has reached run " + chosen.run);
    return ExitCode::ok;
}
ExitCode cancel_remotely(const Choices& choices) {
    refuse_local_options(choices);
    Remote server(choices.remote.server, server_token(choices));
    server.post("/handlers/" + percent_encoded(choices.stored.run) + "/cancel", json::object());
    note("run " + choices.stored.run + " was cancelled");
    return ExitCode::ok;
}
}
