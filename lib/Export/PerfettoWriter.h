// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packets of a trace of Perfetto.

#ifndef MEMKIT_LIB_EXPORT_PERFETTOWRITER_H
#define MEMKIT_LIB_EXPORT_PERFETTOWRITER_H

#include "ProtoWriter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace memkit {

/// Writes tracks and their events. Times are nanoseconds; packets of equal time
/// take effect in the order of writing.
class PerfettoWriter {
public:
  using Track = uint64_t;

  explicit PerfettoWriter(llvm::raw_ostream &OS) : OS(OS) {}

  Track process(uint32_t Pid, llvm::StringRef Name);
  Track thread(uint32_t Pid, uint32_t Tid, llvm::StringRef Name);
  /// A track within another.
  Track track(Track Parent, llvm::StringRef Name);
  /// A counter of bytes within another track.
  Track counter(Track Parent, llvm::StringRef Name);

  /// Category: a filter in the UI. Bytes: shown with the interval.
  void begin(Track On, uint64_t TimeNs, llvm::StringRef Name,
             llvm::StringRef Category, std::optional<uint64_t> Bytes = {});
  /// A value that is shown with the interval.
  struct Annotation {
    std::string Name;
    uint64_t Value;
  };
  void end(Track On, uint64_t TimeNs, llvm::ArrayRef<Annotation> Values = {});
  void instant(Track On, uint64_t TimeNs, llvm::StringRef Name,
               llvm::StringRef Category);
  void count(Track On, uint64_t TimeNs, uint64_t Value);

  /// The time of the trace's time 0, since 1970. Write this packet first.
  void clocks(uint64_t RealtimeNs);
  /// A ProfilePacket, and the entries of InternedData that the packet needs.
  void heapProfile(uint64_t TimeNs, llvm::StringRef Interned,
                   llvm::function_ref<void(ProtoWriter &)> Fill);

private:
  /// Interned texts of one kind. The first packet that uses an id defines it.
  struct InternedTexts {
    llvm::StringMap<uint64_t> Ids;
    unsigned Field; ///< of InternedData
  };
  struct DefinedText {
    InternedTexts *Of;
    uint64_t Id;
    llvm::StringRef Text;
  };
  uint64_t intern(InternedTexts &In, llvm::StringRef Text,
                  llvm::SmallVectorImpl<DefinedText> &New);
  Track describe(llvm::function_ref<void(ProtoWriter &)> Fill, Track Parent,
                 llvm::StringRef Name);
  void packet(llvm::function_ref<void(ProtoWriter &)> Fill);
  void event(Track On, uint64_t TimeNs, unsigned Type, llvm::StringRef Name,
             llvm::StringRef Category,
             llvm::function_ref<void(ProtoWriter &)> Rest);

  llvm::raw_ostream &OS;
  ProtoWriter Packet;
  InternedTexts Categories{{}, 1}, Names{{}, 2};
  Track Next = 1;
  bool First = true;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PERFETTOWRITER_H
