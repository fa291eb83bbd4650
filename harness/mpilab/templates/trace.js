/* The page: what is selected, filtered and shown, and the parts that show it.
 *
 * Theory of operation.  Everything is drawn from one state (window, selection, filter, hidden calls).  The timeline is
 * redrawn at once; the open tab is filled when what it shows has changed, and the others when they are opened, so that a
 * page of 100,000 events is there before one looks.  `window.mpilab` holds it all, for tests and for the curious. */

const $ = id => document.getElementById(id);
const raw = JSON.parse($("view-data").textContent);
const names = { ...raw, short: raw.calls.map(name => name.replace(/^MPI_/, "")) };
const block = await unpack($("view-arrays").textContent);
const traces = raw.traces.map((trace, id) => Object.assign(new Trace(trace, id, names, block), { names }));
const fields = fieldsOf(names, traces);
let theme;

const page = {
  timelines: traces.map(trace => new Timeline(trace, $(`timeline-${trace.id}`))),
  selected: null, hovered: null, filter: new Map(), hidden: new Set(), made: {},
  show: { arrows: true, requests: true, spans: true }, byGroup: false,

  draw() {
    for (const timeline of page.timelines) {
      const mine = found => (found?.trace === timeline.trace.id ? found : null);
      const hovered = mine(page.hovered)?.kind === "call" ? page.hovered.item : -1;
      timeline.draw(mover, theme, { selected: mine(page.selected)?.event ?? -1, hovered, arrows: page.show.arrows });
    }
  },

  /** The window has come to rest. */
  settled() {
    const count = name => page.timelines.reduce((sum, timeline) => sum + timeline.arrows[name], 0), drawn = count("drawn"), seen = count("seen");
    const arrows = drawn < seen ? `, ${plain(drawn)} of ${many(seen, "arrow")} drawn: zoom in for the rest` : "";
    const [from, to, whole] = [Math.max(0, mover.from), Math.min(mover.whole, mover.to), mover.whole].map(time => timeText(time, 5, true));
    $("window").textContent = `${from} to ${to} of ${whole}${arrows}`;
    if (settings(opened).inside) fill();
  },

  choose(trace, event, jump = false) {
    page.selected = trace === null ? null : { trace, event };
    describe();
    if (page.selected) mover.reveal(traces[trace].start[event], traces[trace].end[event], jump);
    mover.ask();
  },

  hover(found, event) {
    const before = page.hovered, tip = $("tip");
    page.hovered = found;
    tip.hidden = !found;
    if (found) {
      tip.replaceChildren(...about(found).map(([name, text], i) => make("div", {}, i ? `${name} ` : "", make("b", {}, text))));
      const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8), under = event.clientY + 18 + tip.offsetHeight < innerHeight;
      tip.style.transform = `translate(${Math.max(4, x)}px, ${under ? event.clientY + 18 : Math.max(4, event.clientY - tip.offsetHeight - 12)}px)`;
    }
    if (before?.item !== found?.item || before?.kind !== found?.kind || before?.trace !== found?.trace) mover.ask();
  },

  /** The next (1) or previous (-1) event of the rank; without a selection the first one to be seen. */
  step(by, timeline = page.timelines[0]) {
    const { trace } = page.selected ? page.timelines[page.selected.trace] : timeline;
    const to = page.selected ? trace.neighbour(page.selected.event, by) : trace.start.findIndex((start, i) => trace.keep[i] && trace.end[i] >= mover.from);
    if (to >= 0) page.choose(trace.id, to); else say(trace.count ? "No further event on this rank." : "No events.");
  },

  changeLane(timeline, by) {
    if (!page.selected) { page.step(by, timeline); return; }
    const { trace } = page.timelines[page.selected.trace], e = page.selected.event, middle = (trace.start[e] + trace.end[e]) / 2;
    for (let lane = trace.lane[e] + by; trace.lanes[lane]; lane += by) {
      const { row } = trace.lanes[lane], i = row.at(middle, Infinity);
      if (i >= 0) { page.choose(trace.id, row.item[i]); return; }
    }
    say("No further rank.");
  },

  match() {
    const found = page.selected && traces[page.selected.trace].matches(page.selected.event)[0];
    if (found) page.choose(page.selected.trace, found.other); else say("No matching message.");
  },

  centre() {
    if (page.selected) page.choose(page.selected.trace, page.selected.event, true);
  },
};

const mover = new Mover(page, Math.max(1e-7, ...traces.map(trace => trace.length)));
const say = text => { $("said").textContent = text; };

/** Pairs of name and text about an event, a request or a region. */
function about({ trace: id, kind, item }) {
  const trace = traces[id];
  if (kind === "span") return [["", names.regions[trace.spans.region[item]]], ["lasts", timeText(trace.spans.end[item] - trace.spans.start[item], 4)]];
  const e = kind === "request" ? trace.requests.event[item] : item, value = name => fields[name][1](trace[name][e]);
  const open = kind === "request" ? [["request outstanding", timeText(trace.requests.end[item] - trace.requests.start[item], 4)]] : [];
  return [["call", value("call")], ...(traces.length > 1 ? [["trace", trace.title]] : []), ["rank", value("rank")], ...open,
    ["duration", timeText(trace.duration[e], 4)], ["start", timeText(trace.start[e], 7)],
    ...["peer", "tag", "bytes", "comm", "thread", "region", "place"].map(name => [fields[name][0], value(name)]).filter(([name, text]) => text !== "–" && !(name === "thread" && text === "0") && !(text === "0 B" && trace.peer[e] < 0))];
}

