// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heavy on templates and headers: the workload is the compiler that compiles
// this file.

#include <bits/stdc++.h>

struct Records {
  std::map<std::string, std::vector<int>> ByName;
  std::unordered_map<int, std::string> ByNumber;
};

bool matches(const std::string &Text) {
  static std::regex Pattern("(a|b)*c+[0-9]{2,5}");
  std::smatch Match;
  return std::regex_match(Text, Match, Pattern);
}

bool contains(const std::wstring &Text) {
  static std::wregex Pattern(L"(a|b)*c+[0-9]{2,5}");
  return std::regex_search(Text, Pattern);
}

Records read(std::istream &In) {
  Records Result;
  std::string Name;
  int Number;
  while (In >> Name >> Number) {
    Result.ByName[Name].push_back(Number);
    Result.ByNumber[Number] = Name;
  }
  for (auto &[Key, Numbers] : Result.ByName)
    std::sort(Numbers.begin(), Numbers.end(), std::greater<>{});
  return Result;
}

std::any toAny(std::variant<int, std::string, double> Value) {
  return std::visit([](auto &&V) -> std::any { return V; }, Value);
}

int main() {
  std::cout << matches("aabc123") << contains(L"abc12")
            << read(std::cin).ByName.size();
  std::priority_queue<std::pair<int, std::string>> Queue;
  Queue.push({1, "x"});
  std::deque<std::list<std::set<int>>> Nested(3);
  std::cout << Queue.size() << Nested.size() << toAny(3).has_value();
  auto Later = std::async([] { return 3; });
  std::cout << Later.get();
}
