// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is recorded of TensorFlow. The name is TensorFlow's version.

#ifndef MEMKIT_LIB_WIRE_TENSORFLOWFINDINGS_H
#define MEMKIT_LIB_WIRE_TENSORFLOWFINDINGS_H

#include "Findings.h"

namespace memkit::wire {

/// TensorFlow in a process. The parts are what the loaded version lacks:
/// symbols that the library needs to record them.
enum TensorFlowBits : uint32_t {
  TF_Seen = 1, ///< TensorFlow has called the library
  TF_NoTensors = 2,
  TF_NoOperators = 4,
  TF_NoTypes = 8,      ///< of operators: their names stand for them
  TF_NoFunctions = 16, ///< calls of tf.function
  TF_NoSteps = 32,     ///< the step numbers of such calls
  TF_NoPrograms = 64,  ///< of XLA
  TF_NoData = 128,     ///< the data types of operators
};

inline constexpr FindingText TensorFlowTexts[] = {
    {AnyCode, FindingLevel::Alert, "TensorFlow%s: not recorded: %p",
     "expected symbols are missing"},
    {TF_Seen, FindingLevel::Note, "TensorFlow%s: its %p are recorded", nullptr,
     TF_NoTensors},
    {TF_NoTensors, FindingLevel::Alert, "tensors"},
    {TF_NoOperators, FindingLevel::Alert, "operators and layers"},
    {TF_NoTypes, FindingLevel::Alert, "types of operators"},
    {TF_NoFunctions, FindingLevel::Alert, "calls of tf.function"},
    {TF_NoSteps, FindingLevel::Alert,
     "the callers of operators in other threads"},
    {TF_NoPrograms, FindingLevel::Alert, "programs of XLA"},
    {TF_NoData, FindingLevel::Alert, "data types"},
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_TENSORFLOWFINDINGS_H
