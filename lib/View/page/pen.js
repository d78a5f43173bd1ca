// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the same picture on a canvas and as SVG. Coordinates are CSS pixels.

import {clean} from './names.js';

const Family = 'system-ui, "DejaVu Sans", sans-serif';
const widths = new Map();
let measure = null;

const fontOf = (size, bold) => (bold ? '600 ' : '') + size + 'px ' + Family;

/** Width of a text, from the widths of its characters: exact enough to clip, and fast. */
export function textWidth(text, size = 12, bold = false) {
  const font = fontOf(size, bold);
  let known = widths.get(font);
  if (!known) widths.set(font, known = new Map());
  let sum = 0;
  for (const character of text) {
    let width = known.get(character);
    if (width === undefined) {
      measure ||= document.createElement('canvas').getContext('2d');
      measure.font = font;
      known.set(character, width = measure.measureText(character).width);
    }
    sum += width;
  }
  return sum;
}

/** The text, cut with an ellipsis to the width; '' if not even three characters fit. */
export function fitText(text, width, size = 12, bold = false) {
  if (width < size * 1.6) return '';
  if (text.length * size * 0.2 < width * 4 && textWidth(text, size, bold) <= width) return text;
  let left = width - textWidth('…', size, bold), end = 0;
  for (const character of text) {
    left -= textWidth(character, size, bold);
    if (left < 0) break;
    end += character.length;
  }
  return end < 3 ? '' : text.slice(0, end).trimEnd() + '…';
}

/** As fitText, and keeps the end: paths of layers differ there. */
export const fitTail = (text, width) => [...fitText([...text].reverse().join(''), width)].reverse().join('');

export class CanvasPen {
  constructor(context) {
    this.context = context;
    this.hatches = new Map();
    this.hasDrawn = false;
    this.forget();
  }

  /** Settings of the context may have changed. */
  forget() {
    this.font = this.color = '';
  }

  setFill(fill) {
    this.hasDrawn = true;
    if (this.color !== fill) this.context.fillStyle = this.color = fill;
  }

  rect(x, y, width, height, fill) {
    this.setFill(fill);
    this.context.fillRect(x, y, width, height);
  }

  frame(x, y, width, height, stroke, lineWidth = 1, dash = null) {
    this.stroke(stroke, lineWidth, dash);
    this.context.strokeRect(x, y, width, height);
    if (dash) this.context.setLineDash([]);
  }

  stroke(color, width, dash) {
    this.hasDrawn = true;
    this.context.strokeStyle = color;
    this.context.lineWidth = width;
    if (dash) this.context.setLineDash(dash);
  }

  /** Points are x, y, x, y, ... */
  path(points) {
    const context = this.context;
    context.beginPath();
    context.moveTo(points[0], points[1]);
    for (let at = 2; at < points.length; at += 2) context.lineTo(points[at], points[at + 1]);
  }

  line(points, color, width = 1, dash = null) {
    if (points.length < 4) return;
    this.path(points);
    this.stroke(color, width, dash);
    this.context.stroke();
    if (dash) this.context.setLineDash([]);
  }

  area(points, fill) {
    if (points.length < 6) return;
    this.path(points);
    this.setFill(fill);
    this.context.fill();
  }

  hatch(x, y, width, height, color) {
    let pattern = this.hatches.get(color);
    if (!pattern) {
      const tile = document.createElement('canvas');
      tile.width = tile.height = 6;
      const context = tile.getContext('2d');
      context.strokeStyle = color;
      context.lineWidth = 1;
      context.beginPath();
      for (const shift of [-6, 0, 6]) {
        context.moveTo(shift - 1, 7);
        context.lineTo(shift + 7, -1);
      }
      context.stroke();
      this.hatches.set(color, pattern = this.context.createPattern(tile, 'repeat'));
    }
    this.setFill(pattern);
    this.context.fillRect(x, y, width, height);
  }

