// Which of many texts have to do with a question: by the words that they share.
//
//     const WordCounts words("How many orders were there in 2024?");
//     auto chosen = most_relevant(words, texts, 7);            // positions in `texts`, the best first
//
// The measure is BM25. A word counts the more, the fewer texts have it ("orders" more than "the"), the more often a
// text has it (with less and less effect), and the shorter the text is. A word is a run of letters and digits, in small
// letters; bytes of other scripts count as letters. No synonyms, no endings: simple, and the same on every
// machine. Texts that share no word with the question are never chosen.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::agents {
/// How often each word stands in a text, of its first 512 words.
class WordCounts {
public:
    WordCounts() = default;
    explicit WordCounts(std::string_view text);
    struct Word {
        std::uint64_t hash;
        std::uint32_t count;
    };
    const std::vector<Word>& words() const { return words_; }  // each once, in the order of the hashes
    std::uint32_t count(std::uint64_t hash) const;
    std::uint32_t total() const { return total_; }

private:
    std::vector<Word> words_;
    std::uint32_t total_ = 0;
};
/// Among equally good ones the later comes first.
std::vector<std::size_t> most_relevant(const WordCounts& question, const std::vector<const WordCounts*>& texts,
                                       std::size_t most);
}
