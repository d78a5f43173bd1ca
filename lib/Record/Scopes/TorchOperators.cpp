// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of PyTorch's operators.

#include "Scopes/TorchOperators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace memkit;

static constexpr StringLiteral EvaluatePrefix =
    "autograd::engine::evaluate_function: ";

/// Whether the operator makes tensors without reading any: `zeros`,
/// `new_zeros`, `zeros_like`.
static bool isMaking(StringRef Operator) {
  Operator.consume_front("aten::");
  Operator.consume_front("new_");
  for (StringRef Of : {"empty", "zeros", "ones", "full", "rand", "randn",
                       "randint", "randperm", "arange", "linspace", "eye",
                       "scalar_tensor", "from_file", "lift_fresh"})
    if (StringRef Rest = Operator;
        Rest.consume_front(Of) && (Rest.empty() || Rest == "_like" ||
                                   Rest == "_strided" || Rest == "_permuted"))
      return true;
  return false;
}

/// What the operator does outside of passes. A loader stacks samples.
static TrainingPlace outsideOfPasses(StringRef Operator) {
  if (isMaking(Operator))
    return TrainingPlace::Making;
  Operator.consume_front("aten::");
  return StringSwitch<TrainingPlace>(Operator)
      .Cases("to", "_to_copy", "copy_", "clone", "contiguous",
             TrainingPlace::Moving)
      .Cases("pin_memory", "_pin_memory", "stack", TrainingPlace::Moving)
      .Default(TrainingPlace::Computing);
}

const TorchOperators::OperatorName &TorchOperators::name(uint32_t Text,
                                                         bool IsNode) {
  uint64_t Key = uint64_t(Text) << 1 | uint64_t(IsNode);
  if (auto It = Names.find(Key); It != Names.end())
    return It->second;
  // The capture library never writes more names: Text is invalid.
  if (Text && Names.size() >= 2 * ScopeNames::MaxNames)
    return name(0, IsNode);
  StringRef Name = Threads.name(Text).Text;
  OperatorName New{0, Name.starts_with(EvaluatePrefix), outsideOfPasses(Name)};
  New.Row = Threads.operators().rowOf(Text, IsNode);
  return Names[Key] = New;
}
