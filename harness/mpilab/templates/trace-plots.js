/* Scatter and histogram.
 *
 * Theory of operation.  Both show one measure: the duration of calls, the time of messages from post to completion, or the
 * bandwidth of messages.  `measured` gathers the points once per change of filter; the scatter writes them as pixels
 * (100,000 rectangles would be felt), the histogram counts them by colour.  An Axis maps values to [0, 1], linear or
 * logarithmic; what a logarithmic axis cannot show is counted and said.  Beside each picture stands a table of the same. */

const MEASURES = {
  duration: { name: "duration", text: timeText, short: s => timeText(s, 2, true) },
  transfer: { name: "post to completion", text: timeText, short: s => timeText(s, 2, true) },
  bandwidth: { name: "bandwidth", text: rateText, short: rateText },
};
const AGAINST = {
  start: { name: "entry", text: s => timeText(s, 6), short: s => timeText(s, 5, true) },
  end: { name: "end", text: s => timeText(s, 6), short: s => timeText(s, 5, true) },
  bytes: { name: "bytes", text: bytesText, short: b => (b >= 1e6 ? `${b / 1e6} MB` : b >= 1e3 ? `${b / 1e3} kB` : `${b} B`) },
};

/** The points: x (entry, end or bytes), y (the measure), and the event each belongs to. */
function measured(traces, measure, against, window) {
  const points = { x: [], y: [], trace: [], event: [] };
  const add = (trace, event, start, end, x, y) => {
    if (window && (start > window.to || end < window.from) || !Number.isFinite(y)) return;
    points.x.push(x);
    points.y.push(y);
    points.trace.push(trace.id);
    points.event.push(event);
  };
  for (const trace of traces) {
    const { keep, start, end, duration } = trace, { send, recv, bytes } = trace.messages;
    if (measure === "duration") {
      const x = trace[against];
      for (let i = 0; i < trace.count; i++) if (keep[i]) add(trace, i, start[i], end[i], x[i], duration[i]);
      continue;
    }
    for (let m = 0; m < send.length; m++) {
      if (!keep[send[m]] && !keep[recv[m]]) continue;
      const from = start[send[m]], to = end[recv[m]], seconds = to - from;
      const x = { start: from, end: to, bytes: bytes[m] }[against];
      add(trace, send[m], from, to, x, measure === "transfer" ? seconds : bytes[m] / seconds);
    }
  }
  return points;
}

class Axis {
  constructor(values, log, pad = 0.03) {
    let low = Infinity, high = -Infinity;
    for (const v of values) if (!log || v > 0) { if (v < low) low = v; if (v > high) high = v; }
    if (low > high) [low, high] = log ? [1, 10] : [0, 1];
    this.log = log;
    let [a, b] = log ? [Math.log10(low), Math.log10(high)] : [low, high];
    if (b - a < 1e-12) [a, b] = log ? [a - 0.5, b + 0.5] : [a - Math.abs(a) / 2 - 1e-9, b + Math.abs(b) / 2 + 1e-9];
    [this.a, this.b] = [a - (b - a) * pad, b + (b - a) * pad];
  }

  place(v) { return ((this.log ? Math.log10(v) : v) - this.a) / (this.b - this.a); }
  value(part) { const v = this.a + part * (this.b - this.a); return this.log ? 10 ** v : v; }
  fits(v) { return !this.log || v > 0; }

  ticks(pixels, apart) {
    if (!this.log) return ticks(this.a, this.b, pixels, apart).found;
    const found = [], every = Math.max(1, Math.ceil((this.b - this.a) / Math.max(1, pixels / apart)));
    for (let k = Math.ceil(this.a); k <= this.b; k++) if (k % every === 0) found.push(10 ** k);
    return found.length > 1 ? found : [this.value(0.1), this.value(0.9)];
  }
}

class Plot {
  constructor(canvas, pick) {
    Object.assign(this, { canvas, context: canvas.getContext("2d") });
    canvas.addEventListener("click", event => {
      const box = canvas.getBoundingClientRect();
      pick(event.clientX - box.left, event.clientY - box.top);
    });
  }

  /** Clears, draws both axes with their names; afterwards px() and py() say where a value is. */
  frame(theme, x, y, xText, yText, title) {
    const { canvas, context: c } = this, ratio = Math.min(devicePixelRatio || 1, 3);
    const { clientWidth: width, clientHeight: height } = canvas;
    const left = 74, bottom = 40, top = 26, w = Math.max(20, width - left - 14), h = height - bottom - top;
    Object.assign(this, { ratio, left, top, w, h, x, y });
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    Object.assign(c, { font: "12px system-ui, sans-serif", textAlign: "center", textBaseline: "middle" });
    Object.assign(c, { strokeStyle: theme.line, fillStyle: theme.faint, lineWidth: 1 });
    c.beginPath();
    for (const v of x.ticks(w, 90)) {
      c.moveTo(this.px(v), top);
      c.lineTo(this.px(v), top + h);
      c.fillText(xText(v), this.px(v), top + h + 14);
    }
    c.textAlign = "right";
    for (const v of y.ticks(h, 40)) {
      c.moveTo(left, this.py(v));
      c.lineTo(left + w, this.py(v));
      c.fillText(yText(v), left - 8, this.py(v));
    }
    c.stroke();
    c.fillText(title[0], left + w, top + h + 32);
    c.textAlign = "left";
    c.fillText(title[1], 4, 10);
  }

