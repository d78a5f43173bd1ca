// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A canvas that fills its box, draws at most once a frame, and can be saved as SVG.

import {element} from './element.js';
import {CanvasPen, SvgPen} from './pen.js';
import {colors, onTheme} from './theme.js';

export class Surface {
  /** paint(pen, width, height) draws; height is in CSS pixels, or 0 to follow the style. */
  constructor(paint, height = 0, attributes = {}) {
    this.paint = paint;
    this.wantedHeight = height;
    this.canvas = element('canvas', {role: 'img', ...attributes});
    this.box = element('div', {class: 'surface'}, this.canvas);
    this.context = this.canvas.getContext('2d', {alpha: false});
    this.pending = false;
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
    this.canvas.setAttribute('aria-label', sentence);
  }

  measure() {
    const width = this.box.clientWidth, height = this.box.clientHeight;
    const ratio = Math.min(3, devicePixelRatio || 1);
    if (!width || !height) return;
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    Object.assign(this, {width, height, ratio});
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = width + 'px';
    this.canvas.style.height = height + 'px';
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

  draw() {
    if (!this.width) return;
    const pen = this.pen ||= new CanvasPen(this.context);
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.font = '';
    pen.rect(0, 0, this.width, this.height, colors.ground);
    this.paint(pen, this.width, this.height);
  }

  svg(paint = this.paint, height = this.height) {
    const pen = new SvgPen(this.width, height, colors.ground);
    paint(pen, this.width, height);
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
