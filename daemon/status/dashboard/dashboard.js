// SPDX-License-Identifier: MIT
// The dashboard: asks for the summary and the chosen arena every two seconds, and for the last hour
// every ten. A hidden page sends no requests.

import {ago, find, linkGame, say} from "./page.js";
import {get} from "./net.js";
import {loadArena, showRound} from "./arena.js";
import {openArenas, showArenas} from "./arenas.js";
import {isWatching, redrawMap, unwatch, watch} from "./live_map.js";
import {loadPlots, redrawPlots} from "./plots.js";
import {loadLeaders, loadOlderRecordings, loadRecordings} from "./results.js";
import {closeEvents, openEvents, openCommands, rejectToken} from "./commands.js";

const POLL_MS = 2000;
const SLOW_MS = 10000;  // between two requests for what changes seldom
const DOWN_MS = 5000;   // an answer that takes longer counts as none

let chosen = decodeURIComponent(location.hash.slice(1));
let summary = null, slowAt = -Infinity, isOpen = false;
let answeredAt = null; // when the server answered last; null: never
let pollTimer = 0, clockTimer = 0, isPolling = false;

const isChosen = name => name === chosen;

// --- Up or down ---

function showDown() {
  const since = answeredAt ?? openedAt;
  say(find("down-since"), `${answeredAt === null ? "no answer since" : "since"} ` +
    `${since.toLocaleTimeString()}, for ${ago((Date.now() - since) / 1000)}`);
  find("down").hidden = false;
  document.body.classList.add("is-down");
  document.title = "DOWN \u00b7 raimd";
}

function showUp() {
  answeredAt = new Date();
  find("down").hidden = true;
  document.body.classList.remove("is-down");
  document.title = "raimd";
}

const openedAt = new Date();

// --- What is shown ---

function showSummary() {
  const sum = key => summary.arenas.reduce((total, arena) => total + arena[key], 0);
  const troubled = summary.arenas.filter(arena => arena.overloaded).length;
  say(find("version"), summary.version);
  say(find("summary"), [`up ${ago(summary.uptime_s)}`,
    `${sum("players")} of ${sum("max")} players`, `${sum("bots")} bots`,
    `${sum("spectators")} spectators`, troubled > 0 && `${troubled} overloaded`]
    .filter(Boolean).join(" \u00b7 "));
  find("summary").classList.toggle("trouble", troubled > 0);
}

// Links into the chosen arena. Its gateway knows it by 127.0.0.1, unless the page's address has
// another host.
function showLinks() {
  const {page} = summary, arena = summary.arenas.find(one => isChosen(one.name));
  find("links").hidden = page === null || arena === undefined;
  if (find("links").hidden)
    return;
  const server = `${new URL(page).searchParams.get("server") ?? "127.0.0.1"}:${arena.port}`;
  linkGame(find("play"), page, {server});
  linkGame(find("watch"), page, {server, spectate: ""});
}

function choose(name) {
  chosen = name;
  history.replaceState(null, "", `#${encodeURIComponent(name)}`);
  if (name)
    watch(name);
  else
    unwatch();
  slowAt = -Infinity;
  showArenas(summary.arenas, chosen);
  poll();
}

async function loadSlow() {
  slowAt = performance.now();
  await Promise.all([loadPlots(chosen), loadRecordings(summary.page), loadLeaders()]);
}

async function ask() {
  if (!isOpen)
    isOpen = await openCommands(() => chosen);
  if (!isOpen)
    return;
  summary = await get("summary");
  showUp();
  showSummary();
  openEvents();
  if (!summary.arenas.some(arena => arena.name === chosen))
    choose(summary.arenas[0]?.name ?? "");
  else if (!isWatching())
    watch(chosen);
  showArenas(summary.arenas, chosen);
  showLinks();
  if (chosen)
    await loadArena(chosen, isChosen);
  if (performance.now() - slowAt >= SLOW_MS)
    await loadSlow();
}

const timeout = ms => new Promise((_, reject) => setTimeout(() => reject(new Error("late")), ms));

async function poll() {
  if (isPolling || document.hidden)
    return;
  isPolling = true;
  try {
    await Promise.race([ask(), timeout(DOWN_MS)]);
  } catch (problem) {
    if (problem.status === 401) {
      isOpen = false;
      rejectToken();
    }
    if (problem.status !== 401 && problem.status !== 404) // 404: of an arena that has just ended
      showDown();
  }
  isPolling = false;
}

function updateVisibility() {
  clearInterval(pollTimer);
  clearInterval(clockTimer);
  unwatch();
  closeEvents();
  if (document.hidden)
    return;
  poll();
  pollTimer = setInterval(poll, POLL_MS);
  clockTimer = setInterval(showRound, 1000);
}

function redraw() {
  redrawMap();
  redrawPlots();
}

openArenas(() => chosen, choose);
find("more").addEventListener("click", () => loadOlderRecordings().catch(showDown));
find("period").addEventListener("change", () => loadLeaders().catch(() => {}));
document.addEventListener("visibilitychange", updateVisibility);
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("hashchange", () => {
  const name = decodeURIComponent(location.hash.slice(1));
  if (name !== chosen && summary?.arenas.some(arena => arena.name === name))
    choose(name);
});
updateVisibility();
