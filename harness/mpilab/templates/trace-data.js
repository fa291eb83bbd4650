/* The data of the page: columns, rows of intervals, fields, the filter.
 *
 * Theory of operation.  The page holds one JSON block; each column in it is [type, base64] of a little-endian array, so
 * that 100,000 events are decoded in a few milliseconds and never become objects: an event is its index.  Whatever is
 * drawn on a line (the calls of a thread, requests, regions, and messages too) is a Row: intervals sorted by start.
 * Starts are searched by bisection; as ends need not be sorted, `reach` holds the largest end so far, which is.
 * One mask says which events are wanted (the filter and the legend together): all views read that mask. */

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, f8: Float64Array };
const NONE = 2 ** 32 - 1;  // no such event

/** The page's block of arrays: base64 of zlib's format. */
async function unpack(text) {
  const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

function columns(table, block) {
  const typed = ([name, [type, from, to]]) => [name, new TYPES[type](block.slice(from, to))];
  return Object.fromEntries(Object.entries(table).map(typed));
}

/** Seconds, from ticks: `step` counts from the start before on the same rank. */
function times({ rank, step, length }, tick) {
  const start = new Float64Array(step.length), end = start.slice(), duration = start.slice();
  for (let i = 0, now = 0; i < start.length; i++) {
    now = i && rank[i] === rank[i - 1] ? now + step[i] : step[i];
    start[i] = now * tick;
    end[i] = (now + length[i]) * tick;
    duration[i] = length[i] * tick;
  }
  return { start, end, duration };
}

/** The first index in [0, n) for which `after` holds, n if none; `after` must be false, then true. */
function bisect(n, after) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (after(middle)) high = middle; else low = middle + 1;
  }
  return low;
}

/** The values at these places. */
function pick(values, places) {
  const picked = new Float64Array(places.length);
  for (let i = 0; i < picked.length; i++) picked[i] = values[places[i]];
  return picked;
}

class Row {
  /** Intervals by start; `item[i]` says what the i-th is: an event, a message, a span. */
  constructor(item, start, end) {
    Object.assign(this, { item, start, end, reach: new Float64Array(end.length) });
    for (let i = 0, most = -Infinity; i < end.length; i++) this.reach[i] = most = Math.max(most, end[i]);
  }

  /** The first interval that may still last at `time`. */
  first(time) { return bisect(this.start.length, i => this.reach[i] >= time); }

  /** The interval at `time` (the innermost), else the nearest one within `slack`, else -1. */
  at(time, slack) {
    let best = -1, least = Infinity;
    for (let i = this.first(time - slack); i < this.start.length && this.start[i] <= time + slack; i++) {
      const far = Math.max(this.start[i] - time, time - this.end[i], 0);
      if (far <= slack && far <= least) { best = i; least = far; }
    }
    return best;
  }
}

/** Deals intervals out into `count` rows; `number` says into which each goes. */
function deal(number, count, start, end) {
  const ends = new Uint32Array(count + 1), items = new Uint32Array(number.length);
  for (let i = 0; i < number.length; i++) ends[number[i] + 1]++;
  for (let n = 0; n < count; n++) ends[n + 1] += ends[n];
  const next = ends.slice();
  for (let i = 0; i < number.length; i++) items[next[number[i]]++] = i;
  return Array.from({ length: count }, (_, n) => {
    const mine = items.subarray(ends[n], ends[n + 1]);
    return new Row(mine, pick(start, mine), pick(end, mine));
  });
}

/** For each rank the rows of its intervals, at most `most`: each goes into the first that is free, else the one free next. */
function stack({ rank, start, end }, ranks, most) {
  const free = new Float64Array(ranks * most).fill(-Infinity), number = new Uint32Array(rank.length);
  for (let i = 0; i < rank.length; i++) {
    const first = rank[i] * most;
    let best = first;
    for (let n = first; n < first + most && free[best] > start[i]; n++) if (free[n] < free[best]) best = n;
    number[i] = best;
    free[best] = Math.max(free[best], end[i]);
  }
  const rows = deal(number, ranks * most, start, end);
  return Array.from({ length: ranks }, (_, r) => rows.slice(r * most, (r + 1) * most).filter(row => row.start.length));
}

class Trace {
  constructor(raw, id, names, block) {
    Object.assign(this, { id, title: raw.title, ranks: raw.ranks, whole: raw.length_s });
    Object.assign(this, columns(raw.events, block));
    Object.assign(this, times(this, names.tick_s));
    this.count = this.start.length;
    this.messages = columns(raw.messages, block);
    const { send, recv } = this.messages;
    this.arrows = new Row(send, pick(this.start, send), pick(this.end, recv));
    this.requests = this.#requests(columns(raw.requests, block));
    this.spans = columns(raw.spans, block);
    Object.assign(this.spans, times(this.spans, names.tick_s));
    this.groupOf = Uint8Array.from(names.group_of);
    this.trace = new Uint8Array(this.count).fill(id);
    this.keep = new Uint8Array(this.count).fill(1);
    this.lanes = this.#lanes();
  }

