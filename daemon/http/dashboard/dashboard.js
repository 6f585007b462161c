// SPDX-License-Identifier: MIT
// The dashboard: polls /status and /metrics every two seconds and reads the event stream of the
// chosen arena. A hidden page sends no requests.

const POLL_MS = 2000;
const HISTORY_POLLS = 150;            // number of polls in the plots: five minutes
const RECORDINGS_MS = 10000; // between two requests for the recordings
const LEADERS_MS = 10000;     // between two requests for the leaderboard
const MAP_MS = 1000;         // minimum time between two requests for the map
const EVENT_MS = 100;        // between two events; positions are interpolated
const NAMES_AT_MOST = 32;    // maximum number of players with names on the map
const NARROW = 600;          // width of the map in pixels up to which names are hidden

const find = id => document.getElementById(id);
const histories = new Map();      // per arena: {ticks: [[p50, p99]], traffic: [[out, in]], last}
let status = null, statusAt = 0, busy = null;
let chosen = decodeURIComponent(location.hash.slice(1));
let source = null, map = null, before = null, now = null, nowAt = 0, mapAt = 0, delayMs = 0;
let recordings = "", recordingsAt = -RECORDINGS_MS, nextRecording = null, showsOlder = false;
let leadersAt = -Infinity;
let names = new Map(), pollTimer = 0, clockTimer = 0, frame = 0;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function colourOf(id) {
  return `hsl(${(id & 1023) * 137.5 % 360} 70% ${colour("--luminance")})`;
}

// Clears a canvas and returns its context with CSS pixels as units, for any display density.
function prepareCanvas(canvas) {
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

function drawPlayers(context, toCanvas, scale) {
  const share = Math.min(1, (performance.now() - nowAt) / EVENT_MS);
  const radius = Math.max(3, map.player_radius * scale);
  context.font = getComputedStyle(find("caption")).font;
  context.textAlign = "center";
  const named = now.players.length <= NAMES_AT_MOST && find("live").clientWidth > NARROW;
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
      context.fillText(names.get(player[0]) || "", x, y - radius - 5);
    }
  }
}

function drawMap() {
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
  drawMap();
  frame = performance.now() - nowAt < EVENT_MS ? requestAnimationFrame(animate) : 0;
}

function requestFrame() {
  if (!frame)
    frame = requestAnimationFrame(animate);
}

function caption(trouble) {
  const late = delayMs > 0 ? `shown with the spectator delay of ${delayMs / 1000} s` : "live";
  const waits = delayMs > 0 && !now ? "; waiting for the first event" : "";
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
    requestFrame();
  }).catch(() => {});
}

function watch() {
  unwatch();
  map = before = now = null;
  caption("connecting");
  requestFrame();
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
    requestFrame();
  };
  source.onerror = () => caption(source.readyState === EventSource.CLOSED
    ? "too many viewers at the moment" : "connection lost, trying again");
}

function unwatch() {
  if (source)
    source.close();
  source = null;
}

// --- Figures ---

// Plots two series over time. The scale covers at least `least`.
function plot(canvas, rows, least, unit) {
  const {context, width, height} = prepareCanvas(canvas), bottom = height - 4;
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
      width - (rows.length - 1 - i) * width / (HISTORY_POLLS - 1),
      bottom - row[turn === 0 ? 1 : 0] / limit * (bottom - top)));
    context.stroke();
  });
}

const duration = us => us >= 1000 ? `${+(us / 1000).toPrecision(3)} ms`
  : `${Math.round(us)} \u00b5s`;
const rate = bytes => bytes >= 1e6 ? `${+(bytes / 1e6).toPrecision(3)} MB/s`
  : `${+(bytes / 1e3).toPrecision(3)} kB/s`;

