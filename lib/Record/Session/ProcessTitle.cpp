// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The title that a process writes over its arguments.

#include "Session/ProcessTitle.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace memkit {

static constexpr size_t MaxTitleBytes = 200;

std::string titleOf(StringRef Arguments) {
  auto [Title, Rest] = Arguments.split('\0');
  if (Rest.find_first_not_of('\0') != StringRef::npos)
    return "";
  Title = Title.rtrim(' ').take_front(MaxTitleBytes);
  return json::isUTF8(Title) ? Title.str() : json::fixUTF8(Title);
}

std::vector<std::string> wordsOf(StringRef Arguments) {
  if (std::string Title = titleOf(Arguments);
      StringRef(Title).contains(' ') && Arguments.starts_with(Title))
    return {Title};
  std::vector<std::string> Words;
  while (!Arguments.empty()) {
    auto [Word, Rest] = Arguments.split('\0');
    Words.push_back(Word.str());
    Arguments = Rest;
  }
  return Words;
}

} // namespace memkit
