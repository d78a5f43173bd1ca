// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the reader of pickles, with the names and rules of PyTorch's snapshots
// and a consumer that looks at every value.

#include "Import/Pickle/Pickle.h"
#include "Import/Source/ByteSource.h"
#include "Import/Torch/TorchNames.h"

using namespace memkit;
using namespace llvm;

namespace {
class Looker : public PickleConsumer {
public:
  Error element(uint8_t Role, uint64_t List, PickleValue V) override {
    look(V, 0);
    return Error::success();
  }
  Error root(PickleValue V) override {
    look(V, 0);
    return Error::success();
  }

private:
  /// A value may contain itself.
  void look(PickleValue V, unsigned Depth) {
    Sum += V.print(300).size() + V.offset() + V.note() + V.text().size();
    if (Depth == 3)
      return;
    V.forEach([&](PickleValue Item) { look(Item, Depth + 1); });
    V.forEachEntry([&](PickleValue Key, PickleValue Value) {
      look(Key, Depth + 1);
      look(Value, Depth + 1);
    });
    if (Depth && V.size() % 2)
      V.setNote(++Notes);
  }
  uint64_t Sum = 0;
  uint32_t Notes = 0;
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  Looker To;
  consumeError(readPickle(ImportFile::ofMemory(Bytes, "fuzz"), torchNames(),
                          torchRules(), To));
  return 0;
}
