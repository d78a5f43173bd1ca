// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two parts of the fake CUPTI have of each other.
#ifndef MEMKIT_TEST_FAKECUPTI_ACTIVITY_H
#define MEMKIT_TEST_FAKECUPTI_ACTIVITY_H

#include "fakecuda.h"

// Listens to the driver; false: none is loaded.
bool attach(void);
// A call of the driver, whoever wants it.
void noteActivity(CUpti_CallbackDomain Domain, CUpti_CallbackId Id, const CUpti_CallbackData *D);

#endif
