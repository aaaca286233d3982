// All output goes through escaped(), or is a number or a literal of this file. Entries of parallel sub-questions are
// sorted first.
#include "steps/view/html_page.hpp"
#include "engine/text/utf8.hpp"
#include "steps/view/page_text.hpp"
#include <algorithm>
#include <map>
#include <vector>

namespace weft::view {
namespace {
struct KindStyle {
    const char *style, *title;
};
KindStyle look_of(const TraceEntry& entry) {
    switch (entry.kind) {
    case TraceKind::question: return {"question", "Question"};
    case TraceKind::reflection: return {"reflection", "Reflection"};
    case TraceKind::thought: return {"thought", entry.ok ? "Thought" : "Reply that could not be followed"};
    case TraceKind::reasoning: return {"reasoning", "Reasoning"};
    case TraceKind::action: return {"action", "Action"};
    case TraceKind::progress: return {"progress", "Progress"};
    case TraceKind::observation: return {"observation", entry.ok ? "Observation" : "Failed observation"};
    case TraceKind::error: return {"error", "Error"};
    case TraceKind::sub_question: return {"sub", "Sub-question"};
    case TraceKind::summary:
        return {"summary", entry.label.empty() ? "Summary of the sub-questions" : "Summary of what came before"};
    case TraceKind::answer: return {"answer", entry.ok ? "Answer" : "Poor answer"};
    case TraceKind::event: return {"event", entry.ok ? "Event" : "Event without data"};
    }
    return {"entry", "Entry"};
}
void join(std::string& line, const std::string& part) {
    if (part.empty()) return;
    if (!line.empty()) line += ", ";
    line += part;
}
std::string in_one_line(const std::string& text, std::size_t bytes) {
    std::string line(utf8_cut(text, bytes));
    for (char& c : line)
        if (c == '\n' || c == '\t' || c == '\r') c = ' ';
    return line.size() < text.size() ? line + "..." : line;
}

/// The entries of the main run, with those of each sub-question at the place of its beginning.
struct QuestionGroup {
    const TraceEntry* question = nullptr;
    std::vector<const TraceEntry*> entries;
};
struct Item {
    const TraceEntry* entry = nullptr;
    std::size_t group = 0;  // used without an entry
};
struct PageOutline {
    std::vector<Item> items;
    std::vector<QuestionGroup> groups;
    explicit PageOutline(std::span<const TraceEntry> entries) {
        std::map<int, std::size_t> latest;
        for (const auto& entry : entries) {
            if (entry.kind == TraceKind::question) continue;  // the page's heading
            const auto open = [&] {
                latest[entry.sub_question] = groups.size();
                items.push_back({nullptr, groups.size()});
                return &groups.emplace_back();
            };
            if (entry.kind == TraceKind::sub_question) open()->question = &entry;
            else if (!entry.sub_question) items.push_back({&entry});
            else if (const auto at = latest.find(entry.sub_question); at != latest.end())
                groups[at->second].entries.push_back(&entry);
            else open()->entries.push_back(&entry);
        }
    }
};

class TracePage {
public:
    TracePage(std::span<const TraceEntry> entries, const PageHeader& header, const PageLimits& limits)
        : entries_(entries), header_(header), limits_(limits), question_(header.question) {
        for (const auto& entry : entries) {
            if (entry.kind == TraceKind::question && question_.empty()) question_ = entry.text;
            if (entry.kind == TraceKind::answer && !entry.sub_question) answer_ = &entry;
        }
    }
    std::string write() {
        put_head();
        put_header();
        out_ += "<main>\n";
        if (answer_) {
            out_ += "<section class=\"entry answer";
            out_ += answer_->ok ? "" : " bad";
            out_ += "\" aria-labelledby=\"answer\">\n<h2 id=\"answer\">";
            out_ += look_of(*answer_).title;
            out_ += "</h2>\n";
            put_text(answer_->text);
            out_ += "</section>\n";
        }
        out_ += "<section id=\"trace\" tabindex=\"-1\" aria-labelledby=\"heading\">\n<h2 id=\"heading\">Trace</h2>\n";
        put_tools();
        put_outline();
        out_ += "</section>\n</main>\n<script>";
        out_ += page_script();
        out_ += "</script>\n</body>\n</html>\n";
        return std::move(out_);
    }

private:
    void put_head() {
        const auto title = escaped(in_one_line(question_, 80));
        out_ +=
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
            page_policy() +
            "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"weft\">\n<title>" +
            (title.empty() ? "Trace" : title + " - trace") + "</title>\n<style>";
        out_ += page_style();
        out_ += "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#trace\">To the trace</a>\n";
    }
    void put_header() {
        out_ += "<header>\n<h1 dir=\"auto\">" +
                (question_.empty() ? std::string("A run") : escaped(question_, limits_.longest_text)) +
                "</h1>\n<dl class=\"facts\">\n";
        models::Usage usage;
        double seconds = 0;
        for (const auto& entry : entries_) {
            usage += entry.usage;
            seconds = std::max(seconds, entry.seconds);
        }
        put_fact("Outcome", header_.outcome);
        put_fact("Model", header_.model);
        put_fact("Workflow", header_.workflow);
        put_fact("Dialect", header_.dialect);
        put_fact("Begun", header_.begun);
        put_fact("Time", in_short(seconds));
        put_fact("Usage", in_words(usage));
        put_fact("Spent", header_.spent);
        out_ += "</dl>\n</header>\n";
    }
    void put_fact(const char* name, const std::string& value) {
        if (value.empty()) return;
        out_ += std::string("<div><dt>") + name + "</dt><dd>" + escaped(in_one_line(value, 300)) + "</dd></div>\n";
    }
    /// Hidden until the script runs, which does the search.
    void put_tools() {
        out_ +=
            "<div class=\"tools\" id=\"tools\" role=\"search\" hidden>\n<label for=\"find\">Search</label>\n"
            "<input id=\"find\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" aria-keyshortcuts=\"/\">\n"
            "<output id=\"found\" for=\"find\"></output>\n"
            "<button type=\"button\" id=\"fold\">Unfold or fold all</button>\n</div>\n";
    }
    void put_outline() {
        const PageOutline outline(entries_);
        limit_ = out_.size() + limits_.longest_page;
        for (const auto& item : outline.items) {
            if (item.entry) put_entry(*item.entry);
            else put_group(outline.groups[item.group]);
        }
        if (left_out_) out_ += "<p>[" + std::to_string(left_out_) + " more entries]</p>\n";
    }
    bool is_full() { return shown_ && out_.size() > limit_ && ++left_out_; }
    void put_group(const QuestionGroup& group) {
        if (is_full()) {
            left_out_ += group.entries.size();
            return;
        }
        const auto& first = group.question ? *group.question : *group.entries.front();
        const auto& last = group.entries.empty() ? first : *group.entries.back();
        std::string about;
        if (last.kind == TraceKind::answer && !last.ok) join(about, last.label);
        join(about, in_short(last.seconds - first.seconds));
        models::Usage usage;
        for (const auto* entry : group.entries) usage += entry->usage;
        join(about, in_words(usage));
        out_ += "<details class=\"sub\">\n<summary><span class=\"kind\">Sub-question " +
                std::to_string(first.sub_question) + "</span> <span class=\"text\" dir=\"auto\">" +
                (group.question ? escaped(first.text, limits_.longest_text) : std::string()) +
                "</span> <span class=\"meta\">" + escaped(about) + "</span></summary>\n";
        ++shown_;
        for (const auto* entry : group.entries) put_entry(*entry);
        out_ += "</details>\n";
    }
    void put_entry(const TraceEntry& entry) {
        if (is_full()) return;
        ++shown_;
        const auto look = look_of(entry);
        std::string about;
        if (entry.step) join(about, "step " + std::to_string(entry.step));
        join(about, "at " + in_short(entry.seconds));
        join(about, in_words(entry.usage));
        out_ += std::string("<article class=\"entry ") + look.style + (entry.ok ? "" : " bad") + "\">\n<header><h3>" +
                look.title;
        if (!entry.label.empty() && entry.kind != TraceKind::thought)
            out_ += " <code>" + escaped(entry.label, 300) + "</code>";
        out_ += "</h3> <p class=\"meta\">" + about + "</p></header>\n";
        if (entry.kind == TraceKind::reasoning) put_folded("what the model thought by itself", entry.text);
        else if (!entry.display || entry.display->text.empty()) put_text(entry.text);
        else {
            put_text(entry.display->text);
            put_folded("what the model was told", entry.text);
        }
        if (entry.display) put_display(*entry.display);
        out_ += "</article>\n";
    }
    void put_folded(const char* what, const std::string& text) {
        out_ += std::string("<details class=\"fold\">\n<summary>") + what + "</summary>\n";
        put_text(text);
        out_ += "</details>\n";
    }
    /// A file's link has its bytes without a type, so a browser downloads it instead of showing it.
    void put_display(const tools::Display& display) {
        for (const auto& table : display.tables) put_table(table);
        if (display.files.empty()) return;
        out_ += "<ul class=\"files\">\n";
        for (const auto& file : display.files) {
            const auto name = escaped(in_one_line(file.name, 200));
            const auto about = escaped(in_one_line(file.media_type, 200)) + ", " + std::to_string(file.bytes) +
                               (file.bytes == 1 ? " byte" : " bytes");
            out_ += file.data.empty()
                        ? "<li>" + name
                        : "<li><a download=\"" + name + "\" href=\"data:application/octet-stream;base64," +
                              escaped(file.data) + "\">" + name + "</a>";
            out_ += " <span class=\"meta\">" + about + (file.data.empty() && file.bytes ? ", not kept" : "") +
                    "</span></li>\n";
        }
        out_ += "</ul>\n";
    }
    void put_table(const tools::ShownTable& table) {
        out_ += "<div class=\"table\"><table>\n<caption>" + escaped(in_one_line(table.name, 200)) +
                "</caption>\n<thead><tr>";
        for (const auto& column : table.columns)
            out_ += "<th scope=\"col\">" + escaped(in_one_line(column, 200)) + "</th>";
        out_ += "</tr></thead>\n<tbody>\n";
        for (const auto& row : table.rows) {
            out_ += "<tr>";
            for (const auto& cell : row) out_ += "<td dir=\"auto\">" + escaped(cell) + "</td>";
            out_ += "</tr>\n";
        }
        out_ += "</tbody></table></div>\n";
        if (table.more_rows) out_ += "<p class=\"meta\">[" + std::to_string(table.more_rows) + " more rows]</p>\n";
    }
    void put_text(const std::string& text) {
        if (!text.empty())
            out_ += "<div class=\"text\" dir=\"auto\">" + escaped(text, limits_.longest_text) + "</div>\n";
    }
    const std::span<const TraceEntry> entries_;
    const PageHeader& header_;
    const PageLimits& limits_;
    std::string question_, out_;
    const TraceEntry* answer_ = nullptr;  // the whole run's
    std::size_t limit_ = 0, shown_ = 0, left_out_ = 0;
};
}

std::string html_page(std::span<const TraceEntry> entries, const PageHeader& header, const PageLimits& limits) {
    return TracePage(entries, header, limits).write();
}
}
