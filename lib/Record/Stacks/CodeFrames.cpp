// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a process's codes to the trace's frames.

#include "Stacks/CodeFrames.h"
#include "Output/Recording.h"
#include <iterator>

using namespace llvm;
using namespace memkit;
using wire::CodeKind;

StringRef memkit::allocFunctionName(uint8_t Function) {
  static constexpr const char *Names[] = {"",
                                          "malloc",
                                          "calloc",
                                          "realloc",
                                          "reallocarray",
                                          "posix_memalign",
                                          "aligned_alloc",
                                          "memalign",
                                          "valloc",
                                          "pvalloc",
                                          "operator new",
                                          "operator new[]",
                                          "operator new(aligned)",
                                          "operator new[](aligned)",
                                          "mmap",
                                          "mremap",
                                          "mprotect",
                                          "brk",
                                          "sbrk",
                                          "pthread_create",
                                          "mallocx",
                                          "rallocx",
                                          "PyMem_Malloc",
                                          "PyMem_Calloc",
                                          "PyMem_Realloc",
                                          "PyObject_Malloc",
                                          "PyObject_Calloc",
                                          "PyObject_Realloc"};
  static constexpr const char *CudaNames[] = {
      "cuda",
      "cuMemAlloc",
      "cuMemAllocPitch",
      "cuMemAllocManaged",
      "cuMemHostAlloc",
      "cuMemAllocHost",
      "cuMemHostRegister",
      "cuMemAllocAsync",
      "cuMemAllocFromPoolAsync",
      "cuMemPoolImportPointer",
      "cuMemAddressReserve",
      "cuMemCreate",
      "cuMemMap",
      "cuMemImportFromShareableHandle",
      "cuArrayCreate",
      "cuArray3DCreate",
      "cuMipmappedArrayCreate",
      "cuIpcOpenMemHandle",
      "cuExternalMemoryGetMappedBuffer",
      "cuGraphAddMemAllocNode",
      "cuGraphAddNode",
      "cuMulticastCreate",
      "cuExternalMemoryGetMappedMipmappedArray",
      "cuLaunch"};
  static_assert(std::size(Names) == wire::NumAllocFunctions);
  static_assert(std::size(CudaNames) == wire::NumCudaFunctions);
  if (Function == CodeFrames::SegmentFunction)
    return "[device segment]";
  if (Function >= CodeFrames::FirstCudaFunction &&
      Function < CodeFrames::NumFunctions)
    return CudaNames[Function - CodeFrames::FirstCudaFunction];
  return Function < std::size(Names) ? Names[Function] : "";
}

void CodeFrames::bad() { R.addLoss(Process, LossKind::BadRecord, 1); }

uint32_t CodeFrames::ofFunction(uint8_t Function) {
  uint32_t &Frame = AllocFunctions[Function];
  if (!Frame)
    Frame = R.names().namedFrame(allocFunctionName(Function));
  return Frame;
}

CodeFrames::KnownCode CodeFrames::add(uint32_t Code) {
  SharedProcess::CodeInfo Info;
  if (!Shared.code(Code, Info)) {
    bad();
    return {R.names().frame({FrameKind::Unknown, 0, 0}), CodeKind::None};
  }
  KnownCode New{0, Info.Kind};
  switch (Info.Kind) {
  case CodeKind::Gap:
    New.Frame = R.names().namedFrame("[frames left out]");
    break;
  case CodeKind::NoCfi:
    New.Frame = R.names().namedFrame("[no unwind information]");
    break;
  case CodeKind::Python:
  case CodeKind::PythonEntry:
    addPython(Info, New);
    break;
  default:
    New.Frame = native(Info);
    if (const KnownModule *M = Binaries.find(Info.Container))
      New.IsSwitch = M->IsSwitch;
  }
  Codes.get(Code) = New;
  return New;
}

uint32_t CodeFrames::native(const SharedProcess::CodeInfo &Info) {
  uint64_t Bias = 0;
  if (uint32_t Binary = binaryOf(Info.Container, Bias))
    return R.names().frame({FrameKind::Native, Binary, Info.Address - Bias});
  return R.names().unownedFrame(Process, Info.Address);
}

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

