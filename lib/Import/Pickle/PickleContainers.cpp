// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The containers of a pickle: what collects values, and the lists that stream.

#include "PickleReader.h"

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

const PickleRule *PickleReader::rule(uint8_t In, int32_t Key,
                                     PickleKind Kind) const {
  const PickleRule *Any = nullptr;
  for (const PickleRule &R : Rules)
    if (R.In == In && R.Kind == Kind) {
      if (R.Key == Key)
        return &R;
      if (R.Key == PickleRule::AnyKey && Key != PickleRule::Element)
        Any = &R;
    }
  return Any;
}

const PickleRule *PickleReader::ruleOfEntry(PickleSlot Dict, PickleSlot Key,
                                            PickleKind Kind) const {
  if (Store.kind(Key) != PickleKind::Text)
    return nullptr;
  return rule(Store.role(Dict),
              Key.tag() == PickleSlot::Name ? int32_t(Key.value())
                                            : PickleRule::AnyKey,
              Kind);
}

/// The rule of a new container of this kind. The container goes either into the
/// container below the last mark, or, without a mark, into an empty one
/// directly below: only a later opcode tells, but only one of both has a rule.
const PickleRule *PickleReader::ruleOfNext(PickleKind Kind) const {
  if (Stack.empty())
    return rule(PickleRule::Root, PickleRule::Element, Kind);
  size_t Begin = last().Begin, Above = above();
  if (Begin) {
    PickleSlot In = Stack[Begin - 1];
    const PickleRule *R = nullptr;
    if (Store.kind(In) == PickleKind::List)
      R = rule(Store.role(In), PickleRule::Element, Kind);
    else if (Store.kind(In) == PickleKind::Dict && Above % 2)
      R = ruleOfEntry(In, Stack.back(), Kind);
    if (R)
      return R;
  }
  auto IsEmpty = [&](PickleSlot S, PickleKind K) {
    return Store.kind(S) == K && !Store.size(S);
  };
  if (Above >= 1 && IsEmpty(Stack.back(), PickleKind::List))
    return rule(Store.role(Stack.back()), PickleRule::Element, Kind);
  if (Above >= 2 && IsEmpty(Stack[Stack.size() - 2], PickleKind::Dict))
    return ruleOfEntry(Stack[Stack.size() - 2], Stack.back(), Kind);
  return nullptr;
}

