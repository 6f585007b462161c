// SPDX-License-Identifier: MIT
// What has been played: the leaderboard and the recordings.

import {clock, element, find, linkGame, size} from "./page.js";
import {download, get, hasToken} from "./net.js";

let gamePage = null, newest = "", next = null, showsOlder = false, hasLeaders = true;

// Names are what players chose, unless an access token vouches for them.
function showLeaders(players) {
  find("leaders").replaceChildren(...players.map(player => {
    const row = element("tr", ""), name = element("td", player.name,
                                                  player.verified ? "" : "unverified");
    name.title = `${player.name} (${player.verified ? "verified by an access token"
                                                    : "unverified name"})`;
    row.append(name, element("td", player.score), element("td", player.wins),
               element("td", player.rounds));
    return row;
  }));
}

// Without results, or while the server is too busy for them, what was shown stays.
export async function loadLeaders() {
  const period = find("period").value;
  if (!hasLeaders)
    return;
  try {
    const {players} = await get(`leaderboard?period=${period}`);
    if (period !== find("period").value)
      return;
    find("all-rounds").hidden = false;
    showLeaders(players);
  } catch (problem) {
    hasLeaders = problem.status !== 404;
  }
}

function recordingRow(recording) {
  const row = element("tr", ""), first = element("td", "");
  const link = element("a", new Date(recording.started_at * 1000)
    .toLocaleString([], {dateStyle: "short", timeStyle: "short"}));
  const path = `recordings/${encodeURIComponent(recording.name)}`;
  Object.assign(link, {href: path, download: recording.name, title: recording.name});
  link.addEventListener("click", event => {
    if (!hasToken())
      return;
    event.preventDefault();
    download(path, recording.name).catch(() => {});
  });
  first.append(link);
  const {part, clip, complete, kept, bots, players, map} = recording;
  const marks = [part > 1 && `part ${part}`, clip && "clip", map === null ? "unreadable"
    : !complete && "cut short", kept && "kept"].filter(Boolean);
  const facts = map === null ? ["", ""]
    : [clock(recording.length_s), players + (bots > 0 ? ` + ${bots} bots` : "")];
  row.append(first, ...[recording.arena, map ?? "", recording.round, ...facts,
    recording.winner ?? "", size(recording.bytes)].map(text => element("td", text)));
  if (gamePage !== null)
    first.append(" ", linkGame(element("a", "watch"), gamePage, {watch: recording.name}));
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
  next = page.next;
  find("recorded").hidden = page.count === 0;
  find("more").hidden = page.next === null;
}

// `plays` is the address of the page in which the game plays them, or null.
export async function loadRecordings(plays) {
  gamePage = plays;
  const page = await get("recordings"), text = JSON.stringify(page);
  if (text === newest || showsOlder)
    return; // a list that somebody reads stays
  newest = text;
  showRecordings(page, false);
}

export async function loadOlderRecordings() {
  const before = next;
  const page = await get(`recordings?before=${encodeURIComponent(before)}`);
  showsOlder = true;
  if (next === before)
    showRecordings(page, true);
}
