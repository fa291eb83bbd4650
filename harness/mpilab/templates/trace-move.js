/* Moving about: the window of time, mouse, touch, keys, selection.
 *
 * Theory of operation.  All timelines show the same window [from, to], so two traces stay on one time scale.  Whatever
 * changes (window, selection, filter, theme) asks for one redraw in the next frame.  Pointer events serve mouse and
 * touch alike: one pointer drags, two pinch, and a press that didn't move is a click.  Keys work while a timeline has the
 * focus.  A selection is one event of one trace; it is drawn, described in the panel, and said aloud to screen
 * readers.  Jumps glide for a moment, so that the eye can follow, unless the reader wants no motion. */

const NARROWEST = 2e-8;  // seconds; nothing is to be seen below
const still = matchMedia("(prefers-reduced-motion: reduce)");

class Mover {
  /** `page` has timelines, selected {trace, event}, hovered {trace, kind, item}, draw(), settled(), choose(trace, event). */
  constructor(page, whole) {
    Object.assign(this, { page, whole, from: 0, to: whole, asked: false, glide: 0, pointers: new Map() });
    for (const timeline of page.timelines) this.#listen(timeline);
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.page.draw(); });
  }

  /** Shows [from, to], as far as it is inside the trace. */
  show(from, to) {
    const margin = this.whole * 0.02, width = Math.min(Math.max(to - from, NARROWEST), this.whole + 2 * margin);
    const middle = (from + to) / 2, low = Math.min(Math.max(middle - width / 2, -margin), this.whole + margin - width);
    Object.assign(this, { from: low, to: low + width });
    this.ask();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.page.settled(), 150);
  }

  glideTo(from, to) {
    cancelAnimationFrame(this.glide);
    if (still.matches) { this.show(from, to); return; }
    const begin = performance.now(), a = this.from, b = this.to;
    const step = now => {
      const part = Math.min(1, Math.max(0, now - begin) / 180), eased = 1 - (1 - part) ** 3;
      this.show(a + (from - a) * eased, b + (to - b) * eased);
      if (part < 1) this.glide = requestAnimationFrame(step);
    };
    this.glide = requestAnimationFrame(step);
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    cancelAnimationFrame(this.glide);
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(part) {
    cancelAnimationFrame(this.glide);
    const by = part * (this.to - this.from);
    this.show(this.from + by, this.to + by);
  }

  all() { this.glideTo(-this.whole * 0.02, this.whole * 1.02); }

  /** Makes [start, end] visible: `jump` centres it and chooses a zoom that shows it, else the window moves only if it must. */
  reveal(start, end, jump) {
    const middle = (start + end) / 2, length = end - start;
    let width = this.to - this.from;
    if (jump) width = Math.min(width, Math.max(length * 60, NARROWEST * 10, this.whole / 2000));
    width = Math.max(width, length * 1.5);
    if (jump || start < this.from || end > this.to) this.glideTo(middle - width / 2, middle + width / 2);
  }

  #listen(timeline) {
    const { canvas } = timeline;
    const place = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    canvas.addEventListener("wheel", event => {
      if (event.deltaY > 0 && !event.shiftKey && this.to - this.from >= this.whole) return;  // all is seen: the page may scroll
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / timeline.width);
      else this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), timeline.time(place(event)[0]));
    }, { passive: false });
    canvas.addEventListener("pointerdown", event => {
      if (event.button) return;
      canvas.setPointerCapture?.(event.pointerId);
      this.pointers.set(event.pointerId, { x: place(event)[0], x0: event.clientX, y0: event.clientY, moved: this.pointers.size > 0 });
    });
    canvas.addEventListener("pointermove", event => {
      const pointer = this.pointers.get(event.pointerId), [x, y] = place(event);
      if (!pointer) { this.#hover(timeline, x, y, event); return; }
      pointer.moved ||= Math.hypot(event.clientX - pointer.x0, event.clientY - pointer.y0) > 4;
      if (!pointer.moved) return;
      this.#hover(null);
      this.#drag(timeline, pointer, x);
    });
    const lift = event => {
      const pointer = this.pointers.get(event.pointerId);
      this.pointers.delete(event.pointerId);
      if (event.type === "pointerup" && pointer && !pointer.moved) this.#click(timeline, ...place(event));
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => this.#hover(null));
    canvas.addEventListener("dblclick", () => this.page.centre());
    canvas.addEventListener("keydown", event => this.#key(timeline, event));
  }

  /** One pointer moves the window; two keep the times under them where they are. */
  #drag(timeline, pointer, x) {
    const other = [...this.pointers.values()].find(p => p !== pointer);
    const before = pointer.x;
    pointer.x = x;
    if (!other) { this.pan((before - x) / timeline.width); return; }
    const apart = Math.max(8, Math.abs(x - other.x)), was = Math.max(8, Math.abs(before - other.x));
    this.zoom(was / apart, timeline.time(other.x));
  }

  #hover(timeline, x, y, event) {
    const found = timeline?.hit(x, y), before = this.page.hovered;
    const now = found ? { trace: timeline.trace.id, ...found } : null;
    if (now || before) this.page.hover(now, event);
  }

  #click(timeline, x, y) {
    const found = timeline.hit(x, y), { trace } = timeline;
    if (!found) return;
    if (found.kind === "span") { this.glideTo(trace.spans.start[found.item], trace.spans.end[found.item]); return; }
    this.page.choose(trace.id, found.item);
  }

  #key(timeline, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { page } = this, act = {
      ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15),
      ArrowUp: () => page.changeLane(timeline, -1), ArrowDown: () => page.changeLane(timeline, 1),
      "+": () => this.zoom(1 / 1.5, this.#focus()), "=": () => this.zoom(1 / 1.5, this.#focus()), "-": () => this.zoom(1.5, this.#focus()),
      Home: () => this.glideTo(-this.whole * 0.02, this.to - this.from - this.whole * 0.02),
      End: () => this.glideTo(this.whole * 1.02 - (this.to - this.from), this.whole * 1.02),
      0: () => this.all(), n: () => page.step(1, timeline), p: () => page.step(-1, timeline), m: () => page.match(),
      Enter: () => page.centre(), Escape: () => page.choose(null),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Keys zoom about the selected event when it is to be seen, else about the middle. */
  #focus() {
    const { selected, timelines } = this.page;
    if (!selected) return undefined;
    const { start, end } = timelines[selected.trace].trace, middle = (start[selected.event] + end[selected.event]) / 2;
    return middle > this.from && middle < this.to ? middle : undefined;
  }
}
