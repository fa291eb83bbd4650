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
let theme, chosenTheme = "auto";
try { chosenTheme = localStorage.getItem("mpilab-theme") ?? "auto"; } catch { /* nothing is remembered here */ }

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
    const count = name => page.timelines.reduce((sum, timeline) => sum + timeline.arrows[name], 0);
    const drawn = count("drawn"), seen = count("seen");
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
      const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8), below = event.clientY + 18;
      const y = below + tip.offsetHeight < innerHeight ? below : event.clientY - tip.offsetHeight - 12;
      tip.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
    }
    if (before?.item !== found?.item || before?.kind !== found?.kind || before?.trace !== found?.trace) mover.ask();
  },

  /** The next (1) or previous (-1) event of the rank; without a selection the first one to be seen. */
  step(by, timeline = page.timelines[0]) {
    const { trace } = page.selected ? page.timelines[page.selected.trace] : timeline;
    const visible = i => trace.keep[i] && trace.end[i] >= mover.from;
    const to = page.selected ? trace.neighbour(page.selected.event, by) : trace.keep.findIndex((_, i) => visible(i));
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

const mover = new Mover(page, Math.max(1e-7, ...traces.map(trace => trace.whole)));
const say = text => { $("said").textContent = text; };

/** Pairs of name and text about an event, a request or a region. */
function about({ trace: id, kind, item }) {
  const trace = traces[id], lasts = table => timeText(table.end[item] - table.start[item], 4);
  if (kind === "span") return [["", names.regions[trace.spans.region[item]]], ["lasts", lasts(trace.spans)]];
  const e = kind === "request" ? trace.requests.event[item] : item, value = name => fields[name][1](trace[name][e]);
  const open = kind === "request" ? [["request outstanding", lasts(trace.requests)]] : [];
  const said = (name, text) => text !== "–" && !(name === "thread" && text === "0") && !(text === "0 B" && trace.peer[e] < 0);
  return [["call", value("call")], ...(traces.length > 1 ? [["trace", trace.title]] : []), ["rank", value("rank")], ...open,
    ["duration", timeText(trace.duration[e], 4)], ["start", timeText(trace.start[e], 7)],
    ...["peer", "tag", "bytes", "comm", "thread", "region", "place"].map(name => [fields[name][0], value(name)])
      .filter(([name, text]) => said(name, text))];
}

/** Fills the panel of the selected event, and says it. */
function describe() {
  const { selected } = page, trace = selected && traces[selected.trace];
  const facts = selected ? about({ ...selected, item: selected.event }) : [];
  $("facts").replaceChildren(...facts.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));
  const matches = selected ? trace.matches(selected.event) : [];
  $("matches").replaceChildren(...matches.slice(0, 8).map(({ m, sent, other, bytes }) => make("li", {},
    button(`${sent ? "received" : "sent"} by ${names.calls[trace.call[other]]} on rank ${trace.rank[other]}`,
      () => page.choose(trace.id, other)),
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
    const calls = [...names.calls.keys()].filter(call => (page.byGroup ? names.group_of[call] : call) === value);
    const k = Math.min(place, OTHER), hidden = calls.every(call => page.hidden.has(call));
    for (const call of calls) page.classOfCall[call] = k;
    const press = ({ currentTarget: chip }) => {
      const off = chip.getAttribute("aria-pressed") === "true";
      for (const call of calls) if (off) page.hidden.add(call); else page.hidden.delete(call);
      chip.setAttribute("aria-pressed", String(!off));
      sift();
    };
    const text = [make("span", { class: `swatch s${k}` }), fields[field][1](value)];
    return make("li", {}, button(text, press, { class: "chip", "aria-pressed": String(!hidden) }));
  });
  $("legend").replaceChildren(...chips, make("li", { class: "key" }, make("span", { class: "swatch compute" }), "outside MPI (compute)"));
  sift();
}

/** The filter or the hidden calls have changed. */
function sift() {
  for (const { trace } of page.timelines) trace.sift(page.filter, page.hidden);
  for (const timeline of page.timelines) timeline.colour(page.classOfCall);
  const between = ([from, to]) => `duration from ${timeText(from)}${to < Infinity ? ` to ${timeText(to)}` : ""}`;
  const text = (field, value) => (field === "duration" ? between(value) : `${fields[field][0]}: ${fields[field][1](value)}`);
  const drop = field => { page.filter.delete(field); sift(); $("timeline-0").focus({ preventScroll: true }); };
  $("filter").replaceChildren(...[...page.filter].map(([field, value]) =>
    button(`only ${text(field, value)} ✕`, () => drop(field), { class: "chip", title: "remove this filter" })));
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

/** Keeps the reader's choice where the browser allows it: not in a sandboxed frame. */
function remember(choice) {
  chosenTheme = choice;
  try { localStorage.setItem("mpilab-theme", choice); } catch { /* then only for this visit */ }
}

function start() {
  const acts = {
    "zoom-in": () => mover.zoom(1 / 1.5), "zoom-out": () => mover.zoom(1.5), all: () => mover.all(),
    previous: () => page.step(-1), next: () => page.step(1), match: () => page.match(), centre: () => page.centre(),
    theme() {
      const next = { auto: "dark", dark: "light", light: "auto" }[chosenTheme] ?? "auto";
      remember(next);
      setTheme(next);
    },
  };
  for (const [id, act] of Object.entries(acts)) $(id).addEventListener("click", act);
  for (const name of Object.keys(page.show)) {
    $(`show-${name}`).addEventListener("change", event => {
      page.show[name] = event.target.checked;
      for (const timeline of page.timelines) timeline.layout(page.show);
      mover.ask();
    });
  }
  $("by-group").addEventListener("change", event => { page.byGroup = event.target.checked; legend(); });
  addEventListener("keydown", event => { if (event.key === "Escape") page.hover(null); });
  new ResizeObserver(() => { for (const timeline of page.timelines) timeline.resize(); page.draw(); fill(); }).observe($("timelines"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(chosenTheme));
  addEventListener("beforeprint", () => { setTheme("light"); page.draw(); });  // paper is white
  addEventListener("afterprint", () => setTheme(chosenTheme));
  setTheme(chosenTheme);
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
