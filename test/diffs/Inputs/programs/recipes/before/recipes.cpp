// recipes: splits recipes into words and counts the ingredients
#include <cstdio>
#include <map>
#include <string>
#include <vector>

static std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> words;
    size_t begin = 0;
    for (size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
        words.push_back(text.substr(begin, end - begin));
    return words;
}

static std::string makeText(size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
        text += "ingredient-of-recipe-" + std::to_string(i * 7919 % 500) + ' ';
    return text;
}

static std::map<std::string, size_t> countWords(const std::vector<std::string> &words) {
    std::map<std::string, size_t> counts;
    for (const std::string &word : words)
        ++counts[word];
    return counts;
}

int main() {
    std::string text = makeText(60000);
    std::vector<std::string> words = split(text, ' ');
    auto counts = countWords(words);
    printf("%zu words, %zu ingredients\n", words.size(), counts.size());
}
