// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of this machine now, for people. Functions and structures as in
// NVML's reference (docs.nvidia.com/deploy/nvml-api).

#include "DeviceList.h"
#include "Support/CommandText.h"
#include "memkit/Support/Format.h"
#include <dlfcn.h>

using namespace llvm;
using namespace memkit;

namespace {
struct MemoryOfDevice {
  uint64_t Total, Free, Used;
};
struct MemoryOfDeviceV2 {
  uint32_t Version;
  uint64_t Total, Reserved, Free, Used;
};

/// The functions of an opened NVML that are there.
class NvmlFunctions {
public:
  explicit NvmlFunctions(void *Library) : Library(Library) {}
  /// Calls a function; false: it is not there, or fails.
  template <typename... Types>
  bool call(const char *Name, Types... Arguments) const {
    auto *Function = reinterpret_cast<int (*)(Types...)>(dlsym(Library, Name));
    return Function && Function(Arguments...) == 0;
  }

private:
  void *Library;
};
} // namespace

static constexpr unsigned TextBytes = 96; ///< NVML_DEVICE_NAME_V2_BUFFER_SIZE

static std::string memoryText(const NvmlFunctions &Nvml, void *Device) {
  // Version 2 does not count as used what the driver reserves.
  MemoryOfDeviceV2 V2 = {uint32_t(sizeof(MemoryOfDeviceV2) | 2 << 24), 0, 0, 0,
                         0};
  MemoryOfDevice M = {};
  if (Nvml.call("nvmlDeviceGetMemoryInfo_v2", Device, &V2))
    M = {V2.Total, V2.Free, V2.Used};
  else if (!Nvml.call("nvmlDeviceGetMemoryInfo", Device, &M))
    return ", memory shared with the host";
  return ", " + formatSize(M.Total) + ", " + formatSize(M.Used) + " used, " +
         formatSize(M.Free) + " free";
}

static std::string deviceLine(const NvmlFunctions &Nvml, unsigned Index) {
  std::string Text = "GPU " + std::to_string(Index) + ": ";
  void *Device = nullptr;
  if (!Nvml.call("nvmlDeviceGetHandleByIndex_v2", Index, &Device))
    return Text + "not to be had by this user";
  char Name[TextBytes] = "";
  if (Nvml.call("nvmlDeviceGetName", Device, +Name, TextBytes))
    Text += oneLine(StringRef(Name, strnlen(Name, TextBytes)));
  int Major = 0, Minor = 0;
  if (Nvml.call("nvmlDeviceGetCudaComputeCapability", Device, &Major, &Minor))
    Text +=
        ", capability " + std::to_string(Major) + "." + std::to_string(Minor);
  return Text + memoryText(Nvml, Device);
}

std::vector<std::string> memkit::deviceLines() {
  // Never closed, as in Nvml.h.
  void *Library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  NvmlFunctions Nvml(Library);
  unsigned Count = 0;
  if (!Library || !Nvml.call("nvmlInit_v2") ||
      !Nvml.call("nvmlDeviceGetCount_v2", &Count))
    return {};
  constexpr unsigned MaxDevices = 256;
  std::vector<std::string> Lines;
  for (unsigned I = 0; I != std::min(Count, MaxDevices); ++I)
    Lines.push_back(deviceLine(Nvml, I));
  char Version[TextBytes] = "";
  int Cuda = 0;
  if (Nvml.call("nvmlSystemGetDriverVersion", +Version, TextBytes)) {
    std::string Text =
        "driver: " + oneLine(StringRef(Version, strnlen(Version, TextBytes)));
    constexpr int PerMajor = 1000, PerMinor = 10;
    if (Nvml.call("nvmlSystemGetCudaDriverVersion", &Cuda))
      Text += ", CUDA " + std::to_string(Cuda / PerMajor) + "." +
              std::to_string(Cuda % PerMajor / PerMinor);
    Lines.push_back(std::move(Text));
  }
  return Lines;
}
