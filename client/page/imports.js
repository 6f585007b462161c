// SPDX-License-Identifier: MIT
// What the game calls (client/platform/web/page.h), and the texts that pass in and out of its memory.
const KEPT = "raim:"; // before the names of texts in the browser's storage
export const NO_MEMORY = "There is no memory for the game.";

// Puts texts into the game's memory, until the next call, and returns where.
export function pass(game, ...texts) {
    const encoded = texts.map(text => new TextEncoder().encode(`${text}\0`));
    let at = game.buffer(encoded.reduce((sum, text) => sum + text.length, 0));
    if (at === 0) throw new Error(NO_MEMORY);
    return encoded.map(text => {
        new Uint8Array(game.memory.buffer, at, text.length).set(text);
        at += text.length;
        return at - text.length;
    });
}

// For whoever looks for a fault: how the connection goes.
export function report(game) {
    const bytes = new Uint8Array(game.memory.buffer, game.report());
    return JSON.parse(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0))));
}

// `memory` returns the game's memory, `arrived` is called when datagrams or answers have come.
// What shows, sounds and listens comes in, so that the game also runs without a page. `storage` is null
// where the browser forbids it.
export function imports({memory, arrived, drawing, sounds, sessions: network, storage, window}) {
    const bytes = (at, size) => new Uint8Array(memory().buffer, at, size);
    const words = (at, size) => new TextDecoder().decode(bytes(at, size));
    const integers = (at, count) => new Int32Array(memory().buffer, at, count);
    const requests = table(), sessions = table();
    const write = (text, at, capacity) => {
        const encoded = new TextEncoder().encode(text);
        if (encoded.length <= capacity) bytes(at, encoded.length).set(encoded);
        return encoded.length;
    };
    return {
        measure: (at, size, em, bold) => drawing.measure(words(at, size), em, bold),
        make_line: (at, size, em, bold, outline, out) =>
            integers(out, 5).set(drawing.makeLine(words(at, size), em, bold, outline)),
        free_line: (sheet, x, y) => drawing.freeLine(sheet, x, y),
        draw: (corners, cornersSize, indices, indicesSize, commands, commandsSize) =>
            drawing.draw(bytes(corners, cornersSize), bytes(indices, indicesSize),
                integers(commands, commandsSize / 4)),

        take_text: window.takeText,
        show_pointer: window.showPointer,
        fill_screen: window.fillScreen,
        rumble: window.rumble,
        say: (at, size) => window.say(words(at, size)),
        write_date: (unixS, at, capacity) => {
            const date = new Date(1000 * unixS), two = number => String(number).padStart(2, "0");
            return write(`${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
                `${two(date.getHours())}:${two(date.getMinutes())}`, at, capacity);
        },

        load_sound: (kind, at, count, hz) =>
            sounds.load(kind, new Int16Array(memory().buffer, at, count).slice(), hz),
        play_sound: (kind, left, right) => sounds.play(kind, left, right),
        set_volume: amplitude => sounds.setVolume(amplitude),

        load: (name, nameSize, at, capacity) => {
            const text = storage?.getItem(KEPT + words(name, nameSize)) ?? null;
            return text === null ? -1 : write(text, at, capacity);
        },
        store: (name, nameSize, at, size) => {
            try {
                if (size > 0) storage.setItem(KEPT + words(name, nameSize), words(at, size));
                else storage.removeItem(KEPT + words(name, nameSize));
                return true;
            } catch {
                return false; // full, or none
            }
        },

        begin_request: (at, size, json, jsonSize, most, timeout) => {
            const request = {status: 0, body: new Uint8Array(0)}, ending = new AbortController();
            const timer = setTimeout(() => ending.abort(), timeout);
            request.close = () => ending.abort();
            const body = jsonSize > 0 ? words(json, jsonSize) : undefined;
            // A link names whom to ask: nobody gets the cookies of this page's site.
            fetch(words(at, size), {method: body === undefined ? "GET" : "POST", body, redirect: "error",
                headers: body === undefined ? {} : {"Content-Type": "application/json"},
                credentials: "omit", signal: ending.signal})
                .then(async answer => {
                    request.body = await readBody(answer, most);
                    request.status = answer.status;
                }).catch(() => {
                    request.status = -1;
                    ending.abort();
                }).finally(() => {
                    clearTimeout(timer);
                    arrived();
                });
            return requests.add(request);
        },
        request_status: number => requests.get(number).status,
        request_size: number => requests.get(number).body.length,
        request_body: (number, at) => {
            const {body} = requests.get(number);
            bytes(at, body.length).set(body);
        },
        end_request: requests.end,

        can_connect: network.canConnect,
        open_session: (at, size, hashes, hashesSize) =>
            sessions.add(network.openSession(words(at, size), words(hashes, hashesSize), arrived)),
        session_state: number => sessions.get(number).state,
        close_session: sessions.end,
        send: (number, at, size) => sessions.get(number).send(bytes(at, size).slice()),
        receive: (number, at, capacity) => {
            const datagram = sessions.get(number).queue.shift();
            if (datagram === undefined) return -1;
            if (datagram.length <= capacity) bytes(at, datagram.length).set(datagram);
            return datagram.length;
        },
    };
}

async function readBody(answer, most) {
    const pieces = [], reader = answer.body?.getReader();
    let size = 0;
    for (let piece; reader !== undefined && !(piece = await reader.read()).done;) {
        size += piece.value.length;
        if (size > most) throw new Error(`an answer of more than ${most} bytes`);
        pieces.push(piece.value);
    }
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

// Things that can be closed, by numbers that are used again.
function table() {
    const things = [];
    return {
        get: number => things[number],
        add: thing => {
            let number = things.indexOf(undefined);
            if (number < 0) number = things.length;
            things[number] = thing;
            return number;
        },
        end: number => {
            things[number]?.close();
            things[number] = undefined;
        },
    };
}
