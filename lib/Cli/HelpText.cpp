// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of --help.

#include "HelpText.h"
#include "Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace memkit {

cl::OptionCategory &toolCategory() { return helpGroup(HelpGroup::Common); }

/// The columns of the text, and where descriptions start.
static constexpr size_t HelpColumns = 80, TextColumn = 26;

cl::OptionCategory &helpGroup(HelpGroup G) {
  static cl::OptionCategory Groups[] = {
      cl::OptionCategory("Common options"),
      cl::OptionCategory("What to record"),
      cl::OptionCategory("Select a part of the trace"),
      cl::OptionCategory("Frames and names"),
      cl::OptionCategory("How much to write"),
      cl::OptionCategory("Conditions for scripts"),
      cl::OptionCategory("Other options"),
  };
  static_assert(std::size(Groups) == NumHelpGroups);
  return Groups[static_cast<size_t>(G)];
}

bool isInHelp(const cl::Option &O) {
  for (unsigned G = 0; G != NumHelpGroups; ++G)
    if (is_contained(O.Categories, &helpGroup(static_cast<HelpGroup>(G))))
      return true;
  return false;
}

std::string optionInfo(const cl::Option &O) {
  int Saved = dup(STDOUT_FILENO), Held = memfd_create("help", MFD_CLOEXEC);
  std::string Text;
  if (Saved >= 0 && Held >= 0) {
    outs().flush();
    dup2(Held, STDOUT_FILENO);
    // Wider than any option: the texts are padded up to this column.
    O.printOptionInfo(O.getOptionWidth() + 1);
    outs().flush();
    dup2(Saved, STDOUT_FILENO);
    off_t Size = lseek(Held, 0, SEEK_END);
    Text.resize(Size > 0 ? size_t(Size) : 0);
    ssize_t Got = pread(Held, Text.data(), Text.size(), 0);
    Text.resize(Got > 0 ? size_t(Got) : 0);
  }
  for (int Fd : {Saved, Held})
    if (Fd >= 0)
      close(Fd);
  return Text;
}

std::vector<std::string> optionValues(const cl::Option &O) {
  std::vector<std::string> Out;
  std::string Info = optionInfo(O);
  for (StringRef Line : split(Info, '\n')) {
    Line = Line.trim();
    if (Line.consume_front("="))
      Out.push_back(Line.split(' ').first.str());
  }
  return Out;
}

/// Prints Name, and Text from TextColumn on.
static void printEntry(raw_ostream &OS, size_t Indent, StringRef Name,
                       StringRef Text) {
  OS.indent(Indent) << Name;
  size_t At = Indent + Name.size();
  if (At + 2 > TextColumn && !Text.empty()) {
    OS << '\n';
    At = 0;
  }
  bool IsFirst = true;
  SmallVector<StringRef, 32> Words;
  Text.split(Words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef Word : Words) {
    if (!IsFirst && At + 1 + Word.size() > HelpColumns) {
      OS << '\n';
      At = 0;
      IsFirst = true;
    }
    if (IsFirst) {
      OS.indent(TextColumn - At) << Word;
      At = TextColumn + Word.size();
    } else {
      OS << ' ' << Word;
      At += 1 + Word.size();
    }
    IsFirst = false;
  }
  OS << '\n';
}

/// The lines of an option with its values.
static void addOption(std::vector<HelpEntry> &To, const cl::Option &O) {
  // Choices without a common name are options themselves.
  bool IsNameless = O.ArgStr.empty();
  std::string Info = optionInfo(O);
  for (StringRef Line : split(Info, '\n')) {
    if (Line.trim().empty())
      continue;
    auto [Name, Text] = Line.split(" - ");
    Name = Name.trim();
    bool IsValue = !IsNameless && Name.consume_front("=");
    if (!IsNameless || Name.starts_with("-"))
      To.push_back({Name.str(), Text.trim().str(), IsValue});
  }
}

/// The options of a group by name; a nameless choice last.
static std::vector<cl::Option *> optionsOf(HelpGroup G) {
  std::vector<cl::Option *> All;
  for (auto &Entry : cl::getRegisteredOptions()) {
    cl::Option *O = Entry.second;
    if (O->getOptionHiddenFlag() == cl::NotHidden &&
        is_contained(O->Categories, &helpGroup(G)) && !is_contained(All, O))
      All.push_back(O);
  }
  llvm::sort(All, [](const cl::Option *A, const cl::Option *B) {
    return std::tuple(A->ArgStr.empty(), A->ArgStr) <
           std::tuple(B->ArgStr.empty(), B->ArgStr);
  });
  return All;
}

std::vector<HelpEntry> helpEntries(HelpGroup G) {
  std::vector<HelpEntry> Out;
  for (const cl::Option *O : optionsOf(G))
    addOption(Out, *O);
  if (G == HelpGroup::Common) {
    Out.push_back({"--help", "Print this text"});
    Out.push_back({"--version", "Print the version"});
  }
  return Out;
}

void printHelp(raw_ostream &OS, const ToolDescription &D) {
  OS << D.Overview << "\n\nUsage: " << D.Name << " [options] " << D.Arguments
     << '\n';
  for (unsigned I = 0; I != NumHelpGroups; ++I) {
    auto G = static_cast<HelpGroup>(I);
    std::vector<HelpEntry> Entries = helpEntries(G);
    if (Entries.empty())
      continue;
    OS << '\n' << helpGroup(G).getName() << ":\n";
    for (const HelpEntry &E : Entries)
      printEntry(OS, E.IsValue ? 4 : 2, E.Name, E.Text);
  }
  OS << "\nExamples:\n";
  for (StringRef Line : split(D.Examples, '\n'))
    OS << "  " << Line << '\n';
}

} // namespace memkit
