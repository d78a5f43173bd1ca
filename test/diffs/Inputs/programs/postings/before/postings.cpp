// postings: builds an inverted index of a corpus of numbered words
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Corpus {
    std::vector<uint32_t> tokens;
    std::vector<uint32_t> documentStarts;
};

struct Postings {
    std::vector<std::vector<uint32_t>> lists;
};

static std::vector<uint32_t> readTokens(size_t count, uint32_t vocabulary) {
    std::vector<uint32_t> tokens;
    tokens.reserve(count);
    uint32_t state = 17;
    for (size_t i = 0; i < count; ++i) {
        state = state * 1664525 + 1013904223;
        tokens.push_back((state >> 8) % vocabulary);
    }
    return tokens;
}

static std::vector<uint32_t> findStarts(const std::vector<uint32_t> &tokens) {
    std::vector<uint32_t> starts;
    starts.reserve(tokens.size() / 50);
    for (uint32_t i = 0; i < tokens.size(); i += 50)
        starts.push_back(i);
    return starts;
}

static void countWords(const Corpus &corpus, std::vector<uint32_t> &counts) {
    for (uint32_t token : corpus.tokens)
        ++counts[token];
}

static Postings buildPostings(const Corpus &corpus, uint32_t vocabulary) {
    std::vector<uint32_t> counts(vocabulary);
    countWords(corpus, counts);
    Postings postings;
    postings.lists.resize(vocabulary);
    for (uint32_t word = 0; word < vocabulary; ++word)
        postings.lists[word].reserve(counts[word]);
    for (size_t d = 0; d < corpus.documentStarts.size(); ++d) {
        size_t end = d + 1 < corpus.documentStarts.size() ? corpus.documentStarts[d + 1]
                                                          : corpus.tokens.size();
        for (size_t i = corpus.documentStarts[d]; i < end; ++i)
            postings.lists[corpus.tokens[i]].push_back(uint32_t(d));
    }
    return postings;
}

static size_t indexAll(size_t count, uint32_t vocabulary) {
    Corpus corpus;
    std::vector<uint32_t> tokens = readTokens(count, vocabulary);
    corpus.documentStarts = findStarts(tokens);
    corpus.tokens = std::move(tokens);
    Postings postings = buildPostings(corpus, vocabulary);
    std::vector<double> weights(postings.lists.size());
    for (size_t i = 0; i < weights.size(); ++i)
        weights[i] = 1.0 / double(1 + postings.lists[i].size());
    size_t rare = 0;
    for (double weight : weights)
        rare += weight > 0.01;
    return rare;
}

int main() {
    printf("%zu rare words\n", indexAll(1500000, 20000));
}
