// Finds the texts that are relevant to a question, by the words that they share.
//
//     const WordCounts words("How many orders were there in 2024?");
//     auto chosen = most_relevant(words, texts, 7);            // positions in `texts`, the best first
//
// The measure is BM25. A word counts more if few texts have it ("orders" more than "the"), if a text has it often (with
// decreasing effect), and if the text is short. A word is a sequence of letters and digits, compared without case;
// bytes of other scripts count as letters. There are no synonyms and no stemming, so results are the same on every
// machine. Texts that share no word with the question are never chosen.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::agents {
/// The number of each word in a text, among its first 512 words.
class WordCounts {
public:
    WordCounts() = default;
    explicit WordCounts(std::string_view text);
    struct Word {
        std::uint64_t hash;
        std::uint32_t count;
    };
    const std::vector<Word>& words() const { return words_; }  // each word once, sorted by hash
    std::uint32_t count(std::uint64_t hash) const;
    std::uint32_t total() const { return total_; }

private:
    std::vector<Word> words_;
    std::uint32_t total_ = 0;
};
/// Positions of at most `most` texts, the best first. Among equally good texts the later comes first.
std::vector<std::size_t> most_relevant(const WordCounts& question, const std::vector<const WordCounts*>& texts,
                                       std::size_t most);
}
