// SPDX-License-Identifier: MIT
// Plays the page's game without a browser: node player.mjs PAGE SERVER SECONDS. Datagrams go by UDP,
// letters have a made-up width, and nothing is shown. It joins, runs in squares, fires and chats, and
// prints its reports and what was written, as JSON. With a FILE.raimrec for a server it watches that. A
// further argument has more options of the link, as JSON, what the gateway says of its "servers", and
// whether it "loses" all sessions while they play.
import dgram from "node:dgram";
import fs from "node:fs";
import path from "node:path";

const [directory, server, seconds, more = "{}"] = process.argv.slice(2);
const {imports, pass, report} = await import(path.resolve(directory, "imports.js"));
const {wasi} = await import(path.resolve(directory, "wasi.js"));
const FRAME_MS = 1000 / 60, SERVE_MS = 4, SIDE_MS = 700;
const WIDTH = 1280, HEIGHT = 720, JOINING_MS = 20000;
const PLAYING = 2, ENDED = 4; // enum raim_client_state
const written = new Set(), stored = new Map(), said = [];
const sessions = new Set();
let game, hasLeft = false, frames = 0, frameMs = 0;

function openSession(url) {
    const [, host, port] = decodeURI(url).match(/arena\/(.*):(\d+)$/);
    const udp = dgram.createSocket("udp4"), session = {queue: [], state: 1};
    udp.on("error", () => {});
    udp.on("message", data => { session.queue.push(data); game.serve(); });
    session.send = data => (udp.send(data, port, host), true);
    session.close = () => { if (session.state === 1) udp.close(); session.state = 2; };
    sessions.add(session);
    return session;
}

const wide = (words, em) => Math.ceil(0.6 * em * words.length);
const page = imports({
    memory: () => game.memory, arrived: () => game.serve(),
    drawing: {
        measure: wide,
        makeLine: (words, em) => (written.add(words), [wide(words, em), em, 0, 0, 0]),
        freeLine: () => {},
        draw: () => { frames++; },
    },
    sounds: {load: () => {}, play: () => {}, setVolume: () => {}},
    sessions: {canConnect: () => true, openSession},
    storage: {getItem: name => stored.get(name) ?? null, setItem: (name, text) => stored.set(name, text),
        removeItem: name => stored.delete(name)},
    window: {takeText: () => {}, showPointer: () => {}, fillScreen: () => {}, rumble: () => {}, say: words => said.push(words)},
});
const {instance} = await WebAssembly.instantiate(fs.readFileSync(path.join(directory, "raim.wasm")),
    {wasi_snapshot_preview1: wasi(() => game.memory, line => console.error(line)), page});
game = instance.exports;
game._initialize();

const key = (code, down) => game.key(...pass(game, code, ""), down, false, false);
const press = code => { key(code, true); key(code, false); };
const until = (moment, wanted) => new Promise(resolve => {
    const check = setInterval(() => {
        if (!wanted() && performance.now() < moment) return;
        clearInterval(check);
        resolve();
    }, 10);
});

const {servers, loses, ...options} = JSON.parse(more);
const isRecording = server.endsWith(".raimrec");
const asked = [];
let sentBytes = 0;
function answer(url) { // as the page's site would, or one that means harm
    if (url.endsWith("/lost.raimrec")) return new Response("", {status: 404});
    if (!url.endsWith("/endless.raimrec")) return new Response(fs.readFileSync(server));
    return new Response(new ReadableStream({pull: stream => {
        stream.enqueue(new Uint8Array(1 << 20));
        sentBytes += 1 << 20;
    }}));
}
if (isRecording)
    globalThis.fetch = async (url, {credentials}) => (asked.push({url, credentials}), answer(url));
else if (servers)
    globalThis.fetch = async () => Response.json({servers});
const link = {gateway: "127.0.0.1:9", name: "Node", [isRecording ? "watch" : "server"]:
    isRecording ? path.basename(server) : server, ...options};
for (const option of Object.entries(link)) game.option(...pass(game, ...option));
game.open();
game.resize(WIDTH, HEIGHT, 1, false);
setInterval(() => { hasLeft ||= !game.serve(); }, SERVE_MS);
setInterval(() => {
    const begun = performance.now();
    game.frame();
    frameMs += performance.now() - begun;
}, FRAME_MS);

if (isRecording) {
    await until(performance.now() + 1000 * seconds, () => false);
    console.log(JSON.stringify({frames, written: [...written], asked, sentBytes}));
    process.exit(0);
}
await until(performance.now() + JOINING_MS, () => [PLAYING, ENDED].includes(report(game).state));
const isPlaying = report(game).state === PLAYING;
await until(performance.now() + 300, () => isPlaying); // to see why not
const begun = performance.now(), joined = report(game), ways = ["KeyW", "KeyD", "KeyS", "KeyA"];
for (let turn = 0; isPlaying && performance.now() < begun + 1000 * seconds; turn++) {
    const way = ways[turn % ways.length], angle = turn;
    key(way, true);
    game.mouse(1, true, WIDTH / 2 + 300 * Math.cos(angle), HEIGHT / 2 + 300 * Math.sin(angle));
    await until(performance.now() + SIDE_MS, () => false);
    game.mouse(1, false, WIDTH / 2, 0);
    key(way, false);
    if (turn === 0) {
        press("Enter");
        game.text(...pass(game, "hello from node"));
        press("Enter");
    }
}
let resumedMs = 0;
if (loses) {
    sessions.forEach(session => session.close());
    const lost = performance.now();
    await until(lost + 10000, () => report(game).resumes === 1 && report(game).state === PLAYING);
    resumedMs = performance.now() - lost;
}
const played = report(game);
game.close();
await until(performance.now() + 3000, () => hasLeft);
console.log(JSON.stringify({joined, played, resumedMs, hasLeft, frames, frame_ms: frameMs / frames,
    memory: game.memory.buffer.byteLength, written: [...written], said, stored: Object.fromEntries(stored)}));
process.exit(0);