void PickleReader::pushContainer(PickleKind Kind) {
  const PickleRule *R = ruleOfNext(Kind);
  push(Store.container(Kind, R ? R->Role : PickleRule::NoRole, R && R->Streams,
                       At));
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

Error PickleReader::pushMark() {
  if (Marks.size() > MaxMarks)
    return fail("more than " + Twine(MaxMarks) + " values inside one another");
  OpenMark M = last();
  M.Streams = above() && streams(Stack.back());
  M.IsPart = false;
  M.Begin = Stack.size();
  if (M.Streams) {
    M.StreamWords = Store.streamWords();
    M.Waiting = Waiting.size();
  }
  Marks.push_back(M);
  setLook();
  return Error::success();
}

Error PickleReader::popMark(OpenMark &M) {
  if (Marks.size() == 1)
    return fail("no mark");
  M = Marks.back();
  Marks.pop_back();
  setLook();
  return Error::success();
}

void PickleReader::setLook() {
  LookAt = last().Streams ? std::min(MaxStack, last().Begin + OldestElements)
                          : MaxStack;
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

/// Moves the values from Begin on into a container.
Error PickleReader::add(PickleSlot Container, size_t Begin) {
  // A kept container names kept nodes only.
  if (Container.tag() == PickleSlot::Stream &&
      Container.value() < last().StreamWords)
    return fail("the pickle changes the container of offset " +
                Twine(Store.offset(Container)) + " in one of its elements");
  Store.append(Container, MutableArrayRef(Stack).drop_front(Begin));
  Stack.resize(Begin);
  return checkKept();
}

/// APPEND or APPENDS.
Error PickleReader::append(bool IsOne) {
  OpenMark M = last();
  if (IsOne)
    M.Begin = Stack.size() - std::min<size_t>(above(), 1);
  else if (Error E = popMark(M))
    return E;
  if (M.Begin <= last().Begin ||
      Store.kind(Stack[M.Begin - 1]) != PickleKind::List)
    return fail("no list to append to");
  PickleSlot List = Stack[M.Begin - 1];
  if (!streams(List)) {
    if (M.IsPart && !IsOne)
      return fail("elements of a list are delivered already");
    return add(List, M.Begin);
  }
  if (Error E = deliver(List, M.Begin, Stack.size()))
    return E;
  Stack.resize(M.Begin);
  if (!IsOne && M.Streams) {
    keepWaiting(M);
    Store.release(M.StreamWords);
  }
  return checkKept();
}

/// SETITEM or SETITEMS.
Error PickleReader::setItems(bool IsOne) {
  OpenMark M = last();
  if (IsOne)
    M.Begin = Stack.size() - std::min<size_t>(above(), 2);
  else if (Error E = popMark(M))
    return E;
  if (M.Begin <= last().Begin || (Stack.size() - M.Begin) % 2 ||
      Store.kind(Stack[M.Begin - 1]) != PickleKind::Dict)
    return fail("no dict for keys and values");
  return add(Stack[M.Begin - 1], M.Begin);
}

Error PickleReader::tuple(size_t Size) {
  if (above() < Size)
    return fail("no values for a tuple");
  PickleSlot New =
      Store.container(PickleKind::Tuple, PickleRule::NoRole, false, At);
  Store.append(New, MutableArrayRef(Stack).take_back(Size));
  Stack.resize(Stack.size() - Size);
  push(New);
  return Error::success();
}

Error PickleReader::tupleOfMark() {
  OpenMark M;
  if (Error E = popMark(M))
    return E;
  if (M.IsPart)
    return fail("elements of a list are delivered already");
  return tuple(Stack.size() - M.Begin);
}

//===----------------------------------------------------------------------===//
// Lists that stream
//===----------------------------------------------------------------------===//

Error PickleReader::deliver(PickleSlot List, size_t Begin, size_t End) {
  if (Begin == End)
    return Error::success();
  Store.setDelivered(List);
  uint8_t Role = Store.role(List);
  uint64_t Offset = Store.offset(List);
  for (size_t I = Begin; I != End; ++I)
    if (Error E = To.element(Role, Offset, PickleValue(Store, Stack[I])))
      return E;
  return Error::success();
}

Error PickleReader::checkKept() const {
  if (LLVM_LIKELY(Store.keptWords() <= PickleStore::MaxKeptWords))
    return Error::success();
  return fail("the values that the pickle uses again take more than " +
              Twine(PickleStore::MaxKeptWords >> 27) + " GiB");
}

/// Copies the nodes since the mark that the memo has.
void PickleReader::keepWaiting(const OpenMark &M) {
  size_t Left = M.Waiting;
  for (size_t I = M.Waiting; I != Waiting.size(); ++I) {
    size_t Place = Waiting[I];
    PickleSlot S = Memo.get(Place);
    if (S.tag() != PickleSlot::Stream)
      continue;
    if (S.value() >= M.StreamWords)
      Memo.set(Place, Store.keep(S));
    else
      Waiting[Left++] = Place;
  }
  Waiting.resize(Left);
}

/// Delivers the elements above the last mark, except the last ones: these may
/// be incomplete, and are kept.
Error PickleReader::lookAtSize() {
  OpenMark &M = Marks.back();
  if (!M.Streams || Stack.size() >= MaxStack)
    return fail("more than " + Twine(MaxStack) + " values in a container");
  size_t End = Stack.size() - LastElements;
  if (Error E = deliver(Stack[M.Begin - 1], M.Begin, End))
    return E;
  M.IsPart = true;
  keepWaiting(M);
  for (size_t I = 0; I != LastElements; ++I)
    Stack[M.Begin + I] = Store.keep(Stack[End + I]);
  Stack.resize(M.Begin + LastElements);
  Store.release(M.StreamWords);
  return checkKept();
}
