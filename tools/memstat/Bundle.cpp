// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file to send: a trace, and what a reader asks about it.

#include "Bundle.h"
#include "Cli/OutputFile.h"
#include "Cli/ToolMain.h"
#include "Page.h"
#include "Sections.h"
#include "Support/MemoryVariables.h"
#include "Support/TarStream.h"
#include "Trace/ZstdStream.h"
#include "memkit/Model/Redact.h"
#include "memkit/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <ctime>

using namespace llvm;
using namespace memkit;

std::string memkit::bundleName(StringRef Trace) {
  StringRef Name = Trace;
  if (!Name.consume_back(".fb"))
    Name = Trace;
  return (Name + ".bundle.tar.zst").str();
}

static Expected<TempTrace> redactedCopy(TraceReader &R) {
  return TempTrace::create(redactHeader(R.header()), [&](TraceWriter &Out) {
    return redactTrace(R, Out, RedactOptions());
  });
}

Expected<TempTrace> memkit::redactedCopy(StringRef Path) {
  Expected<std::unique_ptr<TraceReader>> R = TraceReader::open(Path);
  if (!R)
    return R.takeError();
  if ((*R)->complete())
    return ::redactedCopy(**R);
  Expected<TempTrace> Complete = TempTrace::complete(**R);
  if (!Complete)
    return Complete.takeError();
  if (Error E = TraceReader::open(Complete->path()).moveInto(*R))
    return std::move(E);
  return ::redactedCopy(**R);
}

/// The folder in the bundle; the name of a redacted trace is no one's business.
static std::string folderOf(const BundleInput &In) {
  if (In.IsRedacted)
    return "redacted.bundle";
  std::string Folder =
      sys::path::filename(bundleName(In.Trace)).drop_back(8).str(); // .tar.zst
  constexpr size_t MaxFolder = 60;
  Folder.resize(std::min(Folder.size(), MaxFolder));
  return Folder;
}

/// What is private in the bundle, for the person who sends it.
static StringRef privacyText(const Header &H) {
  return isRedacted(H)
             ? "\nThis bundle has no commands, private paths and source lines. "
               "Names of functions, heaps, scopes, layers, threads and marks "
               "are in it.\n"
             : "\nThis bundle has all names of the trace, and the arguments of "
               "commands, passwords and tokens among them included. memstat "
               "--bundle --redact leaves out commands, private paths and "
               "source "
               "lines.\n";
}

static std::string machineText(const Header &H) {
  std::string Text = "host=" + H.Host + "\nkernel=" + H.Os +
                     "\ncpus=" + std::to_string(H.Cpus) + "\n";
  for (const std::string &Fact : H.Machine)
    Text += Fact + "\n";
  return Text;
}

static std::string versionsText(const PageInput &F) {
  const Trace &T = F.T;
  const Header &H = T.header();
  std::string Text = "trace=" + H.Tool + ", format " +
                     std::to_string(H.Format) + "\nbundle=memkit " +
                     MEMKIT_VERSION + "\n";
  for (StringRef Version : F.O.Versions)
    Text += Version.str() + "\n";
  // Which of several installations was loaded.
  for (const Binary &B : T.binaries()) {
    StringRef Path = T.string(B.Path), Name = sys::path::filename(Path);
    if (Name.starts_with("libpython") || Name.starts_with("python") ||
        Name.starts_with("libtorch_python") || Name.starts_with("libcudart") ||
        Name.starts_with("libcuda.so"))
      Text += "library " + Path.str() + "\n";
  }
  for (const std::string &Option : H.Options)
    Text += "option " + Option + "\n";
  return Text;
}

static std::string warningsText(const PageInput &F) {
  std::string Text;
  for (const std::string &W : F.T.warnings())
    Text += W + "\n";
  if (F.R.Lost)
    Text += formatCount(F.R.Lost) + " events were lost\n";
  for (const RaisedAlert &A : F.O.Alerts)
    Text += "alert at " + formatTime(A.TimeNs) + ": " + A.Text.str() + "\n";
  for (const std::string &W : F.T.reader().unknownWarnings())
    Text += W + "\n";
  return Text.empty() ? "none\n" : Text;
}

static std::string environmentText() {
  std::string Text;
  for (StringRef Name : memoryVariables())
    if (const char *Value = getenv(Name.data()))
      Text += Name.str() + "=" + Value + "\n";
  return Text;
}

Error memkit::writeBundle(const BundleInput &In, const std::string &Output) {
  auto File = MemoryBuffer::getFile(In.Trace, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return makeError(In.Trace + ": " + File.getError().message());
  Expected<std::unique_ptr<OutputFile>> Out =
      OutputFile::open(Output, OutputFile::Content::Bundle);
  if (!Out)
    return Out.takeError();
  auto Now = uint64_t(std::time(nullptr));
  {
    ZstdStream Packed((*Out)->os());
    TarStream Tar(Packed, folderOf(In));
    std::string Page, Json;
    raw_string_ostream PageOS(Page), JsonOS(Json);
    constexpr unsigned Width = 120;
    printText(PageOS, makePage(In.Page, /*Verbose=*/true, {}), Width);
    PageOS << privacyText(In.Page.T.header());
    writeStatJson(JsonOS, In.Page);
    Tar.add("memstat.txt", Page, Now);
    Tar.add("memstat.json", Json, Now);
    Tar.add("machine.txt", machineText(In.Page.R.Run), Now);
    Tar.add("versions.txt", versionsText(In.Page), Now);
    Tar.add("warnings.txt", warningsText(In.Page), Now);
    if (In.WithEnvironment)
      Tar.add("environment.txt", environmentText(), Now);
    Tar.add("trace.fb", (*File)->getBuffer(), Now);
    Tar.finish();
  }
  return (*Out)->keep();
}
