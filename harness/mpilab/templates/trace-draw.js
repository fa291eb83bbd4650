/* The timeline's picture.
 *
 * Theory of operation.  Each line of the picture (regions, calls, requests of a rank) becomes one row of pixels of a
 * small image, which is then stretched to the line's height.  An event adds its share to the pixel columns it touches;
 * a column shows the call that took most of it, the fuller the column the stronger.  So the same pass draws one wide
 * call and a hundred thousand that are narrower than a pixel, and costs a few ns an event.  Only what is wide
 * enough gets its name.  Where arrows would stand closer than APART they are thinned: every 2nd, 4th, ... is drawn,
 * counted from the first of the trace, so that the same ones stay when the window moves. */

const COLOURS = 8, OTHER = 8, DIM = 9, SPAN = 10, CLASSES = 11;  // DIM: filtered out
const LEVELS = 16, FAINTEST = 0.45;
const ARROWS = 800, APART = 8;  // arrows drawn at most; pixels between two of a rank

/** The colours of the page's theme: css text, and packed pixels of each class over the compute colour. */
function readTheme() {
  const probe = document.getElementById("probe");
  const rgb = name => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  };
  const css = ([r, g, b]) => `rgb(${r} ${g} ${b})`;
  const pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  const base = rgb("compute");
  const inks = [...Array.from({ length: COLOURS }, (_, i) => rgb(`c${i}`)), rgb("other"), rgb("dim"), rgb("span")];
  const theme = { shade: new Uint32Array(CLASSES * (LEVELS + 1)), base: pixel(base), fill: inks.map(css) };
  inks.forEach((ink, k) => {
    for (let level = 0; level <= LEVELS; level++) {
      const part = level / LEVELS;
      theme.shade[k * (LEVELS + 1) + level] = pixel(ink.map((v, i) => Math.round(v * part + base[i] * (1 - part))));
    }
  });
  const light = v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  theme.text = inks.map(([r, g, b]) => (0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b) > 0.18 ? "#000" : "#fff"));
  for (const name of ["ink", "faint", "line", "paper", "mark", "arrow"]) theme[name] = css(rgb(name));
  return theme;
}

/** Round positions for ticks: at most one per `apart` of `length` pixels between `from` and `to`. */
function ticks(from, to, length, apart) {
  const rough = (to - from) / Math.max(1, length / apart), power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(s => s * power >= rough);
  const found = [];
  for (let k = Math.ceil(from / step); k * step <= to && found.length < 100; k++) found.push(k * step || 0);
  return { step, found };
}

class Timeline {
  constructor(trace, canvas) {
    Object.assign(this, { trace, canvas, context: canvas.getContext("2d"), small: document.createElement("canvas") });
    this.classes = new Uint8Array(trace.count);
    this.spanClasses = new Uint8Array(trace.spans.rank.length).fill(SPAN);
    this.widths = new Map();
  }

  /** Decides the lines: for each rank its regions, its calls (a line per thread), its requests. */
  layout(show) {
    const { trace } = this, size = trace.ranks <= 8 ? 0 : trace.ranks <= 32 ? 1 : 2;
    const call = [22, 13, 4][size], request = [3, 2, 1][size], span = [13, 10, 2][size];
    this.spanRows ??= stack(trace.spans, trace.ranks, [3, 2, 1][size]);
    this.requestRows ??= stack(trace.requests, trace.ranks, [8, 4, 2][size]);
    this.lines = [];
    this.laneY = new Float64Array(trace.lanes.length).fill(NaN);  // a lane that isn't drawn is nowhere
    let y = 22;
    const add = (kind, row, height, rank, lane) => { this.lines.push({ kind, row, y, height, rank, lane }); y += height; };
    for (let rank = 0, lane = 0; rank < Math.min(trace.ranks, trace.names.most_lanes); rank++) {
      if (show.spans) for (const row of this.spanRows[rank]) add("span", row, span, rank, lane);
      for (; trace.lanes[lane]?.rank === rank; lane++) {
        this.laneY[lane] = y + call / 2;
        add("call", trace.lanes[lane].row, call, rank, lane);
      }
      if (show.requests) {
        y += [1, 1, 0][size];
        for (const row of this.requestRows[rank]) add("request", row, request, rank, lane - 1);
      }
      y += [12, 6, 1][size];
    }
    this.height = y;
    this.laneHeight = call;
    this.canvas.style.height = `${y}px`;
    this.resize();
  }

