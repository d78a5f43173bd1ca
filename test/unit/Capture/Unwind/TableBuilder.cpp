// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds unwind tables.

#include "TableBuilder.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace memkit;
using namespace memkit::test;

static constexpr size_t Page = 4096;
static constexpr uint32_t TextDistance = 1u << 20; ///< distance from the frames
static constexpr uint32_t TextSize = 1u << 20;

GuardedBytes::GuardedBytes(size_t Size) : Size(Size) {
  size_t Used = (Size + Page - 1) / Page * Page;
  MappingSize = Used + Page;
  Mapping =
      mmap(nullptr, MappingSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Mapping == MAP_FAILED ||
      mprotect(Mapping, Used, PROT_READ | PROT_WRITE) != 0)
    abort();
  Data = static_cast<uint8_t *>(Mapping) + Used - Size;
}

GuardedBytes::~GuardedBytes() { munmap(Mapping, MappingSize); }

namespace {
/// Collects bytes that will be placed at Base.
struct Writer {
  uintptr_t Base;
  Bytes Out;

  uintptr_t at() const { return Base + Out.size(); }
  template <typename T> void put(T Value) { putAt(Out.size(), Value); }
  template <typename T> void putAt(size_t At, T Value) {
    if (Out.size() < At + sizeof(T))
      Out.resize(At + sizeof(T));
    memcpy(Out.data() + At, &Value, sizeof(T));
  }
  void put(const Bytes &B) { Out.insert(Out.end(), B.begin(), B.end()); }
  void pointer(uint8_t Encoding, uint64_t Value) {
    if ((Encoding & 0x70) == 0x10)
      Value -= at();
    switch (Encoding & 7) {
    case 0:
    case 4:
      return put<uint64_t>(Value);
    case 3:
      return put<uint32_t>(uint32_t(Value));
    case 2:
      return put<uint16_t>(uint16_t(Value));
    default:
      abort();
    }
  }
  /// Opens a record; returns the offset of the content.
  size_t open(bool Long) {
    put<uint32_t>(Long ? 0xffffffff : 0);
    if (Long)
      put<uint64_t>(0);
    return Out.size();
  }
  void close(size_t Content, bool Long) {
    while (Out.size() % 8)
      put<uint8_t>(0);
    if (Long)
      putAt<uint64_t>(Content - 8, Out.size() - Content);
    else
      putAt<uint32_t>(Content - 4, uint32_t(Out.size() - Content));
  }
};

/// Writes .eh_frame for a base address, and keeps the offsets of the FDEs.
struct FrameWriter : Writer {
  std::vector<size_t> Commons, Functions;

  FrameWriter(const TableSpec &S, uintptr_t Base) : Writer{Base, {}} {
    for (const CommonSpec &C : S.Commons)
      common(C);
    for (const FunctionSpec &F : S.Functions)
      function(F, S.Commons[F.Common]);
    put<uint32_t>(0);
  }

  void common(const CommonSpec &C) {
    Commons.push_back(Out.size());
    size_t Content = open(C.LongLength);
    put<uint32_t>(0);
    put(C.Version);
    put(Bytes(C.Augmentation.c_str(),
              C.Augmentation.c_str() + C.Augmentation.size() + 1));
    if (C.Version == 4)
      put(Bytes{8, 0});
    put(Bytes{C.CodeAlign, C.DataAlign, C.ReturnColumn});
    if (C.Augmentation[0] == 'z') {
      put(uint8_t(C.AugmentationData.size()));
      put(C.AugmentationData);
    }
    put(C.Program);
    close(Content, C.LongLength);
  }

  void function(const FunctionSpec &F, const CommonSpec &C) {
    Functions.push_back(Out.size());
    size_t Content = open(C.LongLength);
    put(uint32_t(Out.size() - Commons[F.Common]));
    pointer(C.Encoding, Base + TextDistance + F.Start);
    pointer(C.Encoding & 15, F.Size);
    if (C.Augmentation[0] == 'z')
      put<uint8_t>(0);
    put(F.Program);
    close(Content, C.LongLength);
  }
};
} // namespace

static Bytes writeHeader(const TableSpec &S, const FrameWriter &F,
                         uintptr_t Base) {
  Writer W{Base, {}};
  W.put(Bytes{1, 0x1b, uint8_t(S.WithTable ? 0x03 : 0xff),
              uint8_t(S.WithTable ? 0x3b : 0xff)});
  W.pointer(0x1b, F.Base);
  if (!S.WithTable)
    return W.Out;
  W.put(uint32_t(S.Functions.size()));
  for (size_t I = 0; I < S.Functions.size(); ++I) {
    W.put(uint32_t(F.Base + TextDistance + S.Functions[I].Start - Base));
    W.put(uint32_t(F.Base + F.Functions[I] - Base));
  }
  return W.Out;
}

UnwindTables::UnwindTables(const TableSpec &S) {
  FrameBytes = FrameWriter(S, 0).Out.size();
  Frames = std::make_unique<GuardedBytes>(FrameBytes);
  FrameWriter F(S, uintptr_t(Frames->data()));
  memcpy(Frames->data(), F.Out.data(), FrameBytes);
  HeaderBytes = writeHeader(S, F, 0).size();
  Header = std::make_unique<GuardedBytes>(HeaderBytes);
  Bytes H = writeHeader(S, F, uintptr_t(Header->data()));
  memcpy(Header->data(), H.data(), HeaderBytes);
  uintptr_t Text = uintptr_t(Frames->data()) + TextDistance;
  if (!readEhFrame(Header->range(), Frames->range(), {Text, Text + TextSize},
                   Tables))
    abort();
}

capture::EhFrame UnwindTables::cut(size_t FramesTo, size_t HeaderTo) const {
  capture::AddressRange F = Frames->range(), H = Header->range();
  F.End = F.Start + FramesTo;
  H.End = H.Start + HeaderTo;
  capture::EhFrame T;
  readEhFrame(H, F, Tables.Text, T);
  return T;
}
