// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes of the tests of GoogleTest.
//
// A testing::TestInfo begins with two strings, the names of the suite and of
// the test: gtest.h of GoogleTest 1.8 to 1.17. Their layout is that of
// libstdc++ (basic_string.h) or of libc++ (string, ABI version 1).

#include "TestScopes.h"

#include "Api/Scopes.h"
#include "Runtime/ReadMemory.h"
#include "Runtime/Recording.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

namespace {
/// A name of a test, and of its suite before it.
class TestName {
public:
  /// False: there is no room, or no text.
  bool add(uintptr_t At, size_t Size);
  bool add(char C);
  const char *text() const { return Text; }
  size_t size() const { return Size; }

private:
  static constexpr size_t Room = 512;
  char Text[Room];
  size_t Size = 0;
};
} // namespace

bool TestName::add(char C) {
  if (Size == Room)
    return false;
  Text[Size++] = C;
  return true;
}

/// Reads bytes of pages that are mapped.
bool TestName::add(uintptr_t At, size_t Bytes) {
  if (!Bytes || Bytes > Room - Size || At > UINTPTR_MAX - Bytes)
    return false;
  for (uintptr_t Page = At & ~uintptr_t(4095); Page < At + Bytes; Page += 4096)
    if (!isReadable(Page))
      return false;
  memcpy(Text + Size, reinterpret_cast<const void *>(At), Bytes);
  Size += Bytes;
  return !memchr(Text + Size - Bytes, 0, Bytes);
}

namespace {
/// The words of two strings.
struct TwoStrings {
  static constexpr unsigned MaxWords = 8;
  uintptr_t At;
  uintptr_t Words[MaxWords];
};
} // namespace

/// libstdc++: the text's address, its size, and 16 bytes for a short text.
static bool addOfGcc(TestName &To, const TwoStrings &S, unsigned Word) {
  constexpr size_t MaxShort = 15;
  uintptr_t Text = S.Words[Word], Size = S.Words[Word + 1];
  uintptr_t Own = S.At + (Word + 2) * sizeof(uintptr_t);
  return (Text == Own) == (Size <= MaxShort) && To.add(Text, Size);
}

/// libc++: a short text has twice its size in the first byte, and follows; a
/// long one has its room with the lowest bit set, its size and its address.
static bool addOfClang(TestName &To, const TwoStrings &S, unsigned Word) {
  constexpr size_t MaxShort = 22;
  uintptr_t First = S.Words[Word] & 0xff;
  if (First & 1)
    return To.add(S.Words[Word + 2], S.Words[Word + 1]);
  return First / 2 <= MaxShort &&
         To.add(S.At + Word * sizeof(uintptr_t) + 1, First / 2);
}

static bool nameOf(uintptr_t Test, TestName &To) {
  TwoStrings S = {Test, {}};
  if (readWords(Test, S.Words, TwoStrings::MaxWords) != TwoStrings::MaxWords)
    return false;
  To = {};
  if (addOfGcc(To, S, 0) && To.add('.') && addOfGcc(To, S, 4))
    return true;
  To = {};
  return addOfClang(To, S, 0) && To.add('.') && addOfClang(To, S, 3);
}

uint64_t capture::beginTest(uintptr_t Test, const CallerFrame &Caller) {
  ThreadState *T = recordingThread();
  TestName Name;
  return T && nameOf(Test, Name)
             ? beginScope(Name.text(), Name.size(), 0, Caller)
             : 0;
}

void capture::endTest(uint64_t Scope) { endScope(Scope); }
