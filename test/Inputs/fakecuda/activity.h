// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the fake CUPTI have of each other.
#ifndef MEMKIT_TEST_FAKECUPTI_ACTIVITY_H
#define MEMKIT_TEST_FAKECUPTI_ACTIVITY_H

#include "fakecuda.h"

// Listens to the driver; false: none is loaded.
bool attach(void);
// A function of the driver; null: none is loaded.
void *ofDriver(const char *Name);
// A call of the driver, whoever wants it.
void noteActivity(CUpti_CallbackDomain Domain, CUpti_CallbackId Id, const CUpti_CallbackData *D);

// Any record, as its kind says.
union Record {
  CUpti_Activity Any;
  CUpti_ActivityMemory4 Memory;
  CUpti_ActivityKernel10 Kernel;
  CUpti_ActivityMemcpy6 Copy;
  CUpti_ActivityMemcpyPtoP4 PeerCopy;
  CUpti_ActivityMemset4 Set;
  CUpti_ActivityGraphTrace2 Graph;
};
size_t sizeOfRecord(CUpti_ActivityKind Kind);
// The record of a call that gave work to a device; false: it gave none.
bool workOf(CUpti_CallbackId Id, const CUpti_CallbackData *D, union Record *R);
uint64_t clockNs(void);

#endif
