// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the state of devices from NVML.
//
// Declares the few structures of NVML in use, so that NVML's header is not
// needed; the tests' library uses the same declarations.

#include "Devices/Nvml.h"
#include "Shared/HostLimits.h"
#include "Shared/ProcFs.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <dlfcn.h>

using namespace llvm;
using namespace memkit;

namespace {
enum Result : int { Success = 0, InsufficientSize = 7 };
constexpr uint64_t NotAvailable = ~0ull;
/// The first fields of an entry for a process, in all versions.
struct ProcessHead {
  uint32_t Pid;
  uint64_t Bytes;
};
constexpr size_t BytesV1 = 16, BytesV2 = 24;
/// Some drivers of version 535 write longer entries than later drivers do for
/// the same function.
constexpr size_t BytesLong = 32;
constexpr uint8_t Unwritten = 0xa5;
} // namespace

struct Nvml::Memory {
  uint64_t Total, Free, Used;
};
struct Nvml::MemoryV2 {
  uint32_t Version;
  uint64_t Total, Reserved, Free, Used;
};

template <typename Fn> bool Nvml::find(const char *Name, Fn *&To) {
  To = reinterpret_cast<Fn *>(dlsym(Library, Name));
  return To;
}

std::string Nvml::wrong(const char *Function, int Result) const {
  const char *Text = ErrorString ? ErrorString(Result) : nullptr;
  return std::string("NVML: ") + Function + ": " +
         (Text ? Text : ("error " + Twine(Result)).str());
}

Nvml::ProcessCall Nvml::findProcesses(const std::string &Name) {
  ProcessCall C;
  C.EntryBytes = BytesV2;
  if (find((Name + "_v3").c_str(), C.Get) ||
      find((Name + "_v2").c_str(), C.Get))
    return C;
  C.EntryBytes = BytesV1;
  find(Name.c_str(), C.Get);
  return C;
}

std::string Nvml::open() {
  Library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    return "libnvidia-ml.so.1 was not found";
  find("nvmlErrorString", ErrorString);
  // nvmlInit_v2 is of 2012; older versions have no UUIDs.
  for (auto [Name, Found] :
       {std::pair("nvmlInit_v2", find("nvmlInit_v2", Init)),
        std::pair("nvmlDeviceGetHandleByUUID",
                  find("nvmlDeviceGetHandleByUUID", HandleByUuid)),
        std::pair("nvmlDeviceGetMemoryInfo",
                  find("nvmlDeviceGetMemoryInfo", GetMemory))})
    if (!Found)
      return std::string("this version of NVML lacks ") + Name;
  find("nvmlDeviceGetMemoryInfo_v2", GetMemoryV2);
  Computing = findProcesses("nvmlDeviceGetComputeRunningProcesses");
  Drawing = findProcesses("nvmlDeviceGetGraphicsRunningProcesses");
  int R = Init();
  return R ? wrong("nvmlInit_v2", R) : "";
}

/// Finds a whole device, or a part of one (MIG).
std::string Nvml::handleOf(ArrayRef<uint8_t> Uuid, void *&To) {
  std::string Digits = toHex(Uuid, /*LowerCase=*/true), Text;
  if (Uuid.size() != 16)
    return "the device has no UUID";
  for (size_t I = 0; I != Digits.size(); ++I)
    Text += (I == 8 || I == 12 || I == 16 || I == 20 ? "-" : "") +
            std::string(1, Digits[I]);
  int R = HandleByUuid(("GPU-" + Text).c_str(), &To);
  if (!R || !HandleByUuid(("MIG-" + Text).c_str(), &To))
    return "";
  return wrong(("device GPU-" + Text).c_str(), R);
}

std::string Nvml::readMemory(void *Device, Reading &Out) {
  // The figure of version 2 excludes the memory that the driver reserves.
  if (GetMemoryV2) {
    MemoryV2 M = {uint32_t(sizeof(MemoryV2) | 2 << 24), 0, 0, 0, 0};
    if (!GetMemoryV2(Device, &M)) {
      Out.Used = M.Used;
      Out.Total = M.Total;
      return "";
    }
  }
  Memory M = {};
  if (int R = GetMemory(Device, &M))
    return wrong("nvmlDeviceGetMemoryInfo", R);
  Out.Used = M.Used;
  Out.Total = M.Total;
  return "";
}

/// Adds a process, which may compute and draw.
static void addProcess(std::vector<Nvml::DeviceProcess> &To,
                       Nvml::DeviceProcess P) {
  auto Same =
      find_if(To, [&](const Nvml::DeviceProcess &O) { return O.Pid == P.Pid; });
  if (Same == To.end())
    To.push_back(P);
  else
    Same->Bytes = std::max(Same->Bytes, P.Bytes);
}

/// False: the processes are not known.
bool Nvml::readProcesses(const ProcessCall &By, void *Device, Reading &Out) {
  if (!By.Get)
    return false;
  unsigned Room = 64, Count = 0;
  std::vector<uint8_t> Bytes;
  int R = InsufficientSize;
  for (int Try = 0; R == InsufficientSize && Try != 4; ++Try) {
    // More processes may start meanwhile.
    Room = std::max(Room, std::min(2 * Count, 65536u));
    Bytes.assign(Room * BytesLong, Unwritten);
    Count = Room;
    R = By.Get(Device, &Count, Bytes.data());
  }
  if (R || Count > Room)
    return false;
  size_t Stride = By.EntryBytes;
  for (size_t I = Count * BytesV2; I != Count * BytesLong; ++I)
    if (By.EntryBytes == BytesV2 && Bytes[I] != Unwritten)
      Stride = BytesLong;
  for (unsigned I = 0; I != Count; ++I) {
    ProcessHead H;
    std::memcpy(&H, &Bytes[I * Stride], sizeof(H));
    DeviceProcess P;
    P.Pid = H.Pid;
    if (H.Bytes != NotAvailable)
      P.Bytes = H.Bytes;
    addProcess(Out.Processes, P);
  }
  return true;
}

std::string Nvml::readShared(void *Device, Reading &Out) {
  if (!readProcesses(Computing, Device, Out))
    return "NVML does not list the processes of a device that shares the "
           "machine's memory";
  readProcesses(Drawing, Device, Out);
  for (const DeviceProcess &P : Out.Processes) {
    if (!P.Bytes)
      return "NVML gives no bytes for the processes of a device that shares "
             "the "
             "machine's memory";
    Out.Used += *P.Bytes;
  }
  HostUse Machine;
  readMemInfo(procfs::readFile("/proc/meminfo"), Machine);
  if (Machine.Ram) {
    Out.Total = Machine.Ram;
    Out.Available = Machine.RamAvailable;
  }
  return "";
}

std::string Nvml::read(ArrayRef<uint8_t> Uuid, bool SharesMemory,
                       Reading &Out) {
  void *Device = nullptr;
  if (std::string Wrong = handleOf(Uuid, Device); !Wrong.empty())
    return Wrong;
  if (SharesMemory)
    return readShared(Device, Out);
  // The memory and the processes are of one time point if the processes' bytes
  // are the same before and after.
  std::string Wrong;
  for (int Try = 0; Try != 3; ++Try) {
    Reading Before;
    readProcesses(Computing, Device, Before);
    Out = Reading();
    if (Wrong = readMemory(Device, Out); !Wrong.empty())
      break;
    readProcesses(Computing, Device, Out);
    if (Before.Processes == Out.Processes)
      break;
  }
  return Wrong;
}