  px(v) { return this.left + this.x.place(v) * this.w; }
  py(v) { return this.top + (1 - this.y.place(v)) * this.h; }
}

class Scatter extends Plot {
  constructor(canvas, choose) {
    super(canvas, (x, y) => {
      const found = this.nearest(x, y);
      if (found >= 0) choose(this.points.trace[found], this.points.event[found]);
    });
  }

  draw(theme, timelines, points, { measure, against, logX, logY }) {
    this.points = points;
    const { x, y, trace, event } = points, what = MEASURES[measure], by = AGAINST[against];
    this.frame(theme, new Axis(x, logX), new Axis(y, logY), by.short, what.short, [by.name, what.name]);
    const { ratio } = this, w = Math.round(this.w * ratio), h = Math.round(this.h * ratio);
    const image = new ImageData(w, h), pixels = new Uint32Array(image.data.buffer);
    const size = Math.round((x.length < 3000 ? 5 : 3) * ratio);
    let out = 0;
    for (let i = 0; i < x.length; i++) {
      if (!this.x.fits(x[i]) || !this.y.fits(y[i])) { out++; continue; }
      const px = Math.round(this.x.place(x[i]) * w) - (size >> 1), py = Math.round((1 - this.y.place(y[i])) * h) - (size >> 1);
      const ink = theme.shade[timelines[trace[i]].classes[event[i]] * (LEVELS + 1) + LEVELS], hollow = trace[i] === 1;
      for (let dy = 0; dy < size; dy++) for (let dx = 0; dx < size; dx++) {
        if (hollow && dx && dy && dx < size - 1 && dy < size - 1) continue;
        if (px + dx >= 0 && px + dx < w && py + dy >= 0 && py + dy < h) pixels[(py + dy) * w + px + dx] = ink;
      }
    }
    const small = document.createElement("canvas");
    Object.assign(small, { width: w, height: h }).getContext("2d").putImageData(image, 0, 0);
    this.context.drawImage(small, this.left, this.top, this.w, this.h);
    return `${many(x.length - out, "point")}${out ? `; ${plain(out)} of value 0 can't stand on a logarithmic axis` : ""}`;
  }

  /** The point within 12 pixels that is nearest, -1 for none. */
  nearest(x, y) {
    let best = -1, least = 144;
    for (let i = 0; i < this.points.x.length; i++) {
      const far = (this.px(this.points.x[i]) - x) ** 2 + (this.py(this.points.y[i]) - y) ** 2;
      if (far < least) { least = far; best = i; }
    }
    return best;
  }

  /** The same as a table: ten parts of the points by x, and for each the least, the middle and the most. */
  rows() {
    const { x, y } = this.points, order = Uint32Array.from(x.keys()).sort((a, b) => x[a] - x[b]), rows = [];
    for (let part = 0; part < 10; part++) {
      const mine = order.subarray(Math.floor(part * order.length / 10), Math.floor((part + 1) * order.length / 10));
      const values = pick(y, mine).sort(), count = mine.length, last = count - 1;
      if (!count) continue;
      rows.push({ from: x[mine[0]], to: x[mine[last]], count, least: values[0], middle: values[count >> 1], most: values[last] });
    }
    return rows;
  }

  /** The ten points with the largest measure. */
  largest() {
    const { y, trace, event } = this.points;
    const order = Uint32Array.from(y.keys()).sort((a, b) => y[b] - y[a]);
    return Array.from(order.subarray(0, 10), i => ({ y: y[i], trace: trace[i], event: event[i] }));
  }
}

class Histogram extends Plot {
  constructor(canvas, choose) {
    super(canvas, x => {
      const bin = this.bins?.[Math.floor((x - this.left) / this.w * this.bins.length)];
      if (bin?.count) choose(bin);
    });
  }

  draw(theme, timelines, points, { measure, logX, logY }) {
    const { y, trace, event } = points, what = MEASURES[measure], axis = new Axis(y, logX, 0);
    const count = Math.min(60, Math.max(1, Math.ceil(Math.sqrt(y.length))));
    const bin = i => ({ from: axis.value(i / count), to: axis.value((i + 1) / count), count: 0, by: new Uint32Array(CLASSES) });
    this.bins = Array.from({ length: count }, (_, i) => bin(i));
    let out = 0;
    for (let i = 0; i < y.length; i++) {
      if (!axis.fits(y[i])) { out++; continue; }
      const bin = this.bins[Math.min(count - 1, Math.max(0, Math.floor(axis.place(y[i]) * count)))];
      bin.count++;
      bin.by[timelines[trace[i]].classes[event[i]]]++;
    }
    const most = Math.max(1, ...this.bins.map(b => b.count));
    this.bins[count - 1].to = Infinity;
    this.frame(theme, axis, new Axis(logY ? [0.7, most] : [0, most], logY, 0), what.short, n => plain(n), [what.name, "count"]);
    const { context: c, w, left } = this, floor = this.top + this.h;
    this.bins.forEach((bin, i) => {
      if (!bin.count) return;
      const x = left + i * w / count, top = this.py(bin.count);
      let bottom = floor;
      bin.by.forEach((n, k) => {  // the share of each call in the bar's height
        if (!n) return;
        const high = (floor - top) * n / bin.count;
        c.fillStyle = theme.fill[k];
        c.fillRect(x + 0.5, bottom - high, Math.max(1, w / count - 1), high);
        bottom -= high;
      });
    });
    return `${many(y.length - out, "value")}${out ? `; ${plain(out)} of value 0 can't stand on a logarithmic axis` : ""}`;
  }
}
