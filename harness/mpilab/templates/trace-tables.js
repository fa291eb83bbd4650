/* Tables: calls grouped by any field, the events of the window, messages by size.
 *
 * Theory of operation.  DataTable shows rows (any objects) by a list of columns {name, value(row), text(row), left}: one page at a
 * time, sorted by the column whose heading was pressed.  A row that can be acted on has a button in its first cell,
 * so that keys and screen readers reach it.  Text only ever enters the page as text nodes, so no name in a trace can
 * become markup.  The functions below make rows; they read typed arrays and count in dense ids, since grouping
 * 100,000 events must not be felt. */

/** A DOM element; props that start with "on" are listeners, others attributes; children are nodes or text. */
function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A button that looks like a link; `text` may be a list of nodes. */
function button(text, onclick, props = {}) {
  return make("button", { type: "button", class: "link", onclick, ...props }, ...[text].flat());
}

class DataTable {
  constructor(place, { caption, columns, act, said, sort = null, descending = true, empty = "Nothing here." }) {
    Object.assign(this, { place, caption, columns, act, said, sort, descending, empty, size: 25, page: 0, rows: [] });
  }

  fill(rows) {
    this.rows = rows;
    this.page = 0;
    this.#order();
    this.#show();
  }

  #order() {
    const column = this.columns[this.sort];
    if (!column) return;
    const sign = this.descending ? -1 : 1;
    this.rows.sort((a, b) => {
      const x = column.value(a), y = column.value(b);
      return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
    });
  }

  #show(focus) {
    const { columns, page, size, rows } = this, last = Math.max(0, Math.ceil(rows.length / size) - 1);
    const head = columns.map((column, i) => make("th", {
      scope: "col", class: column.left ? "" : "num", "aria-sort": i === this.sort ? (this.descending ? "descending" : "ascending") : null,
    }, column.fixed ? column.name : button(column.name, () => this.#sortBy(i), { class: "sort" })));
    const body = rows.slice(page * size, (page + 1) * size).map(row => make("tr", {}, ...columns.map((column, i) => {
      const text = column.text ? column.text(row) : String(column.value(row));
      const cell = i === 0 && this.act ? button(text, () => this.act(row), { title: this.said }) : text;
      return make(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: column.left ? "" : "num" }, cell);
    })));
    const caption = make("caption", {}, rows.length ? this.caption : this.empty);
    const table = make("table", {}, caption, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
    const turn = (name, to, off) => button(name, () => { this.page = to; this.#show(name); }, { class: "", disabled: off });
    const shown = `${plain(page * size + 1)}–${plain(Math.min(rows.length, (page + 1) * size))} of ${plain(rows.length)}`;
    const pager = last > 0 ? [make("nav", { class: "pager", "aria-label": `pages: ${this.caption}` },
      turn("previous page", page - 1, page === 0), shown, turn("next page", page + 1, page === last))] : [];
    this.place.replaceChildren(make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": this.caption }, table), ...pager);
    if (focus) [...this.place.querySelectorAll("button:enabled")].find(b => b.textContent === focus)?.focus();
  }

  #sortBy(i) {
    this.descending = this.sort === i ? !this.descending : !this.columns[i].left;
    this.sort = i;
    this.page = 0;
    this.#order();
    this.#show(this.columns[i].name);
  }
}

/** Groups the wanted events of all traces inside `window` by the values of `fields`: key, count, sum, max of seconds, bytes. */
function grouped(traces, fields, window) {
  const groups = new Map(), ids = fields.map(() => new Map());
  for (const trace of traces) {
    const data = fields.map(field => trace[field]), { keep, start, end, duration, bytes } = trace;
    for (let i = 0; i < trace.count; i++) {
      if (!keep[i] || (window && (start[i] > window.to || end[i] < window.from))) continue;
      let key = 0;
      for (let f = 0; f < data.length; f++) {
        const value = data[f][i];
        let id = ids[f].get(value);
        if (id === undefined) ids[f].set(value, id = ids[f].size);
        key = key * 4194304 + id;
      }
      let group = groups.get(key);
      if (!group) groups.set(key, group = { key: data.map(d => d[i]), count: 0, sum: 0, max: 0, bytes: 0 });
      group.count++;
      group.sum += duration[i];
      if (duration[i] > group.max) group.max = duration[i];
      if (bytes[i] > 0) group.bytes += bytes[i];
    }
  }
  return [...groups.values()];
}

function groupTable(place, fields, all, act) {
  const keys = fields.map((field, i) => ({
    name: all[field][0], left: true, text: g => all[field][1](g.key[i]),
    value: g => (["call", "group", "region", "place"].includes(field) ? all[field][1](g.key[i]) : g.key[i]),
  }));
  return new DataTable(place, {
    caption: `MPI calls by ${fields.map(f => all[f][0]).join(" and ")}`, said: "show only these events", act, sort: keys.length + 1,
    empty: "No events.",
    columns: [...keys,
      { name: "count", value: g => g.count, text: g => plain(g.count) },
      { name: "sum", value: g => g.sum, text: g => timeText(g.sum) },
      { name: "mean", value: g => g.sum / g.count, text: g => timeText(g.sum / g.count) },
      { name: "max", value: g => g.max, text: g => timeText(g.max) },
      { name: "share", value: g => g.sum, text: g => `${plain(g.share * 100, 1)} %` },
      { name: "bytes", value: g => g.bytes, text: g => bytesText(g.bytes) }],
  });
}

/** The wanted events of all traces inside the window, by start. */
function eventsIn(traces, window) {
  const found = [];
  for (const trace of traces) {
    const { start, end, keep } = trace;
    for (let i = 0; i < trace.count; i++) if (keep[i] && start[i] <= window.to && end[i] >= window.from) found.push({ trace, i });
  }
  return found;
}

function eventTable(place, all, several, act) {
  const field = (name, left) => ({ name: all[name][0], left, value: r => r.trace[name][r.i], text: r => all[name][1](r.trace[name][r.i]) });
  return new DataTable(place, {
    caption: "Events of the visible window", empty: "No events in the visible window.", said: "select in the timeline", act,
    sort: 1, descending: false,
    columns: [{ name: "call", left: true, value: r => all.call[1](r.trace.call[r.i]) },
      { name: "start", value: r => r.trace.start[r.i], text: r => timeText(r.trace.start[r.i], 6) },
      { name: "duration", value: r => r.trace.duration[r.i], text: r => timeText(r.trace.duration[r.i]) },
      ...(several ? [field("trace", true)] : []),
      ...["rank", "peer", "tag", "bytes"].map(name => field(name)), field("region", true), field("place", true)],
  });
}

/** Messages by size (powers of two): how many, how long from post to completion, bytes per second of that time. */
function bandwidthRows(traces) {
  const groups = new Map();
  for (const trace of traces) {
    const { send, recv, bytes } = trace.messages, { start, end } = trace.arrows;
    for (let m = 0; m < send.length; m++) {
      if (!trace.keep[send[m]] && !trace.keep[recv[m]]) continue;
      const power = bytes[m] >= 1 ? Math.ceil(Math.log2(bytes[m])) : -1, key = power * 2 + trace.id;
      if (!groups.has(key)) groups.set(key, { trace, power, bytes: 0, times: [], best: 0 });
      const group = groups.get(key), seconds = end[m] - start[m];
      group.bytes += Math.max(0, bytes[m]);
      group.times.push(seconds);
      if (seconds > 0) group.best = Math.max(group.best, bytes[m] / seconds);
    }
  }
  for (const group of groups.values()) {
    group.times.sort((a, b) => a - b);
    group.sum = group.times.reduce((a, b) => a + b, 0);
    group.median = group.times[group.times.length >> 1];
  }
  return [...groups.values()];
}

function bandwidthTable(place, several) {
  const upTo = g => (g.power < 0 ? "0 B" : g.power < 1 ? "1 B" : `${plain(2 ** (g.power - 1) + 1)} to ${plain(2 ** g.power)} B`);
  return new DataTable(place, {
    caption: "Messages by size: time from the start of the send to the completion of the receive", empty: "No messages.",
    sort: 0, descending: false,
    columns: [{ name: "bytes a message", left: true, value: g => g.power, text: upTo },
      ...(several ? [{ name: "trace", left: true, value: g => g.trace.title }] : []),
      { name: "messages", value: g => g.times.length, text: g => plain(g.times.length) },
      { name: "bytes in all", value: g => g.bytes, text: g => bytesText(g.bytes) },
      { name: "median time", value: g => g.median, text: g => timeText(g.median) },
      { name: "effective bandwidth", value: g => g.bytes / g.sum, text: g => rateText(g.bytes / g.sum) },
      { name: "best", value: g => g.best, text: g => rateText(g.best) }],
  });
}