  /** align is left, center or right; y is the middle of the text. */
  text(x, y, text, fill, {align = 'left', size = 12, bold = false} = {}) {
    const context = this.context, font = fontOf(size, bold);
    if (this.font !== font) context.font = this.font = font;
    if (context.textAlign !== align) context.textAlign = align;
    this.setFill(fill);
    context.fillText(text, x, y + size * 0.36);
  }

  clip(x, y, width, height) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
  }

  unclip() {
    this.context.restore();
    this.forget();
  }
}

const escapeText = text => clean(text).replace(/[&<>"']/g, character => '&#' + character.charCodeAt(0) + ';');
const round = value => Math.round(value * 100) / 100;

export class SvgPen {
  constructor(width, height, ground) {
    this.width = width;
    this.height = height;
    this.parts = [];
    this.definitions = [];
    this.hatches = new Map();
    this.rect(0, 0, width, height, ground);
  }

  box(x, y, width, height) {
    return '<rect x="' + round(x) + '" y="' + round(y) + '" width="' + round(width) + '" height="' + round(height) + '"';
  }

  rect(x, y, width, height, fill) {
    this.parts.push(this.box(x, y, width, height) + ' fill="' + fill + '"/>');
  }

  strokeOf(color, width, dash) {
    return ' fill="none" stroke="' + color + '" stroke-width="' + width + '"' +
      (dash ? ' stroke-dasharray="' + dash.join(' ') + '"' : '');
  }

  frame(x, y, width, height, stroke, lineWidth = 1, dash = null) {
    this.parts.push(this.box(x, y, width, height) + this.strokeOf(stroke, lineWidth, dash) + '/>');
  }

  points(points) {
    const texts = [];
    for (let at = 0; at < points.length; at += 2) texts.push(round(points[at]) + ',' + round(points[at + 1]));
    return ' points="' + texts.join(' ') + '"';
  }

  line(points, color, width = 1, dash = null) {
    if (points.length < 4) return;
    this.parts.push('<polyline' + this.points(points) + this.strokeOf(color, width, dash) + '/>');
  }

  area(points, fill) {
    if (points.length < 6) return;
    this.parts.push('<polygon' + this.points(points) + ' fill="' + fill + '"/>');
  }

  hatch(x, y, width, height, color) {
    let id = this.hatches.get(color);
    if (!id) {
      this.hatches.set(color, id = 'hatch' + this.hatches.size);
      this.definitions.push('<pattern id="' + id + '" width="6" height="6" patternUnits="userSpaceOnUse">' +
        '<path d="M-1,7 L7,-1 M-7,7 L1,-1 M5,7 L13,-1" stroke="' + color + '"/></pattern>');
    }
    this.rect(x, y, width, height, 'url(#' + id + ')');
  }

  text(x, y, text, fill, {align = 'left', size = 12, bold = false} = {}) {
    const anchor = {left: 'start', center: 'middle', right: 'end'}[align];
    this.parts.push('<text x="' + round(x) + '" y="' + round(y + size * 0.36) + '" font-size="' + size + '" fill="' + fill +
      '" text-anchor="' + anchor + '"' + (bold ? ' font-weight="600"' : '') + '>' + escapeText(text) + '</text>');
  }

  clip(x, y, width, height) {
    const id = 'clip' + this.definitions.length;
    this.definitions.push('<clipPath id="' + id + '">' + this.box(x, y, width, height) + '/></clipPath>');
    this.parts.push('<g clip-path="url(#' + id + ')">');
  }

  unclip() {
    this.parts.push('</g>');
  }

  toString() {
    return '<svg xmlns="http://www.w3.org/2000/svg" width="' + this.width + '" height="' + this.height +
      '" viewBox="0 0 ' + this.width + ' ' + this.height + '" font-family="system-ui, DejaVu Sans, sans-serif">' +
      '<defs>' + this.definitions.join('') + '</defs>' + this.parts.join('\n') + '</svg>\n';
  }
}
