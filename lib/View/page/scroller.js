// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture higher than its box: the canvas stays in sight, and draws the rows that are.

import {element} from './element.js';
import {Surface} from './surface.js';

export class Scroller {
  /** paint and over are called as (pen, width, height, scrolled): the picture's y minus scrolled is the canvas's. */
  constructor(paint, over, attributes) {
    this.paint = paint;
    this.over = over;
    this.height = 0;
    this.surface = new Surface((pen, width, height) => paint(pen, width, height, this.root.scrollTop), 0, attributes,
      (pen, width, height) => over(pen, width, height, this.root.scrollTop));
    this.spacer = element('div', {class: 'spacer'}, this.surface.box);
    this.root = element('div', {class: 'scroller', onscroll: () => this.surface.redraw()}, this.spacer);
  }

  /** Height of the picture, and the most of it that is in sight. */
  setHeight(height, most) {
    if (height === this.height && most === this.most) return;
    this.height = height;
    this.most = most;
    this.spacer.style.height = height + 'px';
    this.root.style.maxHeight = most + 'px';
    this.surface.setHeight(Math.min(height, most));
  }

  /** Scrolls until a row of the picture is in sight. */
  reveal(top, height) {
    const {root} = this;
    if (top < root.scrollTop) root.scrollTop = top;
    else if (top + height > root.scrollTop + root.clientHeight) root.scrollTop = top + height - root.clientHeight;
  }

  /** Position of a pointer event in the picture. */
  at(event) {
    const {x, y} = this.surface.at(event);
    return {x, y: y + this.root.scrollTop};
  }

  /** The whole height as a picture. */
  svg() {
    const height = Math.max(1, this.height);
    return this.surface.svg((pen, width) => {
      this.paint(pen, width, height, 0);
      this.over(pen, width, height, 0);
    }, height);
  }
}
