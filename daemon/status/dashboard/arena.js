// SPDX-License-Identifier: MIT
// The chosen arena: its round, its players, where its ticks' time goes.

import {clock, colour, colourOf, duration, element, find, say} from "./page.js";
import {get} from "./net.js";
import {nameOnMap} from "./live_map.js";
import {playerButtons, showVote} from "./commands.js";

let arena = null, arenaAt = 0;

function showPlayers() {
  const rows = [...arena.players].sort((a, b) => b.score - a.score || a.deaths - b.deaths);
  nameOnMap(rows);
  if (find("players").contains(document.activeElement))
    return; // somebody is about to press a button
  find("players").replaceChildren(...rows.map(player => {
    const row = element("tr", ""), name = element("td", ""), dot = element("span", "", "dot");
    dot.style.background = colourOf(player.id);
    name.append(dot, player.name);
    name.title = player.name;
    row.append(name, element("td", player.score), element("td", player.deaths),
               element("td", player.bot ? "bot" : player.away ? "away" : `${player.ping_ms} ms`));
    const buttons = playerButtons(arena.name, player);
    if (buttons)
      row.append(buttons);
    return row;
  }));
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

// Shows the reasons of rejections, the most frequent first.
function showRejections(reasons) {
  const some = Object.entries(reasons).filter(([, number]) => number > 0)
    .sort(([, a], [, b]) => b - a);
  find("reasons").hidden = some.length === 0;
  find("rejections").replaceChildren(...some.map(([reason, number]) => {
    const row = element("tr", "");
    row.append(element("td", reason.replaceAll("_", " ")), element("td", number));
    return row;
  }));
}

// Shows round, phase, clock and winner. The clock runs on between two polls.
export function showRound() {
  if (!arena)
    return;
  const {number, phase, left_s, score_limit, winner} = arena.round;
  const passed = phase === "paused" ? 0 : (performance.now() - arenaAt) / 1000;
  const left = left_s === null ? "" : clock(Math.max(0, left_s - passed));
  const words = [`Round ${number}`];
  if (phase === "break")
    words.push(winner === null ? "no single winner" : `${winner} has won`,
               left && `the next begins in ${left}`);
  else
    words.push(phase === "paused" && "paused", left && `${left} left`,
               score_limit > 0 && `to ${score_limit} points`);
  const shown = words.filter(Boolean);
  say(find("round"), shown.length > 1 ? shown.join(" \u00b7 ") : "");
}

export async function loadArena(name, isChosen) {
  const got = await get(`arenas/${encodeURIComponent(name)}`);
  if (!isChosen(name))
    return;
  [arena, arenaAt] = [got, performance.now()];
  say(find("overload"), arena.overload_cause === "machine"
    ? "late: the machine does not run raimd in time; its worker has time left"
    : arena.overloaded ? "overloaded: raimd has more to do than its worker can; ticks are late or skipped"
    : arena.snapshot_interval > 1 ? `busy: a snapshot every ${arena.snapshot_interval} ticks` : "");
  showRound();
  showVote(arena);
  showPlayers();
  showStages(arena.stages_us);
  showRejections(arena.rejections);
}
