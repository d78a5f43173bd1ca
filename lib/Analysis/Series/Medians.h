// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Medians.

#ifndef MEMKIT_LIB_ANALYSIS_MEDIANS_H
#define MEMKIT_LIB_ANALYSIS_MEDIANS_H

#include <algorithm>
#include <cmath>
#include <vector>

namespace memkit {

/// The median; of an even number the mean of the two in the middle; 0 of none.
inline double medianOf(std::vector<double> Values) {
  if (Values.empty())
    return 0;
  auto Middle = Values.begin() + std::ptrdiff_t(Values.size() / 2);
  std::nth_element(Values.begin(), Middle, Values.end());
  if (Values.size() % 2)
    return *Middle;
  return (*Middle + *std::max_element(Values.begin(), Middle)) / 2;
}

/// The median absolute deviation from Median, scaled to the standard deviation
/// of a normal distribution.
inline double scaledMad(std::vector<double> Values, double Median) {
  for (double &V : Values)
    V = std::abs(V - Median);
  return 1.4826 * medianOf(std::move(Values));
}

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_MEDIANS_H
