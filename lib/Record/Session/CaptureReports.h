// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about what memrec records of the program's libraries.

#ifndef MEMKIT_LIB_RECORD_SESSION_CAPTUREREPORTS_H
#define MEMKIT_LIB_RECORD_SESSION_CAPTUREREPORTS_H

#include "Session/ChildList.h"
#include "Session/FindingSentence.h"
#include "Session/RecordOptions.h"
#include "Session/SoftwareThread.h"
#include <array>
#include <set>
#include <tuple>

namespace memkit {

/// Reports to the user what memrec records of the program's libraries, or why
/// memrec does not. The texts are data: see wire::FindingTexts.
class CaptureReports {
public:
  CaptureReports(const RecordOptions &O, Recording &R, DeviceUses &Uses)
      : O(O), R(R), Uses(Uses) {}

  /// Adds the versions of packages to the trace.
  void addVersions(const std::vector<SoftwareThread::FoundVersion> &Found);

  /// Reports what P's capture library has found since the last call. The first
  /// process with CUDA starts the sampling of devices.
  void report(ChildProcess &P);
  /// Adds What to the trace as an alert of P.
  void addAlert(const ChildProcess &P, llvm::StringRef What);

private:
  void reportFinding(ChildProcess &P, uint32_t Source);
  void reportBits(ChildProcess &P, uint32_t Source, FindingFacts F);
  std::string wantedParts(const wire::Control &C, uint32_t Source) const;
  bool isNew(ChildProcess &P, uint32_t Source, const wire::FindingText &T,
             uint32_t Argument);
  void say(ChildProcess &P, const wire::FindingText &T,
           const std::string &What);
  void notePython(ChildProcess &P);
  void noteAllocator(ChildProcess &P);
  void addVersion(uint32_t Process, const std::string &Version);

  const RecordOptions &O;
  Recording &R;
  DeviceUses &Uses;
  /// By source: the highest rank that was said.
  std::array<uint32_t, wire::NumFindingSources> SaidRanks{};
  uint32_t SaidBits = 0; ///< of the source with bits
  /// Sources, codes and arguments.
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> SaidVersions;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_CAPTUREREPORTS_H