  /** A request lasts from the start of the event that posted it to the end of the one that completed it, else to the last of its rank. */
  #requests({ event, done }) {
    const last = new Float64Array(this.ranks), rank = new Uint16Array(event.length), end = new Float64Array(event.length);
    for (let i = 0; i < this.count; i++) last[this.rank[i]] = Math.max(last[this.rank[i]], this.end[i]);
    for (let i = 0; i < event.length; i++) {
      rank[i] = this.rank[event[i]];
      end[i] = done[i] === NONE ? last[rank[i]] : this.end[done[i]];
    }
    return { event, rank, start: pick(this.start, event), end };
  }

  /** A lane per rank, and per further thread of it that called MPI; `lane[event]` is its number. */
  #lanes() {
    const { count, ranks, rank, thread } = this, key = i => rank[i] * 65536 + thread[i];
    const found = new Set(Array.from({ length: ranks }, (_, r) => r * 65536));
    for (let i = 0; i < count; i++) if (thread[i]) found.add(key(i));
    const keys = [...found].sort((a, b) => a - b), number = new Map(keys.map((k, n) => [k, n]));
    this.lane = new Uint16Array(count);
    for (let i = 0, last = -1, lane = 0; i < count; i++) {
      const now = key(i);
      if (now !== last) lane = number.get(last = now);
      this.lane[i] = lane;
    }
    const rows = deal(this.lane, keys.length, this.start, this.end);
    return keys.map((k, n) => ({ rank: Math.floor(k / 65536), thread: k % 65536, row: rows[n] }));
  }

  get group() { return this.groups ??= this.call.map(call => this.groupOf[call]); }

  /** The messages that event `e` sent or received, each with the event at the other end. */
  matches(e) {
    const { send, recv, bytes } = this.messages, found = [];
    for (let m = 0; m < send.length; m++) {
      if (send[m] === e) found.push({ m, sent: true, other: recv[m], bytes: bytes[m] });
      else if (recv[m] === e) found.push({ m, sent: false, other: send[m], bytes: bytes[m] });
    }
    return found;
  }

  /** The event `step` events away on the same rank and thread, -1 beyond the ends; only events that are wanted. */
  neighbour(e, step) {
    const { item } = this.lanes[this.lane[e]].row;
    let i = bisect(item.length, k => item[k] >= e);
    do i += step; while (item[i] !== undefined && !this.keep[item[i]]);
    return item[i] ?? -1;
  }

  /** Marks the events that pass the filter (field -> value, `duration` -> [from, to)) and whose call isn't hidden. */
  sift(filter, hidden) {
    for (let i = 0; i < this.count; i++) this.keep[i] = hidden.has(this.call[i]) ? 0 : 1;
    for (const [field, value] of filter) {
      const values = this[field];
      const wrong = field === "duration" ? v => v < value[0] || v >= value[1] : v => v !== value;
      for (let i = 0; i < this.count; i++) if (wrong(values[i])) this.keep[i] = 0;
    }
  }
}

/* Text of numbers. */

const UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
/** A number with at most `most` and at least `least` decimals, thousands apart; toLocaleString is a hundred times slower. */
function plain(value, most = 0, least = most) {
  let [whole, part = ""] = value.toFixed(Math.min(most, 20)).split(".");
  while (part.length > least && part.endsWith("0")) part = part.slice(0, -1);
  whole = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part ? `${whole}.${part}` : whole;
}
const unit = seconds => UNITS.find(([size]) => Math.abs(seconds) >= size * 0.9999) ?? UNITS[3];
const digits = (value, most) => Math.max(0, most - 1 - Math.floor(Math.log10(Math.abs(value) || 1)));

/** Seconds with `most` significant digits; `brief` leaves zeros at the end away. */
function timeText(seconds, most = 3, brief = false) {
  if (!Number.isFinite(seconds)) return "–";
  const [size, name] = unit(seconds), places = digits(seconds / size, most);
  return seconds ? `${plain(seconds / size, places, brief ? 0 : places)} ${name}` : "0 s";
}

const bytesText = bytes => (bytes >= 0 ? `${plain(bytes)} B` : "–");
function rateText(rate) {
  if (!Number.isFinite(rate)) return "–";
  const [size, name] = [[1e9, "GB/s"], [1e6, "MB/s"], [1e3, "kB/s"], [1, "B/s"]].find(([s]) => rate >= s) ?? [1, "B/s"];
  return `${plain(rate / size, digits(rate / size, 3))} ${name}`;
}
const many = (count, noun) => `${plain(count)} ${noun}${count === 1 ? "" : "s"}`;

/** What events can be grouped and filtered by: heading, and the text of a value. */
function fieldsOf(names, traces) {
  const whole = value => (value < 0 ? "–" : String(value));
  return {
    call: ["call", v => names.calls[v]], group: ["kind of call", v => names.groups[v]], rank: ["rank", String],
    peer: ["peer", whole], bytes: ["bytes", bytesText], region: ["region", v => names.regions[v] || "–"],
    place: ["place", v => names.places[v] || "–"], tag: ["tag", whole], comm: ["communicator", whole],
    thread: ["thread", String], ...(traces.length > 1 && { trace: ["trace", v => traces[v].title] }),
  };
}
