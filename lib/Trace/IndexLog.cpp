// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of the sections written so far.

#include "IndexLog.h"
#include "Planes.h"
#include "llvm/Support/LEB128.h"

using namespace memkit;

namespace {
/// The first byte of an entry: the kind, and which values follow the sizes.
/// The byte 0 ends a chunk; an entry of kind None has HasEntry alone.
enum : uint8_t {
  KindMask = 0x0f,
  HasEntry = 0x10,
  HasProcess = 0x20,
  HasTimes = 0x40,
  HasEvents = 0x80, ///< epoch and events
};
static_assert(NumSectionKinds <= KindMask);

/// The first byte, two sizes, process, epoch, two times, events: ten bytes a
/// varint at most.
constexpr size_t MaxEntryBytes = 1 + 7 * 10;

uint64_t difference(uint64_t To, uint64_t From) {
  return zigzag(int64_t(To - From));
}
} // namespace

void IndexLog::add(const SectionInfo &B) {
  if (ChunkBytes - Used <= MaxEntryBytes) {
    Chunks.push_back(std::make_unique<uint8_t[]>(ChunkBytes));
    Used = 0;
  }
  uint8_t *Begin = Chunks.back().get() + Used, *Out = Begin;
  auto Put = [&](uint64_t V) { Out += llvm::encodeULEB128(V, Out); };
  *Out++ = uint8_t(B.Kind) | HasEntry | (B.Process ? HasProcess : 0) |
           (B.BeginNs || B.EndNs ? HasTimes : 0) |
           (B.Epoch || B.Events ? HasEvents : 0);
  Put(B.Compressed);
  Put(B.Raw);
  if (*Begin & HasProcess) {
    Put(difference(B.Process, Last.Process));
    Last.Process = B.Process;
  }
  if (*Begin & HasTimes) {
    Put(difference(B.BeginNs, Last.EndNs));
    Put(difference(B.EndNs, B.BeginNs));
    Last.EndNs = B.EndNs;
  }
  if (*Begin & HasEvents) {
    Put(difference(B.Epoch, Last.Epoch));
    Put(B.Events);
    Last.Epoch = B.Epoch;
  }
  Used += Out - Begin;
  ++Count;
}

/// Reads the entries of a chunk of ChunkBytes. False: they are not valid.
bool IndexLog::readChunk(const uint8_t *In, Base &Before,
                         llvm::function_ref<void(const SectionInfo &)> F) {
  const uint8_t *End = In + ChunkBytes;
  const char *Error = nullptr;
  auto Get = [&] {
    unsigned Size = 0;
    uint64_t V = llvm::decodeULEB128(In, &Size, End, &Error);
    In += Size;
    return V;
  };
  auto From = [&](uint64_t Base) { return Base + uint64_t(unzigzag(Get())); };
  // A chunk ends with zeros: room for at least one entry is left.
  while (In != End && *In) {
    uint8_t First = *In++;
    SectionInfo B;
    B.Kind = SectionKind(First & KindMask);
    B.Compressed = Get();
    B.Raw = Get();
    if (First & HasProcess)
      Before.Process = B.Process = uint32_t(From(Before.Process));
    if (First & HasTimes) {
      B.BeginNs = From(Before.EndNs);
      Before.EndNs = B.EndNs = From(B.BeginNs);
    }
    if (First & HasEvents) {
      Before.Epoch = B.Epoch = uint32_t(From(Before.Epoch));
      B.Events = Get();
    }
    if (Error)
      return false;
    F(B);
  }
  return In != End;
}

void IndexLog::forEach(llvm::function_ref<void(const SectionInfo &)> F) const {
  Base Before;
  for (const std::unique_ptr<uint8_t[]> &Chunk : Chunks)
    readChunk(Chunk.get(), Before, F);
}

std::string IndexLog::save() const {
  std::string Out;
  Out.reserve(Chunks.size() * ChunkBytes);
  for (const std::unique_ptr<uint8_t[]> &Chunk : Chunks)
    Out.append(reinterpret_cast<const char *>(Chunk.get()), ChunkBytes);
  return Out;
}

std::optional<std::vector<SectionInfo>> IndexLog::load(llvm::StringRef Bytes) {
  std::vector<SectionInfo> Out;
  Base Before;
  uint64_t Offset = 0;
  bool IsKnown = true;
  for (; !Bytes.empty(); Bytes = Bytes.drop_front(ChunkBytes)) {
    if (Bytes.size() < ChunkBytes ||
        !readChunk(Bytes.bytes_begin(), Before,
                   [&](const SectionInfo &B) {
                     IsKnown &= uint8_t(B.Kind) &&
                                uint8_t(B.Kind) < NumSectionKinds &&
                                Out.size() < MaxLoaded;
                     if (!IsKnown)
                       return;
                     Out.push_back(B);
                     Out.back().Offset = Offset;
                     Offset += B.Compressed;
                   }) ||
        !IsKnown)
      return std::nullopt;
  }
  return Out;
}
