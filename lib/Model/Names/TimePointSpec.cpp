// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time points as written on a command line.

#include "memkit/Model/TimePointSpec.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"

using namespace llvm;

namespace memkit {

Expected<TimePointSpec> parseTimePoint(StringRef Text) {
  TimePointSpec P;
  P.Text = Text.str();
  StringRef Rest = Text;
  if (Rest == "end" || Rest == "now")
    return P;
  if (Rest == "peak" || Rest == "oom") {
    P.K = Rest == "peak" ? TimePointSpec::TimePointKind::Peak
                         : TimePointSpec::TimePointKind::Oom;
    return P;
  }
  if (Rest.consume_front("mark:") && !Rest.empty()) {
    P.K = TimePointSpec::TimePointKind::Mark;
    P.Name = Rest.str();
    return P;
  }
  if (Rest.consume_front("step:") && !Rest.getAsInteger(10, P.Number)) {
    P.K = TimePointSpec::TimePointKind::Step;
    return P;
  }
  Expected<uint64_t> Ns = parseTime(Text);
  if (!Ns) {
    consumeError(Ns.takeError());
    return makeRequestError(
        "'" + Text +
        "' is not a time point (such as 1.5s, step:3, mark:NAME, "
        "peak, oom, end or now)");
  }
  P.K = TimePointSpec::TimePointKind::Time;
  P.Number = *Ns;
  return P;
}

} // namespace memkit
