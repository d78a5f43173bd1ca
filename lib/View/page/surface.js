// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A canvas that fills its box, draws at most once a frame, and can be saved as SVG. What follows
// the pointer is drawn on a second canvas above, so that the picture below stays.

import {element} from './element.js';
import {CanvasPen, SvgPen} from './pen.js';
import {colors, onTheme} from './theme.js';

export class Surface {
  /**
   * paint(pen, width, height) draws; height is in CSS pixels, or 0 to follow the style. over draws
   * what changes often.
   */
  constructor(paint, height = 0, attributes = {}, over = null) {
    this.paint = paint;
    this.over = over;
    this.wantedHeight = height;
    this.canvas = element('canvas', {role: 'img', ...attributes});
    this.box = element('div', {class: 'surface'}, this.canvas);
    this.context = this.canvas.getContext('2d', {alpha: false});
    if (over) {
      this.overCanvas = element('canvas', {class: 'over', 'aria-hidden': 'true'});
      this.overContext = this.overCanvas.getContext('2d');
      this.box.append(this.overCanvas);
    }
    this.pending = this.pendingOver = false;
    this.width = this.height = 0;
    new ResizeObserver(() => this.measure()).observe(this.box);
    onTheme(() => this.redraw());
    if (height) this.setHeight(height);
  }

  setHeight(height) {
    this.wantedHeight = height;
    this.box.style.height = height + 'px';
    this.measure();
  }

  describe(sentence) {
    if (this.canvas.getAttribute('aria-label') !== sentence) this.canvas.setAttribute('aria-label', sentence);
  }

  measure() {
    const width = this.box.clientWidth, height = this.box.clientHeight;
    const ratio = Math.min(3, devicePixelRatio || 1);
    if (!width || !height) return;
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    Object.assign(this, {width, height, ratio});
    for (const canvas of [this.canvas, this.overCanvas]) {
      if (!canvas) continue;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = width + 'px';
      canvas.style.height = height + 'px';
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.draw();
  }

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  /** Draws only what is above. */
  redrawOver() {
    if (this.pending || this.pendingOver) return;
    this.pendingOver = true;
    requestAnimationFrame(() => {
      this.pendingOver = false;
      if (!this.pending) this.drawOver();
    });
  }

  drawOver() {
    if (!this.width || !this.over) return;
    const pen = this.overPen ||= new CanvasPen(this.overContext);
    // A canvas that is empty and stays so is left alone: the browser would copy its pixels.
    if (pen.hasDrawn) this.overContext.clearRect(0, 0, this.width, this.height);
    pen.forget();
    pen.hasDrawn = false;
    this.over(pen, this.width, this.height);
  }

  draw() {
    if (!this.width) return;
    const pen = this.pen ||= new CanvasPen(this.context);
    pen.forget();
    pen.rect(0, 0, this.width, this.height, colors.ground);
    this.paint(pen, this.width, this.height);
    this.drawOver();
  }

  svg(paint = this.paint, height = this.height) {
    const pen = new SvgPen(this.width, height, colors.ground);
    paint(pen, this.width, height);
    if (paint === this.paint) this.over?.(pen, this.width, height);
    return pen.toString();
  }

  /** Position of a pointer event in the canvas. */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }
}

/** Lets the browser save a text as a file. */
export function saveFile(name, type, text) {
  const link = element('a', {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
