// An unsaved exchange has a number, so that after a failed save the next save writes it. Each save reads the file again
// under its lock, because other processes may have added to it.
#include "steps/agents/memory/memory_file.hpp"
#include "engine/pool.hpp"
#include "engine/store.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <cstdio>

namespace weft::agents {
namespace {
constexpr std::size_t longest_text = 16 << 10, most_runs = 1000;

std::string bounded(std::string text) {
    if (text.size() <= longest_text) return text;
    text.resize(utf8_cut(text, longest_text).size());
    return text + "\n[truncated]";
}
/// The size of a text in the file; an escaped byte takes up to six.
std::size_t bytes_in_file(const std::string& text) {
    std::size_t bytes = 16;  // indent, quotes, comma, line break
    for (const char c : text)
        bytes += static_cast<unsigned char>(c) < 0x20 ? 6 : c == '"' || c == '\\' || c == '\x7F' ? 2 : 1;
    return bytes;
}
/// A hash of the run id, the question and the answer, because an id alone may come again.
std::string mark_of(const std::string& run, const Exchange& exchange) {
    char text[20];
    const auto sum = storage::chained_sum(storage::chained_sum(storage::chained_sum(0, 0, run), 1, exchange.question),
                                          2, exchange.answer);
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum));
    return text;
}
std::size_t bytes_in_file(const Exchange& exchange) {
    return bytes_in_file(exchange.question) + bytes_in_file(exchange.answer);
}
}

MemoryFile::Entry MemoryFile::make_entry(Exchange exchange, std::uint64_t number) {
    WordCounts words(exchange.question + '\n' + exchange.answer);
    return {std::move(exchange), std::move(words), number, {}};
}
MemoryFile::MemoryFile(Pool& pool, const std::string& path, MemoryFileLimits limits)
    : pool_(pool), file_(path), limits_(limits) {
    for (auto& exchange : file_.read()) entries_.push_back(make_entry(std::move(exchange)));
}

std::vector<std::size_t> MemoryFile::choose(std::string_view question) const {
    std::vector<std::size_t> chosen;
    const bool all = entries_.size() <= limits_.shown;
    const auto latest = all ? entries_.size() : std::min(limits_.latest, limits_.shown);
    const auto older = entries_.size() - latest;
    for (std::size_t i = entries_.size(); i-- > older;) chosen.push_back(i);
    if (older && limits_.shown > latest) {
        std::vector<const WordCounts*> texts;
        for (std::size_t i = 0; i < older; ++i) texts.push_back(&entries_[i].words);
        const auto relevant = most_relevant(WordCounts(question), texts, limits_.shown - latest);
        chosen.insert(chosen.end(), relevant.begin(), relevant.end());
    }
    std::size_t bytes = 0, n = 0;  // the least relevant are last, and are left out first
    for (; n < chosen.size(); ++n) {
        const auto& exchange = entries_[chosen[n]].exchange;
        bytes += std::min(exchange.question.size(), longest_text) + std::min(exchange.answer.size(), longest_text);
        if (n > 0 && bytes > limits_.shown_bytes) break;
    }
    chosen.resize(n);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}
std::vector<models::Message> MemoryFile::read(std::string_view question) {
    const std::lock_guard lock(mutex_);
    std::vector<models::Message> messages;
    for (const auto i : choose(question)) {
        messages.push_back(models::user(bounded(entries_[i].exchange.question)));
        messages.push_back(models::assistant(bounded(entries_[i].exchange.answer)));
    }
    return messages;
}
void MemoryFile::append(const std::string& run, Exchange exchange) {
    auto entry = make_entry({bounded(repair_utf8(exchange.question)), bounded(repair_utf8(exchange.answer))});
    const std::lock_guard lock(mutex_);
    if (!run.empty()) {
        if (std::find(runs_.begin(), runs_.end(), run) != runs_.end()) return;
        runs_.push_back(run);
        if (runs_.size() > most_runs) runs_.pop_front();
        entry.mark = mark_of(run, entry.exchange);
    }
    entry.number = ++appended_;
    entries_.push_back(std::move(entry));
    if (entries_.size() > 2 * limits_.stored) entries_.erase(entries_.begin());  // the list grows by failed saves
}
void MemoryFile::add(TraceContent& all, const TraceContent& added) {
    auto& marks = all.marks;
    for (std::size_t i = 0; i < added.exchanges.size(); ++i) {
        const auto& mark = added.marks[i];
        if (!mark.empty() && std::find(marks.begin(), marks.end(), mark) != marks.end()) continue;
        all.exchanges.push_back(added.exchanges[i]);
        if (!mark.empty()) marks.push_back(mark);
    }
    if (marks.size() > most_runs) marks.erase(marks.begin(), marks.end() - std::ptrdiff_t(most_runs));
}
void MemoryFile::trim(std::vector<Exchange>& all) const {
    std::size_t bytes = 0, kept = 0;
    for (; kept < std::min(all.size(), limits_.stored); ++kept) {
        bytes += bytes_in_file(all[all.size() - 1 - kept]);
        if (kept > 0 && bytes > limits_.stored_bytes) break;
    }
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kept));
}
awaitable<void> MemoryFile::save() {
    auto work = [this](const std::stop_token& stop) { write(stop); };
    co_await pool_.run(std::move(work));
}
void MemoryFile::write(const std::stop_token& stop) {
    const std::lock_guard one(writing_);
    TraceContent added;
    std::uint64_t last = 0;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& entry : entries_)
            if (entry.number) {
                added.exchanges.push_back(entry.exchange);
                added.marks.push_back(entry.mark);
            }
        last = appended_;
    }
    if (added.exchanges.empty()) return;  // another run's save has written them
    std::vector<Entry> stored;
    file_.change(stop, limits_.wait, [&](TraceContent& all) {
        add(all, added);
        trim(all.exchanges);
        for (const auto& exchange : all.exchanges) stored.push_back(make_entry(exchange));
    });
    const std::lock_guard lock(mutex_);
    for (auto& entry : entries_)
        if (entry.number > last) stored.push_back(std::move(entry));  // appended during this save
    entries_ = std::move(stored);
}
}
