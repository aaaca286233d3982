// If the context is too long, the entries before the last turn are shortened, the oldest first, and then left out. The
// model continues from the last turn, so its entries are only shortened, and only in the end.
#include "steps/agents/reflect/running_context.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/hanging_indent.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/reflect/sub_answers.hpp"
#include <algorithm>

namespace weft::agents::inline reflect_steps {
namespace {
constexpr std::size_t short_entry = 400;   // bytes of a shortened entry
constexpr std::size_t bytes_of_note = 50;  // for the number of omitted entries, or an entry's former length
constexpr std::string_view entry_indent = "    ";

/// The arguments as a model writes them: a single string without its name and quotes; empty without arguments.
std::string bare(const JsonText& arguments) {
    const auto value = nlohmann::json::parse(arguments.text, nullptr, false);
    if (!value.is_object()) return arguments.text;
    if (value.empty()) return {};
    if (value.size() > 1 || !value.front().is_string()) return arguments.text;
    return value.front().get<std::string>();
}
class ContextWriter {
public:
    ContextWriter(const Context& ctx, std::string_view without, BudgetNotes notes = {})
        : ctx_(ctx), without_(without), notes_(std::move(notes)) {}
    struct WrittenTurns {
        std::vector<std::string> entries;
        std::size_t last_turn = 0;  // index of its first entry
    };
    WrittenTurns write() {
        add_background(ctx_.get<Inquiry>().background);
        say_notes(0);
        std::size_t done = 0;
        for (const auto& step : ctx_.get<CurrentReasoning>()) {
            write(step);
            if (step.kind == ReasoningKind::action && step.tool == decomposition && step.call != without_)
                for (const auto& answer : sub_answers_of(ctx_, step.call)) write(answer);
            say_notes(++done);
        }
        say("REFLECTION", ctx_.get<CurrentReflection>().text);
        const auto last = entries_.empty() ? 0 : entries_.size() - 1;
        return {std::move(entries_), std::min(last_turn_, last)};
    }

private:
    /// Adds each entry of the background as one entry; an entry begins at a line without indent.
    void add_background(std::string_view text) {
        while (!text.empty()) {
            auto end = text.find('\n');
            while (end != text.npos && text.substr(end + 1).starts_with(entry_indent)) end = text.find('\n', end + 1);
            entries_.emplace_back(text.substr(0, end));
            text.remove_prefix(end == text.npos ? text.size() : end + 1);
        }
    }
    void say(std::string_view label, std::string_view text) {
        if (!text.empty()) entries_.push_back(context_entry(label, text));
    }
    void say_notes(std::size_t after) {
        for (; next_note_ < notes_.size() && notes_[next_note_].after <= after; ++next_note_)
            say("NOTE", notes_[next_note_].text);
    }
    void write(const ReasoningStep& step) {
        if (step.kind == ReasoningKind::action || step.tool == decomposition) last_turn_ = entries_.size();
        say("REFLECTION", step.thought);
        switch (step.kind) {
        case ReasoningKind::action: say("ACTION", step.tool); return say("ARGUMENT", bare(step.arguments));
        case ReasoningKind::observation: {
            const bool summary = step.tool == decomposition && step.ok;
            say(summary ? "GENERATED RESPONSE TO SUBQUESTIONS" : "OBSERVATION",
                step.text.empty() ? "(nothing)" : step.text);
            return say("NOTE", step.note);
        }
        case ReasoningKind::answer: return say("FINAL ANSWER", step.text);
        case ReasoningKind::fault: return say("ERROR", step.text);
        }
    }
    void write(const SubAnswer& answer) {
        say("SUBQUESTION " + std::to_string(answer.question.number), answer.question.text);
        for (const auto& step : answer.reasoning)
            if (step.kind != ReasoningKind::answer) write(step);
        last_turn_ = entries_.size();
        say("ANSWER TO SUBQUESTION " + std::to_string(answer.question.number), told(answer));
    }
    const Context& ctx_;
    const std::string_view without_;
    const BudgetNotes notes_;
    std::size_t next_note_ = 0;
    std::vector<std::string> entries_;
    std::size_t last_turn_ = std::string::npos;
};

std::size_t shorten(std::string& entry, std::size_t to) {
    const auto before = entry.size();
    if (before <= to + bytes_of_note) return 0;
    entry.resize(utf8_cut(entry, to).size());
    entry += "... [shortened, " + std::to_string(before) + " bytes]";
    return before - entry.size();
}
GrowingContext fit(ContextWriter writer, std::size_t max_bytes) {
    auto [entries, last_turn] = writer.write();
    std::size_t total = 0, left_out = 0;
    for (const auto& entry : entries) total += entry.size() + 1;
    const bool whole = total <= max_bytes;
    for (std::size_t i = 0; i < last_turn && total > max_bytes; ++i) total -= shorten(entries[i], short_entry);
    if (last_turn > 0 && total > max_bytes) total += bytes_of_note;
    while (left_out < last_turn && total > max_bytes) total -= entries[left_out++].size() + 1;
    for (auto i = left_out; i < entries.size() && total > max_bytes; ++i) {
        const auto much = total - max_bytes + bytes_of_note, size = entries[i].size();
        total -= shorten(entries[i], std::max(short_entry, size - std::min(size, much)));
    }
    GrowingContext context;
    auto& out = context.text;
    if (left_out) out = "[" + std::to_string(left_out) + " earlier entries are left out]";
    for (auto i = left_out; i < entries.size(); ++i) {
        (out += out.empty() ? "" : "\n") += entries[i];
        if (whole) context.ends.push_back(out.size());
    }
    return context;
}
}

std::string context_entry(std::string_view label, std::string_view text) {
    return std::string(label) + " >> " + with_margin(text, entry_indent);
}
std::string remembered(const std::vector<models::Message>& history) {
    if (history.empty()) return {};
    std::string out = "These questions were asked and answered before. Use them where they help.";
    for (const auto& message : history) {
        const auto* label = message.role == models::Role::user        ? "QUESTION"
                            : message.role == models::Role::assistant ? "ANSWER"
                                                                      : "EARLIER";
        out += '\n' + context_entry(label, message.content);
    }
    return out + "\nEND OF WHAT WAS ASKED BEFORE";
}
std::string running_context(const Context& ctx, std::size_t max_bytes, std::string_view without) {
    return fit(ContextWriter(ctx, without), max_bytes).text;
}
GrowingContext growing_context(const Context& ctx, std::size_t max_bytes) {
    return fit(ContextWriter(ctx, {}, ctx.get<Progress>().notes), max_bytes);
}
}