  resize() {
    const ratio = Math.min(devicePixelRatio || 1, 3), width = this.canvas.clientWidth;
    this.ratio = ratio;
    this.left = width < 500 ? 34 : 64;
    this.width = Math.max(50, width - this.left - 2);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.small.width = Math.round(this.width * ratio);
    this.small.height = Math.max(1, this.lines.length);
    this.image = new ImageData(this.small.width, this.small.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  /** The class (colour) of each event, from that of its call. */
  colour(classOfCall) {
    const { call, keep, count } = this.trace;
    for (let i = 0; i < count; i++) this.classes[i] = keep[i] ? classOfCall[call[i]] : DIM;
    const { event } = this.trace.requests;
    this.requestClasses = new Uint8Array(event.length);
    for (let i = 0; i < event.length; i++) this.requestClasses[i] = this.classes[event[i]];
  }

  x(time) { return this.left + (time - this.from) / (this.to - this.from) * this.width; }
  time(x) { return this.from + (x - this.left) / this.width * (this.to - this.from); }

  draw({ from, to }, theme, { selected, hovered, arrows }) {
    Object.assign(this, { from, to });
    const { context: c, ratio } = this;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.canvas.clientWidth, this.height);
    this.#axis(theme);
    this.labels = [];
    this.lines.forEach((line, number) => this.#paint(line, number, theme));
    this.small.getContext("2d").putImageData(this.image, 0, 0);
    c.imageSmoothingEnabled = false;
    this.lines.forEach(({ y, height }, number) => {
      c.drawImage(this.small, 0, number, this.small.width, 1, this.left, y, this.width, height);
    });
    this.#names(theme);
    this.arrows = arrows ? this.#arrows(theme, selected) : { drawn: 0, seen: 0 };
    for (const [event, colour] of [[hovered, theme.faint], [selected, theme.ink]]) if (event >= 0) this.#outline(event, colour, theme);
  }

  #paint({ kind, row, lane }, number, theme) {
    const width = this.small.width, { pixels } = this, offset = number * width, scale = width / (this.to - this.from);
    const { item, start, end } = row, classes = { call: this.classes, request: this.requestClasses, span: this.spanClasses }[kind];
    pixels.fill(0, offset, offset + width);
    if (kind === "call" && start.length) {
      const inside = time => Math.max(0, Math.min(width, Math.round((time - this.from) * scale)));
      pixels.fill(theme.base, offset + inside(start[0]), offset + inside(row.reach[row.reach.length - 1]));
    }
    const cover = new Float64Array(CLASSES), { shade } = theme, enough = 44 * this.ratio;
    let column = -1;
    const flush = () => {
      if (column < 0 || column >= width) return;
      let best = DIM, most = 0, sum = 0;
      for (let k = 0; k < CLASSES; k++) {
        const share = k === DIM ? cover[k] * 1e-6 : cover[k];
        sum += cover[k];
        if (share > most) { most = share; best = k; }
        cover[k] = 0;
      }
      if (sum) pixels[offset + column] = shade[best * (LEVELS + 1) + Math.round(Math.min(1, Math.max(FAINTEST, sum)) * LEVELS)];
    };
    for (let i = row.first(this.from); i < start.length && start[i] < this.to; i++) {
      const a = Math.max(0, (start[i] - this.from) * scale), b = Math.min(width, (end[i] - this.from) * scale);
      const k = classes[item[i]], first = Math.floor(a), last = Math.floor(b);
      if (first !== column) { flush(); column = first; }
      if (last <= first) { cover[k] += Math.max(b - a, 1e-3); continue; }
      if (b - a < 4) cover[k] += first + 1 - a;  // a wider one begins with a gap, to stand apart from the one before
      flush();
      pixels.fill(shade[k * (LEVELS + 1) + LEVELS], offset + first + 1, offset + Math.min(last, width));
      column = last;
      cover[k] += b - last;
      if (b - a > enough && kind !== "request") this.labels.push([number, item[i], k, a / this.ratio, b / this.ratio]);
    }
    flush();
  }

  #axis(theme) {
    const { context: c } = this, { step, found } = ticks(this.from, this.to, this.width, 110);
    const [size, name] = unit(Math.max(Math.abs(this.from), Math.abs(this.to)) || 1);
    const places = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
    c.font = "12px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "center";
    c.lineWidth = 1;
    c.strokeStyle = theme.line;
    c.fillStyle = theme.faint;
    c.beginPath();
    for (const at of found) {
      const x = Math.round(this.x(at)) + 0.5;
      c.moveTo(x, 18);
      c.lineTo(x, this.height);
      if (x > this.left + 24 && x < this.left + this.width - 24) c.fillText(`${plain(at / size, Math.min(places, 12))} ${name}`, x, 9);
    }
    c.stroke();
    c.textAlign = "right";
    const { lanes } = this.trace;
    let free = 0;
    for (const { kind, lane, y, height } of this.lines) {
      if (kind !== "call" || y + height / 2 < free + 7) continue;
      const { rank, thread } = lanes[lane];
      c.fillStyle = thread ? theme.faint : theme.ink;
      c.fillText(thread ? `t${thread}` : this.left > 40 ? `rank ${rank}` : rank, this.left - 8, y + height / 2);
      free = y + height / 2 + 6;
    }
  }

