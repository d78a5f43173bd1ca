// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `memkit demo`: the page of a recording that ships with memkit.

#include "Demo.h"

#include "Support/CommandText.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

const char memkit::DemoUsage[] =
    "Shows the page of a recording that ships with memkit: a shop that "
    "leaks.\n\n"
    "Usage: memkit demo [options]\n\n"
    "  --compare      compare it with the same shop after the leak was mended\n"
    "  --no-open      print the page's address, and open no browser\n"
    "  --port=<n>     serve the page on this port (default: a free one)\n"
    "  -o <folder>    copy the recordings into this folder, and end\n";

Expected<DemoRequest> memkit::parseDemo(ArrayRef<char *> Arguments) {
  DemoRequest R;
  for (size_t I = 0; I != Arguments.size(); ++I) {
    StringRef A = Arguments[I];
    if (A == "--help" || A == "-h")
      R.IsHelp = true;
    else if (A == "--compare")
      R.Compares = true;
    else if (A == "--no-open" || A.starts_with("--port="))
      R.Page.push_back(Arguments[I]);
    else if (A == "-o" && I + 1 != Arguments.size())
      R.CopyTo = Arguments[++I];
    else
      return createStringError("memkit demo has no '" + oneLine(A) +
                               "'; memkit demo --help shows its options");
  }
  return R;
}

static Error unreadable(const Twine &Path, std::error_code E) {
  return createStringError(E, Path + ": " + E.message());
}

std::string memkit::installedFolder(StringRef Name) {
  static int Anchor;
  SmallString<128> Folder(sys::path::parent_path(
      sys::path::parent_path(sys::fs::getMainExecutable("memkit", &Anchor))));
  sys::path::append(Folder, "share", "memkit", Name);
  return std::string(Folder);
}

Expected<DemoTraces> memkit::findDemoTraces() {
  std::string Folder = installedFolder("demo");
  DemoTraces T{Folder + "/shop.fb", Folder + "/fixed.fb"};
  for (const std::string &Path : {T.Leaks, T.Fixed})
    if (std::error_code E = sys::fs::access(Path, sys::fs::AccessMode::Exist))
      return unreadable(Path, E);
  return T;
}

Expected<DemoTraces> memkit::copyDemoTraces(const DemoTraces &From,
                                            StringRef Folder) {
  DemoTraces To{(Folder + "/shop.fb").str(), (Folder + "/fixed.fb").str()};
  if (std::error_code E = sys::fs::create_directories(Folder))
    return unreadable(Folder, E);
  for (const std::string &Path : {To.Leaks, To.Fixed})
    if (sys::fs::exists(Path))
      return unreadable(Path, std::make_error_code(std::errc::file_exists));
  for (auto [Is, Copy] :
       {std::pair(&From.Leaks, &To.Leaks), std::pair(&From.Fixed, &To.Fixed)})
    if (std::error_code E = sys::fs::copy_file(*Is, *Copy))
      return unreadable(*Copy, E);
  return To;
}

std::string memkit::demoText(const DemoTraces &T) {
  return "A shop that leaks, recorded for 3.4 s, and the shop after it was "
         "mended. To try:\n\n  memstat " +
         T.Leaks + "\n  memleak " + T.Leaks + "\n  memdiff " + T.Leaks + " " +
         T.Fixed + "\n\n";
}
