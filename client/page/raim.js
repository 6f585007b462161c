// SPDX-License-Identifier: MIT
// Starts the game, asks it for frames, and lets it serve its connection in between. It decides nothing.
import {Drawing} from "./drawing.js";
import {findPad, listen, lockPointer, passPad} from "./events.js";
import {imports, NO_MEMORY, pass, report} from "./imports.js";
import * as sessions from "./sessions.js";
import {Sounds} from "./sounds.js";
import {wasi} from "./wasi.js";

const SERVE_MS = 4;
const canvas = document.querySelector("canvas"), entry = document.querySelector("input");
const said = document.querySelector("#said"), problem = document.querySelector("#problem");
const state = {takesText: false, locks: false};
let game;

const memory = () => game.memory;

const shown = {
    takeText: wanted => {
        state.takesText = Boolean(wanted);
        entry.value = "";
        if (wanted) entry.focus({preventScroll: true});
        else entry.blur();
    },
    showPointer: (visible, locked) => {
        state.locks = !visible && Boolean(locked);
        canvas.style.cursor = visible ? "default" : "none";
        if (state.locks) lockPointer(canvas);
        else if (document.pointerLockElement) document.exitPointerLock();
    },
    fillScreen: full => (full ? document.documentElement.requestFullscreen?.()
        : document.fullscreenElement && document.exitFullscreen())?.catch?.(() => {}),
    rumble: (strength, duration) => findPad()?.vibrationActuator?.playEffect?.("dual-rumble",
        {duration, strongMagnitude: strength, weakMagnitude: strength})?.catch?.(() => {}),
    say: words => {
        const line = document.createElement("p");
        line.textContent = words;
        said.append(line);
        if (said.children.length > 20) said.firstChild.remove();
    },
};

// Shows why there is no game; what is in it stays stored, so that the page can be loaded again.
function fail(error) {
    console.error(error);
    problem.hidden = false;
    problem.querySelector("p").textContent = error.message ?? String(error);
}

const guarded = action => (...given) => {
    if (problem.hidden)
        try { return action(...given); } catch (error) { fail(error); }
};

const serve = guarded(() => { if (!game.serve()) throw new Error("The game has ended."); });

const frame = guarded(() => {
    passPad(game);
    if (!game.frame()) throw new Error("The game has ended.");
    requestAnimationFrame(frame);
});

// In pixels of the display. Where the ratio is emulated, the browser's exact size ignores it.
function resize(entries) {
    const exact = entries?.[0].devicePixelContentBoxSize?.[0];
    const pixels = (css, exact) => {
        const wanted = Math.max(1, css * devicePixelRatio);
        return Math.abs(exact - wanted) < 1 ? exact : Math.round(wanted);
    };
    canvas.width = pixels(canvas.clientWidth, exact?.inlineSize);
    canvas.height = pixels(canvas.clientHeight, exact?.blockSize);
    game.resize(canvas.width, canvas.height, devicePixelRatio, matchMedia("(pointer: coarse)").matches);
}

function findStorage() {
    try { return localStorage; } catch { return null; }
}

async function start() {
    const sounds = new Sounds();
    const {instance} = await WebAssembly.instantiateStreaming(fetch("raim.wasm"), {
        wasi_snapshot_preview1: wasi(memory, line => console.log(line)),
        page: imports({memory, arrived: () => serve(), drawing: new Drawing(canvas), sounds, sessions,
            storage: findStorage(), window: shown}),
    });
    game = instance.exports;
    game._initialize();
    resize();
    for (const option of [["gateway", location.host], ...new URLSearchParams(location.search)])
        game.option(...pass(game, ...option));
    if (!game.open()) throw new Error(NO_MEMORY);
    const acted = () => { sounds.wake(); serve(); };
    listen(game, canvas, entry, state, guarded(acted));
    new ResizeObserver(guarded(resize)).observe(canvas);
    addEventListener("pagehide", event => { if (!event.persisted) game.close(); });
    setInterval(serve, SERVE_MS);
    requestAnimationFrame(frame);
}

globalThis.raim = {report: () => game && report(game)}; // for whoever looks for a fault
start().catch(fail);
