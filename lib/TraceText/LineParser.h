// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills records from lines.
//
// The map of Fields.h that parses. It takes the values of one line and checks
// each value. After all fields of a record, finish() reports values and fields
// that were not taken.

#ifndef MEMKIT_LIB_TRACETEXT_LINEPARSER_H
#define MEMKIT_LIB_TRACETEXT_LINEPARSER_H

#include "Definitions.h"
#include "Line.h"
#include "llvm/ADT/Twine.h"
#include <limits>

namespace memkit::tracetext {

/// An id used before its definition.
struct LateRef {
  Ref Kind;
  uint32_t Id;
  const char *Loc;
};

/// A function for each kind of field, hence many functions.
class LineParser {
public:
  /// Next: the index of the first value after the line's keyword. Late:
  /// receives ids that are not defined yet; if null, such ids are errors.
  LineParser(Line &L, unsigned Next, Definitions &Defs, TextError &E,
             std::vector<LateRef> *Late, bool Unchecked)
      : L(L), Next(Next), Defs(Defs), E(E), Late(Late), Unchecked(Unchecked) {}

  /// False, with an error set, when a value was wrong or when values or fields
  /// were not taken.
  bool finish(llvm::StringRef What);
  bool failed() const { return bool(E); }
  bool fail(const char *Loc, const llvm::Twine &What) {
    return E.set(Loc, What.str());
  }

  /// The values without name that were not taken yet.
  llvm::ArrayRef<Value> rest() const {
    return llvm::ArrayRef<Value>(L.Values).drop_front(Next);
  }
  void skip() { ++Next; }
  void takeRest() { Next = unsigned(L.Values.size()); }
  /// The field Name, or null if the line does not have it.
  const Value *find(llvm::StringRef Name);
  const Line &line() const { return L; }

  // ---- The map.
  /// Checks that the given id is N, the next id of the line's kind.
  void id(uint32_t N);
  template <class T> void key(llvm::StringRef Name, T &N) {
    if (const Value *V = positionalValue(Name))
      number(*V, N);
  }
  void refKey(llvm::StringRef Name, Ref Kind, uint32_t &N) {
    if (const Value *V = positionalValue(Name))
      reference(*V, Kind, N);
  }
  void time(uint64_t &N) { key("time", N); }
  void thread(uint32_t &N);
  void positional(llvm::StringRef Name, std::string &S);
  template <class T> void word(llvm::StringRef Name, T &V) {
    uint8_t Raw = uint8_t(V);
    if (const Value *W = positionalValue(Name))
      enumValue(*W, Name, enumNames(V), Raw);
    V = T(Raw);
  }
  void block(llvm::StringRef Name, uint64_t &N, bool Optional);

  template <class T> void num(llvm::StringRef Name, T &N, T = 0) {
    if (const Value *V = find(Name))
      number(*V, N);
  }
  template <class T> void always(llvm::StringRef Name, T &N) { num(Name, N); }
  template <class T> void hex(llvm::StringRef Name, T &N) { num(Name, N); }
  template <class T> void optionalNum(llvm::StringRef Name, T &N) {
    num(Name, N);
  }
  template <class T> void optionalHex(llvm::StringRef Name, T &N) {
    num(Name, N);
  }
  void flag(llvm::StringRef Name, bool &B, bool);
  template <class T> void choice(llvm::StringRef Name, T &V) {
    uint8_t Raw = uint8_t(V);
    if (const Value *W = find(Name))
      enumValue(*W, Name, enumNames(V), Raw);
    V = T(Raw);
  }
  void text(llvm::StringRef Name, std::string &S);
  template <class T> void ref(llvm::StringRef Name, Ref Kind, T &N) {
    uint32_t Wide = N;
    const Value *V = find(Name);
    if (!V || !reference(*V, Kind, Wide))
      return;
    if (Wide > std::numeric_limits<T>::max())
      fail(V->loc(), "too large: the most is " +
                         llvm::Twine(std::numeric_limits<T>::max()));
    N = T(Wide);
  }
  void allocationId(llvm::StringRef Name, uint64_t &N) {
    if (const Value *V = find(Name))
      allocationIdValue(*V, N);
  }
  void newBlock(llvm::StringRef Name, uint64_t &N) { allocationId(Name, N); }
  void enclosing(llvm::StringRef Name, uint64_t &N);
  void bytes(llvm::StringRef Name, std::vector<uint8_t> &B);
  void clock(llvm::StringRef Name, ClockTriple &C);
  void texts(llvm::StringRef Name, std::vector<std::string> &L);
  void nums(llvm::StringRef Name, std::vector<uint64_t> &L);
  void refs(llvm::StringRef Name, Ref Kind, std::vector<uint32_t> &L);
  void locations(llvm::StringRef Name, std::vector<Location> &L);

  // Single values, for lines with more than fields.
  bool unsignedNumber(const Value &V, uint64_t Max, uint64_t &N);
  bool reference(const Value &V, Ref Kind, uint32_t &N);
  bool enumValue(const Value &V, llvm::StringRef What, EnumNames Names,
                 uint8_t &Out);

private:
  template <class T> bool number(const Value &V, T &N) {
    if constexpr (std::is_signed_v<T>) {
      return signedNumber(V, N);
    } else {
      uint64_t Wide = 0;
      bool Ok = unsignedNumber(V, std::numeric_limits<T>::max(), Wide);
      N = T(Wide);
      return Ok;
    }
  }
  bool signedNumber(const Value &V, int32_t &N);
  bool allocationIdValue(const Value &V, uint64_t &N);
  bool named(const Value &V, Ref Kind, uint32_t &N);
  bool checkId(const char *Loc, Ref Kind, uint32_t N);
  /// The field Name as a list.
  const Value *findList(llvm::StringRef Name);
  const Value *positionalValue(llvm::StringRef Name);

  Line &L;
  unsigned Next;
  Definitions &Defs;
  TextError &E;
  std::vector<LateRef> *Late;
  bool Unchecked;
};

} // namespace memkit::tracetext

#endif // MEMKIT_LIB_TRACETEXT_LINEPARSER_H
