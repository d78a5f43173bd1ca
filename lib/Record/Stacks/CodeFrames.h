// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a process's codes to the trace's frames.

#ifndef MEMKIT_LIB_RECORD_CODEFRAMES_H
#define MEMKIT_LIB_RECORD_CODEFRAMES_H

#include "Shared/SharedProcess.h"
#include "Stacks/GeneratedLines.h"
#include "Support/ChunkedArray.h"

namespace memkit {

class Recording;

/// Gives each code of a process its frame in the trace, once. Belongs to the
/// recorder's thread.
class CodeFrames {
public:
  CodeFrames(SharedProcess &Shared, Recording &R, uint32_t Process)
      : Shared(Shared), R(R), Process(Process), Generated(Shared, R, Process) {}

  struct KnownCode {
    uint32_t Frame = 0;
    wire::CodeKind Kind = wire::CodeKind::None;
    /// The code's binary switches between Python stacks on one native stack.
    bool IsSwitch = false;
    uint32_t Computes = 0; ///< the number of a line of the program; 0: none
  };
  /// The lines of the program that a generated line computes: frames inside of
  /// the code's, outermost first.
  llvm::ArrayRef<uint32_t> computed(const KnownCode &K) const {
    return K.Computes ? llvm::ArrayRef(Computed[K.Computes - 1]->Frames)
                      : llvm::ArrayRef<uint32_t>();
  }
  /// The text of the layers that a generated line computes; 0: none.
  uint32_t layers(const KnownCode &K) const {
    return K.Computes ? Computed[K.Computes - 1]->Layers : 0;
  }
  /// What generated files compute, as the program says.
  GeneratedLines &generated() { return Generated; }
  /// The frame of a code. An invalid code counts as a bad record, and is an
  /// unknown frame of the kind None; an unreadable name is `?`.
  KnownCode of(uint32_t Code) {
    if (const KnownCode *K = Codes.find(Code); K && K->Frame)
      return *K;
    return add(Code);
  }
  /// Follows the program's functions: a device's allocator takes a segment.
  static constexpr uint8_t SegmentFunction = wire::NumAllocFunctions;
  /// Follows SegmentFunction: the first function of wire::CudaFunction.
  static constexpr uint8_t FirstCudaFunction = SegmentFunction + 1;
  static constexpr uint8_t NumFunctions =
      FirstCudaFunction + wire::NumCudaFunctions;
  /// The frame of an allocation function, in range and not 0.
  uint32_t ofFunction(uint8_t Function);
  /// Whether a code belongs to CUDA's driver, or to the libraries that listen
  /// to the driver.
  bool isDriver(uint32_t Code);
  /// Whether the process has run code that only workers of a DataLoader run.
  bool isDataWorker() const { return IsDataWorker; }
  void bad();

private:
  KnownCode add(uint32_t Code);
  uint32_t native(const SharedProcess::CodeInfo &Info);
  void addPython(const SharedProcess::CodeInfo &Info, KnownCode &To);
  uint32_t binaryOf(uint32_t Binary, uint64_t &Bias);
  uint32_t functionOf(uint32_t Function);
  uint32_t textOf(uint32_t Text, std::string &Bytes);

  struct KnownModule {
    uint32_t Id = 0;
    uint64_t Bias = 0;
    bool IsDriver = false;
    bool IsSwitch = false;
  };
  SharedProcess &Shared;
  Recording &R;
  uint32_t Process;
  bool IsDataWorker = false;
  ChunkedArray<KnownCode, 10> Codes;
  ChunkedArray<KnownModule, 4> Binaries;
  ChunkedArray<uint32_t, 8> Functions; ///< Python functions
  GeneratedLines Generated;
  /// By Python function: its generated file.
  ChunkedArray<uint32_t, 8> GeneratedFiles;
  std::vector<const GeneratedLines::GeneratedLine *> Computed;
  uint32_t AllocFunctions[NumFunctions] = {};
};

/// The name of an allocation function; empty for an unknown number.
llvm::StringRef allocFunctionName(uint8_t Function);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CODEFRAMES_H
