// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a device's map: segments, blocks by colour, holes hatched, the largest hole outlined.

import {formatSize, formatTime} from './format.js';
import {clean} from './names.js';
import {bySegment, firstItem, layOut, MapRow, placeIn} from './map_layout.js';
import {textWidth} from './pen.js';
import {colors, scaleColor, seriesColor} from './theme.js';

const Groups = 8;

/** Gives every block a colour: [{name, bytes, color}] for the legend, and the group of each block. */
export function colorBlocks(answer, tint) {
  const {blocks} = answer, {size} = blocks;
  if (tint === 'age') {
    // A logarithmic scale between the ages that 1 % and all of the blocks have.
    const ages = blocks.age_ns.slice().sort((a, b) => a - b);
    const least = Math.max(1, ages[Math.floor(ages.length / 100)] || 1), range = Math.max(1, Math.log(Math.max(least, ages[ages.length - 1] || 1) / least));
    const share = at => Math.max(0, Math.log(Math.max(1, blocks.age_ns[at]) / least) / range);
    return {color: at => scaleColor(0.1 + 0.75 * share(at)),
            legend: [0, 0.33, 0.66, 1].map(part => ({name: formatTime(least * Math.exp(part * range)),
                                                   color: () => scaleColor(0.1 + 0.75 * part)}))};
  }
  const names = tint === 'line' ? blocks.label : blocks[tint];
  const sums = new Map();
  names.forEach((name, at) => sums.set(name, (sums.get(name) || 0) + size[at]));
  const sorted = [...sums].sort((a, b) => b[1] - a[1]);
  const index = new Map(sorted.slice(0, Groups).filter(([name]) => name).map(([name], at) => [name, at]));
  const rest = sorted.filter(([name]) => !index.has(name)).reduce((sum, entry) => sum + entry[1], 0);
  const legend = [...index].map(([name, at]) => ({name: clean(name, 100), bytes: sums.get(name), color: () => seriesColor(at, name)}));
  if (rest) legend.push({name: tint === 'layer' ? 'no layer or others' : 'others', bytes: rest, color: () => colors.others});
  return {color: at => index.has(names[at]) ? seriesColor(index.get(names[at]), '') : colors.others, legend};
}

/** What is computed once an answer and width: pieces, lists, the largest hole. */
export function prepareMap(answer, width) {
  const {segments, holes_at: holes} = answer, count = segments.size.length;
  let largest = -1;
  holes.size.forEach((size, at) => { if (largest < 0 || size > holes.size[largest]) largest = at; });
  return {...layOut(segments, width), blocks: bySegment(answer.blocks, count), holes: bySegment(holes, count), largest};
}

/** Paints the rows from look.first to look.last. */
export function paintMap(pen, answer, map, look) {
  const {blocks, holes_at: holes} = answer;
  for (const piece of map.pieces) {
    if (piece.row < look.first || piece.row > look.last) continue;
    const y = piece.row * MapRow - look.scrolled, height = MapRow - 4;
    pen.rect(piece.x, y, piece.width, height, colors.raised);
    const gaps = map.holes[piece.segment], list = map.blocks[piece.segment];
    for (let index = firstItem(gaps, holes, piece.from); index < gaps.length; ++index) {
      const at = gaps[index], place = placeIn(piece, holes.offset[at], holes.size[at], map.scale);
      if (!place) break;
      if (place[1] >= 1) pen.hatch(place[0], y, place[1], height, colors.hatch);
    }
    let drawn = -1;
    for (let index = firstItem(list, blocks, piece.from); index < list.length; ++index) {
      const at = list[index], place = placeIn(piece, blocks.offset[at], blocks.size[at], map.scale);
      if (!place) break;
      // Blocks within the same half pixel share it.
      if (place[0] + place[1] < drawn + 0.5) continue;
      pen.rect(place[0], y, Math.max(0.5, place[1] - (place[1] > 3 ? 1 : 0)), height, look.color(at));
      drawn = place[0] + place[1];
    }
    pen.frame(piece.x + 0.5, y + 0.5, Math.max(1, piece.width - 1), height - 1, colors.edge);
  }
  paintLargest(pen, answer, map, look);
}

/** Frames the chosen and the hovered block. */
export function paintChosen(pen, answer, map, chosen, look) {
  const {blocks} = answer;
  chosen.forEach((block, at) => {
    if (block >= 0) outline(pen, map, look, blocks.segment[block], blocks.offset[block], blocks.size[block], at ? colors.ink : colors.accent);
  });
}

function outline(pen, map, look, segment, offset, size, color) {
  for (const piece of map.pieces) {
    if (piece.segment !== segment || piece.row < look.first || piece.row > look.last) continue;
    const place = placeIn(piece, offset, size, map.scale);
    if (place) pen.frame(place[0] - 0.5, piece.row * MapRow - look.scrolled - 0.5, Math.max(2, place[1] + 1), MapRow - 3, color, 2);
  }
}

function paintLargest(pen, answer, map, look) {
  if (map.largest < 0) return;
  const {holes_at: holes} = answer, {largest} = map;
  const segment = holes.segment[largest];
  outline(pen, map, look, segment, holes.offset[largest], holes.size[largest], colors.ink);
  let best = null;
  for (const piece of map.pieces) {
    if (piece.segment !== segment) continue;
    const place = placeIn(piece, holes.offset[largest], holes.size[largest], map.scale);
    if (place && (!best || place[1] > best.place[1])) best = {piece, place};
  }
  if (!best || best.piece.row < look.first || best.piece.row > look.last) return;
  const y = best.piece.row * MapRow - look.scrolled + 9;
  const size = formatSize(holes.size[largest]);
  const text = ['largest hole ' + size, size].find(label => textWidth(label, 11, true) < best.place[1] - 12);
  if (!text) return;
  const wide = textWidth(text, 11, true);
  pen.rect(best.place[0] + 4, y - 7, wide + 6, 14, colors.ground);
  pen.text(best.place[0] + 7, y, text, colors.ink, {size: 11, bold: true});
}

/** The block at a point of the picture, or -1. */
export function blockAt(answer, map, x, y) {
  const row = Math.floor(y / MapRow), {blocks} = answer;
  for (const piece of map.pieces) {
    if (piece.row !== row || x < piece.x || x > piece.x + piece.width) continue;
    const offset = piece.from + (x - piece.x) / map.scale;
    let nearby = -1, least = 1.5 / map.scale;
    const list = map.blocks[piece.segment];
    for (let index = Math.max(0, firstItem(list, blocks, offset) - 1); index < list.length; ++index) {
      const at = list[index];
      if (blocks.offset[at] > offset + least) break;
      const before = blocks.offset[at] - offset, after = offset - blocks.offset[at] - blocks.size[at];
      const far = Math.max(before, after, 0);
      if (far < least) [nearby, least] = [at, far];
    }
    return nearby;
  }
  return -1;
}
