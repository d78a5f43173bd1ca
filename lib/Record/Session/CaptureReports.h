// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about what memrec records of Python, PyTorch, TensorFlow and CUDA.

#ifndef MEMKIT_LIB_RECORD_SESSION_CAPTUREREPORTS_H
#define MEMKIT_LIB_RECORD_SESSION_CAPTUREREPORTS_H

#include "Session/ChildList.h"
#include "Session/RecordOptions.h"
#include "Session/SoftwareThread.h"
#include <set>
#include <utility>

namespace memkit {

/// Reports to the user what memrec records of Python, PyTorch, TensorFlow and
/// CUDA, or why memrec does not; most messages come once in a run.
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
  void reportCuda(ChildProcess &P);
  void reportTorchCuda(ChildProcess &P);
  void reportTorch(ChildProcess &P);
  void reportShapes(ChildProcess &P);
  void reportJax(ChildProcess &P);
  void reportTensorFlow(ChildProcess &P);
  void reportPython(ChildProcess &P);
  void notePython(ChildProcess &P);
  void noteAllocator(ChildProcess &P);
  void reportSandbox(ChildProcess &P);
  void addVersion(uint32_t Process, const std::string &Version);

  const RecordOptions &O;
  Recording &R;
  DeviceUses &Uses;
  bool JaxReported = false, TorchReported = false, TorchCudaReported = false;
  uint32_t TensorFlowReported = 0; ///< wire::TensorFlowBits
  unsigned CudaReported = 0; ///< 1: capture was reported, 2: its failure was
  /// Reported states and versions of Python.
  std::set<std::pair<uint32_t, uint32_t>> PythonsReported;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_CAPTUREREPORTS_H
