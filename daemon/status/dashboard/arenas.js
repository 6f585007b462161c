// SPDX-License-Identifier: MIT
// The table of arenas: filtered by what is typed, sorted by a click on a column, with a radio button
// in each row that chooses the arena.

import {count, duration, element, find, say} from "./page.js";

const FILTERED_FROM = 8; // arenas from which on a filter is shown

// Each column: what it shows, what it is sorted by. A number is sorted from the largest.
const COLUMNS = [
  {title: "Arena", text: arena => arena.name, key: arena => arena.name, isText: true},
  {title: "Name", text: hostname, key: hostname, isText: true, className: "wide",
   note: "as server browsers show it"},
  {title: "Map", text: arena => arena.map, key: arena => arena.map, isText: true, className: "wide"},
  {title: "Players", text: arena => `${arena.players}/${arena.max}` +
    (arena.bots ? ` +${arena.bots}` : ""), key: arena => arena.players,
   note: "players of at most, and bots"},
  {title: "Ping", text: arena => arena.ping_ms ? `${arena.ping_ms[0]}\u2013${arena.ping_ms[1]} ms` : "",
   key: arena => arena.ping_ms?.[1] ?? -1, note: "median and 90th percentile"},
  {title: "Tick", text: arena => duration(arena.tick_us[1]), key: arena => arena.tick_us[1], className: "wide",
   note: "99th percentile of a tick's duration"},
  {title: "Late by", text: arena => duration(arena.late_p99_us), key: arena => arena.late_p99_us,
   className: "wide",
   note: "99th percentile of the delay of ticks"},
  {title: "Late, skipped", text: arena => `${count(arena.late)}, ${count(arena.skipped)}`,
   key: arena => arena.late + arena.skipped, className: "wide", note: "ticks since the start"},
  {title: "Rejected", text: arena => count(arena.rejections), key: arena => arena.rejections,
   className: "wide", note: "datagrams and messages since the start"},
  {title: "Joins", text: arena => count(arena.joins), key: arena => arena.joins, className: "wide",
   note: "since the start"},
  {title: "State", text: state, key: arena => state(arena), isText: true},
];

let arenas = [], sortedBy = null, isReversed = false, onChoose = () => {};
const rows = new Map(); // by the arena's name

function hostname(arena) {
  return arena.hostname === arena.name ? "" : arena.hostname;
}

function state(arena) {
  return arena.overloaded ? "overloaded"
    : arena.interval > 1 ? `snapshot every ${arena.interval} ticks` : arena.phase;
}

function makeRow(name) {
  const row = element("tr", ""), label = element("label", ""), input = element("input", "");
  Object.assign(input, {type: "radio", name: "arena", value: name});
  input.addEventListener("change", () => onChoose(name));
  label.append(input, element("span", ""));
  COLUMNS.forEach((column, i) => row.append(element("td", "", [column.isText && "text",
                                                               column.className]
    .filter(Boolean).join(" "))));
  row.cells[0].append(label);
  row.addEventListener("click", event => event.target.closest("label") || input.click());
  return row;
}

function fillRow(row, arena, chosen) {
  COLUMNS.forEach((column, i) => {
    const text = column.text(arena);
    say(i === 0 ? row.cells[0].querySelector("span") : row.cells[i], text);
    if (column.isText)
      row.cells[i].title = text;
  });
  row.classList.toggle("overloaded", arena.overloaded);
  row.classList.toggle("chosen", arena.name === chosen);
  row.querySelector("input").checked = arena.name === chosen;
}

function compare(a, b) {
  if (!sortedBy)
    return 0;
  const [x, y] = [sortedBy.key(a), sortedBy.key(b)];
  const order = sortedBy.isText ? x.localeCompare(y) : y - x;
  return isReversed ? -order : order;
}

function isShown(arena) {
  const wanted = find("filter").value.toLowerCase();
  return [arena.name, arena.hostname, arena.map, state(arena)]
    .some(text => text.toLowerCase().includes(wanted));
}

export function showArenas(list, chosen) {
  arenas = list;
  for (const [name] of rows)
    if (!arenas.some(arena => arena.name === name))
      rows.delete(name);
  for (const arena of arenas) {
    if (!rows.has(arena.name))
      rows.set(arena.name, makeRow(arena.name));
    fillRow(rows.get(arena.name), arena, chosen);
  }
  const shown = arenas.filter(isShown).sort(compare).map(arena => rows.get(arena.name));
  const body = find("arenas"), focused = document.activeElement;
  if (shown.length !== body.rows.length || shown.some((row, i) => row !== body.rows[i])) {
    body.replaceChildren(...shown);
    if (focused && body.contains(focused))
      focused.focus(); // a moved element loses it
  }
  find("filter").hidden = arenas.length < FILTERED_FROM;
  say(find("arenas-count"), arenas.length < FILTERED_FROM ? ""
    : shown.length < arenas.length ? `${shown.length} of ${arenas.length}` : arenas.length);
}

function sortBy(column, chosen) {
  isReversed = sortedBy === column && !isReversed;
  sortedBy = column;
  [...find("arenas-head").cells].forEach((cell, i) => {
    if (COLUMNS[i] === column)
      cell.setAttribute("aria-sort", column.isText !== isReversed ? "ascending" : "descending");
    else
      cell.removeAttribute("aria-sort");
  });
  showArenas(arenas, chosen());
}

// `chosen` returns the name of the chosen arena; `choose` is called with another one.
export function openArenas(chosen, choose) {
  onChoose = choose;
  find("arenas-head").replaceChildren(...COLUMNS.map(column => {
    const cell = element("th", "", [column.isText && "text", column.className].filter(Boolean).join(" "));
    const button = element("button", column.title);
    Object.assign(button, {type: "button", title: column.note ?? ""});
    button.addEventListener("click", () => sortBy(column, chosen));
    cell.scope = "col";
    cell.append(button);
    return cell;
  }));
  find("filter").addEventListener("input", () => showArenas(arenas, chosen()));
}
