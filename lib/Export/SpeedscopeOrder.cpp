// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values side by side.

#include "SpeedscopeOrder.h"
#include <algorithm>
#include <functional>

using namespace llvm;

namespace memkit {

namespace {

/// Draws values side by side; frames shared by neighbours continue.
class OrderWriter {
public:
  OrderWriter(ShownTree T, FlameNames &Names, Text &To)
      : T(T), Names(Names), To(To) {}

  /// Values below Min are folded with their neighbours.
  void run(const Profile &P, uint64_t Min) {
    size_t Begin = To.size();
    uint64_t Folded = 0;
    auto Fold = [&] {
      Path.assign(1, FlameNames::Smaller);
      if (uint64_t Value = std::exchange(Folded, 0))
        draw(Value);
    };
    for (const KeyValue &V : P.Values) {
      if (V.Value < Min) {
        Folded += V.Value;
        continue;
      }
      Fold();
      findPath(V.Key);
      draw(V.Value);
    }
    Fold();
    closeTo(0);
    if (To.size() != Begin)
      To.pop_back(); // the last comma
  }

private:
  void findPath(uint32_t Key) {
    const StackView &V = T.view();
    Path.clear();
    for (uint32_t N = V.leaf(Key); N; N = V.parent(N))
      for (const ShownFrame &F : T.shown(V.frameOf(N)))
        Path.push_back(Names.find(&F - T.allShown().data()));
    std::reverse(Path.begin(), Path.end());
    if (Path.empty())
      Path.push_back(FlameNames::NoStack);
  }
  void draw(uint64_t Value) {
    size_t Same =
        std::mismatch(Path.begin(), Path.end(), Opened.begin(), Opened.end())
            .first -
        Path.begin();
    closeTo(Same);
    for (; Same != Path.size(); ++Same) {
      event(/*Opens=*/true, Path[Same]);
      Opened.push_back(Path[Same]);
    }
    Where += Value;
  }
  void closeTo(size_t Depth) {
    for (; Opened.size() > Depth; Opened.pop_back())
      event(/*Opens=*/false, Opened.back());
  }
  void event(bool Opens, uint32_t Name) {
    size_t Begin = To.size();
    To.resize_for_overwrite(Begin + MaxEvent);
    To.truncate(putEvent(To.data() + Begin, Opens, Name, Where) - To.data());
  }

  ShownTree T;
  FlameNames &Names;
  Text &To;
  std::vector<uint32_t> Path, Opened;
  uint64_t Where = 0;
};

} // namespace

/// The smallest value such that at most Count values of P are as large; 0
/// without a limit.
static uint64_t minOf(const Profile &P, size_t Count) {
  if (!Count || P.Values.size() <= Count)
    return 0;
  std::vector<uint64_t> Values;
  for (const KeyValue &V : P.Values)
    Values.push_back(V.Value);
  std::nth_element(Values.begin(), Values.begin() + Count, Values.end(),
                   std::greater<>());
  return Values[Count] + 1;
}

void addInOrder(Text &To, ShownTree T, FlameNames &Names, const Profile &P,
                size_t Max) {
  OrderWriter(T, Names, To).run(P, minOf(P, Max));
}

} // namespace memkit
