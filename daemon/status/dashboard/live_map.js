// SPDX-License-Identifier: MIT
// The live map of an arena: its event stream, drawn between two events by interpolation.

import {colour, colourOf, find, prepareCanvas, say} from "./page.js";
import {follow, get} from "./net.js";

const MAP_MS = 1000;      // minimum time between two requests for the map
const EVENT_MS = 100;     // between two events
const MAX_NAMES = 32; // maximum number of players with names on the map
const NARROW = 600;       // width of the map in pixels up to which names are hidden
const NAME_LETTERS = 16;  // of a name on the map

let arena = "", unfollow = null, names = new Map();
let map = null, before = null, now = null, nowAt = 0, mapAt = 0, delayMs = 0, frame = 0;

function trace(context, points, toCanvas) {
  context.beginPath();
  for (let i = 0; i < points.length; i += 2)
    context.lineTo(...toCanvas(points[i], points[i + 1]));
  context.closePath();
}

// Interpolates a player's position between the last two events. New players and jumps of more than
// 300 units are not interpolated.
function interpolate(player, share) {
  const old = before && before.players.find(other => other[0] === player[0]);
  const [, x, y] = player;
  if (!old || Math.hypot(x - old[1], y - old[2]) > 300)
    return [x, y];
  return [old[1] + (x - old[1]) * share, old[2] + (y - old[2]) * share];
}

function shorten(name) {
  const letters = [...name];
  return letters.length > NAME_LETTERS ? `${letters.slice(0, NAME_LETTERS - 1).join("")}\u2026` : name;
}

function drawPlayers(context, toCanvas, scale) {
  const share = Math.min(1, (performance.now() - nowAt) / EVENT_MS);
  const radius = Math.max(3, map.player_radius * scale);
  context.font = getComputedStyle(find("caption")).font;
  context.textAlign = "center";
  const named = now.players.length <= MAX_NAMES && find("live").clientWidth > NARROW;
  for (const player of now.players) {
    const [x, y] = toCanvas(...interpolate(player, share));
    const angle = player[3] / 65536 * 2 * Math.PI;
    context.strokeStyle = context.fillStyle = colourOf(player[0]);
    context.lineWidth = Math.max(1.5, radius / 4);
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 1.7 * radius * Math.cos(angle), y - 1.7 * radius * Math.sin(angle));
    context.stroke();
    if (player[4]) {
      context.beginPath();
      context.arc(x, y, 1.5 * radius, 0, 2 * Math.PI);
      context.stroke();
    }
    if (named) {
      context.fillStyle = colour("--ink");
      context.fillText(shorten(names.get(player[0]) || ""), x, y - radius - 5);
    }
  }
}

function draw() {
  const {context, width, height} = prepareCanvas(find("live"));
  if (!map)
    return;
  const [left, bottom, right, top] = map.border, margin = 8;
  const scale = Math.min((width - 2 * margin) / (right - left),
                         (height - 2 * margin) / (top - bottom));
  const toCanvas = (x, y) => [width / 2 + (x - (left + right) / 2) * scale,
                           height / 2 - (y - (bottom + top) / 2) * scale];
  context.strokeStyle = context.fillStyle = colour("--wall");
  context.lineWidth = 2;
  trace(context, [left, bottom, right, bottom, right, top, left, top], toCanvas);
  context.stroke();
  for (const obstacle of map.obstacles) {
    trace(context, obstacle, toCanvas);
    context.fill();
  }
  if (!now)
    return;
  context.fillStyle = colour("--bullet");
  for (const bullet of now.bullets) {
    context.beginPath();
    context.arc(...toCanvas(...bullet), Math.max(1.5, 4 * scale), 0, 2 * Math.PI);
    context.fill();
  }
  drawPlayers(context, toCanvas, scale);
}

function animate() {
  draw();
  frame = performance.now() - nowAt < EVENT_MS ? requestAnimationFrame(animate) : 0;
}

export function redrawMap() {
  if (!frame)
    frame = requestAnimationFrame(animate);
}

function caption(trouble) {
  const late = delayMs > 0 ? `shown with the spectator delay of ${delayMs / 1000} s` : "live";
  const waits = delayMs > 0 && !now ? "; waiting for the first event" : "";
  const alive = now ? `, ${now.players.length} alive` : "";
  say(find("caption"), trouble || `${late}${waits}`);
  find("live").setAttribute("aria-label", `Live map of ${arena}${alive}`);
}

async function loadMap() {
  const name = arena;
  mapAt = performance.now();
  const got = await get(`arenas/${encodeURIComponent(name)}/map`).catch(() => null);
  if (arena !== name || !got)
    return;
  map = got;
  const [left, bottom, right, top] = map.border;
  find("live").style.aspectRatio = (right - left) / (top - bottom);
  redrawMap();
}

function take(event) {
  if (event.kind === "hello") {
    delayMs = JSON.parse(event.data).delay_ms;
    before = now = null;
    caption();
    return;
  }
  [before, now, nowAt] = [now, JSON.parse(event.data), performance.now()];
  if (before && before.map !== now.map)
    before = null;
  if ((!map || map.hash !== now.map) && nowAt - mapAt > MAP_MS)
    loadMap();
  caption();
  redrawMap();
}

export const isWatching = () => unfollow !== null;

export function watch(name) {
  unwatch();
  arena = name;
  map = before = now = null;
  caption("connecting");
  redrawMap();
  loadMap();
  unfollow = follow(`arenas/${encodeURIComponent(name)}/stream`, take,
                    status => caption(status === 503 ? "too many viewers at the moment"
                                                     : "connection lost, trying again"));
}

export function unwatch() {
  unfollow?.();
  unfollow = null;
}

export function nameOnMap(players) {
  names = new Map(players.map(player => [player.id, player.name]));
}
