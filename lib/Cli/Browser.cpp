// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows pages in the user's browser.

#include "Browser.h"
#include "Support/Descriptor.h"
#include "Support/Failure.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

using namespace llvm;

namespace memkit {

bool openInBrowser(StringRef Path) {
  ErrorOr<std::string> Opener = sys::findProgramByName("xdg-open");
  if (!Opener)
    return false;
  // What a missing browser prints is of no use: the path or the address is
  // printed.
  std::optional<StringRef> Nothing[] = {StringRef(), StringRef(), StringRef()};
  std::string Problem;
  sys::ExecuteNoWait(*Opener, {*Opener, Path}, std::nullopt, Nothing, 0,
                     &Problem);
  return Problem.empty();
}

static std::string pageFor(StringRef Address) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n"
        "<meta http-equiv=\"refresh\" content=\"0; url=";
  printHTMLEscaped(Address, OS);
  OS << "\">\n<title>memview</title>\n<a href=\"";
  printHTMLEscaped(Address, OS);
  OS << "\">memview</a>\n";
  return Text;
}

/// A new folder that only the user can enter.
static Expected<std::string> makeFolder() {
  SmallString<128> Base;
  if (const char *Runtime = std::getenv("XDG_RUNTIME_DIR");
      Runtime && *Runtime == '/' && access(Runtime, W_OK) == 0)
    Base = Runtime;
  else
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Base);
  std::string Path = (Base + "/memview-XXXXXX").str();
  if (!mkdtemp(Path.data()))
    return failErrno(Path);
  return Path;
}

Expected<SecretPage> SecretPage::create(StringRef Address) {
  SecretPage Page;
  if (Error E = makeFolder().moveInto(Page.Folder))
    return std::move(E);
  Descriptor Fd(open(Page.path().c_str(),
                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                     0600));
  std::string Text = pageFor(Address);
  if (!Fd || write(Fd.get(), Text.data(), Text.size()) != ssize_t(Text.size()))
    return failErrno(Page.path());
  return std::move(Page);
}

std::string SecretPage::path() const { return Folder + "/page.html"; }

SecretPage::~SecretPage() {
  if (Folder.empty())
    return;
  unlink(path().c_str());
  rmdir(Folder.c_str());
}

} // namespace memkit
