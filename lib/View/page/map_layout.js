// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the segments of a device lie in the picture: address order, long segments wrap,
// short neighbours share a row.

export const MapRow = 22, MapGutter = 8;
const Fewest = 12;

/**
 * Pieces of segments by row: {segment, row, from, to (bytes of the segment), x, width}. A row of
 * the picture is `scale` bytes wide.
 */
export function layOut(segments, width) {
  const order = segments.size.map((_, at) => at).sort((a, b) => {
    if (segments.address[a] === Outside || segments.address[b] === Outside) return segments.address[a] === Outside ? 1 : -1;
    const left = BigInt(segments.address[a]), right = BigInt(segments.address[b]);
    return left < right ? -1 : left > right ? 1 : 0;
  });
  const whole = segments.size.reduce((sum, size) => sum + size, 0);
  const largest = segments.size.reduce((most, size) => Math.max(most, size), 1);
  // Rows for the whole: more for large devices, so that blocks stay visible.
  const rows = Math.max(Fewest, Math.min(64, Math.ceil(segments.size.length / 3)));
  const perRow = Math.max(1, Math.ceil(Math.min(largest, whole / rows)));
  const scale = width / perRow;
  const pieces = [], last = [];
  let row = 0, x = 0;
  for (const segment of order) {
    const size = segments.size[segment];
    if (x > 0 && x + Math.max(2, size * scale) > width) {
      ++row;
      x = 0;
    }
    let from = 0;
    while (from < size) {
      const bytes = Math.min(size - from, Math.max(1, Math.round((width - x) / scale)));
      const wide = Math.max(2, bytes * scale);
      pieces.push({segment, row, from, to: from + bytes, x, width: Math.min(wide, width - x)});
      from += bytes;
      x += wide;
      if (from < size) {
        ++row;
        x = 0;
      }
    }
    last[segment] = row;
    x += MapGutter;
    if (x >= width - 2) {
      ++row;
      x = 0;
    }
  }
  return {pieces, rows: (pieces.length ? pieces[pieces.length - 1].row : 0) + 1, scale};
}

/** Address of the last row, which has the blocks outside all segments. */
export const Outside = '';

/** The answer with a segment more, for blocks outside segments, so that they are drawn as well. */
export function gatherOutside(answer) {
  const {blocks, segments} = answer;
  if (!blocks.segment.some(segment => segment < 0)) return answer;
  const segment = blocks.segment.slice(), offset = blocks.offset.slice(), last = segments.size.length;
  let sum = 0;
  segment.forEach((index, at) => {
    if (index >= 0) return;
    segment[at] = last;
    offset[at] = sum;
    sum += blocks.size[at];
  });
  const more = {address: Outside, size: sum, heap: 'outside segments', process: 0, stream: 0, largest_hole: 0, expandable: 0};
  const grown = Object.fromEntries(Object.entries(segments).map(([key, values]) => [key, [...values, more[key]]]));
  return {...answer, blocks: {...blocks, segment, offset}, segments: grown};
}

/** Position in a segment's list of the first item that ends behind an offset. */
export function firstItem(list, items, offset) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items.offset[list[middle]] + items.size[list[middle]] > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** For each segment the indices of its items (blocks or holes), in order of offset. */
export function bySegment(items, count) {
  const lists = Array.from({length: count}, () => []);
  items.segment.forEach((segment, at) => lists[segment]?.push(at));
  for (const list of lists) list.sort((a, b) => items.offset[a] - items.offset[b]);
  return lists;
}

/** The part of an item that lies in a piece as [x, width], or null. */
export function placeIn(piece, offset, size, scale) {
  const from = Math.max(offset, piece.from), to = Math.min(offset + size, piece.to);
  if (to <= from) return null;
  return [piece.x + (from - piece.from) * scale, Math.min((to - from) * scale, piece.x + piece.width)];
}
