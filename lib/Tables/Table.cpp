// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers as tables of typed columns.

#include "Table.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <new>

using namespace llvm;

namespace memkit {

Buffer makeBuffer(size_t Bytes) {
  constexpr std::align_val_t Alignment{64};
  // An empty column has a buffer, too: readers of Arrow want an address.
  auto *Got = static_cast<uint8_t *>(
      ::operator new(std::max<size_t>(Bytes, 1), Alignment));
  return Buffer(Got, [](uint8_t *P) { ::operator delete(P, Alignment); });
}

TableStream::~TableStream() = default;
TypedTable::~TypedTable() = default;

Error forEachBatch(const TypedTable &Of, function_ref<bool()> Stops,
                   function_ref<void(const TableBatch &)> Take) {
  Expected<std::unique_ptr<TableStream>> Stream = Of.stream();
  if (!Stream)
    return Stream.takeError();
  while (!Stops()) {
    Expected<std::optional<TableBatch>> Batch = (*Stream)->next();
    if (!Batch)
      return Batch.takeError();
    if (!*Batch)
      break;
    Take(**Batch);
  }
  return Error::success();
}

bool TextList::add(StringRef Text) {
  std::string Valid;
  if (!json::isUTF8(Text)) {
    Valid = json::fixUTF8(Text);
    Text = Valid;
  }
  if (Text.size() > size_t(INT32_MAX) - Bytes.size())
    return false;
  Bytes.insert(Bytes.end(), Text.begin(), Text.end());
  Offsets.push_back(int32_t(Bytes.size()));
  return true;
}

} // namespace memkit
