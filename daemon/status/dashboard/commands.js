// SPDX-License-Identifier: MIT
// The operator's part of the page: commands and the server's events. Only the control serves them;
// the status listener takes no commands, and its page shows none of this. The server lists its
// commands, and each gets a button; one whose fields are not all known opens a form of them.

import {element, find, say} from "./page.js";
import {command, follow, get, hasToken, setToken} from "./net.js";

const MAX_EVENTS = 200;
const HIDDEN = ["ban preview"]; // for programs

let commands = [], mayCommand = false, unfollow = null, chosen = () => "";

// --- Commands ---

async function give(path, fields, words) {
  try {
    await command(path, fields);
    say(find("command-result"), `done: ${words}`);
  } catch (problem) {
    say(find("command-result"), `${words}: ${problem.message}`);
  }
}

function button(text, action) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

// The input of a field, which its JSON schema describes.
function inputOf(name, schema, isRequired) {
  const made = element(schema.enum ? "select" : "input", "");
  made.id = `ask-${name}`;
  if (schema.enum)
    made.append(...schema.enum.map(value => element("option", value)));
  else if (schema.type === "integer")
    Object.assign(made, {type: "number", min: schema.minimum, max: schema.maximum});
  else if (schema.type === "boolean")
    made.type = "checkbox";
  else if (schema.maxLength)
    made.maxLength = schema.maxLength;
  if (name === "map")
    made.setAttribute("list", "maps");
  made.required = isRequired;
  return made;
}

function valueOf(input) {
  return input.type === "checkbox" ? input.checked
    : input.type === "number" && input.value ? Number(input.value) : input.value.trim();
}

// Asks for fields of a command, and gives it once they are confirmed.
function ask(row, known, names, words) {
  const {properties, required} = row.fields, dialog = find("ask");
  const inputs = names.map(name =>
    [name, inputOf(name, properties[name], required.includes(name))]);
  find("ask-title").textContent = words;
  find("ask-help").textContent = row.help;
  find("ask-fields").replaceChildren(...inputs.map(([name, input]) => {
    const line = element("p", ""), label = element("label", `${properties[name].description} `);
    label.append(input);
    line.append(label);
    return line;
  }));
  dialog.onclose = () => {
    const fields = inputs.map(([name, input]) => [name, valueOf(input)])
      .filter(([, value]) => value !== "" && value !== false);
    if (dialog.returnValue === "yes")
      give(row.path, {...known, ...Object.fromEntries(fields)}, words);
  };
  dialog.returnValue = "";
  dialog.showModal();
}

// A button that gives a command, or asks for what is not known yet. `known` returns fields.
function commandButton(row, known, of) {
  const label = row.name[0].toUpperCase() + row.name.slice(1);
  return button(label, () => {
    const fields = known(), words = [row.name, of()].filter(Boolean).join(" ");
    const names = Object.keys(row.fields.properties).filter(name =>
      !(name in fields) && !["from", "until_s"].includes(name) &&
      !(name === "address" && "player" in fields));
    if (names.length)
      ask(row, fields, names, words);
    else
      give(row.path, fields, words);
  });
}

const rowsOf = scope => commands.filter(row =>
  row.scope === scope && row.method === "POST" && !HIDDEN.includes(row.name));

// The buttons of a player's row; null without the right to command.
export function playerButtons(arena, player) {
  if (!mayCommand)
    return null;
  const cell = element("td", "", "buttons");
  if (!player.bot)
    cell.append(...rowsOf("player").map(row =>
      commandButton(row, () => ({arena, player: player.id}), () => player.name)));
  return cell;
}

async function showBans() {
  const {bans} = await get("v1/bans"), unban = commands.find(row => row.name === "unban");
  find("bans").replaceChildren(...bans.map(each => {
    const row = element("tr", ""), last = element("td", "", "buttons");
    last.append(button("Unban", async () => {
      await give(unban.path, {address: each.address}, `unban ${each.address}`);
      showBans().catch(() => {});
    }));
    row.append(element("td", each.address), element("td", each.reason),
               element("td", each.left_s === null ? "for good" : `${each.left_s} s`), last);
    return row;
  }));
}

// Shows the vote that runs in an arena, to whoever may decide it.
export function showVote({vote}) {
  if (!mayCommand)
    return;
  find("vote").hidden = !vote;
  if (vote)
    say(find("vote-text"), ["vote:", vote.kind, vote.target ?? vote.map ?? "", vote.reason ?? "",
      `by ${vote.caller}, ${vote.yes} yes, ${vote.no} no, needs ${vote.needed}`]
      .filter(Boolean).join(" "));
}

// The maps of the configuration; another one can be typed.
async function showMaps() {
  const {maps} = await get("v1/maps");
  find("maps").replaceChildren(...maps.map(path => {
    const option = element("option", path.split("/").pop().replace(/\.conf$/, ""));
    option.value = path;
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
  while (list.children.length > MAX_EVENTS)
    list.lastElementChild.remove();
}

export function openEvents() {
  if (mayCommand && !unfollow)
    unfollow = follow("events", showEvent);
}

export function closeEvents() {
  unfollow?.();
  unfollow = null;
}

// --- The panel ---

async function openPanel() {
  commands = (await get("v1/commands")).commands;
  mayCommand = true;
  find("operator").hidden = false;
  document.body.classList.add("operator");
  const isOfVote = row => row.name.startsWith("vote ");
  const ofArena = row => commandButton(row, () => ({arena: chosen()}), () => chosen());
  find("vote-commands").replaceChildren(...rowsOf("arena").filter(isOfVote).map(ofArena));
  find("arena-commands").replaceChildren(
    ...rowsOf("arena").filter(row => !isOfVote(row)).map(ofArena));
  find("server-commands").replaceChildren(
    ...rowsOf("server").map(row => commandButton(row, () => ({}), () => "")));
  showMaps().catch(() => {});
  find("show-bans").addEventListener("click", () => showBans().catch(() => {}));
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

// Forgets a token that the server has rejected.
export function rejectToken() {
  setToken("");
  showLogin(true);
  say(find("login-problem"), "The server has rejected this token.");
}

// Asks what the page may do here. Returns false if it may not even look without a token.
export async function openCommands(getChosen) {
  const {commands, token} = await get("commands");
  chosen = getChosen;
  showLogin(token && !hasToken());
  if (token && !hasToken())
    return false;
  if (commands)
    await openPanel();
  return true;
}

find("login").addEventListener("submit", event => {
  event.preventDefault();
  setToken(find("token").value.trim());
  location.reload();
});
