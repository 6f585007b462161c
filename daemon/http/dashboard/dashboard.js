// SPDX-License-Identifier: MIT
// The dashboard: figures from /status and /metrics every two seconds, positions from the stream of
// the arena that is chosen. Nothing is asked for while nobody looks at the page.

const POLL_MS = 2000;
const KEPT = 150;            // polls that the plots show: five minutes
const MAP_MS = 1000;         // between two tries to get the map that is played on
const EVENT_MS = 100;        // between two positions; what is drawn glides from one to the next
const NAMES_AT_MOST = 32;    // players on a map, beyond which their names would hide them
const NARROW = 600;          // pixels of a map, up to which they would too

const find = id => document.getElementById(id);
const kept = new Map();      // of each arena: {ticks: [[p50, p99]], traffic: [[out, in]], last}
let status = null, statusAt = 0, busy = null;
let chosen = decodeURIComponent(location.hash.slice(1));
let source = null, map = null, before = null, now = null, nowAt = 0, mapAt = 0, delayMs = 0;
let names = new Map(), pollTimer = 0, clockTimer = 0, frame = 0;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function colourOf(id) {
  return `hsl(${(id & 1023) * 137.5 % 360} 70% ${colour("--luminance")})`;
}

// A canvas's context in CSS pixels, emptied, whatever the display's density.
function paper(canvas) {
  const scale = devicePixelRatio || 1, {clientWidth: width, clientHeight: height} = canvas;
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== w || canvas.height !== h)
    [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return {context, width, height};
}

// --- The map ---

function trace(context, points, place) {
  context.beginPath();
  for (let i = 0; i < points.length; i += 2)
    context.lineTo(...place(points[i], points[i + 1]));
  context.closePath();
}

// Where players are between the last two events; who has just come or jumped is not moved.
function glide(player, share) {
  const old = before && before.players.find(other => other[0] === player[0]);
  const [, x, y] = player;
  if (!old || Math.hypot(x - old[1], y - old[2]) > 300)
    return [x, y];
  return [old[1] + (x - old[1]) * share, old[2] + (y - old[2]) * share];
}

function drawPlayers(context, place, scale) {
  const share = Math.min(1, (performance.now() - nowAt) / EVENT_MS);
  const radius = Math.max(3, map.player_radius * scale);
  context.font = getComputedStyle(find("caption")).font;
  context.textAlign = "center";
  const named = now.players.length <= NAMES_AT_MOST && find("live").clientWidth > NARROW;
  for (const player of now.players) {
    const [x, y] = place(...glide(player, share));
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
      context.fillText(names.get(player[0]) || "", x, y - radius - 5);
    }
  }
}

function drawMap() {
  const {context, width, height} = paper(find("live"));
  if (!map)
    return;
  const [left, bottom, right, top] = map.border, margin = 8;
  const scale = Math.min((width - 2 * margin) / (right - left),
                         (height - 2 * margin) / (top - bottom));
  const place = (x, y) => [width / 2 + (x - (left + right) / 2) * scale,
                           height / 2 - (y - (bottom + top) / 2) * scale];
  context.strokeStyle = context.fillStyle = colour("--wall");
  context.lineWidth = 2;
  trace(context, [left, bottom, right, bottom, right, top, left, top], place);
  context.stroke();
  for (const obstacle of map.obstacles) {
    trace(context, obstacle, place);
    context.fill();
  }
  if (!now)
    return;
  context.fillStyle = colour("--bullet");
  for (const bullet of now.bullets) {
    context.beginPath();
    context.arc(...place(...bullet), Math.max(1.5, 4 * scale), 0, 2 * Math.PI);
    context.fill();
  }
  drawPlayers(context, place, scale);
}

function animate() {
  drawMap();
  frame = performance.now() - nowAt < EVENT_MS ? requestAnimationFrame(animate) : 0;
}

function wantFrame() {
  if (!frame)
    frame = requestAnimationFrame(animate);
}

function caption(trouble) {
  const late = delayMs > 0 ? `shown ${delayMs / 1000} s late, as to every spectator` : "live";
  const waits = delayMs > 0 && !now ? "; the first picture comes then" : "";
  const count = now ? `, ${now.players.length} alive` : "";
  const text = trouble || `${late}${waits}`;
  if (find("caption").textContent !== text)
    find("caption").textContent = text;
  find("live").setAttribute("aria-label", `Live map of ${chosen}${count}`);
}

function loadMap() {
  const name = chosen;
  mapAt = performance.now();
  fetch(`/arenas/${encodeURIComponent(name)}/map`).then(answer => answer.json()).then(got => {
    if (chosen !== name)
      return;
    map = got;
    const [left, bottom, right, top] = map.border;
    find("live").style.aspectRatio = (right - left) / (top - bottom);
    wantFrame();
  }).catch(() => {});
}

