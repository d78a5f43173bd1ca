// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device has in use, and for what.
//
// A device says how much of it is used; blocks account for a part. The rest is
// told apart: what contexts take, measured around their creation; what modules
// take, measured around their loading; what other processes have, which NVML
// knows. Each look at a device becomes a mark with all of these.

#ifndef MEMKIT_LIB_RECORD_DEVICEUSES_H
#define MEMKIT_LIB_RECORD_DEVICEUSES_H

#include "Devices/DeviceThread.h"
#include "Wire/Layout.h"
#include "memkit/Trace/Sections.h"
#include <array>
#include <map>
#include <set>
#include <sys/types.h>

namespace memkit {

class Recording;

/// Devices are those of Recording::cudaDevice(). Belongs to the recorder's
/// thread.
class DeviceUses {
public:
  explicit DeviceUses(Recording &R) : R(R) {}

  //===--------------------------------------------------------------------===//
  // What processes tell
  //===--------------------------------------------------------------------===//

  /// A context of a process, known by its number.
  struct Context {
    uint32_t Process = 0, Number = 0;
    auto operator<=>(const Context &) const = default;
  };
  /// It lives.
  void seen(Context C, uint16_t Device);
  void ended(Context C);
  void processEnded(uint32_t Process);
  /// A record of a block of the device's came.
  void changed(uint16_t Device, uint64_t TimeNs) {
    Devices[Device].ChangedNs = TimeNs;
  }

  /// A look at a device.
  struct Look {
    uint16_t Device = 0;
    Context Of; ///< Number 0: none
    uint32_t Thread = 0;
    uint64_t TimeNs = 0;
    uint64_t Used = 0, Total = 0;
    uint64_t Accounted = 0; ///< by blocks; set here
  };
  /// The driver was asked. At: any that is none of contexts'.
  void take(Look L, wire::DeviceMoment At);

  /// A thread that makes a context waits until the device was looked at, and
  /// gets a reply.
  struct Wait {
    Look L;
    uint32_t Ring = 0, Slot = 0, Ticket = 0;
    wire::DeviceMoment At = wire::DeviceMoment::Any;
  };
  void wait(Wait W);

  //===--------------------------------------------------------------------===//
  // What the session does with it
  //===--------------------------------------------------------------------===//

  /// A thread may go on now. IsKnown: the device was looked at.
  struct Reply {
    uint32_t Process, Slot, Ticket;
    bool IsKnown;
  };
  struct News {
    std::vector<Reply> Replies;
    std::vector<std::string> Missed; ///< why something is not known, each once
  };
  using Pids = std::vector<std::pair<uint32_t, pid_t>>; ///< by process
  /// A program begins to use devices: NVML is opened, which may take long.
  void begin() { Thread.start(); }
  /// Anything to do at a pass?
  bool isUsed() const { return !Devices.empty(); }
  /// Of: the processes that run.
  News pass(uint64_t Now, const Pids &Of);
  /// Writes the marks that wait for an answer, without it.
  void finish();

private:
  static constexpr uint64_t OftenNs = 100000000;
  /// Of a context; nothing: it was not measured.
  struct Overhead {
    uint16_t Device = 0;
    std::optional<uint64_t> Bytes;
    uint64_t ModuleBytes = 0;
  };
  /// What NVML says.
  struct Known {
    uint64_t Used = 0, Total = 0;
    std::map<uint32_t, uint64_t> OwnOf; ///< by process
    bool IsTold = true;                 ///< of all that have a context there
    std::optional<uint64_t> Own, Others;
  };
  /// Of a mark: see MarkKind::DeviceUsed.
  using Values = std::array<uint64_t, 7>;
  struct State {
    std::optional<Known> Last;
    std::optional<uint64_t> Before; ///< used before the first context
    int64_t Rest = 0; ///< at the driver's last look: what nothing accounts for
    bool HasRest = false;
    uint64_t ChangedNs = 0; ///< when the last record of blocks came
    uint64_t NextNs = 0, EveryNs = OftenNs; ///< looks that nobody asks for
    bool IsAsked = false;                   ///< one of these runs
    Values Marked = {};
    uint64_t MarkedNs = 0, NumMarks = 0;
    bool IsUnknown = false; ///< to NVML
    bool WasTold = false;   ///< NVML has listed all that have a context, once
  };
  struct Begin {
    uint64_t Used = 0, Accounted = 0, Own = 0;
    bool HasOwn = false;
  };
  /// A question to NVML, and what its answer is for.
  struct Pending {
    enum { Driver, Context, Time, Dropped } Why = Time;
    Wait W;
    Values V = {}; ///< of the mark, as far as they are known
    uint64_t SinceNs = 0;
  };

  static uint64_t less(uint64_t A, uint64_t B) { return A > B ? A - B : 0; }
  bool contextBytes(uint16_t Device, uint64_t &Bytes) const;
  uint64_t moduleBytes(uint16_t Device) const;
  bool hasContext(uint16_t Device) const;
  void takeModules(Context Of, int64_t &Rest, const State &S);
  Values valuesOf(const Look &L) const;
  void mark(const Look &L, Values V);
  bool ask(Pending P);
  Known know(uint16_t Device, const Nvml::Reading &Is, const Pids &Of) const;
  void measure(const Wait &W, const Known &K);
  bool takeKnown(const Known &K, const Pending &P, State &S);
  void lookNow(Pending &P, State &S);
  void answered(Pending &P, const DeviceThread::Answer &A, const Pids &Of);
  void drop();
  void giveUp(const std::string &Why);
  void missed(const std::string &What);

  Recording &R;
  DeviceThread Thread;
  std::map<Context, Overhead> Contexts;
  std::map<uint16_t, State> Devices;
  std::map<std::pair<uint32_t, uint32_t>, Begin>
      Begins;                ///< by process and ring
  std::deque<Pending> Asked; ///< in the order of their answers
  News Out;
  bool IsGivenUp = false;
  bool IsSilent = false; ///< NVML takes long
  std::set<std::string> Said;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICEUSES_H