void CodeFrames::addPython(const SharedProcess::CodeInfo &Info, KnownCode &To) {
  uint64_t Line = Info.Address;
  if (Line > INT32_MAX) {
    bad();
    Line = 0;
  }
  uint32_t Function = functionOf(Info.Container);
  if (Line)
    R.tell(&RecordingListener::foundPythonLine, Process, Function,
           static_cast<uint32_t>(Line));
  To.Frame = R.names().frame({FrameKind::Python, Function, Line});
  uint32_t File = GeneratedFiles[Info.Container];
  if (const auto *L = File ? Generated.find(File, Line) : nullptr) {
    Computed.push_back(L);
    To.Computes = uint32_t(Computed.size());
  }
}

uint32_t CodeFrames::functionOf(uint32_t Id) {
  if (uint32_t Known = Functions[Id])
    return Known;
  SharedProcess::FunctionInfo Info;
  Function F;
  bool IsThere = Shared.function(Id, Info);
  std::string File;
  if (IsThere) {
    std::string Name;
    F.Name = textOf(Info.Name, Name);
    F.File = textOf(Info.File, File);
    IsDataWorker |=
        Name == "_worker_loop" &&
        StringRef(File).ends_with("torch/utils/data/_utils/worker.py");
    F.Line = Info.FirstLine > INT32_MAX ? 0 : Info.FirstLine;
  } else {
    bad();
  }
  if (!F.Name)
    F.Name = R.names().Names.string("?");
  uint32_t New = R.names().Names.function(F);
  R.tell(&RecordingListener::foundPythonFunction, New, File);
  // An invalid id must not take memory.
  if (!IsThere)
    return New;
  Functions.get(Id) = New;
  if (uint32_t Number = Generated.fileOf(File))
    GeneratedFiles.get(Id) = Number;
  return New;
}

uint32_t CodeFrames::textOf(uint32_t Text, std::string &Bytes) {
  if (!Shared.text(Text, Bytes))
    bad();
  return R.names().Names.string(Bytes);
}

//===----------------------------------------------------------------------===//
// Binaries
//===----------------------------------------------------------------------===//

static bool isDriverModule(StringRef Path) {
  StringRef Name = Path.rsplit('/').second;
  return Name.starts_with("libcuda.so") || Name.starts_with("libcupti.so") ||
         Name == "libmemrec-cuda.so";
}

/// greenlet, the base of gevent and eventlet.
static bool isSwitchModule(StringRef Path) {
  return Path.rsplit('/').second.starts_with("_greenlet.");
}

bool CodeFrames::isDriver(uint32_t Code) {
  SharedProcess::CodeInfo Info;
  uint64_t Bias;
  // An unreadable code counts as bad when add() makes its frame.
  if (!Shared.code(Code, Info) || Info.Kind != CodeKind::Native ||
      !binaryOf(Info.Container, Bias))
    return false;
  return Binaries.get(Info.Container).IsDriver;
}

uint32_t CodeFrames::binaryOf(uint32_t Binary, uint64_t &Bias) {
  if (!Binary)
    return 0;
  if (const KnownModule *K = Binaries.find(Binary); K && K->Id) {
    Bias = K->Bias;
    return K->Id;
  }
  SharedProcess::BinaryInfo Info;
  if (!Shared.binary(Binary, Info)) {
    bad();
    return 0;
  }
  Load L;
  L.Process = Process;
  uint32_t Before = R.names().numBinaries();
  L.Binary = R.names().binary(Info.Path, Info.BuildId);
  if (L.Binary > Before)
    R.tell(&RecordingListener::foundBinary, L.Binary, Info.Path, Info.BuildId,
           Process);
  R.tell(&RecordingListener::ranBinary, Process, Info.Path);
  L.Start = Info.Start;
  L.Size = Info.End - Info.Start;
  L.Bias = Bias = Info.Bias;
  L.TimeNs = R.nowNs();
  R.names().addLoad(L);
  Binaries.get(Binary) = {L.Binary, Info.Bias, isDriverModule(Info.Path),
                          isSwitchModule(Info.Path)};
  return L.Binary;
}
