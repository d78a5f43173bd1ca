// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values side by side.

#include "SpeedscopeOrder.h"
#include "FlameOrder.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

namespace {

/// Draws values side by side; frames shared by neighbours continue.
class OrderWriter {
public:
  explicit OrderWriter(Text &To) : To(To) {}

  void draw(ArrayRef<uint32_t> Path, uint64_t Value) {
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

private:
  void event(bool Opens, uint32_t Name) {
    size_t Begin = To.size();
    To.resize_for_overwrite(Begin + MaxEvent);
    To.truncate(putEvent(To.data() + Begin, Opens, Name, Where) - To.data());
  }

  Text &To;
  std::vector<uint32_t> Opened;
  uint64_t Where = 0;
};

} // namespace

void addInOrder(Text &To, ShownTree T, FlameNames &Names, const Profile &P,
                size_t Max) {
  OrderWriter Writer(To);
  size_t Begin = To.size();
  drawInOrder(T, Names, P, Max, [&](ArrayRef<uint32_t> Path, uint64_t Value) {
    Writer.draw(Path, Value);
  });
  Writer.closeTo(0);
  if (To.size() != Begin)
    To.pop_back(); // the last comma
}

} // namespace memkit