function watch() {
  unwatch();
  map = before = now = null;
  caption("connecting");
  wantFrame();
  loadMap();
  source = new EventSource(`/arenas/${encodeURIComponent(chosen)}/stream`);
  source.addEventListener("hello", event => {
    delayMs = JSON.parse(event.data).delay_ms;
    before = now = null;
    caption();
  });
  source.onmessage = event => {
    [before, now, nowAt] = [now, JSON.parse(event.data), performance.now()];
    if (before && before.map !== now.map)
      before = null;
    if ((!map || map.hash !== now.map) && nowAt - mapAt > MAP_MS)
      loadMap();
    caption();
    wantFrame();
  };
  source.onerror = () => caption(source.readyState === EventSource.CLOSED
    ? "too many viewers at the moment" : "connection lost, trying again");
}

function unwatch() {
  if (source)
    source.close();
  source = null;
}

// --- The figures ---

// Two lines over time; the scale shows `least` at least.
function plot(canvas, rows, least, unit) {
  const {context, width, height} = paper(canvas), bottom = height - 4;
  const top = 1.5 * parseFloat(getComputedStyle(canvas).fontSize);
  const most = Math.max(least, ...rows.flat());
  const step = 10 ** Math.floor(Math.log10(most));
  const limit = [1, 2, 5, 10].map(factor => factor * step).find(limit => limit >= most) || most;
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
  context.lineWidth = 2;
  ["--second", "--first"].forEach((name, turn) => {
    context.strokeStyle = colour(name);
    context.beginPath();
    rows.forEach((row, i) => context.lineTo(
      width - (rows.length - 1 - i) * width / (KEPT - 1),
      bottom - row[turn === 0 ? 1 : 0] / limit * (bottom - top)));
    context.stroke();
  });
}

const duration = us => us >= 1000 ? `${+(us / 1000).toPrecision(3)} ms`
  : `${Math.round(us)} \u00b5s`;
const rate = bytes => bytes >= 1e6 ? `${+(bytes / 1e6).toPrecision(3)} MB/s`
  : `${+(bytes / 1e3).toPrecision(3)} kB/s`;

function remember(arenas) {
  for (const arena of arenas) {
    const past = kept.get(arena.name) || {ticks: [], traffic: [], last: null};
    const at = performance.now(), seconds = past.last ? (at - past.last.at) / 1000 : 0;
    past.ticks.push([arena.tick_us.p50, arena.tick_us.p99]);
    if (past.last && arena.bytes_out >= past.last.out)
      past.traffic.push([(arena.bytes_out - past.last.out) / seconds,
                         (arena.bytes_in - past.last.in) / seconds]);
    past.last = {at, out: arena.bytes_out, in: arena.bytes_in};
    for (const rows of [past.ticks, past.traffic])
      rows.splice(0, rows.length - KEPT);
    kept.set(arena.name, past);
  }
}

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className)
    made.className = className;
  return made;
}

function showArenas(arenas) {
  const field = find("arenas");
  const listed = [...field.querySelectorAll("input")].map(input => input.value).join();
  if (listed !== arenas.map(arena => arena.name).join()) {
    field.querySelectorAll("label").forEach(label => label.remove());
    for (const arena of arenas) {
      const label = element("label", ""), input = element("input", "");
      Object.assign(input, {type: "radio", name: "arena", value: arena.name});
      input.checked = arena.name === chosen;
      input.addEventListener("change", () => choose(arena.name));
      label.append(input, element("span", ""));
      field.append(label);
    }
  }
  arenas.forEach((arena, i) => {
    const words = field.querySelectorAll("label span")[i];
    words.textContent = `${arena.name} ${arena.players.length}` +
      (arena.overloaded ? " overloaded" : "");
    words.classList.toggle("overloaded", arena.overloaded);
  });
}

function showPlayers(arena) {
  const rows = [...arena.players].sort((a, b) => b.score - a.score || a.deaths - b.deaths);
  names = new Map(rows.map(player => [player.id, player.name]));
  find("players").replaceChildren(...rows.map(player => {
    const row = element("tr", ""), name = element("td", ""), dot = element("span", "", "dot");
    dot.style.background = colourOf(player.id);
    name.append(dot, player.name);
    row.append(name, element("td", player.score), element("td", player.deaths),
               element("td", player.bot ? "bot" : player.away ? "away" : `${player.ping_ms} ms`));
    return row;
  }));
}

