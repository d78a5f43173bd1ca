// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters and buffers that the layers of a process hold.

#include "Scopes/ParameterTable.h"

using namespace memkit;

size_t ParameterTable::rowOf(uint32_t Layer, uint32_t Dtype, bool Buffer) {
  auto [At, IsNew] = Places.try_emplace({Layer, Dtype, Buffer}, Rows.size());
  if (IsNew) {
    ParameterStats &Row = Rows.emplace_back();
    Row.Process = Process;
    Row.Layer = Layer;
    Row.Dtype = Dtype;
    Row.Buffer = Buffer;
  }
  return At->second;
}

void ParameterTable::begin(uint32_t Layer) {
  auto It = OfLayers.find(Layer);
  if (It == OfLayers.end())
    return;
  for (const LayerTensor &T : It->second) {
    ParameterStats &Row = Rows[T.Row];
    Row.Tensors -= 1;
    Row.Elements -= T.Elements;
    Row.Bytes -= T.Bytes;
    if (auto Of = Holders.find(key(T.Address));
        Of != Holders.end() && Of->second == Layer)
      Holders.erase(Of);
  }
  NumTensors -= It->second.size();
  OfLayers.erase(It);
}

void ParameterTable::add(uint64_t Address, uint32_t Layer, uint32_t Dtype,
                         bool Buffer, uint64_t Elements, uint64_t Bytes) {
  if (NumTensors == MaxTensors ||
      !Holders.try_emplace(key(Address), Layer).second)
    return;
  ++NumTensors;
  size_t At = rowOf(Layer, Dtype, Buffer);
  OfLayers[Layer].push_back({Address, At, Elements, Bytes});
  Rows[At].Tensors += 1;
  Rows[At].Elements += Elements;
  Rows[At].Bytes += Bytes;
}
