// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page as one HTML document.

#include "Page.h"
#include "llvm/ADT/Twine.h"

// Made by embed.py from the files of page/.
#include "PageText.inc"

using namespace llvm;

namespace memkit {

StringRef servedPage() {
  return {reinterpret_cast<const char *>(PageBytes), sizeof PageBytes};
}

StringRef servedPolicy() { return ServedPolicy; }

/// JSON that may stand inside an element of HTML: a `<` occurs only in texts.
static std::string escaped(StringRef Json) {
  std::string Out;
  Out.reserve(Json.size());
  for (char C : Json)
    if (C == '<')
      Out += "\\u003c";
    else
      Out += C;
  return Out;
}

std::string filePage(StringRef Answers) {
  constexpr StringLiteral Head = "<head>\n";
  constexpr StringLiteral Empty = "id=\"answers\">{}</script>";
  StringRef Page = servedPage();
  auto [BeforeHead, AfterHead] = Page.split(Head);
  auto [Middle, End] = AfterHead.split(Empty);
  return (BeforeHead + Head +
          "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
          StringRef(FilePolicy) + "\">\n" + Middle + "id=\"answers\">" +
          escaped(Answers) + "</script>" + End)
      .str();
}

} // namespace memkit
