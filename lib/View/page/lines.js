// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small chart: lines over steps or time, with an optional straight fit.

import {numberTicks, sizeTicks, timeTicks} from './axis.js';
import {formatSize} from './format.js';
import {Surface} from './surface.js';
import {colors} from './theme.js';
import {textWidth} from './pen.js';

/** Curves: [{x, bytes, name, color, width, dash}]; kind of x is step, s or ns. */
export class LineChart {
  constructor(height, description) {
    this.curves = [];
    this.surface = new Surface((pen, width, all) => this.paint(pen, width, all), height);
    this.surface.describe(description);
  }

  show(curves, kind, zero = true) {
    this.curves = curves.filter(curve => curve.x.length);
    this.kind = kind;
    this.zero = zero;
    this.surface.redraw();
  }

  bounds() {
    let left = Infinity, right = -Infinity, top = 1, bottom = this.zero ? 0 : Infinity;
    for (const curve of this.curves)
      for (let at = 0; at < curve.x.length; ++at) {
        left = Math.min(left, curve.x[at]);
        right = Math.max(right, curve.x[at]);
        top = Math.max(top, curve.bytes[at]);
        bottom = Math.min(bottom, curve.bytes[at]);
      }
    return {left, right: right > left ? right : left + 1, top: top * 1.04, bottom: Math.min(bottom, top)};
  }

  paint(pen, width, height) {
    if (!this.curves.length) return;
    const {left, right, top} = this.bounds();
    const x0 = 72, x1 = width - 12, y0 = 12, y1 = height - 24;
    const xOf = value => x0 + (value - left) / (right - left) * (x1 - x0);
    const yOf = value => y1 - value / top * (y1 - y0);
    for (const tick of sizeTicks(top, Math.max(2, (y1 - y0) / 32))) {
      const y = Math.round(yOf(tick)) + 0.5;
      pen.line([x0, y, x1, y], tick ? colors.line : colors.edge);
      pen.text(x0 - 8, y, formatSize(tick), colors.dim, {align: 'right'});
    }
    const scale = this.kind === 's' ? 1e9 : 1;
    const count = (x1 - x0) / 88;
    const ticks = this.kind === 'step' ? numberTicks(left, right, count)
                                       : timeTicks(left * scale, right * scale, count);
    ticks.forEach((tick, index) => {
      const x = xOf(tick.at / (this.kind === 'step' ? 1 : scale));
      const text = this.kind === 'step' && index === 0 ? 'step ' + tick.text : tick.text;
      pen.line([Math.round(x) + 0.5, y1, Math.round(x) + 0.5, y1 + 4], colors.edge);
      const half = textWidth(text) / 2;
      pen.text(Math.min(x1 - half, Math.max(x0 + half - 4, x)), y1 + 14, text, colors.dim, {align: 'center'});
    });
    for (const curve of this.curves) {
      const points = [];
      for (let at = 0; at < curve.x.length; ++at) points.push(xOf(curve.x[at]), yOf(curve.bytes[at]));
      if (curve.fill) pen.area([points[0], y1, ...points, points[points.length - 2], y1], curve.fill());
      pen.line(points, curve.color(), curve.width || 1.5, curve.dash || null);
    }
  }
}