/** Fills the panel of the selected event, and says it. */
function describe() {
  const { selected } = page, trace = selected && traces[selected.trace], facts = selected ? about({ ...selected, item: selected.event }) : [];
  $("facts").replaceChildren(...facts.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));
  const matches = selected ? trace.matches(selected.event) : [];
  $("matches").replaceChildren(...matches.slice(0, 8).map(({ m, sent, other, bytes }) => make("li", {},
    make("button", { type: "button", class: "link", onclick: () => page.choose(trace.id, other) },
      `${sent ? "received" : "sent"} by ${names.calls[trace.call[other]]} on rank ${trace.rank[other]}`),
    ` ${bytesText(bytes)}, ${timeText(trace.arrows.end[m] - trace.arrows.start[m])} from post to completion`)));
  if (matches.length > 8) $("matches").append(make("li", {}, `and ${matches.length - 8} more`));
  $("nothing").hidden = Boolean(selected);
  $("match").disabled = !matches.length;
  $("centre").disabled = !selected;
  say(facts.map(([name, text]) => `${name} ${text}`).join(", "));
}

/* Legend and filter. */

function legend() {
  const field = page.byGroup ? "group" : "call", sums = new Float64Array(names.calls.length + names.groups.length);
  for (const { count, duration, [field]: values } of traces) for (let i = 0; i < count; i++) sums[values[i]] += duration[i] + 1e-12;
  page.classOfCall = new Uint8Array(names.calls.length).fill(OTHER);
  const order = [...sums.keys()].filter(value => sums[value]).sort((a, b) => sums[b] - sums[a]);
  const chips = order.map((value, place) => {
    const calls = names.calls.map((_, call) => call).filter(call => (page.byGroup ? names.group_of[call] : call) === value), k = Math.min(place, OTHER);
    for (const call of calls) page.classOfCall[call] = k;
    const chip = make("button", { type: "button", class: "chip", "aria-pressed": String(!calls.every(c => page.hidden.has(c))), onclick() {
      const off = this.getAttribute("aria-pressed") === "true";
      for (const call of calls) if (off) page.hidden.add(call); else page.hidden.delete(call);
      this.setAttribute("aria-pressed", String(!off));
      sift();
    } }, make("span", { class: `swatch s${k}` }), fields[field][1](value));
    return make("li", {}, chip);
  });
  $("legend").replaceChildren(...chips, make("li", { class: "key" }, make("span", { class: "swatch compute" }), "outside MPI (compute)"));
  sift();
}

/** The filter or the hidden calls have changed. */
function sift() {
  for (const { trace } of page.timelines) trace.sift(page.filter, page.hidden);
  for (const timeline of page.timelines) timeline.colour(page.classOfCall);
  const text = (field, value) => (field === "duration" ? `duration ${timeText(value[0])} to ${timeText(value[1])}` : `${fields[field][0]}: ${fields[field][1](value)}`);
  $("filter").replaceChildren(...[...page.filter].map(([field, value]) =>
    make("button", { type: "button", class: "chip", title: "remove this filter", onclick: () => { page.filter.delete(field); sift(); $("timeline-0").focus(); } }, `only ${text(field, value)} ✕`)));
  mover.ask();
  fill();
}

function only(pairs) {
  for (const [field, value] of pairs) page.filter.set(field, value);
  sift();
  say(`Showing ${many(traces.reduce((n, trace) => n + trace.keep.reduce((a, b) => a + b, 0), 0), "event")}.`);
}

/* Start. */

function setTheme(choice) {
  if (choice === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = choice;
  $("theme").textContent = `Theme: ${choice}`;
  theme = readTheme();
  mover.ask();
  fill();
}

/** What the reader chose, where the browser lets us remember it (not in a sandboxed frame). */
const remembered = {
  get() { try { return localStorage.getItem("mpilab-theme") ?? "auto"; } catch { return "auto"; } },
  set(choice) { try { localStorage.setItem("mpilab-theme", choice); } catch { /* then only for this visit */ } },
};

function start() {
  const relayout = () => { for (const timeline of page.timelines) timeline.layout(page.show); mover.ask(); };
  const acts = {
    "zoom-in": () => mover.zoom(1 / 1.5), "zoom-out": () => mover.zoom(1.5), all: () => mover.all(), previous: () => page.step(-1), next: () => page.step(1),
    match: () => page.match(), centre: () => page.centre(),
    theme: () => { const order = ["auto", "dark", "light"], next = order[(order.indexOf(remembered.get()) + 1) % 3]; remembered.set(next); setTheme(next); },
  };
  for (const [id, act] of Object.entries(acts)) $(id).addEventListener("click", act);
  for (const name of Object.keys(page.show)) $(`show-${name}`).addEventListener("change", event => { page.show[name] = event.target.checked; relayout(); });
  $("by-group").addEventListener("change", event => { page.byGroup = event.target.checked; legend(); });
  addEventListener("keydown", event => { if (event.key === "Escape") page.hover(null); });
  new ResizeObserver(() => { for (const timeline of page.timelines) timeline.resize(); page.draw(); fill(); }).observe($("timelines"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(remembered.get()));
  addEventListener("beforeprint", () => { setTheme("light"); page.draw(); });  // paper is white
  addEventListener("afterprint", () => setTheme(remembered.get()));
  setTheme(remembered.get());
  for (const timeline of page.timelines) timeline.layout(page.show);
  legend();
  describe();
  mover.show(-mover.whole * 0.02, mover.whole * 1.02);
  page.draw();
  performance.mark("timeline-drawn");
  setTimeout(() => { ready = true; open(opened); });  // the timeline is to be seen first
}

startTabs();
start();
window.mpilab = { page, mover, traces };