// The share of the time between two readings that each worker was busy.
function showWorkers(text) {
  const at = performance.now(), read = new Map();
  for (const [, worker, seconds] of
    text.matchAll(/^raimd_worker_busy_seconds_total\{worker="(\d+)"\} (\S+)$/gm))
    read.set(worker, Number(seconds));
  if (busy)
    find("workers").replaceChildren(...[...read].map(([worker, seconds]) => {
      const label = element("label", `worker ${worker}`), meter = element("meter", "");
      const share = (seconds - (busy.read.get(worker) ?? seconds)) / (at - busy.at) * 1000;
      Object.assign(meter, {min: 0, max: 1, high: 0.7, value: Math.max(0, Math.min(1, share))});
      label.append(meter, element("span", `${(100 * meter.value).toFixed(1)} %`));
      return label;
    }));
  busy = {at, read};
}

// "4:05", or "8 s" of the last minute.
function clock(seconds) {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s`
    : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// Round, phase, clock and winner; the clock goes on between two polls.
function showRound() {
  const arena = status && status.arenas.find(arena => arena.name === chosen);
  if (!arena)
    return;
  const {number, phase, left_s, score_limit, winner} = arena.round;
  const passed = phase === "paused" ? 0 : (performance.now() - statusAt) / 1000;
  const left = left_s === null ? "" : clock(Math.max(0, left_s - passed));
  const words = [`Round ${number}`];
  if (phase === "break")
    words.push(winner === null ? "nobody alone has won" : `${winner} has won`,
               left && `the next begins in ${left}`);
  else
    words.push(phase === "paused" && "paused", left && `${left} left`,
               score_limit > 0 && `to ${score_limit} points`);
  const told = words.filter(Boolean), text = told.length > 1 ? told.join(" \u00b7 ") : "";
  if (find("round").textContent !== text)
    find("round").textContent = text;
}

function showChosen() {
  showRound();
  const arena = status && status.arenas.find(arena => arena.name === chosen);
  if (!arena)
    return;
  const past = kept.get(chosen), last = rows => rows[rows.length - 1] || [0, 0];
  showPlayers(arena);
  const trouble = arena.overloaded ? "overloaded: ticks are late or skipped" : "";
  if (find("overload").textContent !== trouble)
    find("overload").textContent = trouble;
  find("p50").textContent = `p50 ${duration(last(past.ticks)[0])}`;
  find("p99").textContent = `p99 ${duration(last(past.ticks)[1])}`;
  find("out").textContent = `out ${rate(last(past.traffic)[0])}`;
  find("in").textContent = `in ${rate(last(past.traffic)[1])}`;
  plot(find("ticks"), past.ticks, 10, duration);
  plot(find("traffic"), past.traffic, 1000, rate);
}

function uptime(seconds) {
  const [days, hours, minutes] =
    [seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60].map(Math.floor);
  return days ? `${days} d ${hours} h` : hours ? `${hours} h ${minutes} min`
    : minutes ? `${minutes} min` : `${seconds} s`;
}

function choose(name) {
  chosen = name;
  history.replaceState(null, "", `#${encodeURIComponent(name)}`);
  if (name)
    watch();
  else
    unwatch();
  showChosen();
}

async function poll() {
  try {
    const [told, metrics] = await Promise.all([
      fetch("/status").then(answer => answer.json()),
      fetch("/metrics").then(answer => answer.text())]);
    if (document.hidden)
      return;
    [status, statusAt] = [told, performance.now()];
    const {players} = status;
    find("version").textContent = status.version;
    find("summary").textContent = `up ${uptime(status.uptime_s)} \u00b7 ${players.now} of` +
      ` ${players.max} players \u00b7 ${players.bots} bots \u00b7 ${players.spectators} spectators`;
    remember(status.arenas);
    showWorkers(metrics);
    if (!status.arenas.some(arena => arena.name === chosen))
      choose(status.arenas[0]?.name ?? "");
    else if (!source)
      watch();
    showArenas(status.arenas);
    showChosen();
  } catch {
    find("summary").textContent = "raimd does not answer";
  }
}

function look() {
  clearInterval(pollTimer);
  clearInterval(clockTimer);
  unwatch();
  if (document.hidden)
    return;
  poll();
  pollTimer = setInterval(poll, POLL_MS);
  clockTimer = setInterval(showRound, 1000);
}

document.addEventListener("visibilitychange", look);
addEventListener("resize", () => { wantFrame(); showChosen(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
  () => { wantFrame(); showChosen(); });
addEventListener("hashchange", () => {
  const name = decodeURIComponent(location.hash.slice(1));
  const input = [...find("arenas").querySelectorAll("input")].find(input => input.value === name);
  if (input && name !== chosen) {
    input.checked = true;
    choose(name);
  }
});
look();
