// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which packages a process has loaded.

#include "Shared/Software.h"
#include "Shared/TorchVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <climits>
#include <dirent.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Names of packages compare equal if they differ in case and in `-`, `_`, `.`.
static std::string plainName(StringRef Name) {
  std::string Out;
  for (char C : Name) {
    bool IsJoint = C == '-' || C == '_' || C == '.';
    if (!IsJoint)
      Out += toLower(C);
    else if (!Out.empty() && Out.back() != '_')
      Out += '_';
  }
  return Out;
}

/// The package of a module whose name differs, or another package whose version
/// is told with it.
static constexpr std::pair<StringLiteral, StringLiteral> OtherNames[] = {
    {"tensorflow", "tensorflow_cpu"},
    {"tensorflow", "tf_nightly"},
    {"tensorflow", "keras"},
    {"jaxlib", "jax"},
    {"sklearn", "scikit_learn"},
    {"cv2", "opencv_python"},
    {"pil", "pillow"},
};

/// Whether the module `nvidia/cuda_runtime` is of `nvidia_cuda_runtime_cu12`.
static bool isCudaPackage(StringRef Module, StringRef Package) {
  return Module.starts_with("nvidia_") && Package.consume_front(Module) &&
         Package.consume_front("_cu") && !Package.empty() &&
         all_of(Package, isDigit);
}

static bool belongs(StringRef Module, StringRef Package) {
  return Module == Package || isCudaPackage(Module, Package) ||
         any_of(OtherNames, [&](const auto &Pair) {
           return Pair.first == Module && Pair.second == Package;
         });
}

/// The name under which a version is told: the short one of CUDA's runtime.
static std::string shownName(StringRef Package) {
  return isCudaPackage("nvidia_cuda_runtime", Package) ? "cuda-runtime"
                                                       : Package.str();
}

static bool isText(StringRef Text) {
  constexpr size_t MaxText = 100;
  return !Text.empty() && Text.size() <= MaxText && all_of(Text, isPrint) &&
         !Text.contains('=');
}

std::vector<std::string>
memkit::packageVersions(StringRef Module, ArrayRef<std::string> Entries) {
  // `numpy.libs` has libraries of numpy; `_cffi.cpython-311.so` is a module.
  std::string Wanted = plainName(Module.split('.').first);
  for (char &C : Wanted)
    C = C == '/' ? '_' : C;
  std::vector<std::string> Out;
  for (StringRef Entry : Entries) {
    if (!Entry.consume_back(".dist-info") && !Entry.consume_back(".egg-info"))
      continue;
    // Debian adds `-py3.11`.
    auto [Name, Rest] = Entry.split('-');
    StringRef Version = Rest.split('-').first;
    std::string Package = plainName(Name);
    if (!isText(Name) || !isText(Version) || !belongs(Wanted, Package))
      continue;
    std::string Text = shownName(Package) + "=" + Version.str();
    if (!is_contained(Out, Text))
      Out.push_back(std::move(Text));
  }
  llvm::sort(Out);
  return Out;
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// Splits a path at its last folder of packages: the folder, and the rest. A
/// folder of another name is known by a framework in the folder.
static std::pair<StringRef, StringRef> splitPackages(StringRef Path) {
  for (StringRef Folder : {"/site-packages/", "/dist-packages/"})
    if (size_t At = Path.rfind(Folder); At != StringRef::npos)
      return {Path.take_front(At + Folder.size() - 1),
              Path.drop_front(At + Folder.size())};
  for (StringRef Module :
       {"/torch/", "/tensorflow/", "/jaxlib/", "/numpy/", "/nvidia/"})
    if (size_t At = Path.rfind(Module); At != StringRef::npos && At != 0)
      return {Path.take_front(At), Path.drop_front(At + 1)};
  return {};
}

static bool isCudaRuntime(StringRef Path) {
  return sys::path::filename(Path).starts_with("libcudart.so");
}

/// PyTorch's library, which may lie in a folder of its sources.
static bool isTorch(StringRef Path) {
  return Path.ends_with("/torch/lib/libtorch_python.so");
}

bool memkit::mayHaveVersion(StringRef Path) {
  return Path.starts_with("/") && (!splitPackages(Path).second.empty() ||
                                   isCudaRuntime(Path) || isTorch(Path));
}

/// The names in a folder that may have versions; none for a folder that cannot
/// be read. Stops after MaxEntries, because a program may use any folder.
static std::vector<std::string> namesIn(const std::string &Folder) {
  constexpr size_t MaxEntries = 1 << 16;
  std::vector<std::string> Names;
  DIR *D = opendir(Folder.c_str());
  if (!D)
    return Names;
  for (size_t N = 0; N != MaxEntries; ++N) {
    const dirent *E = readdir(D);
    if (!E)
      break;
    StringRef Name = E->d_name;
    if (Name.ends_with(".dist-info") || Name.ends_with(".egg-info"))
      Names.push_back(Name.str());
  }
  closedir(D);
  return Names;
}

/// The module that a file in a folder of packages belongs to. A folder `nvidia`
/// has a package in each folder.
static StringRef moduleOf(StringRef Rest) {
  auto [First, More] = Rest.split('/');
  if (First != "nvidia" || More.empty())
    return First;
  return Rest.take_front(First.size() + 1 + More.split('/').first.size());
}

std::string memkit::packageOf(StringRef Path) {
  auto [Folder, Rest] = splitPackages(Path);
  return Rest.empty() ? Path.str() : (Folder + "/" + moduleOf(Rest)).str();
}

/// `cuda-runtime=12.6.77`, of a link to `libcudart.so.12.6.77`.
static std::vector<std::string> cudaRuntime(const std::string &Link) {
  char Target[PATH_MAX];
  ssize_t Size = readlink(Link.c_str(), Target, sizeof(Target));
  StringRef Version = sys::path::filename(
      StringRef(Target, size_t(std::max<ssize_t>(Size, 0))));
  if (!Version.consume_front("libcudart.so.") || !isText(Version) ||
      !Version.contains('.'))
    return {};
  return {"cuda-runtime=" + Version.str()};
}

std::vector<std::string> memkit::versionsOf(const std::string &Root,
                                            StringRef Path) {
  auto [Folder, Rest] = splitPackages(Path);
  // version.py has the CUDA that PyTorch was built for, too.
  if (isTorch(Path) || Rest.starts_with("torch/"))
    if (std::vector<std::string> Out = torchVersions(
            Root + (isTorch(Path) ? Path : Folder + "/torch/lib/any").str());
        !Out.empty())
      return Out;
  if (Rest.empty())
    return isCudaRuntime(Path) ? cudaRuntime(Root + Path.str())
                               : std::vector<std::string>();
  return packageVersions(moduleOf(Rest), namesIn(Root + Folder.str()));
}
