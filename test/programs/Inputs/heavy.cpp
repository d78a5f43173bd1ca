// Takes a compiler a few seconds.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <random>
#include <ranges>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

template <int N> struct Table {
  std::map<std::string, std::variant<int, std::vector<Table<N - 1>>>> Rows;
  std::unordered_map<std::string, std::function<int(const Table &)>> Sums;

  int sum(const std::string &Name) const {
    auto Found = Sums.find(Name);
    return Found == Sums.end() ? N : Found->second(*this) + Table<N - 1>().sum(Name);
  }
};

template <> struct Table<0> {
  int sum(const std::string &) const { return 0; }
};

int main() {
  std::regex Words("([a-z]+)[0-9]*", std::regex::icase);
  std::vector<std::string> Found;
  for (std::string Line; std::getline(std::cin, Line);)
    for (std::sregex_iterator I(Line.begin(), Line.end(), Words), End; I != End; ++I)
      Found.push_back(I->str(1));
  std::ranges::sort(Found);
  auto Sum = std::async([&] { return Table<8>().sum(Found.empty() ? "" : Found[0]); });
  std::shuffle(Found.begin(), Found.end(), std::mt19937(1));
  return Sum.get() + int(std::filesystem::path(Found.empty() ? "" : Found[0]).has_root_path());
}
