// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stub.

import {element} from './element.js';

export class Compare {
  constructor() {
    this.root = element('div');
  }

  update() {}
}
