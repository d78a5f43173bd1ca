// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace as JSON, an object a line.

#include "LinePrinter.h"
#include "Support/Json.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

namespace {

using tracetext::Ref;

/// The map of Fields.h that makes one JSON object a line. It also writes fields
/// that have their default, so a script does not need to know the defaults; it
/// leaves out only values that an event may lack.
class JsonMap {
public:
  explicit JsonMap(raw_ostream &OS) : OS(OS) {}

  void begin(StringRef Keyword, int) {
    OS << "{\"record\":\"" << Keyword << '"';
  }
  void beginBare(StringRef Name, int Level) { begin(Name, Level); }
  void end() { OS << "}\n"; }

  void id(uint64_t N) { num("id", N); }
  void key(StringRef Name, uint64_t N) { num(Name, N); }
  void refKey(StringRef Name, Ref, uint64_t N) { num(Name, N); }
  void time(uint64_t N) { num("time", N); }
  void thread(uint32_t N) { num("thread", N); }
  void positional(StringRef Name, StringRef S) { text(Name, S); }
  template <class E> void word(StringRef Name, E V) { text(Name, enumName(V)); }
  template <class E> void choice(StringRef Name, E V) { word(Name, V); }
  void block(StringRef Name, uint64_t N, bool) { num(Name, N); }

  template <class T> void num(StringRef Name, T N, T = 0) {
    name(Name) << +N; // print a byte as a number
  }
  void always(StringRef Name, uint64_t N) { num(Name, N); }
  void hex(StringRef Name, uint64_t N) { num(Name, N); }
  void optionalNum(StringRef Name, uint64_t N) {
    if (N)
      num(Name, N);
  }
  void optionalHex(StringRef Name, uint64_t N) { optionalNum(Name, N); }
  void flag(StringRef Name, bool V, bool) {
    name(Name) << (V ? "true" : "false");
  }
  void text(StringRef Name, StringRef S) { string(name(Name), S); }
  void ref(StringRef Name, Ref, uint32_t N) { num(Name, N); }
  void allocationId(StringRef Name, uint64_t N) { num(Name, N); }
  void newBlock(StringRef Name, uint64_t N) { num(Name, N); }
  void enclosing(StringRef Name, uint64_t N) {
    if (N)
      num(Name, N - 1);
  }
  void bytes(StringRef Name, const std::vector<uint8_t> &B) {
    text(Name, toHex(B, /*LowerCase=*/true));
  }
  void clock(StringRef Name, const ClockTriple &C) {
    if (C == ClockTriple())
      return;
    name(Name) << "{\"tsc\":" << C.Tsc << ",\"monotonic\":" << C.MonotonicNs
               << ",\"realtime\":" << C.RealtimeNs << '}';
  }

  void texts(StringRef Name, const std::vector<std::string> &L) {
    list(Name, L, [&](StringRef S) { string(OS, S); });
  }
  void names(StringRef Name, ArrayRef<StringLiteral> L) {
    if (!L.empty())
      list(Name, L, [&](StringRef S) { string(OS, S); });
  }
  void nums(StringRef Name, ArrayRef<uint64_t> L) {
    list(Name, L, [&](uint64_t N) { OS << N; });
  }
  void refs(StringRef Name, Ref, ArrayRef<uint32_t> L) {
    list(Name, L, [&](uint32_t N) { OS << N; });
  }
  void locations(StringRef Name, const std::vector<Location> &L) {
    list(Name, L, [&](Location P) {
      OS << "{\"function\":" << P.Function << ",\"line\":" << P.Line << '}';
    });
  }

private:
  raw_ostream &name(StringRef Name) {
    OS << ",\"";
    for (char C : Name)
      OS << (C == '-' ? '_' : C);
    return OS << "\":";
  }
  static void string(raw_ostream &OS, StringRef S) { OS << jsonText(S); }
  template <class List, class F>
  void list(StringRef Name, const List &L, F Print) {
    name(Name) << '[';
    bool First = true;
    for (const auto &V : L) {
      if (!std::exchange(First, false))
        OS << ',';
      Print(V);
    }
    OS << ']';
  }

  raw_ostream &OS;
};

} // namespace

std::unique_ptr<SectionVisitor> createJsonPrinter(raw_ostream &OS) {
  return std::make_unique<tracetext::LinePrinter<JsonMap>>(OS);
}

} // namespace memkit
