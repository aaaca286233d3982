// BM25 over hashes of words, with the usual constants; only ASCII letters are folded to lower case.
#include "steps/agents/memory/relevance.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <cmath>

namespace weft::agents {
namespace {
constexpr std::size_t most_words = 512;
constexpr double saturation = 1.2, length_weight = 0.75;  // k1 and b of BM25, with their usual values

bool in_word(char c) { return is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80; }
std::uint64_t hash_of(std::string_view word) {  // FNV-1a: the same on every machine
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(lower(c))) * 0x100000001b3;
    return hash;
}
}

WordCounts::WordCounts(std::string_view text) {
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < text.size() && hashes.size() < most_words;) {
        const auto begin = i;
        while (i < text.size() && in_word(text[i])) ++i;
        if (i > begin) hashes.push_back(hash_of(text.substr(begin, i - begin)));
        else ++i;
    }
    std::sort(hashes.begin(), hashes.end());
    for (const auto hash : hashes) {
        if (words_.empty() || words_.back().hash != hash) words_.push_back({hash, 0});
        ++words_.back().count;
    }
    total_ = static_cast<std::uint32_t>(hashes.size());
}
std::uint32_t WordCounts::count(std::uint64_t hash) const {
    const auto less = [](const Word& word, std::uint64_t h) { return word.hash < h; };
    const auto at = std::lower_bound(words_.begin(), words_.end(), hash, less);
    return at != words_.end() && at->hash == hash ? at->count : 0;
}
std::vector<std::size_t> most_relevant(const WordCounts& question, const std::vector<const WordCounts*>& texts,
                                       std::size_t most) {
    const auto n = static_cast<double>(texts.size());
    double words = 0;
    for (const auto* text : texts) words += text->total();
    const double usual = std::max(words / std::max(n, 1.0), 1.0);
    std::vector<double> scores(texts.size());
    std::vector<std::uint32_t> counts(texts.size());
    for (const auto& word : question.words()) {
        double having = 0;
        for (std::size_t i = 0; i < texts.size(); ++i) having += (counts[i] = texts[i]->count(word.hash)) > 0;
        const double rarity = std::log(1 + (n - having + 0.5) / (having + 0.5));
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const double length = 1 - length_weight + length_weight * texts[i]->total() / usual;
            if (counts[i]) scores[i] += rarity * counts[i] * (saturation + 1) / (counts[i] + saturation * length);
        }
    }
    std::vector<std::size_t> chosen;
    for (std::size_t i = texts.size(); i-- > 0;)
        if (scores[i] > 0) chosen.push_back(i);
    std::stable_sort(chosen.begin(), chosen.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
    if (chosen.size() > most) chosen.resize(most);
    return chosen;
}
}
