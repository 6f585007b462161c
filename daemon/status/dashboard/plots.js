// SPDX-License-Identifier: MIT
// The last hour in plots, from the server's own samples: of the chosen arena, and of the workers.

import {ago, colour, count, duration, element, find, milliseconds, percent, prepareCanvas, rate, say}
  from "./page.js";
import {get} from "./net.js";

const MIN_SAMPLES = 30; // that a plot is wide: five minutes; at most the server's hour

// Each plot: its title, its series by the names of the samples' columns, the smallest scale.
const PLOTS = [
  {id: "players", title: "Players", unit: count, least: 4,
   series: [["players", "players"], ["spectators", "spectators"]]},
  {id: "tick", title: "Tick time", unit: duration, least: 100,
   series: [["tick_p50_us", "p50"], ["tick_p99_us", "p99"]]},
  {id: "lateness", title: "Lateness of ticks", unit: duration, least: 100,
   series: [["late_p99_us", "p99"]]},
  {id: "late", title: "Ticks late and skipped", unit: count, least: 4, sums: true,
   series: [["late_ticks", "late"], ["skipped_ticks", "skipped"]]},
  {id: "ping", title: "Ping", unit: milliseconds, least: 20,
   series: [["ping_p50_ms", "p50"], ["ping_p90_ms", "p90"]]},
  {id: "joins", title: "Joins and leaves", unit: count, least: 4, sums: true,
   series: [["joins", "joins"], ["leaves", "leaves"]]},
  {id: "rejections", title: "Rejections", unit: count, least: 4, sums: true,
   series: [["rejections", "datagrams and messages"]]},
  {id: "traffic", title: "Traffic", unit: rate, least: 1000,
   series: [["bytes_out_s", "out"], ["bytes_in_s", "in"]]},
];
const COLOURS = ["--first", "--second", "--third", "--fourth"];

let everyS = 10, arena = {count: 0}, server = {count: 0}, chosen = "";

function makePlot({id, title, series, note}) {
  const section = element("section", ""), canvas = element("canvas", "", "plot");
  const legend = element("p", "", "legend");
  section.append(element("h2", title), legend, canvas);
  section.dataset.plot = id;
  section.querySelector("h2").id = `plot-${id}`;
  section.setAttribute("aria-labelledby", `plot-${id}`);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-labelledby", `plot-${id}`);
  if (note)
    section.title = note;
  series.forEach((_, i) => legend.append(element("span", "", ["first", "second", "third",
                                                              "fourth"][i % 4])));
  return section;
}

// Draws rows of numbers, the newest at the right, and shades the times of overload.
function drawPlot(canvas, rows, overloaded, {least, unit}) {
  const {context, width, height} = prepareCanvas(canvas), top = 16, bottom = height - 1;
  if (width === 0)
    return;
  const limit = 1.1 * rows.reduce((most, row) => row.reduce((a, b) => Math.max(a, b), most), least);
  const samples = Math.max(MIN_SAMPLES, overloaded.length, ...rows.map(row => row.length));
  const step = width / (samples - 1), at = (i, length) => width - (length - 1 - i) * step;
  context.fillStyle = colour("--alarm");
  overloaded.forEach((is, i) => is && context.fillRect(at(i, overloaded.length) - step, top, step,
                                                       bottom - top));
  context.font = getComputedStyle(canvas).font;
  context.strokeStyle = colour("--line");
  context.fillStyle = colour("--soft");
  context.lineWidth = 1;
  for (const y of [top, (top + bottom) / 2, bottom]) {
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
  }
  context.fillText(unit(limit), 0, top - 4);
  context.textAlign = "right";
  context.fillText(`last ${ago(samples * everyS)}`, width, top - 4);
  context.textAlign = "left";
  context.lineWidth = 1.5;
  rows.forEach((row, turn) => {
    context.strokeStyle = colour(COLOURS[turn % COLOURS.length]);
    context.beginPath();
    row.forEach((value, i) => context.lineTo(at(i, row.length),
                                             bottom - value / limit * (bottom - top)));
    if (row.length === 1)
      context.lineTo(width - 3, bottom - row[0] / limit * (bottom - top));
    context.stroke();
  });
}

function showPlot(section, plot, history) {
  const rows = plot.series.map(([column]) => history[column] ?? []);
  const words = section.querySelectorAll(".legend span");
  plot.series.forEach(([, name], i) => {
    const row = rows[i], newest = row.length ? row[row.length - 1] : 0;
    const sum = row.reduce((a, b) => a + b, 0);
    say(words[i], `${name} ${plot.unit(plot.sums ? sum : newest)}`);
  });
  drawPlot(section.querySelector("canvas"), rows, history.overloaded ?? [], plot);
}

function workersPlot() {
  return {id: "workers", title: "Workers' load", unit: percent, least: 100,
          series: (server.workers_permille ?? []).map((_, i) => [i, `worker ${i}`])};
}

export function redrawPlots() {
  const plots = find("plots");
  const workers = workersPlot();
  const wanted = [...PLOTS, workers];
  const signature = `${workers.series.length}`;
  if (plots.dataset.made !== signature) {
    plots.replaceChildren(...wanted.map(makePlot));
    plots.dataset.made = signature;
  }
  wanted.forEach((plot, i) => showPlot(plots.children[i], plot,
                                       plot === workers ? server.workers_permille ?? [] : arena));
}

// Loads the samples of an arena and of the server anew.
export async function loadPlots(name) {
  chosen = name;
  const [ofArena, ofServer] = await Promise.all([
    name ? get(`arenas/${encodeURIComponent(name)}/history`) : {count: 0}, get("history")]);
  if (chosen !== name)
    return;
  [arena, server, everyS] = [ofArena, ofServer, ofServer.every_s];
  redrawPlots();
}
