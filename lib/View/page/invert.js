// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the tree of an answer upside down, for pages that do not hold the inverted answer.

/** The answer with innermost calls on top. */
export function invertAnswer(answer) {
  const {name, depth, self} = answer.nodes;
  const root = new Map(), path = [];
  for (let at = 0; at < name.length; ++at) {
    path.length = Math.min(path.length, depth[at]);
    path.push(name[at]);
    if (!self[at]) continue;
    let level = root;
    for (let step = path.length - 1; step >= 0; --step) {
      let entry = level.get(path[step]);
      if (!entry) level.set(path[step], entry = {name: path[step], total: 0, below: new Map()});
      entry.total += self[at];
      level = entry.below;
    }
  }
  const nodes = {name: [], depth: [], total: [], self: []};
  const sorted = level => [...level.values()].sort((a, b) => a.total - b.total);
  const open = sorted(root).map(entry => [entry, 0]);
  while (open.length) {
    const [entry, level] = open.pop();
    const callers = sorted(entry.below);
    nodes.name.push(entry.name);
    nodes.depth.push(level);
    nodes.total.push(entry.total);
    nodes.self.push(entry.total - callers.reduce((sum, caller) => sum + caller.total, 0));
    for (const caller of callers) open.push([caller, level + 1]);
  }
  return {...answer, nodes};
}
