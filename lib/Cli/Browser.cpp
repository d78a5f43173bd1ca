// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens an address in the user's browser.

#include "Browser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace memkit;

BrowserFile::~BrowserFile() { remove(); }

void BrowserFile::remove() {
  if (!File.empty())
    unlink(std::exchange(File, "").c_str());
  if (!Folder.empty())
    rmdir(std::exchange(Folder, "").c_str());
}

/// The page that leads to Address at once.
static std::string pageFor(StringRef Address) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "<!doctype html><meta charset=utf-8>"
        "<meta name=referrer content=no-referrer>"
        "<meta http-equiv=refresh content=\"0;url=";
  printHTMLEscaped(Address, OS);
  OS << "\"><title>memview</title><a href=\"";
  printHTMLEscaped(Address, OS);
  OS << "\">memview</a>\n";
  return Text;
}

void BrowserFile::open(StringRef Address) {
  remove();
  ErrorOr<std::string> Opener = sys::findProgramByName("xdg-open");
  if (!Opener)
    return;
  // mkdtemp makes a folder for this user alone.
  const char *Temp = std::getenv("TMPDIR");
  std::string Path =
      std::string(Temp && *Temp == '/' ? Temp : "/tmp") + "/memview-XXXXXX";
  if (!mkdtemp(Path.data()))
    return;
  Folder = Path;
  File = Folder + "/open.html";
  int Fd = ::open(File.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (Fd < 0)
    return remove();
  {
    raw_fd_ostream OS(Fd, /*shouldClose=*/true);
    OS << pageFor(Address);
    OS.close();
    if (OS.has_error()) {
      OS.clear_error();
      return remove();
    }
  }
  // What a missing browser prints is of no use.
  std::string Problem;
  std::optional<StringRef> Nothing[] = {StringRef(), StringRef(), StringRef()};
  sys::ExecuteNoWait(*Opener, {*Opener, File}, std::nullopt, Nothing, 0,
                     &Problem);
}
