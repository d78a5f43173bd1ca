// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the text form.

#include "LinePrinter.h"
#include "Support/CommandText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace memkit {

void printQuoted(raw_ostream &OS, StringRef S) {
  // A terminal shows what is harmless as it is.
  bool IsHarmless = isHarmless(S);
  OS << '"';
  for (unsigned char C : S) {
    if (C == '\\' || C == '"')
      OS << '\\' << C;
    else if (C == '\n')
      OS << "\\n";
    else if (C == '\t')
      OS << "\\t";
    else if (isPrint(C) || (C >= 0x80 && IsHarmless))
      OS << C;
    else
      OS << "\\x" << hexdigit(C >> 4, true) << hexdigit(C & 15, true);
  }
  OS << '"';
}

namespace {

using tracetext::Ref;

/// The map of Fields.h that prints. It leaves out fields that have their
/// default.
class AsmMap {
public:
  explicit AsmMap(raw_ostream &OS) : OS(OS) {}

  void begin(StringRef Keyword, int Level) {
    if (Level == 0 && std::exchange(Started, true))
      OS << '\n';
    OS.indent(2 * Level) << Keyword;
  }
  void beginBare(StringRef, int Level) {
    OS.indent(2 * Level);
    Bare = true;
  }
  void end() { OS << '\n'; }

  void id(uint64_t N) { positional() << N; }
  void key(StringRef, uint64_t N) { positional() << N; }
  void refKey(StringRef, Ref, uint64_t N) { positional() << N; }
  void time(uint64_t N) { positional() << N; }
  void thread(uint32_t N) { positional() << "th" << N; }
  void positional(StringRef, StringRef S) { printQuoted(positional(), S); }
  template <class E> void word(StringRef, E V) { positional() << enumName(V); }
  void block(StringRef, uint64_t N, bool) { positional() << '#' << N; }

  template <class T> void num(StringRef Name, T N, T Default = 0) {
    if (N != Default)
      named(Name) << +N; // print a byte as a number
  }
  void always(StringRef Name, uint64_t N) { named(Name) << N; }
  void hex(StringRef Name, uint64_t N) {
    if (N)
      named(Name) << format_hex(N, 0);
  }
  void optionalNum(StringRef Name, uint64_t N) { num<uint64_t>(Name, N); }
  void optionalHex(StringRef Name, uint64_t N) { hex(Name, N); }
  void flag(StringRef Name, bool V, bool Default) {
    if (V != Default)
      named(Name) << (V ? "true" : "false");
  }
  template <class E> void choice(StringRef Name, E V) {
    if (V != E())
      named(Name) << enumName(V);
  }
  void text(StringRef Name, StringRef S) {
    if (!S.empty())
      printQuoted(named(Name), S);
  }
  void ref(StringRef Name, Ref, uint32_t N) { num(Name, N); }
  void allocationId(StringRef Name, uint64_t N) {
    if (N)
      named(Name) << '#' << N;
  }
  void newBlock(StringRef Name, uint64_t N) { named(Name) << '#' << N; }
  void enclosing(StringRef Name, uint64_t N) {
    if (N)
      named(Name) << '#' << N - 1;
  }
  void bytes(StringRef Name, const std::vector<uint8_t> &B) {
    if (!B.empty())
      named(Name) << toHex(B, /*LowerCase=*/true);
  }
  void clock(StringRef Name, const ClockTriple &C) {
    if (C != ClockTriple())
      named(Name) << '[' << C.Tsc << ' ' << C.MonotonicNs << ' ' << C.RealtimeNs
                  << ']';
  }

  void texts(StringRef Name, const std::vector<std::string> &L) {
    list(Name, L, [&](StringRef S) { printQuoted(OS, S); });
  }
  void names(StringRef Name, ArrayRef<StringLiteral> L) {
    list(Name, L, [&](StringRef S) { OS << S; });
  }
  void nums(StringRef Name, ArrayRef<uint64_t> L) {
    list(Name, L, [&](uint64_t N) { OS << N; });
  }
  void refs(StringRef Name, Ref, ArrayRef<uint32_t> L) {
    list(Name, L, [&](uint32_t N) { OS << N; });
  }
  void locations(StringRef Name, const std::vector<Location> &L) {
    list(Name, L, [&](Location P) { OS << P.Function << ':' << P.Line; });
  }

private:
  raw_ostream &positional() {
    if (!std::exchange(Bare, false))
      OS << ' ';
    return OS;
  }
  raw_ostream &named(StringRef Name) { return OS << ' ' << Name << '='; }
  template <class List, class F>
  void list(StringRef Name, const List &L, F Print) {
    if (L.empty())
      return;
    named(Name) << '[';
    bool First = true;
    for (const auto &V : L) {
      if (!std::exchange(First, false))
        OS << ' ';
      Print(V);
    }
    OS << ']';
  }

  raw_ostream &OS;
  bool Started = false;
  bool Bare = false; ///< nothing of the line is printed yet
};

} // namespace

std::unique_ptr<SectionVisitor> createAsmPrinter(raw_ostream &OS) {
  return std::make_unique<tracetext::LinePrinter<AsmMap>>(OS);
}

} // namespace memkit
