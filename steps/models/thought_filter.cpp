// Two deltas may split a mark anywhere, so the possible beginning of a mark is held back. All other text passes at
// once, mostly without a copy.
#include "steps/models/thought_filter.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "steps/models/chat_model.hpp"
#include <utility>

namespace weft::models {
namespace {
constexpr std::size_t partial = static_cast<std::size_t>(-1);
constexpr int most_taken_back = 4;           // each time costs as much as all text before
constexpr std::size_t most_marks = 4 << 10;  // bytes of held-back marks at the end of a turn
constexpr std::string_view end_of_channel = "<|end|>", byte_order_mark = "\xEF\xBB\xBF";

struct ThoughtBlock {
    std::string_view opening, closing;
};
constexpr ThoughtBlock blocks[] = {
    {"<think>", "</think>"},                               // DeepSeek, Qwen and most others
    {"<thinking>", "</thinking>"},                         // prompts in Anthropic's style
    {"<thought>", "</thought>"},                           // Gemma, EXAONE
    {"<reasoning>", "</reasoning>"},                       // prompts
    {"<scratchpad>", "</scratchpad>"},                     // prompts
    {"<antThinking>", "</antThinking>"},                   // prompts
    {"<reflection>", "</reflection>"},                     // Reflection
    {"<inner_monologue>", "</inner_monologue>"},           // prompts
    {"<|think|>", "<|/think|>"},                           // prompts and templates in special tokens
    {"<|thinking|>", "<|/thinking|>"},                     // the same
    {"<mm:think>", "</mm:think>"},                         // MiniMax
    {"[THINK]", "[/THINK]"},                               // Magistral
    {"<seed:think>", "</seed:think>"},                     // Seed-OSS
    {"<longcat_think>", "</longcat_think>"},               // LongCat
    {"\u25C1think\u25B7", "\u25C1/think\u25B7"},           // Kimi-VL
    {"<|begin_of_thought|>", "<|end_of_thought|>"},        // Sky-T1, OpenThinker
    {"<|START_THINKING|>", "<|END_THINKING|>"},            // Command A
    {"<|open|>think<|sep|>", "<|close|>think<|sep|>"},     // Kimi K3
    {"<|inner_prefix|>", "<|inner_suffix|>"},              // Apertus
    {"<unused94>thought", "<unused95>"},                   // MedGemma
    {"<|channel>thought", "<channel|>"},                   // Gemma 4
    {"<|channel|>analysis<|message|>", end_of_channel},    // gpt-oss
    {"<|channel|>commentary<|message|>", end_of_channel},  // a preamble
};
/// Only at the beginning of a reply; later these are elements of an answer.
constexpr ThoughtBlock first_blocks[] = {
    {"<reason>", "</reason>"},
    {"<analysis>", "</analysis>"},
    {"<details type=\"reasoning\"", "</details>"},  // Open WebUI
};
/// An answer may begin with these words, so they count only when the closing words come. Text begins with `kept`.
struct WordBlock {
    std::string_view opening, closing, kept = {};
};
constexpr WordBlock word_blocks[] = {
    {"analysis", "assistantfinal", "assistantcommentary"},  // gpt-oss behind a server that drops its marks
    {"commentary", "assistantfinal", "assistantcommentary"},
    {"Here is my thought process:", "Here is my response:"},  // Granite
    {"Here's my thought process:", "Here's my response:"},
    {"Thinking...\n", "...done thinking."},  // the command line of Ollama
};
/// Marks without content, between the blocks of a reply and before its text.
constexpr std::string_view fillers[] = {"<|start|>assistant",    "<|channel|>final",
                                        "<|constrain|>json",     "<|message|>",
                                        "<|START_RESPONSE|>",    "<|begin_of_solution|>",
                                        "<|im_start|>assistant", "<|im_assistant|>assistant",
                                        "<|im_middle|>",         "<|start_header_id|>assistant",
                                        "<|end_header_id|>",     "<|start_of_role|>assistant",
                                        "<|end_of_role|>",       "<start_of_turn>model",
                                        "<|assistant|>",         "<\uFF5CAssistant\uFF5C>",
                                        "<|begin_of_text|>",     "<\uFF5Cbegin\u2581of\u2581sentence\uFF5C>"};
/// Marks without content, anywhere in the text: around an answer of GLM-V and of Kimi K3.
constexpr std::string_view silent[] = {"<|begin_of_box|>", "<|end_of_box|>", "<|open|>response<|sep|>",
                                       "<|close|>response<|sep|>"};
/// Marks that end a channel without its own end.
constexpr std::string_view next_channel[] = {"<|start|>", "<|channel|>", "<|return|>"};
constexpr std::string_view ends[] = {"<|return|>", end_of_channel, "<|END_RESPONSE|>", "<|end_of_solution|>"};
/// Marks of a turn's end, which a server should have removed. </s> is text if <s> strikes text out.
constexpr std::string_view turn_ends[] = {"<|im_end|>",
                                          "<|eot_id|>",
                                          "<|eom_id|>",
                                          "<|endoftext|>",
                                          "<|end_of_text|>",
                                          "<|end|>",
                                          "<|role_end|>",
                                          "<|end_of_msg|>",
                                          "<|close|>message<|sep|>",
                                          "<end_of_turn>",
                                          "<\uFF5Cend\u2581of\u2581sentence\uFF5C>",
                                          "</s>"};
/// Marks behind the end of a turn: the model continues in its user's place.
constexpr std::string_view turn_begins[] = {
    "<|im_start|>",  "<start_of_turn>",    "<|start_header_id|>", "<|start_of_role|>",       "<|user|>",
    "<|assistant|>", "<\uFF5CUser\uFF5C>", "<|im_user|>",         "<\uFF5CAssistant\uFF5C>", "[INST]"};
/// Marks around the text of some models, behind their reasoning.
constexpr ThoughtBlock answers[] = {{"<answer>", "</answer>"}, {"<response>", "</response>"}};

/// Returns the size of the mark at the start of the text; 0: no match; `partial`: more text decides.
std::size_t match(std::string_view text, std::string_view mark, bool last) {
    const auto n = std::min(text.size(), mark.size());
    if (n && lower(text.front()) != lower(mark.front())) return 0;
    if (!equal_ignoring_case(text.substr(0, n), mark.substr(0, n))) return 0;
    return n == mark.size() ? n : last ? 0 : partial;
}
/// The longest mark at the start of the text, and its place in the table.
struct MarkMatch {
    std::size_t size = 0, place = 0;
};
template <class Marks, class Get> MarkMatch find(std::string_view text, const Marks& marks, bool last, Get get) {
    MarkMatch best;
    for (std::size_t i = 0; i < std::size(marks); ++i) {
        const auto size = match(text, get(marks[i]), last);
        if (size == partial) return {partial, i};
        if (size > best.size) best = {size, i};
    }
    return best;
}
constexpr auto itself = [](std::string_view mark) { return mark; };
constexpr auto opening = [](const auto& block) { return block.opening; };
constexpr auto closing = [](const ThoughtBlock& block) {
    return block.closing == end_of_channel ? "\n" : block.closing;
};

bool is_quote(char c) { return c == '`' || c == '"' || c == '\''; }
/// Returns the size of a template's token: <|word|>, or with DeepSeek's bars.
std::size_t match_token(std::string_view text, bool last) {
    constexpr std::string_view wide_bar = "\uFF5C", low_block = "\u2581";
    constexpr std::size_t longest = 40;
    if (text.empty()) return 0;
    const auto bar = text.substr(1).starts_with(wide_bar) ? wide_bar : std::string_view("|");
    const auto begin = match(text, bar == wide_bar ? "<\uFF5C" : "<|", last);
    if (!begin || begin == partial) return text.size() < 1 + wide_bar.size() ? match(text, "<\uFF5C", last) : begin;
    for (auto at = begin; at < std::min(text.size(), longest);) {
        const auto rest = text.substr(at);
        if (const auto end = match(rest, bar == wide_bar ? "\uFF5C>" : "|>", last))
            return end == partial ? partial : at == begin ? 0 : at + end;
        const auto block = is_word_part(rest[0]) ? 1 : match(rest, low_block, last);
        if (!block || block == partial) return block;
        at += block;
    }
    return text.size() < longest && !last ? partial : 0;
}
}

void ThoughtFilter::pass(std::string_view delta) {
    std::string kept;
    if (!held_.empty()) (kept = std::exchange(held_, {})) += delta;
    std::string_view rest = kept.empty() ? delta : kept;
    while (!rest.empty()) {
        const auto before = state_;
        const auto n = step(rest, false);
        if (!n && state_ == before) break;
        rest.remove_prefix(n);
    }
    if (!rest.empty()) held_ = rest;
}
void ThoughtFilter::finish() {
    const std::string kept = std::move(held_);
    held_.clear();
    for (std::string_view rest = kept; !rest.empty();) rest.remove_prefix(step(rest, true));
    if (state_ == State::closed && !any_) listener_.text_was_thought(), any_ = true;
    if (state_ == State::beginning && !any_) text(blanks_);
    blanks_.clear();
}
std::size_t ThoughtFilter::step(std::string_view rest, bool last) {
    switch (state_) {
    case State::beginning: return begin(rest, last);
    case State::thought: return think(rest, last);
    case State::text: return read(rest, last);
    case State::closed: return close(rest, last);
    case State::turned: return turned(rest, last);
    case State::end: break;
    }
    return rest.size();
}
std::size_t ThoughtFilter::begin(std::string_view all, bool last) {
    const auto n = std::min(all.find_first_not_of(blanks), all.size());
    const auto rest = all.substr(n);
    const auto skip = [&](std::size_t size) { return blanks_ += all.substr(0, n + size), n + size; };
    if (rest.empty()) return skip(0);
    const auto mark = match(rest, byte_order_mark, last);
    if (mark && mark != partial) return skip(mark);
    const auto block = find(rest, blocks, last, opening), first = find(rest, first_blocks, last, opening);
    const auto filler = find(rest, fillers, last, itself), nothing = find(rest, silent, last, itself);
    const auto words = find(rest, word_blocks, last, opening),
               answer = any_ ? find(rest, answers, last, opening) : MarkMatch();
    for (const auto size : {mark, block.size, first.size, filler.size, nothing.size, words.size, answer.size})
        if (size == partial) return n ? skip(0) : 0;
    if (block.size) return open(blocks[block.place].closing), n + block.size;
    if (first.size) return open(first_blocks[first.place].closing), n + first.size;
    if (answer.size) answer_end_ = answers[answer.place].closing;
    channels_ = channels_ || filler.size;
    if (const auto size = std::max({filler.size, nothing.size, answer.size})) {
        blanks_.clear();
        any_ = true;
        return n + size;
    }
    if (words.size) bare_ = static_cast<std::ptrdiff_t>(words.place);
    state_ = State::text;
    if (!any_) text(blanks_);
    blanks_.clear();
    return any_ ? n : 0;
}
void ThoughtFilter::open(std::string_view closing) {
    state_ = State::thought;
    closing_ = closing;
    blanks_.clear();
    any_ = true;
    told_block_ = false;
}
std::size_t ThoughtFilter::think(std::string_view rest, bool last) {
    const bool channel = closing_ == end_of_channel;
    const auto ends_at = [&](std::string_view here) {
        if (const auto size = match(here, closing_, last)) return MarkMatch{size, 0};
        return channel ? find(here, next_channel, last, itself) : MarkMatch();
    };
    std::size_t at = 0;
    MarkMatch end;
    for (; at < rest.size(); ++at)
        if (lower(rest[at]) == closing_.front() && (end = ends_at(rest.substr(at))).size) break;
    if (at) return thought(rest.substr(0, at)), at;
    if (end.size == partial) return 0;
    state_ = State::beginning;
    blanks_.clear();
    return match(rest, closing_, last) ? end.size : 0;  // begin() reads the mark of the next channel
}
std::size_t ThoughtFilter::read(std::string_view rest, bool last) {
    MarkMatch block, closed, end, turn, nothing;
    std::size_t strike = 0, answer = 0, token = 0, bare_end = 0, bare_kept = 0;
    const auto is_mark = [&](std::string_view here) {
        block = find(here, blocks, last, opening);
        closed = find(here, blocks, last, closing);
        if (channels_) end = find(here, ends, last, itself);
        turn = find(here, turn_ends, last, itself);
        nothing = find(here, silent, last, itself);
        if (!answer_end_.empty()) answer = match(here, answer_end_, last);
        if (!has_tokens_) token = match_token(here, last);
        strike = match(here, "<s>", last);
        strikes_ = strikes_ || (strike && strike != partial);
        return block.size || closed.size || end.size || turn.size || nothing.size || answer || token ||
               strike == partial;
    };
    const auto is_bare = [&](std::string_view here) {
        bare_end = match(here, word_blocks[bare_].closing, last);
        bare_kept = match(here, word_blocks[bare_].kept, last);
        return bare_end || bare_kept;
    };
    const char bare_begin = bare_ < 0 ? '\0' : lower(word_blocks[bare_].closing.front());
    std::size_t at = 0;
    for (; at < rest.size(); ++at) {
        const char c = rest[at];
        if (c == '`') fenced_ ^= ++ticks_ == 3;
        else if (ticks_ = 0; (c == '<' || c == '[' || c == '\xE2') && is_mark(rest.substr(at))) break;
        else if (bare_ >= 0 && lower(c) == bare_begin && is_bare(rest.substr(at))) break;
    }
    if (at) return text(rest.substr(0, at)), at;
    for (const auto size :
         {block.size, closed.size, end.size, turn.size, nothing.size, answer, token, strike, bare_end, bare_kept})
        if (size == partial) return 0;
    if (end.size) return state_ = State::end, end.size;
    const bool quoted = is_quote(last_) || fenced_;
    if ((bare_end || bare_kept) && !quoted && taken_back_ < most_taken_back) {
        take_back();
        if (!bare_kept) return bare_ = -1, bare_end;
        state_ = State::text;
    }
    if (!quoted && (nothing.size || answer)) return std::max(nothing.size, answer);
    const bool ends_turn = turn.size && !(strikes_ && turn_ends[turn.place] == "</s>");
    if (!quoted && (ends_turn || (token && !block.size && !closed.size))) {
        state_ = State::turned;
        const auto n = std::max(turn.size, token);
        mark_ = rest.substr(0, n);
        ends_turn_ = ends_turn;
        return n;
    }
    if (block.size && line_is_blank_ && !fenced_) return open(blocks[block.place].closing), block.size;
    if (closed.size && !quoted && !opened_ && taken_back_ < most_taken_back) {
        state_ = State::closed;
        mark_ = blocks[closed.place].closing;
        return closed.size;
    }
    if (!quoted && !bare_end && !bare_kept) opened_ = block.size > 0;  // a closing mark after it is text
    const auto n = std::max({block.size, closed.size, turn.size, nothing.size, answer, token, bare_end, bare_kept});
    text(rest.substr(0, n));
    return n;
}
void ThoughtFilter::take_back() {
    listener_.text_was_thought();
    ++taken_back_;
    any_ = told_ = line_is_blank_ = true;
    blanks_.clear();
    state_ = State::beginning;
}
std::size_t ThoughtFilter::close(std::string_view rest, bool) {
    if (blanks_.empty() && is_quote(rest.front())) {  // the text mentions the mark
        state_ = State::text;
        text(mark_);
        return 0;
    }
    const auto n = std::min(rest.find_first_not_of(blanks), rest.size());
    if (n == rest.size()) return blanks_ += rest, n;
    take_back();
    return n;
}
std::size_t ThoughtFilter::turned(std::string_view rest, bool last) {
    const auto n = std::min(rest.find_first_not_of(blanks), rest.size());
    const auto here = rest.substr(n);
    const auto end = find(here, turn_ends, last, itself), begin = find(here, turn_begins, last, itself);
    const auto token = match_token(here, last);
    if (here.empty() || end.size == partial || begin.size == partial || token == partial)
        return mark_ += rest.substr(0, n), n;
    if (begin.size && ends_turn_) return state_ = State::end, n;
    if (const auto size = std::max(end.size, token); size && mark_.size() + n + size <= most_marks) {
        mark_ += rest.substr(0, n + size);
        ends_turn_ = ends_turn_ || end.size;
        return n + size;
    }
    state_ = State::text;  // the text mentions the mark, or the mark belongs to a call
    has_tokens_ = true;
    text(mark_);
    return 0;
}
void ThoughtFilter::text(std::string_view piece) {
    if (piece.empty()) return;
    const auto line = piece.rfind('\n');
    if (line != piece.npos) line_is_blank_ = true;
    line_is_blank_ = line_is_blank_ && is_blank(piece.substr(line == piece.npos ? 0 : line));
    last_ = piece.back();
    listener_.text(piece);
}
void ThoughtFilter::thought(std::string_view piece) {
    if (!told_block_) piece = trimmed_front(piece);
    const auto content = trimmed_end(piece);
    if (!content.empty()) {
        if (!told_block_ && told_) listener_.thought("\n");
        if (!blanks_.empty()) listener_.thought(blanks_);
        blanks_.clear();
        listener_.thought(content);
        told_ = told_block_ = true;
    }
    blanks_ += piece.substr(content.size());
}

CallNote reasoned_note(const std::string& model) {
    return {.kind = CallNote::Kind::reasoned,
            .model = model,
            .text = model + " marks only the end of its reasoning: the text so far was reasoning"};
}
bool part_thoughts(ChatReply& reply) {
    struct Parts final : ThoughtFilter::Listener {
        std::string said, thoughts;
        void text(std::string_view piece) override { said += piece; }
        void thought(std::string_view piece) override { thoughts += piece; }
        void text_was_thought() override {
            (thoughts += thoughts.empty() ? "" : "\n") += trimmed(said);
            said.clear();
        }
    } parts;
    ThoughtFilter filter(parts);
    filter.pass(reply.text);
    filter.finish();
    if (!filter.any() && parts.said == reply.text) return false;
    reply.text = std::move(parts.said);
    if (!parts.thoughts.empty()) (reply.reasoning += reply.reasoning.empty() ? "" : "\n") += parts.thoughts;
    return true;
}
}
