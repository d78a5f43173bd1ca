// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of a trace for the screen: no control characters, bounded length. Names come from
// the recorded program and hold anything.

const Unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** Makes hidden characters visible, so that a name cannot pretend to be another. */
export function clean(text, limit = 400) {
  text = String(text ?? '');
  if (text.length > limit) {
    const half = limit >> 1;
    text = text.slice(0, half) + '…' + text.slice(text.length - half);
  }
  return text.replace(Unsafe, character => {
    const code = character.charCodeAt(0);
    return code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? '␡' : '\ufffd';
  });
}

const Explained = [
  [/^host$/, 'the memory of the machine'], [/^host\.malloc$/, 'blocks of malloc, calloc, new and their kin'],
  [/^host\.mmap$/, 'memory that the program maps from the system itself'], [/^host\.touched$/, 'touched pages of mappings that were only reserved; sampled'],
  [/^host\.stack$/, 'stacks of threads, in no total'], [/^host\.reserved$/, 'mappings with MAP_NORESERVE: addresses without memory, in no total'],
  [/^host\.file$/, 'mapped files, in no total'], [/^python\.object/, 'small objects of Python, in blocks of its own allocator'], [/^private\./, 'an allocator that is built into a library or program'],
  [/\.segments$/, 'what the framework\'s allocator holds of the device, with free parts'], [/^torch\./, 'tensors of PyTorch'], [/^jax\./, 'arrays of JAX'],
  [/^tf\./, 'tensors of TensorFlow'], [/^cuda:/, 'the memory of a GPU'], [/^cuda\./, 'memory of CUDA\'s driver on the host'],
  [/^resident$/, 'pages of the program that are in the machine\'s memory (RSS)'], [/^Python arenas$/, 'memory that Python\'s allocator holds for small objects'],
];

/** What a word of memkit's means, for a tooltip; empty: the name is the program's. */
export const meaningOf = name => Explained.find(([pattern]) => pattern.test(name))?.[1] || '';

/** The place of a name: file:line, or the file, or nothing. */
export function placeOf(names, index) {
  const file = names.file[index];
  return file ? file + (names.line[index] ? ':' + names.line[index] : '') : '';
}

/** Whether a name begins with its file and line already: train.py:45 Block.forward. */
export function hasPlace(names, index) {
  const file = names.file[index];
  return Boolean(file) && names.text[index].startsWith(file.slice(file.lastIndexOf('/') + 1) + ':' + names.line[index] + ' ');
}

/** file:line function, as tables write it. */
export function placeAndName(names, index) {
  const place = hasPlace(names, index) ? '' : placeOf(names, index);
  return place ? place + ' ' + names.text[index] : names.text[index];
}

/** A short, stable id of a name, for addresses. */
export function shortId(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; ++at) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
