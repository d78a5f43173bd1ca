#include <map>
#include <string>
#include <vector>

std::map<std::string, std::vector<int>> Lists;

int add(const std::string &Name, int N) {
  Lists[Name].push_back(N);
  return int(Lists.size());
}
