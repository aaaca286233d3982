// A line of text that looks like a label gets a bar in front, so that no tool can forge an entry.
#include "steps/view/entry_text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/view/neutralise.hpp"
#include "steps/view/wrap.hpp"
#include <algorithm>

namespace weft::view {
namespace {
constexpr std::size_t level_width = 4;
constexpr std::string_view mark = " >>";
constexpr std::string_view labels[] = {"QUESTION",
                                       "REFLECTION",
                                       "THOUGHT",
                                       "REASONING",
                                       "ACTION",
                                       "PROGRESS",
                                       "ARGUMENT",
                                       "ERROR",
                                       "SUBQUESTION",
                                       "OBSERVATION",
                                       "FINAL ANSWER",
                                       "EVENT",
                                       "GENERATED RESPONSE TO SUBQUESTIONS",
                                       "SUMMARY OF WHAT CAME BEFORE"};
class EntryWriter {
public:
    EntryWriter(const TraceEntry& entry, const EntryLook& look) : look_(look), level_(entry.sub_question ? 1 : 0) {}
    void put(std::string label, Colour colour, const std::string& text) {
        label += " >> ";
        const auto indent = level_ * level_width,
                   columns = std::max(look_.columns, indent + label.size() + level_width * 4);
        out_.append(indent, ' ') += coloured(label, colour, look_.colour);
        const auto safe = neutralise(text);
        if (safe.find('\n') == safe.npos)
            return put(
                wrap(safe, {.columns = columns - indent - level_width, .first = columns - indent - label.size()}));
        out_ += '\n';
        out_.append(indent + level_width, ' ');
        put(wrap(safe, {.columns = columns - indent - level_width}));
    }
    std::string take() { return std::move(out_); }

private:
    void put(const std::vector<std::string>& lines) {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (i && !lines[i].empty()) out_.append((level_ + 1) * level_width, ' ');
            if (looks_like_label(lines[i])) out_ += "| ";
            (out_ += lines[i]) += '\n';
        }
    }
    const EntryLook& look_;
    const std::size_t level_;
    std::string out_;
};
std::string with_label(const TraceEntry& entry) {
    if (entry.label.empty()) return entry.text;
    return (entry.label == "reply" ? "the reply" : entry.label) + ": " + entry.text;
}
}

// Text of the main run has the same indentation as a sub-question's labels.
bool looks_like_label(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    for (const auto label : labels)
        if (line.starts_with(label) && line.substr(label.size()).starts_with(mark)) return true;
    return false;
}
bool may_become_label(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    for (const auto label : labels)
        if (label.starts_with(line) || (line.starts_with(label) && mark.starts_with(line.substr(label.size()))))
            return true;
    return false;
}
std::string coloured(std::string_view text, Colour colour, bool wanted) {
    if (!wanted) return std::string(text);
    return "\x1B[" + std::to_string(static_cast<int>(colour)) + 'm' + std::string(text) + "\x1B[0m";
}
std::string shortened(const std::string& observation, std::size_t bytes) {
    std::string text(utf8_cut(observation, bytes));
    if (const auto rest = observation.size() - text.size()) text += "\n[" + std::to_string(rest) + " more bytes]";
    return text;
}
std::string shown_observation(const std::string& text, const std::optional<tools::Display>& display,
                              std::size_t bytes) {
    if (!display) return shortened(text, bytes);
    auto shown = shortened(display->text.empty() ? text : display->text, bytes);
    for (const auto& line : tools::in_lines(*display)) shown += "\n[" + excerpt(line, 300) + "]";
    return shown;
}
std::string entry_text(const TraceEntry& entry, const EntryLook& look) {
    EntryWriter writer(entry, look);
    switch (entry.kind) {
    case TraceKind::question: writer.put("QUESTION", Colour::magenta, entry.text); break;
    case TraceKind::reflection: writer.put("REFLECTION", Colour::blue, entry.text); break;
    case TraceKind::thought:
        if (entry.ok) writer.put("THOUGHT", Colour::blue, entry.text);
        break;
    case TraceKind::reasoning:
        writer.put("REASONING", Colour::grey, shortened(entry.text, look.longest_observation));
        break;
    case TraceKind::progress: writer.put("PROGRESS", Colour::grey, with_label(entry)); break;
    case TraceKind::action:
        writer.put("ACTION", Colour::green, entry.label);
        if (!entry.text.empty()) writer.put("ARGUMENT", Colour::grey, entry.text);
        break;
    case TraceKind::observation:
        writer.put("OBSERVATION", entry.ok ? Colour::yellow : Colour::red,
                   shown_observation(entry.text, entry.display, look.longest_observation));
        break;
    case TraceKind::error: writer.put("ERROR", Colour::red, with_label(entry)); break;
    case TraceKind::sub_question:
        writer.put("SUBQUESTION", Colour::magenta, std::to_string(entry.sub_question) + ". " + entry.text);
        break;
    case TraceKind::summary:
        writer.put(entry.label.empty() ? "GENERATED RESPONSE TO SUBQUESTIONS" : "SUMMARY OF WHAT CAME BEFORE",
                   Colour::cyan, entry.text);
        break;
    case TraceKind::event:
        writer.put("EVENT", entry.ok ? Colour::grey : Colour::red,
                   entry.label + ": " + shortened(entry.text, look.longest_observation));
        break;
    case TraceKind::answer: writer.put("FINAL ANSWER", entry.ok ? Colour::cyan : Colour::red, with_label(entry)); break;
    }
    return writer.take();
}
}
