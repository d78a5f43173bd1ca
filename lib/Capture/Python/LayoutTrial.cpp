// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries a layout on an interpreter of a later version.

#include "LayoutTrial.h"

#include "Runtime/Pieces.h"
#include "Unwind/Bounds.h"

using namespace memkit;
using namespace memkit::capture;

/// Frames to compare, from the innermost on.
static constexpr unsigned MaxFrames = 64;

static uintptr_t load(uintptr_t At) {
  return *reinterpret_cast<const volatile uintptr_t *>(At);
}

void LayoutTrial::begin(const Exports &E) {
  Result.store(TrialResult::None, std::memory_order_relaxed);
  HasAll = Calls.find(E) && E.find("PyThreadState_Get", ThreadState) &&
           E.find("PyEval_GetFrame", CurrentFrame) &&
           E.find("PyFrame_GetBack", BackOf) &&
           E.find("PyFrame_GetCode", CodeOf) &&
           E.find("PyFrame_GetLineNumber", LineNumber) &&
           E.find("PyCode_Addr2Line", LineOf) &&
           E.find("PyObject_GetAttrString", Attribute) &&
           E.find("PyUnicode_AsUTF8", Utf8) &&
           E.find("PyErr_Clear", ClearError) && E.find("Py_DecRef", Release);
}

void LayoutTrial::request(const PythonLayout &Of) {
  TrialResult Is = TrialResult::None;
  if (!HasAll) {
    Result.store(TrialResult::Differs, std::memory_order_release);
    return;
  }
  if (!Result.compare_exchange_strong(Is, TrialResult::Asked,
                                      std::memory_order_acq_rel))
    return;
  L = Of;
  // While the interpreter's list of calls is full, a later walk asks again.
  if (!Calls.ask(compare, this))
    Result.store(TrialResult::None, std::memory_order_release);
}

/// Called by the interpreter, in its main thread, with the GIL held. A child of
/// fork inherits the call, but has no trial of its own yet.
int LayoutTrial::compare(void *Self) {
  auto *T = static_cast<LayoutTrial *>(Self);
  if (T->Result.load(std::memory_order_acquire) != TrialResult::Asked)
    return 0;
  bool Is = T->agrees();
  T->ClearError();
  T->Result.store(Is ? TrialResult::Agrees : TrialResult::Differs,
                  std::memory_order_release);
  return 0;
}

static bool canRead(uintptr_t Address, unsigned Bytes) {
  return Address % 8 == 0 && Address >= PageBytes &&
         allReadable(Address, Address + Bytes);
}

/// The first frame from F outwards that a frame object may show: it runs code,
/// and has begun. 0: none. ~0: the frames cannot be read.
uintptr_t LayoutTrial::visible(uintptr_t F) const {
  for (unsigned N = 0; F; F = load(F + L.Previous)) {
    if (++N > MaxFrames || !canRead(F, 128))
      return ~uintptr_t(0);
    uint8_t Owner = *reinterpret_cast<const uint8_t *>(F + L.Owner);
    uintptr_t Code = load(F + L.Code) & CodeAddress;
    if (Owner >= OwnedByCStack)
      continue;
    if (!canRead(Code, 256))
      return ~uintptr_t(0);
    uint32_t First = *reinterpret_cast<uint32_t *>(Code + L.FirstTraceable);
    if (Owner == OwnedByGenerator ||
        load(F + L.Instruction) >= Code + L.Bytes + 2 * uintptr_t(First))
      return F;
  }
  return 0;
}

/// Are name, file and their characters where the layout says?
bool LayoutTrial::agreesWithCode(void *Code) const {
  auto IsAt = [&](const char *Name, uint16_t Offset) {
    void *Text = Attribute(Code, Name);
    if (!Text)
      return false;
    constexpr uint32_t CompactAndAscii = 3u << 5;
    uint32_t State = *reinterpret_cast<uint32_t *>(uintptr_t(Text) + 32);
    const char *Bytes = Utf8(Text);
    bool IsAscii = (State & CompactAndAscii) == CompactAndAscii;
    bool Is = Bytes && load(uintptr_t(Code) + Offset) == uintptr_t(Text) &&
              IsAscii == (uintptr_t(Bytes) == uintptr_t(Text) + L.Ascii);
    Release(Text);
    return Is;
  };
  return IsAt("co_filename", L.FileName) && IsAt("co_qualname", L.Name);
}

bool LayoutTrial::agreesWithFrame(uintptr_t F, void *Object) const {
  void *Code = CodeOf(Object);
  uintptr_t At = load(F + L.Instruction), Begin = uintptr_t(Code) + L.Bytes;
  bool Is = (load(F + L.Code) & CodeAddress) == uintptr_t(Code) &&
            agreesWithCode(Code) &&
            LineNumber(Object) == LineOf(Code, int(At - Begin));
  Release(Code);
  return Is;
}

bool LayoutTrial::agrees() const {
  uintptr_t Ts = uintptr_t(ThreadState());
  void *Object = CurrentFrame(); // borrowed
  if (!canRead(Ts, 256) || !Object)
    return false;
  void *Owned = nullptr;
  uintptr_t F = load(Ts + L.Frame);
  bool Is = true;
  for (unsigned N = 0; Is && N != MaxFrames; ++N) {
    F = visible(F);
    if (!F || !Object || F == ~uintptr_t(0)) {
      Is = !F && !Object;
      break;
    }
    Is = agreesWithFrame(F, Object);
    F = load(F + L.Previous);
    Object = BackOf(Object);
    if (Owned)
      Release(Owned);
    Owned = Object;
  }
  if (Owned)
    Release(Owned);
  return Is;
}
