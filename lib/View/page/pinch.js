// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two fingers on the timeline: the times below them stay below them.

export class Pinch {
  /** at(event) gives the place on the canvas; timeOf(x) the time there; show(times, xs) moves the window. */
  constructor({at, timeOf, show}) {
    Object.assign(this, {at, timeOf, show});
    this.fingers = new Map();
  }

  /** Whether the second finger came down with this event. */
  down(event) {
    if (event.pointerType !== 'touch') return false;
    this.fingers.set(event.pointerId, this.at(event).x);
    if (this.fingers.size !== 2) return false;
    this.times = [...this.fingers.values()].map(x => this.timeOf(x));
    return true;
  }

  /** Whether two fingers are down. */
  move(event) {
    if (!this.fingers.has(event.pointerId)) return false;
    this.fingers.set(event.pointerId, this.at(event).x);
    if (this.fingers.size !== 2) return false;
    const xs = [...this.fingers.values()];
    if (Math.abs(xs[1] - xs[0]) > 8 && this.times[0] !== this.times[1]) this.show(this.times, xs);
    return true;
  }

  up(event) {
    this.fingers.delete(event.pointerId);
  }
}
