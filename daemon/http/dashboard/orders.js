// SPDX-License-Identifier: MIT
// The operator's part of the page: orders and the server's events. Only the control serves them; the
// status listener takes no orders, and its page shows none of this.

import {element, find, say} from "./page.js";
import {follow, get, hasToken, order, setToken} from "./net.js";

const EVENTS_AT_MOST = 200;

let mayOrder = false, unfollow = null, chosen = () => "";

// --- Orders ---

async function give(path, fields, words) {
  try {
    await order(path, fields);
    say(find("order-result"), `done: ${words}`);
  } catch (problem) {
    say(find("order-result"), `${words}: ${problem.message}`);
  }
}

function button(text, action) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

// Asks for a reason, and for a duration where one is wanted; the order is given when it is confirmed.
function ask(title, takesSeconds, confirmed) {
  const dialog = find("ask");
  find("ask-title").textContent = title;
  find("ask-seconds").parentElement.hidden = !takesSeconds;
  find("ask-reason").value = "";
  dialog.onclose = () => {
    if (dialog.returnValue === "yes")
      confirmed(find("ask-reason").value.trim(), find("ask-seconds").value);
  };
  dialog.returnValue = "";
  dialog.showModal();
}

const withReason = (fields, reason) => reason ? {...fields, reason} : fields;

async function addressOf(arena, player) {
  const {players} = await get("players");
  return players.find(row => row.arena === arena && row.id === player.id)?.address;
}

function ban(arena, player) {
  ask(`Ban ${player.name}`, true, async (reason, seconds) => {
    const address = await addressOf(arena, player).catch(() => null);
    if (!address)
      say(find("order-result"), `ban ${player.name}: the address is not known`);
    else
      give("ban", withReason(seconds ? {address, seconds} : {address}, reason),
           `ban ${player.name}`);
  });
}

// The buttons of a player's row; null without the right to order.
export function playerButtons(arena, player) {
  if (!mayOrder)
    return null;
  const cell = element("td", "", "buttons"), fields = {arena, player: player.id};
  if (player.bot)
    return cell;
  cell.append(
    button("Kick", () => ask(`Kick ${player.name}`, false, reason =>
      give("kick", withReason(fields, reason), `kick ${player.name}`))),
    button("Mute", () => give("mute", fields, `mute ${player.name}`)),
    button("Unmute", () => give("unmute", fields, `unmute ${player.name}`)),
    button("Ban", () => ban(arena, player)));
  return cell;
}

async function showBans() {
  const {bans} = await get("bans");
  find("bans").replaceChildren(...bans.map(each => {
    const row = element("tr", ""), last = element("td", "", "buttons");
    last.append(button("Unban", async () => {
      await give("unban", {address: each.address}, `unban ${each.address}`);
      showBans().catch(() => {});
    }));
    row.append(element("td", each.address), element("td", each.reason),
               element("td", each.left_s === null ? "for good" : `${each.left_s} s`), last);
    return row;
  }));
}

// --- Votes and maps ---

// Shows the vote that runs in an arena, to whoever may decide it.
export function showVote({vote}) {
  if (!mayOrder)
    return;
  find("vote").hidden = !vote;
  if (vote)
    say(find("vote-text"), ["vote:", vote.kind, vote.target ?? vote.map ?? "", vote.reason ?? "",
      `by ${vote.caller}, ${vote.yes} yes, ${vote.no} no, needs ${vote.needed}`]
      .filter(Boolean).join(" "));
}

// The maps of the configuration; another one is a matter of raimctl.
async function showMaps() {
  const {maps} = await get("maps");
  find("map-path").replaceChildren(...maps.map(path => {
    const option = element("option", path.split("/").pop().replace(/\.conf$/, ""));
    option.value = option.title = path;
    return option;
  }));
}

// --- Events ---

function showEvent(event) {
  const told = JSON.parse(event.data), line = element("li", "");
  const {id, time, kind, private: hidden, ...rest} = told;
  const words = Object.entries({...rest, ...hidden}).map(([key, value]) =>
    `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  line.append(element("time", new Date(time).toLocaleTimeString()), element("b", kind ?? event.kind),
              element("span", words.join(", ")));
  const list = find("events");
  list.prepend(line);
  while (list.children.length > EVENTS_AT_MOST)
    list.lastElementChild.remove();
}

export function openEvents() {
  if (mayOrder && !unfollow)
    unfollow = follow("events", showEvent);
}

export function closeEvents() {
  unfollow?.();
  unfollow = null;
}

// --- The panel ---

function openPanel() {
  find("operator").hidden = false;
  document.body.classList.add("operator");
  find("say").addEventListener("submit", event => {
    event.preventDefault();
    const text = find("say-text").value.trim(), everywhere = find("say-everywhere").checked;
    if (text)
      give("say", everywhere ? {text} : {arena: chosen(), text}, "say");
    find("say-text").value = "";
  });
  find("map-change").addEventListener("submit", event => {
    event.preventDefault();
    give("arena/map", {arena: chosen(), map: find("map-path").value}, `map of ${chosen()}`);
  });
  showMaps().catch(() => {});
  for (const decision of ["pass", "fail", "cancel"])
    find(`vote-${decision}`).addEventListener("click", () =>
      give(`vote/${decision}`, {arena: chosen()}, `vote of ${chosen()}: ${decision}`));
  find("pause").addEventListener("click",
                                 () => give("arena/pause", {arena: chosen()}, `pause ${chosen()}`));
  find("resume").addEventListener("click",
                                  () => give("arena/resume", {arena: chosen()},
                                             `resume ${chosen()}`));
  find("show-bans").addEventListener("click", () => showBans().catch(() => {}));
  find("ask-yes").addEventListener("click", () => find("ask").close("yes"));
  find("ask-no").addEventListener("click", () => find("ask").close("no"));
  find("ask-form").addEventListener("submit", event => {
    event.preventDefault();
    find("ask").close("yes");
  });
}

function showLogin(isShown) {
  find("login").hidden = !isShown;
  document.body.classList.toggle("is-closed", isShown);
}

// Forgets a token that the server has refused.
export function refuseToken() {
  setToken("");
  showLogin(true);
  say(find("login-problem"), "The server has refused this token.");
}

// Asks what the page may do here. Returns false if it may not even look without a token.
export async function openOrders(getChosen) {
  const {orders, token} = await get("orders");
  chosen = getChosen;
  showLogin(token && !hasToken());
  if (token && !hasToken())
    return false;
  mayOrder = orders;
  if (orders)
    openPanel();
  return true;
}

find("login").addEventListener("submit", event => {
  event.preventDefault();
  setToken(find("token").value.trim());
  location.reload();
});