  /** Names in what is wide enough for them. */
  #names(theme) {
    const { context: c } = this;
    c.textAlign = "left";
    for (const [number, item, k, a, b] of this.labels) {
      const line = this.lines[number];
      if (line.height < 10) continue;
      const { names, spans, call } = this.trace;
      const text = line.kind === "span" ? names.regions[spans.region[item]] : names.short[call[item]];
      c.font = `${line.height < 14 ? 9 : 12}px system-ui, sans-serif`;
      const key = c.font + text;
      if (!this.widths.has(key)) this.widths.set(key, c.measureText(text).width);
      if (this.widths.get(key) > b - a - 8) continue;
      c.fillStyle = theme.text[k];
      c.fillText(text, this.left + a + 5, line.y + line.height / 2 + 0.5);
    }
  }

  #arrows(theme, selected) {
    const { context: c, trace } = this, { arrows, keep } = trace, { send, recv } = trace.messages, { start, end } = arrows;
    const seen = [], first = arrows.first(this.from);
    for (let m = first; m < start.length && start[m] <= this.to; m++) {
      if (end[m] >= this.from && (keep[send[m]] || keep[recv[m]])) seen.push(m);
    }
    const most = Math.min(ARROWS, trace.ranks * this.width / APART);
    let stride = 1;
    while (seen.length / stride > most) stride *= 2;
    const drawn = stride === 1 ? seen : seen.filter(m => m % stride === 0);
    const chosen = seen.filter(m => send[m] === selected || recv[m] === selected);
    c.save();
    c.beginPath();
    c.rect(this.left, 18, this.width, this.height);
    c.clip();
    const faint = this.laneHeight < 10 ? 0.5 : 0.85;
    for (const [list, colour, width, alpha] of [[drawn, theme.arrow, 1, faint], [chosen, theme.mark, 2.5, 1]]) {
      c.globalAlpha = alpha;
      c.strokeStyle = c.fillStyle = colour;
      c.lineWidth = width;
      const lines = new Path2D(), heads = new Path2D();
      for (const m of list) this.#arrow(lines, heads, m, width);
      c.stroke(lines);
      c.fill(heads);
    }
    c.restore();
    return { drawn: drawn.length, seen: seen.length };
  }

  #arrow(lines, heads, m, width) {
    const { trace, laneHeight } = this, { send, recv } = trace.messages;
    const from = this.laneY[trace.lane[send[m]]], to = this.laneY[trace.lane[recv[m]]];
    if (Number.isNaN(from + to)) return;
    const down = Math.sign(to - from), y0 = from + down * laneHeight / 2, y1 = to - down * laneHeight / 2;
    let x0 = this.x(trace.arrows.start[m]);
    const x1 = this.x(trace.arrows.end[m]), far = -4 * this.width;
    const y = x0 < far ? y0 + (y1 - y0) * (far - x0) / (x1 - x0) : y0;  // a start far outside is cut off: canvas numbers are small
    x0 = Math.max(x0, far);
    const length = Math.hypot(x1 - x0, y1 - y) || 1, head = Math.min((laneHeight < 10 ? 3 : 5) + width, length / 2);
    const ux = (x1 - x0) / length * head, uy = (y1 - y) / length * head;
    lines.moveTo(x0, y);
    lines.lineTo(x1, y1);
    heads.moveTo(x1, y1);
    heads.lineTo(x1 - ux - uy * 0.45, y1 - uy + ux * 0.45);
    heads.lineTo(x1 - ux + uy * 0.45, y1 - uy - ux * 0.45);
    heads.closePath();
  }

  #outline(event, colour, theme) {
    const { context: c, trace } = this, middle = this.laneY[trace.lane[event]];
    const a = Math.max(this.x(trace.start[event]), this.left - 4), b = Math.min(this.x(trace.end[event]), this.left + this.width + 4);
    if (b < this.left || a > this.left + this.width) return;
    const x = Math.min(a, (a + b) / 2 - 2) - 2, wide = Math.max(b - a, 4) + 4;
    const y = middle - this.laneHeight / 2 - 2, high = this.laneHeight + 4;
    c.lineWidth = 4;
    c.strokeStyle = theme.paper;
    c.strokeRect(x, y, wide, high);
    c.lineWidth = 2;
    c.strokeStyle = colour;
    c.strokeRect(x, y, wide, high);
  }

  /** What is at a point of the canvas: {kind, item} with the item's event, span or request; null for nothing. */
  hit(x, y) {
    if (x < this.left) return null;
    const slack = 3 / this.width * (this.to - this.from), time = this.time(x);
    for (const { kind, row, y: top, height } of this.lines) {
      if (y < top - 1 || y > top + height + 1) continue;
      const i = row.at(time, slack);
      if (i >= 0) return { kind, item: row.item[i] };
    }
    return null;
  }
}
