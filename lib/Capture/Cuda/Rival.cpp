// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds other tools that listen to CUDA's driver.

#include "Cuda/Rival.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;

namespace {
/// Prefixes of the names of libraries that tools load into a program.
struct Tool {
  const char *Library, *Name;
};
constexpr Tool Tools[] = {
    {"libToolsInjection", "Nsight Systems"},
    {"libcuda-injection", "Nsight Compute"},
    {"libsanitizer-collection", "compute-sanitizer"},
};
} // namespace

static int look(dl_phdr_info *Info, size_t, void *Data) {
  const char *Path = Info->dlpi_name ? Info->dlpi_name : "";
  const char *Slash = strrchr(Path, '/');
  const char *File = Slash ? Slash + 1 : Path;
  for (const Tool &T : Tools)
    if (strncmp(File, T.Library, strlen(T.Library)) == 0) {
      snprintf(static_cast<char *>(Data), sizeof(RivalName), "%s (%s)", T.Name,
               File);
      return 1;
    }
  return 0;
}

void cuda::findLoadedTool(RivalName &Out) {
  Out[0] = 0;
  dl_iterate_phdr(look, Out);
}

void cuda::findInjected(RivalName &Out) {
  const char *Path = getenv(wire::CudaVar);
  snprintf(Out, sizeof(Out), "%s", Path ? Path : "");
}
