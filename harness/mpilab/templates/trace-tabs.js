/* The tabs below the timeline.
 *
 * Theory of operation.  A tab has a panel, in most a form of choices; `settings` reads it.  Only the open tab is filled: when it
 * is opened, when a choice, the filter or the theme changes, and when the window has come to rest if it shows the
 * window.  Each plot has its table, and what is chosen in any of them is selected in the timeline or becomes the filter. */

let opened = document.body.dataset.view, ready = false;
const tabs = [...document.querySelectorAll("[role=tab]")];
const settings = name => Object.fromEntries(new FormData($(`panel-${name}`).querySelector("form")));

const panels = {
  table(place, chosen, window) {
    const by = [...new Set([chosen.by, chosen.then].filter(Boolean))], rows = grouped(traces, by, window);
    const place0 = by.indexOf("trace"), of = row => (place0 < 0 ? 0 : row.key[place0]), all = [0, 0];
    for (const row of rows) all[of(row)] += row.sum;
    for (const row of rows) row.share = row.sum / (all[of(row)] || 1);
    if (String(by) !== page.made.by) {
      page.made.by = String(by);
      page.made.table = groupTable(place, by, fields, group => only(by.map((field, i) => [field, group.key[i]])));
    }
    page.made.table.fill(rows);
  },

  events(place) {
    page.made.events ??= eventTable(place, fields, traces.length > 1, row => page.choose(row.trace.id, row.i));
    page.made.events.fill(eventsIn(traces, mover));
  },

  bandwidth(place) {
    page.made.bandwidth ??= bandwidthTable(place, traces.length > 1);
    page.made.bandwidth.fill(bandwidthRows(traces));
  },

  scatter(place, chosen, window) {
    const plot = page.made.scatter ??= new Scatter($("scatter"), jump), what = MEASURES[chosen.measure], by = AGAINST[chosen.against];
    const points = measured(traces, chosen.measure, chosen.against, window);
    $("scatter-said").textContent = plot.draw(theme, page.timelines, points, chosen);
    new DataTable(place, { caption: `${what.name} against ${by.name}, in ten parts`, columns: [
      fixed("from", r => r.from, by.text), fixed("to", r => r.to, by.text), fixed("points", r => r.count, plain),
      fixed("least", r => r.least, what.text), fixed("median", r => r.middle, what.text), fixed("most", r => r.most, what.text)],
    }).fill(plot.rows());
    $("scatter-largest").replaceChildren(...plot.largest().map(({ y, trace, event }) => {
      const { call, rank, title } = traces[trace], where = traces.length > 1 ? `, ${title}` : "";
      const text = `${what.text(y)}: ${names.calls[call[event]]} on rank ${rank[event]}${where}`;
      return make("li", {}, button(text, () => jump(trace, event)));
    }));
  },

  histogram(place, chosen, window) {
    const plot = page.made.histogram ??= new Histogram($("histogram"), bin => page.made.act?.(bin));
    const what = MEASURES[chosen.measure], points = measured(traces, chosen.measure, "start", window);
    page.made.act = chosen.measure === "duration" ? bin => only([["duration", [bin.from, bin.to]]]) : null;
    $("histogram-said").textContent = plot.draw(theme, page.timelines, points, chosen);
    new DataTable(place, { caption: `How many of which ${what.name}`, act: page.made.act, said: "show only these events", columns: [
      fixed("from", b => b.from, what.text), fixed("below", b => b.to, to => (to < Infinity ? what.text(to) : "no limit")),
      fixed("count", b => b.count, plain)],
    }).fill(plot.bins.filter(bin => bin.count));
  },
};

const fixed = (name, value, text) => ({ name, value, text: row => text(value(row)), fixed: true });

function jump(trace, event) {
  page.choose(trace, event, true);
  $(`timeline-${trace}`).scrollIntoView({ block: "nearest" });
}

/** Fills the open tab. */
function fill() {
  if (!ready) return;
  const chosen = settings(opened);
  panels[opened]($(`${opened}-table`), chosen, chosen.inside ? mover : null);
}

function open(name, focus) {
  opened = name;
  for (const tab of tabs) {
    const on = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !on;
    if (on && focus) tab.focus();
  }
  fill();
}

function startTabs() {
  tabs.forEach((tab, i) => {
    const go = to => open(tabs[(to + tabs.length) % tabs.length].id.slice(4), true);
    tab.addEventListener("click", () => open(tab.id.slice(4)));
    tab.addEventListener("keydown", event => {
      const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    });
  });
  for (const form of document.querySelectorAll("[role=tabpanel] form")) form.addEventListener("change", fill);
}
