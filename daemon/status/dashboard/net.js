// SPDX-License-Identifier: MIT
// Requests to the server that served the page, by relative addresses: so it works behind a proxy
// that puts it into a folder. The operator's token, where one is needed, is a header that no foreign
// page can set; it lasts as long as the tab.

const RETRY_MS = 3000;
const TOKEN = "raimd-token";

export class Rejection extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

export const hasToken = () => sessionStorage.getItem(TOKEN) !== null;

export function setToken(token) {
  if (token)
    sessionStorage.setItem(TOKEN, token);
  else
    sessionStorage.removeItem(TOKEN);
}

async function send(path, options = {}) {
  const headers = {...options.headers};
  if (hasToken())
    headers.Authorization = `Bearer ${sessionStorage.getItem(TOKEN)}`;
  return fetch(path, {cache: "no-store", ...options, headers});
}

// The JSON of an answer. Throws a Rejection for another status than 200.
export async function get(path) {
  const answer = await send(path);
  if (!answer.ok)
    throw new Rejection(answer.status, `${path}: ${answer.status}`);
  return answer.json();
}

// Gives a command, whose path begins at the server's root, with these fields. Throws a Rejection with
// the server's words.
export async function command(path, fields) {
  const answer = await send(path.slice(1), {
    method: "POST", body: JSON.stringify(fields),
    headers: {"Content-Type": "application/json", "X-Raimd-Command": "1"}});
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok)
    throw new Rejection(answer.status, said.error ?? `${answer.status}`);
  return said;
}

// Downloads a file under its own name; a plain link could not show the token.
export async function download(path, name) {
  const answer = await send(path);
  if (!answer.ok)
    throw new Rejection(answer.status, `${answer.status}`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function parse(block) {
  const event = {kind: "message", data: "", id: ""};
  for (const line of block.split("\n")) {
    const [, field, value] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    if (field === "event")
      event.kind = value;
    else if (field === "data")
      event.data += value;
    else if (field === "id")
      event.id = value;
  }
  return event;
}

async function read(answer, onEvent) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const {done, value} = await reader.read();
    if (done)
      return;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop();
    for (const event of blocks.map(parse))
      if (event.data)
        onEvent(event);
  }
}

// Follows Server-Sent Events, anew after a lost connection, until the function that it returns is
// called. `onLost` is told the status of the answer, or 0 after a lost connection.
export function follow(path, onEvent, onLost = () => {}) {
  const ending = new AbortController(), {signal} = ending;
  let last = "";
  async function once() {
    const answer = await send(path, {signal, headers: last ? {"Last-Event-ID": last} : {}});
    if (!answer.ok)
      return answer.status;
    await read(answer, event => {
      last = event.id || last;
      if (!signal.aborted)
        onEvent(event);
    });
    return 0;
  }
  (async () => {
    while (!signal.aborted) {
      const status = await once().catch(() => 0);
      if (signal.aborted)
        return;
      onLost(status);
      await new Promise(resolve => setTimeout(resolve, RETRY_MS));
    }
  })();
  return () => ending.abort();
}
