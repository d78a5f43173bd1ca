// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A synthetic program, block by block.

#ifndef MEMKIT_UTILS_GENGROWTH_PROGRAM_H
#define MEMKIT_UTILS_GENGROWTH_PROGRAM_H

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace memkit::gengrowth {

inline constexpr double Never = std::numeric_limits<double>::infinity();

/// Times count steps from the first step, or, in a program without steps,
/// tenths of a second. A step takes a tenth of a second, too.
struct MadeBlock {
  double Birth = 0; ///< -10 to 0: in the second before time 0
  double Death = Never;
  uint32_t Site = 0;
  uint64_t Size = 0;
};

/// The birth or death of a block.
struct TimePoint {
  double Time;
  uint32_t Block;
  bool Dies;
};

struct MadeHeap {
  std::string Name;
  std::string Leaf; ///< the function that allocates
};

/// A place that allocates: main > Group > Name > the heap's leaf. Sites with
/// equal names are the same stack, in several heaps or processes.
struct Site {
  std::string Group, Name;
  bool Grows = false; ///< the blocks that stay are the program's growth
  uint32_t Heap = 0;  ///< in Program::Heaps
  uint32_t Process = 0;
  bool InShutdown = false; ///< the site works on during the shutdown
};

/// A time in which the program does nothing, and begins no step.
struct QuietTime {
  double From = 0, To = 0;
};

enum class ShutdownOrder { YoungestFirst, OldestFirst, AnyOrder };

/// The allocations of a program, and the truth about them.
struct Program {
  std::string Name;
  bool HasSteps = true;
  double FirstStep = 0;      ///< the time of the first step
  double Length = 120;       ///< end of the program
  double ShutdownAt = Never; ///< from this time on the program frees everything
  ShutdownOrder Order = ShutdownOrder::YoungestFirst;
  uint64_t SampleBytes = 0; ///< sampling interval of the first heap
  uint32_t Processes = 1;
  std::vector<MadeHeap> Heaps = {{"host.malloc", "malloc"}};
  std::vector<Site> Sites;
  std::vector<MadeBlock> Blocks;
  std::vector<QuietTime> Quiets; ///< in the order of time
  unsigned Bursts = 0;      ///< the number of bursts of growth; 0: no bursts
  bool IsContainer = false; ///< a few blocks, each replaced by a larger block
  double Rate = 0; ///< growth in each step or tenth, in bytes; 0: irregular

  double begin() const { return HasSteps ? FirstStep : -10; }
  double end() const { return ShutdownAt < Length ? ShutdownAt : Length; }
  /// Whether a block lives to the end, or to the shutdown.
  bool stays(const MadeBlock &B) const { return B.Death >= end(); }
  /// Whether the growth includes a block.
  bool isGrowth(const MadeBlock &B) const {
    return Sites[B.Site].Grows && stays(B);
  }
  bool grows(uint32_t Process) const;
  /// The live bytes of a process at the end of each step or tenth up to end(),
  /// of growing sites or of the other sites.
  std::vector<double> level(uint32_t Process, bool OfGrowth) const;
  /// All births and deaths in the order of time, with those of the shutdown.
  std::vector<TimePoint> timePoints() const;
  /// Inserts a quiet Time at time At.
  void insertQuiet(double At, double Time);
};

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_PROGRAM_H
