// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When to record, and how much of it to keep.

#include "Bounds.h"
#include "Cli/HelpText.h"
#include "Cli/ToolMain.h"
#include "memkit/Support/Format.h"

using namespace llvm;
using namespace memkit;

static cl::opt<std::string>
    Start("start",
          cl::desc("When to start recording: off (later by SIGUSR1 to memrec "
                   "or by the program), after:TIME or step:N"),
          cl::value_desc("off|after:TIME|step:N"),
          cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<std::string>
    Stop("stop", cl::desc("When to stop; the program continues"),
         cl::value_desc("after:TIME|step:N"),
         cl::cat(helpGroup(HelpGroup::Record)));
static cl::opt<std::string> WhichEvents(
    "events",
    cl::desc("Events to keep: all (default), none, or the last SIZE; stats "
             "always cover all events"),
    cl::value_desc("all|none|last:SIZE"), cl::init("all"),
    cl::cat(helpGroup(HelpGroup::Limits)));
static cl::opt<std::string>
    MaxSize("max-size",
            cl::desc("Stop writing events so that the file stays below SIZE; "
                     "stats continue"),
            cl::value_desc("SIZE"), cl::cat(helpGroup(HelpGroup::Limits)));

/// A smaller tail would be half full after every section.
static constexpr uint64_t MinTail = 1 << 20;

static Error wrong(StringRef Flag, StringRef Text, const Twine &Should) {
  return makeUsageError("--" + Flag + "=" + Text + ": should be " + Should);
}

static Error parseTimePoint(StringRef Flag, StringRef Text, bool CanBeOff,
                            RecordTimePoint &To) {
  const char *Should =
      CanBeOff ? "off, after:TIME or step:N" : "after:TIME or step:N";
  StringRef Value = Text;
  if (CanBeOff && Text == "off") {
    To.Kind = RecordTimePoint::Never;
  } else if (Value.consume_front("after:")) {
    Expected<uint64_t> Ns = parseTime(Value);
    if (!Ns)
      return joinErrors(wrong(Flag, Text, Should), Ns.takeError());
    To = {RecordTimePoint::After, *Ns};
  } else if (!Value.consume_front("step:") ||
             Value.getAsInteger(10, To.Value) || To.Value == 0) {
    return wrong(Flag, Text, Should);
  } else {
    To.Kind = RecordTimePoint::Step;
  }
  return Error::success();
}

static Error parseEvents(RecordOptions &O) {
  StringRef Text = WhichEvents;
  if (Text == "none") {
    O.Events = RecordEvents::None;
  } else if (Text.consume_front("last:")) {
    O.Events = RecordEvents::Last;
    Expected<uint64_t> Size = parseSize(Text);
    if (!Size)
      return joinErrors(wrong("events", WhichEvents, "all, none or last:SIZE"),
                        Size.takeError());
    if (*Size < MinTail)
      return wrong("events", WhichEvents,
                   "at least last:" + formatSize(MinTail));
    O.BoundBytes = *Size;
  } else if (Text != "all") {
    return wrong("events", WhichEvents, "all, none or last:SIZE");
  }
  return Error::success();
}

static Error parseMaxSize(RecordOptions &O) {
  if (!MaxSize.getNumOccurrences())
    return Error::success();
  if (O.Events != RecordEvents::All)
    return makeUsageError("--max-size needs --events=all");
  Expected<uint64_t> Size = parseSize(MaxSize);
  if (!Size)
    return joinErrors(makeUsageError("--max-size=" + MaxSize),
                      Size.takeError());
  if (!*Size)
    return makeUsageError("--max-size=0 is not valid; use --events=none");
  O.BoundBytes = *Size;
  return Error::success();
}

Error memkit::takeBounds(RecordOptions &O) {
  if (Start.getNumOccurrences())
    if (Error E = parseTimePoint("start", Start, true, O.Start))
      return E;
  if (Stop.getNumOccurrences())
    if (Error E = parseTimePoint("stop", Stop, false, O.Stop))
      return E;
  if (O.Start.Kind == O.Stop.Kind && O.Start.Kind != RecordTimePoint::None &&
      O.Stop.Value <= O.Start.Value)
    return makeUsageError("--stop=" + Stop + " is not after --start=" + Start);
  if (Error E = parseEvents(O))
    return E;
  if (Error E = parseMaxSize(O))
    return E;
  auto Describe = [&](StringRef Name, const cl::opt<std::string> &Flag) {
    if (Flag.getNumOccurrences())
      O.Options.push_back((Name + "=" + Flag.getValue()).str());
  };
  Describe("start", Start);
  Describe("stop", Stop);
  Describe("events", WhichEvents);
  Describe("max-size", MaxSize);
  return Error::success();
}
