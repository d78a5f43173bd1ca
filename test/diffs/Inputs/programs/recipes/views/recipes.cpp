// recipes: splits recipes into words and counts the ingredients
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using Words = std::vector<std::string_view>;

template <typename Use>
static void forEachWord(std::string_view text, char separator, Use use) {
    size_t begin = 0;
    for (size_t end; (end = text.find(separator, begin)) != std::string_view::npos; begin = end + 1)
        use(text.substr(begin, end - begin));
}

static Words split(std::string_view text, char separator) {
    Words words;
    forEachWord(text, separator, [&](std::string_view word) { words.push_back(word); });
    return words;
}

static std::string makeText(size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
        text += "ingredient-of-recipe-" + std::to_string(i * 7919 % 500) + ' ';
    return text;
}

static std::map<std::string_view, size_t> countWords(const Words &words) {
    std::map<std::string_view, size_t> counts;
    for (std::string_view word : words)
        ++counts[word];
    return counts;
}

int main() {
    std::string text = makeText(60000);
    Words words = split(text, ' ');
    auto counts = countWords(words);
    printf("%zu words, %zu ingredients\n", words.size(), counts.size());
}
