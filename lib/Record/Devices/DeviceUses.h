// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The used memory of devices, by purpose.
//
// A device reports its used bytes; blocks account for a part. The rest is
// attributed: to contexts, measured around their creation; to modules, measured
// around their loading; to other processes, which NVML reports. Each look at a
// device becomes a mark with all of these values.

#ifndef MEMKIT_LIB_RECORD_DEVICEUSES_H
#define MEMKIT_LIB_RECORD_DEVICEUSES_H

#include "Devices/DeviceThread.h"
#include "Wire/Layout.h"
#include "memkit/Trace/Sections.h"
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sys/types.h>

namespace memkit {

class Recording;

/// Devices are numbered as in RecordedHeaps::cudaDevice(). Belongs to the
/// recorder's thread.
class DeviceUses {
public:
  /// IntervalNs: between periodic looks; 0: none.
  DeviceUses(Recording &R, std::unique_ptr<DeviceLibrary> Of,
             uint64_t IntervalNs)
      : R(R), Thread(std::move(Of)), OftenNs(IntervalNs),
        SeldomNs(std::max(IntervalNs, LongNs)) {}

  //===--------------------------------------------------------------------===//
  // Reports of processes
  //===--------------------------------------------------------------------===//

  /// A context of a process, by its number.
  struct Context {
    uint32_t Process = 0, Number = 0;
    auto operator<=>(const Context &) const = default;
  };
  /// The context lives.
  void seen(Context C, uint16_t Device);
  void ended(Context C);
  void processEnded(uint32_t Process);
  /// A record of a block of the device came.
  void changed(uint16_t Device, uint64_t TimeNs) {
    Devices[Device].ChangedNs = TimeNs;
  }

  /// A look at a device.
  struct Look {
    uint16_t Device = 0;
    Context Of; ///< Number 0: no context
    uint32_t Thread = 0;
    uint64_t TimeNs = 0;
    uint64_t Used = 0, Total = 0;
    uint64_t Accounted = 0; ///< bytes of blocks; set by DeviceUses
  };
  /// The program asked its driver. At: any time point but those of contexts.
  void take(Look L, wire::DeviceTimePoint At);

  /// A thread that makes a context waits until NVML has read the device, and
  /// gets a reply.
  struct DeviceWait {
    Look L;
    uint32_t Ring = 0, Slot = 0, Ticket = 0;
    wire::DeviceTimePoint At = wire::DeviceTimePoint::Any;
  };
  void wait(DeviceWait W);

  //===--------------------------------------------------------------------===//
  // Calls of the session
  //===--------------------------------------------------------------------===//

  /// Lets a thread go on. IsKnown: the device was read.
  struct DeviceReply {
    uint32_t Process, Slot, Ticket;
    bool IsKnown;
  };
  struct News {
    std::vector<DeviceReply> Replies;
    /// Why some values are unknown, each reason once.
    std::vector<std::string> Missed;
  };
  using Pids = std::vector<std::pair<uint32_t, pid_t>>; ///< by process
  /// A program starts to use devices: opens NVML, which may take long.
  void begin() { Thread.start(); }
  /// Whether pass() has work to do.
  bool isUsed() const { return !Devices.empty(); }
  /// Takes answers and asks anew. Of: the running processes.
  News pass(uint64_t Now, const Pids &Of);
  /// Writes the marks that wait for an answer, without the answer.
  void finish();

private:
  static constexpr uint64_t LongNs = 1000000000;
  /// The memory of a context; no Bytes: not measured.
  struct Overhead {
    uint16_t Device = 0;
    std::optional<uint64_t> Bytes;
    uint64_t ModuleBytes = 0;
  };
  /// The answer of NVML.
  struct DeviceReading {
    uint64_t Used = 0, Total = 0;
    /// Of the machine, if the device shares its memory.
    std::optional<uint64_t> Available;
    std::map<uint32_t, uint64_t> OwnOf; ///< by process
    /// NVML lists all processes with a context on the device.
    bool IsReported = true;
    std::optional<uint64_t> Own, Others;
  };
  /// Values of a mark: see MarkKind::DeviceUsed.
  using MarkValues = std::array<uint64_t, 7>;
  struct DeviceState {
    std::optional<DeviceReading> Last;
    std::optional<uint64_t> Before; ///< used before the first context
    /// Bytes that nothing accounts for, at the driver's last look.
    int64_t Rest = 0;
    bool HasRest = false;
    uint64_t ChangedNs = 0;           ///< time of the last record of blocks
    uint64_t NextNs = 0, EveryNs = 0; ///< periodic looks; 0: none yet
    bool IsAsked = false;             ///< a periodic look is in progress
    MarkValues Marked = {};
    uint64_t MarkedNs = 0, NumMarks = 0;
    bool IsUnknown = false; ///< NVML does not know the device
    /// NVML has once listed all processes with a context.
    bool WasReported = false;
  };
  struct Begin {
    uint64_t Used = 0, Accounted = 0, Own = 0;
    bool HasOwn = false;
  };
  /// A request to NVML, and the purpose of its answer.
  struct PendingRead {
    enum { Driver, Context, Time, Dropped } Why = Time;
    DeviceWait W;
    MarkValues V = {}; ///< of the mark, as far as known
    uint64_t SinceNs = 0;
  };

  static uint64_t less(uint64_t A, uint64_t B) { return A > B ? A - B : 0; }
  bool contextBytes(uint16_t Device, uint64_t &Bytes) const;
  uint64_t moduleBytes(uint16_t Device) const;
  bool hasContext(uint16_t Device) const;
  void takeShared(const Look &L);
  void markUnanswered(const PendingRead &P);
  void takeModules(Context Of, int64_t &Rest, const DeviceState &S);
  MarkValues valuesOf(const Look &L) const;
  void mark(const Look &L, MarkValues V);
  bool ask(PendingRead P);
  DeviceReading know(uint16_t Device, const DeviceLibrary::Reading &Is,
                     const Pids &Of) const;
  void measure(const DeviceWait &W, const DeviceReading &K);
  bool takeKnown(const DeviceReading &K, const PendingRead &P, DeviceState &S);
  void lookNow(PendingRead &P, DeviceState &S);
  void answered(PendingRead &P, const DeviceThread::DeviceAnswer &A,
                const Pids &Of);
  void drop();
  void giveUp(const std::string &Why);
  void missed(const std::string &What);

  Recording &R;
  DeviceThread Thread;
  /// Intervals of periodic looks, at first and while nothing changes; OftenNs
  /// 0: none.
  const uint64_t OftenNs, SeldomNs;
  std::map<Context, Overhead> Contexts;
  std::map<uint16_t, DeviceState> Devices;
  std::map<std::pair<uint32_t, uint32_t>, Begin>
      Begins;                    ///< by process and ring
  std::deque<PendingRead> Asked; ///< in order of answers
  News Out;
  bool IsGivenUp = false;
  bool IsSilent = false; ///< NVML does not answer in time
  std::set<std::string> Stored;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICEUSES_H