function recordHistory(arenas) {
  for (const arena of arenas) {
    const history = histories.get(arena.name) || {ticks: [], traffic: [], last: null};
    const at = performance.now(), seconds = history.last ? (at - history.last.at) / 1000 : 0;
    history.ticks.push([arena.tick_us.p50, arena.tick_us.p99]);
    if (history.last && arena.bytes_out >= history.last.out)
      history.traffic.push([(arena.bytes_out - history.last.out) / seconds,
                         (arena.bytes_in - history.last.in) / seconds]);
    history.last = {at, out: arena.bytes_out, in: arena.bytes_in};
    for (const rows of [history.ticks, history.traffic])
      rows.splice(0, rows.length - HISTORY_POLLS);
    histories.set(arena.name, history);
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

// Names are what players chose, unless an access token vouches for them.
function showLeaders(players) {
  find("leaders").replaceChildren(...players.map(player => {
    const row = element("tr", ""), name = element("td", player.name,
                                                  player.verified ? "" : "unverified");
    name.title = player.verified ? "verified by an access token" : "unverified name";
    row.append(name, element("td", player.score), element("td", player.wins),
               element("td", player.rounds));
    return row;
  }));
}

// Without results, or while the server is too busy for them, what was shown stays.
async function loadLeaders() {
  leadersAt = performance.now();
  const period = find("period").value;
  const answer = await fetch(`/leaderboard?period=${period}`);
  if (!answer.ok)
    return;
  const {players} = await answer.json();
  if (period !== find("period").value)
    return;
  find("all-rounds").hidden = false;
  showLeaders(players);
}

// Shows which share of the tick time each stage takes, as a bar and in words.
function showStages(stages) {
  const names = Object.keys(stages), any = names.some(name => stages[name].percent > 0);
  const colourAt = i => `hsl(${210 + i * 72} 55% ${colour("--luminance")})`;
  find("shares").replaceChildren(...names.map((name, i) => {
    const part = element("i", "");
    part.style.background = colourAt(i);
    part.style.width = `${stages[name].percent}%`;
    return part;
  }));
  find("stages").replaceChildren(...(any ? names : []).map((name, i) => {
    const words = element("span", ""), dot = element("i", "", "dot");
    dot.style.background = colourAt(i);
    words.append(dot, `${name} ${Math.round(stages[name].percent)} %`);
    words.title = `p50 ${duration(stages[name].p50)}, p99 ${duration(stages[name].p99)}`;
    return words;
  }));
}

// Shows the utilization of each worker between two polls.
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

// Formats seconds as "4:05", or as "8 s" during the last minute.
function clock(seconds) {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s`
    : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// Shows round, phase, clock and winner. The clock runs on between two polls.
function showRound() {
  const arena = status && status.arenas.find(arena => arena.name === chosen);
  if (!arena)
    return;
  const {number, phase, left_s, score_limit, winner} = arena.round;
  const passed = phase === "paused" ? 0 : (performance.now() - statusAt) / 1000;
  const left = left_s === null ? "" : clock(Math.max(0, left_s - passed));
  const words = [`Round ${number}`];
  if (phase === "break")
    words.push(winner === null ? "no single winner" : `${winner} has won`,
               left && `the next begins in ${left}`);
  else
    words.push(phase === "paused" && "paused", left && `${left} left`,
               score_limit > 0 && `to ${score_limit} points`);
  const shown = words.filter(Boolean), text = shown.length > 1 ? shown.join(" \u00b7 ") : "";
  if (find("round").textContent !== text)
    find("round").textContent = text;
}

function showChosen() {
  showRound();
  const arena = status && status.arenas.find(arena => arena.name === chosen);
  if (!arena)
    return;
  const history = histories.get(chosen), last = rows => rows[rows.length - 1] || [0, 0];
  showPlayers(arena);
  const trouble = arena.overloaded ? "overloaded: ticks are late or skipped"
    : arena.snapshot_interval > 1 ? `busy: a snapshot every ${arena.snapshot_interval} ticks` : "";
  if (find("overload").textContent !== trouble)
    find("overload").textContent = trouble;
  find("p50").textContent = `p50 ${duration(last(history.ticks)[0])}`;
  find("p99").textContent = `p99 ${duration(last(history.ticks)[1])}`;
  find("out").textContent = `out ${rate(last(history.traffic)[0])}`;
  find("in").textContent = `in ${rate(last(history.traffic)[1])}`;
  plot(find("ticks"), history.ticks, 10, duration);
  showStages(arena.stages_us);
  plot(find("traffic"), history.traffic, 1000, rate);
}

// --- Recordings ---

const size = bytes => bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB`
  : `${Math.max(1, Math.round(bytes / 1e3))} kB`;

function recordingRow(recording) {
  const row = element("tr", ""), first = element("td", "");
  const link = element("a", new Date(recording.started_at * 1000)
    .toLocaleString([], {dateStyle: "short", timeStyle: "short"}));
  // Relative, so that the page works behind a proxy that puts it into a folder.
  Object.assign(link, {href: `recordings/${encodeURIComponent(recording.name)}`,
                       download: recording.name, title: recording.name});
  first.append(link);
  const {part, clip, complete, kept, bots, players, map} = recording;
  const marks = [part > 1 && `part ${part}`, clip && "clip", map === null ? "unreadable"
    : !complete && "cut short", kept && "kept"].filter(Boolean);
  const facts = map === null ? ["", ""]
    : [clock(recording.length_s), players + (bots > 0 ? ` + ${bots} bots` : "")];
  row.append(first, ...[recording.arena, map ?? "", recording.round, ...facts,
    recording.winner ?? "", size(recording.bytes)].map(text => element("td", text)));
  row.cells[5].title = recording.best.map(player => `${player.name} ${player.score}`).join("\n");
  if (marks.length > 0)
    first.append(element("small", ` ${marks.join(", ")}`));
  return row;
}

// Shows the newest page, or adds the next one to what is shown.
function showRecordings(page, adds) {
  const rows = page.recordings.map(recordingRow);
  if (adds)
    find("recordings").append(...rows);
  else
    find("recordings").replaceChildren(...rows);
  nextRecording = page.next;
  find("recorded").hidden = page.count === 0;
  find("more").hidden = page.next === null;
}

async function loadRecordings() {
  try {
    const text = await fetch("recordings").then(answer => answer.text());
    recordingsAt = performance.now();
    if (text === recordings || showsOlder)
      return; // a list that somebody reads stays
    recordings = text;
    showRecordings(JSON.parse(text), false);
  } catch {
    recordings = "";
  }
}

async function loadOlderRecordings() {
  const before = nextRecording;
  try {
    const page = await fetch(`recordings?before=${encodeURIComponent(before)}`)
      .then(answer => answer.json());
    showsOlder = true;
    if (nextRecording === before)
      showRecordings(page, true);
  } catch {
    find("summary").textContent = "raimd does not answer";
  }
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
    const [shown, metrics] = await Promise.all([
      fetch("/status").then(answer => answer.json()),
      fetch("/metrics").then(answer => answer.text())]);
    if (document.hidden)
      return;
    [status, statusAt] = [shown, performance.now()];
    const {players} = status;
    find("version").textContent = status.version;
    find("summary").textContent = `up ${uptime(status.uptime_s)} \u00b7 ${players.now} of` +
      ` ${players.max} players \u00b7 ${players.bots} bots \u00b7 ${players.spectators} spectators`;
    recordHistory(status.arenas);
    showWorkers(metrics);
    if (!status.arenas.some(arena => arena.name === chosen))
      choose(status.arenas[0]?.name ?? "");
    else if (!source)
      watch();
    showArenas(status.arenas);
    showChosen();
    if (performance.now() - recordingsAt >= RECORDINGS_MS)
      loadRecordings();
    if (statusAt - leadersAt > LEADERS_MS)
      await loadLeaders();
  } catch {
    find("summary").textContent = "raimd does not answer";
  }
}

function updateVisibility() {
  clearInterval(pollTimer);
  clearInterval(clockTimer);
  unwatch();
  if (document.hidden)
    return;
  poll();
  pollTimer = setInterval(poll, POLL_MS);
  clockTimer = setInterval(showRound, 1000);
}

find("more").addEventListener("click", loadOlderRecordings);
document.addEventListener("visibilitychange", updateVisibility);
addEventListener("resize", () => { requestFrame(); showChosen(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
  () => { requestFrame(); showChosen(); });
find("period").addEventListener("change", () => loadLeaders().catch(() => {}));
addEventListener("hashchange", () => {
  const name = decodeURIComponent(location.hash.slice(1));
  const input = [...find("arenas").querySelectorAll("input")].find(input => input.value === name);
  if (input && name !== chosen) {
    input.checked = true;
    choose(name);
  }
});
updateVisibility();
