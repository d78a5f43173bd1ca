// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of a dictionary, and its short forms.

#include "SectionParser.h"

using namespace llvm;

namespace memkit::tracetext {

/// Parses `What ID fields` and adds it under the next id.
template <class T, class F>
bool SectionParser::define(LineParser &P, StringRef What, Ref RefKind, F Map) {
  T Record{};
  uint32_t Id = Defs.count(RefKind) + 1;
  Map(Id, Record);
  if (!P.finish(What))
    return false;
  Defs.add(std::move(Record));
  return true;
}

bool SectionParser::dictionaryRecord(Line &L) {
  LineParser P = parser(L, 1);
  StringRef Word = L.Values[0].Spelling;
#define DEFINE(WORD, TYPE, REF, MAP)                                           \
  if (Word == WORD)                                                            \
    return define<TYPE>(P, WORD, REF,                                          \
                        [&](uint32_t Id, TYPE &R) { MAP(P, Id, R); });
  DEFINE("string", std::string, Ref::String, mapString)
  DEFINE("device", Device, Ref::Device, mapDevice)
  DEFINE("binary", Binary, Ref::Binary, mapBinary)
  DEFINE("function", Function, Ref::Function, mapFunction)
  DEFINE("frame", Frame, Ref::Frame, mapFrame)
  DEFINE("scope", ScopeRecord, Ref::Scope, mapScope)
  DEFINE("process", ProcessRecord, Ref::Process, mapProcess)
  DEFINE("thread", Thread, Ref::Thread, mapThread)
  DEFINE("heap", Heap, Ref::Heap, mapHeap)
#undef DEFINE
  if (Word == "stack")
    return stackRecord(P);
  if (Word == "scope-path")
    return scopePathRecord(P);
  if (Word == "load") {
    Load R;
    mapLoad(P, R);
    Defs.Pending.Loads.push_back(R);
    return P.finish("load");
  }
  if (Word == "source-line") {
    SourceLine R;
    mapSourceLine(P, R);
    Defs.Pending.SourceLines.push_back(R);
    return P.finish("source-line");
  }
  if (Word == "symbols") {
    FrameSymbols R;
    mapSymbols(P, R);
    Defs.Pending.Symbols.push_back(std::move(R));
    return P.finish("symbols");
  }
  return unknown(L, "a dictionary");
}

/// The frames or scopes of `A > B > C`; nothing for a line of another form.
static bool pathElements(LineParser &P, SmallVectorImpl<const Value *> &Out) {
  bool WantName = true;
  for (const Value &V : P.rest()) {
    bool IsArrow = V.K == Value::Word && V.Spelling == ">";
    if (IsArrow == WantName)
      return P.fail(V.loc(), WantName ? "expected a name" : "expected `>`");
    if (!IsArrow)
      Out.push_back(&V);
    WantName = !WantName;
  }
  if (WantName)
    return P.fail(P.line().End, "expected a name after `>`");
  P.takeRest();
  return true;
}

bool SectionParser::pathFrame(LineParser &P, const Value &V, uint32_t &Frame) {
  // binary!name@file:line; only the name is required. The `!` of an operator is
  // part of its name.
  StringRef Name = V.str(), BinaryPath, File, LineText;
  size_t Bang = Name.find('!');
  if (Bang != StringRef::npos && !Name.take_front(Bang).ends_with("operator")) {
    BinaryPath = Name.take_front(Bang);
    Name = Name.drop_front(Bang + 1);
  }
  size_t At = Name.rfind('@');
  uint32_t Line = 0;
  if (At != StringRef::npos) {
    std::tie(File, LineText) = Name.drop_front(At + 1).rsplit(':');
    Name = Name.take_front(At);
    if (File.empty() || LineText.getAsInteger(10, Line))
      return P.fail(V.loc(), "expected `name@file:line`");
  }
  if (Name.empty())
    return P.fail(V.loc(), "expected a function's name");
  if (!BinaryPath.empty()) {
    uint32_t Function = Defs.function(Name, File);
    Frame = Defs.nativeFrame(Defs.binary(BinaryPath), Function, Line);
  } else if (!File.empty()) {
    Frame = Defs.frame({FrameKind::Python, Defs.function(Name, File), Line});
  } else {
    Frame = Defs.frame({FrameKind::Named, Defs.function(Name), 0});
  }
  return true;
}

bool SectionParser::stackRecord(LineParser &P) {
  uint32_t Parent = 0;
  std::vector<uint32_t> Frames;
  uint32_t Id = Defs.count(Ref::Stack) + 1;
  bool IsPath = P.rest().size() > 1;
  if (!IsPath) {
    mapStack(P, Id, Parent, Frames);
  } else {
    P.id(Id);
    SmallVector<const Value *, 16> Names;
    if (P.failed() || !pathElements(P, Names))
      return false;
    for (const Value *V : Names)
      if (!pathFrame(P, *V, Frames.emplace_back()))
        return false;
  }
  if (!P.finish("stack"))
    return false;
  if (Frames.size() > 4 * MaxSectionRows)
    return P.fail(P.line().loc(), "too many frames in a stack");
  if (IsPath)
    Defs.addPath(Frames);
  else
    Defs.addStack(Parent, Frames);
  return true;
}

bool SectionParser::pathScopePath(LineParser &P, const Value &V, ScopePath &C) {
  auto [KindText, Rest] = V.str().split(':');
  size_t At = Rest.rfind('@');
  StringRef Name = Rest.take_front(At);
  uint8_t K = 0;
  for (StringRef Known : enumNames(ScopeKind())) {
    if (Known == KindText)
      break;
    ++K;
  }
  if (K == NumScopeKinds || Name.empty() ||
      (At != StringRef::npos &&
       Rest.drop_front(At + 1).getAsInteger(10, C.Depth)))
    return P.fail(V.loc(), "expected `kind:name@depth`, kind one of layer, "
                           "operator, range, user, phase");
  C.Scope = Defs.scope(ScopeKind(K), Name);
  return true;
}

bool SectionParser::scopePathRecord(LineParser &P) {
  if (P.rest().size() <= 1)
    return define<ScopePath>(
        P, "scope-path", Ref::ScopePath,
        [&](uint32_t Id, ScopePath &R) { mapScopePath(P, Id, R); });
  SmallVector<const Value *, 16> Names;
  Value IdValue = P.rest().front();
  P.skip();
  if (!pathElements(P, Names))
    return false;
  ScopePath C;
  for (const Value *V : Names) {
    C.Depth = 0;
    if (!pathScopePath(P, *V, C))
      return false;
    if (V != Names.back())
      C.Parent = Defs.scopePath(C);
  }
  // Outer scope paths added for this line may have taken ids first.
  uint64_t Id;
  uint32_t Next = Defs.count(Ref::ScopePath) + 1;
  if (!P.unsignedNumber(IdValue, UINT32_MAX, Id))
    return false;
  if (Id != Next)
    return P.fail(IdValue.loc(),
                  "ids are in sequence: the next scope path is " + Twine(Next));
  Defs.add(C);
  return P.finish("scope-path");
}

} // namespace memkit::tracetext
