// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Manual pages and completions.

#include "ShellText.h"
#include "HelpText.h"
#include "Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

namespace {
/// An option as shells complete it.
struct ShellOption {
  std::string Dashed; ///< `--top`, `-o`
  std::string Text;
  std::string Value; ///< `n`, `file`; empty: takes none
  /// Values and their texts; empty: any value.
  std::vector<std::pair<std::string, std::string>> Choices;

  bool isLong() const { return StringRef(Dashed).starts_with("--"); }
  StringRef name() const { return StringRef(Dashed).ltrim('-'); }
  bool takesFile() const {
    return StringRef(Value).contains_insensitive("file") ||
           StringRef(Value).contains_insensitive("folder");
  }
};
} // namespace

/// The tool's options in the order of --help. An option with and without a
/// value is the one with.
static std::vector<ShellOption> shellOptions() {
  std::vector<ShellOption> Out;
  for (unsigned G = 0; G != NumHelpGroups; ++G)
    for (const HelpEntry &E : helpEntries(static_cast<HelpGroup>(G))) {
      if (E.IsValue) {
        if (!Out.empty() && !E.Name.empty())
          Out.back().Choices.push_back({E.Name, E.Text});
        continue;
      }
      ShellOption O;
      size_t End = StringRef(E.Name).find_first_of("[= ");
      O.Dashed = E.Name.substr(0, End);
      if (End != StringRef::npos)
        O.Value = StringRef(E.Name).substr(End).trim("[= <>]").str();
      O.Text = StringRef(E.Text).rtrim(':').str();
      if (!Out.empty() && Out.back().Dashed == O.Dashed)
        Out.pop_back();
      Out.push_back(std::move(O));
    }
  return Out;
}

/// Puts Escape before each of the characters.
static std::string escaped(StringRef Text, StringRef Characters, char Escape) {
  std::string Out;
  for (char C : Text) {
    if (Characters.contains(C))
      Out += Escape;
    Out += C;
  }
  return Out;
}

/// A text in single quotes, which shells keep as it is.
static std::string quoted(StringRef Text) {
  std::string Out = "'";
  for (char C : Text)
    Out += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Out + "'";
}

//===----------------------------------------------------------------------===//
// Manual pages
//===----------------------------------------------------------------------===//

/// Text of roff: no command at the begin of a line, hyphens that are copied as
/// such.
static std::string roffText(StringRef Text) {
  std::string Out;
  for (char C : Text)
    Out += C == '\\' ? "\\e" : C == '-' ? "\\-" : std::string(1, C);
  return Out.empty() || (Out[0] != '.' && Out[0] != '\'') ? Out : "\\&" + Out;
}

static void printMan(raw_ostream &OS, const ToolDescription &D) {
  OS << ".TH " << D.Name.upper() << " 1 \"\" \"memkit " << MEMKIT_VERSION
     << "\" \"memkit\"\n.SH NAME\n"
     << D.Name << " \\- "
     << roffText(D.Overview.drop_back(D.Overview.ends_with(".")))
     << "\n.SH SYNOPSIS\n.B " << D.Name << "\n[options] "
     << roffText(D.Arguments) << '\n';
  for (unsigned G = 0; G != NumHelpGroups; ++G) {
    std::vector<HelpEntry> Entries = helpEntries(static_cast<HelpGroup>(G));
    if (Entries.empty())
      continue;
    OS << ".SH "
       << roffText(helpGroup(static_cast<HelpGroup>(G)).getName().upper())
       << '\n';
    bool IsInner = false;
    for (const HelpEntry &E : Entries) {
      if (IsInner != E.IsValue)
        OS << (E.IsValue ? ".RS\n" : ".RE\n");
      IsInner = E.IsValue;
      OS << ".TP\n.B " << roffText(E.Name) << '\n' << roffText(E.Text) << '\n';
    }
    if (IsInner)
      OS << ".RE\n";
  }
  OS << ".SH EXAMPLES\n.nf\n";
  for (StringRef Line : split(D.Examples, '\n'))
    OS << roffText(Line) << '\n';
  OS << ".fi\n.SH SEE ALSO\n"
        "memrec(1), memstat(1), memleak(1), memdiff(1), memtop(1), memview(1), "
        "memflame(1), memdump(1), memas(1)\n";
}

