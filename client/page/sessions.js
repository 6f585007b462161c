// SPDX-License-Identifier: MIT
// Sessions of WebTransport with the gateway: one UDP payload is one datagram.
const WAITING = 16, QUEUED = 512; // datagrams before a session is open, and received ones
const OPENING = 0, OPEN = 1, CLOSED = 2; // as in client/platform/web/page.h

export const canConnect = () => typeof WebTransport === "function";

// Calls `arrived` when datagrams have come.
export function openSession(url, hashes, arrived) {
    const session = {queue: [], state: OPENING, waiting: []};
    session.send = data => session.waiting.length < WAITING && session.waiting.push(data) > 0;
    session.close = () => { session.state = CLOSED; };
    run(url, hashes, session, arrived).catch(() => {}).finally(() => session.close());
    return session;
}

async function run(url, hashes, session, arrived) {
    const transport = new WebTransport(url, {
        requireUnreliable: true, congestionControl: "low-latency",
        serverCertificateHashes: hashes.split(" ").filter(hash => hash !== "").map(hash =>
            ({algorithm: "sha-256", value: Uint8Array.from(atob(hash), letter => letter.charCodeAt(0))})),
    });
    session.close = () => {
        session.state = CLOSED;
        try { transport.close(); } catch { /* it was not open */ }
    };
    transport.closed.catch(() => {}).finally(() => session.close());
    await transport.ready;
    if (session.state === OPENING) session.state = OPEN;
    const writer = (transport.datagrams.createWritable?.() ?? transport.datagrams.writable).getWriter();
    const reader = transport.datagrams.readable.getReader();
    session.send = data => {
        writer.write(data).catch(() => {});
        return session.state === OPEN;
    };
    session.waiting.forEach(session.send);
    for (;;) {
        const {value, done} = await reader.read();
        if (done) return;
        if (session.queue.length < QUEUED) session.queue.push(value);
        arrived();
    }
}
