// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of PyTorch's memory snapshots, and where their lists lie.

#include "TorchNames.h"

using namespace llvm;
using namespace memkit;

ArrayRef<StringLiteral> memkit::torchNames() {
  static constexpr StringLiteral Names[] = {
#define X(Name, Text) Text,
      MEMKIT_TORCH_NAMES(X)
#undef X
  };
  return Names;
}

ArrayRef<PickleRule> memkit::torchRules() {
  constexpr int32_t Element = PickleRule::Element;
  constexpr PickleKind List = PickleKind::List, Dict = PickleKind::Dict;
  static constexpr PickleRule Rules[] = {
      {PickleRule::Root, Element, Dict, TorchTop, false},
      {PickleRule::Root, Element, List, TorchSegmentList, true},
      {TorchTop, TorchName::Segments, List, TorchSegmentList, true},
      {TorchSegmentList, Element, Dict, TorchSegmentDict, false},
      {TorchSegmentDict, TorchName::Blocks, List, TorchBlockList, true},
      {TorchTop, TorchName::DeviceTraces, List, TorchTraceLists, true},
      {TorchTraceLists, Element, List, TorchTrace, true},
      {TorchTop, TorchName::ExternalAnnotations, List, TorchAnnotations, true},
      // Lists that PyTorch may add are read over, however long they are.
      {TorchTop, PickleRule::AnyKey, List, TorchIgnored, true},
      {TorchIgnored, Element, List, TorchIgnored, true},
  };
  return Rules;
}