//===----------------------------------------------------------------------===//
// Completions
//===----------------------------------------------------------------------===//

/// bash makes three words of `--format=json`.
static void printBash(raw_ostream &OS, const ToolDescription &D) {
  std::vector<std::string> Names;
  for (const ShellOption &O : shellOptions())
    Names.push_back(O.Dashed + (O.isLong() && !O.Value.empty() ? "=" : ""));
  OS << "_" << D.Name << "() {\n"
     << "  local word=$2 option=\n"
        "  if [ \"$word\" = = ]; then\n"
        "    option=$3 word=\n"
        "  elif [ \"$3\" = = ]; then\n"
        "    option=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "  fi\n"
        "  COMPREPLY=()\n"
        "  case $option in\n";
  for (const ShellOption &O : shellOptions()) {
    if (O.Choices.empty())
      continue;
    OS << "  " << O.Dashed << ") COMPREPLY=($(compgen -W "
       << quoted(join(
              map_range(O.Choices, [](const auto &C) { return C.first; }), " "))
       << " -- \"$word\")) ;;\n";
  }
  OS << "  '')\n"
        "    [[ $word != -* ]] || COMPREPLY=($(compgen -W "
     << quoted(join(Names, " "))
     << " -- \"$word\"))\n"
        "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
        "    ;;\n"
        "  esac\n"
        "}\n"
     << "complete -o bashdefault -o default -F _" << D.Name << ' ' << D.Name
     << '\n';
}

static void printZsh(raw_ostream &OS, const ToolDescription &D) {
  OS << "#compdef " << D.Name << "\n_arguments \\\n";
  for (const ShellOption &O : shellOptions()) {
    std::string Spec = "*" + O.Dashed;
    if (!O.Value.empty())
      Spec += O.isLong() ? "=" : "";
    Spec += "[" + escaped(O.Text, "[]:\\", '\\') + "]";
    if (!O.Value.empty())
      Spec += ":" + escaped(O.Value, ":\\", '\\') + ":";
    if (!O.Choices.empty())
      Spec += "(" +
              join(map_range(O.Choices, [](const auto &C) { return C.first; }),
                   " ") +
              ")";
    else if (O.takesFile())
      Spec += "_files";
    OS << "  " << quoted(Spec) << " \\\n";
  }
  bool RunsProgram = D.Arguments.contains("program");
  OS << "  " << quoted(RunsProgram ? "*:: :_normal" : "*:trace:_files") << '\n';
}

static void printFish(raw_ostream &OS, const ToolDescription &D) {
  for (const ShellOption &O : shellOptions()) {
    OS << "complete -c " << D.Name << (O.isLong() ? " -l " : " -s ")
       << O.name();
    if (!O.Value.empty())
      OS << (O.takesFile() ? " -r" : " -x");
    if (!O.Choices.empty()) {
      std::string All;
      for (const auto &[Value, Text] : O.Choices)
        All += (All.empty() ? "" : " ") + Value;
      OS << " -a " << quoted(All);
    }
    OS << " -d '" << escaped(O.Text, "'\\", '\\') << "'\n";
  }
}

bool memkit::printShellText(raw_ostream &OS, const ToolDescription &D,
                            StringRef Kind) {
  if (Kind == "man")
    printMan(OS, D);
  else if (Kind == "bash")
    printBash(OS, D);
  else if (Kind == "zsh")
    printZsh(OS, D);
  else if (Kind == "fish")
    printFish(OS, D);
  else
    return false;
  return true;
}
