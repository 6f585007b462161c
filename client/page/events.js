// SPDX-License-Identifier: MIT
// Passes what the player does to the game: keys, mouse, fingers, gamepad and text.
import {pass} from "./imports.js";

const BIT = [0, 2, 1, 3, 4]; // of event.buttons, by event.button
const PAD_BUTTONS = 17; // of the "standard" mapping

export const lockPointer = canvas => canvas.requestPointerLock?.()?.catch?.(() => {}); // until a click, where it fails

// `game` has the exports of the game, `entry` is the field that takes text while `state.takesText`, and
// `acted` is called within each event.
export function listen(game, canvas, entry, state, acted) {
    const scale = () => canvas.width / canvas.clientWidth;
    const isLocked = () => document.pointerLockElement !== null;
    const at = event => isLocked() ? [-1, -1] : [event.clientX * scale(), event.clientY * scale()];
    const isLetter = event => [...event.key].length === 1;
    const text = words => game.text(...pass(game, words));
    const press = code => {
        for (const down of [true, false]) game.key(...pass(game, code, ""), down, false, false);
    };

    addEventListener("keydown", event => {
        if (event.code === "" || event.code === "Unidentified" || event.isComposing) return; // phones
        const hasControl = event.ctrlKey || event.metaKey;
        const isText = state.takesText && !hasControl && (isLetter(event) || event.key === "Process");
        const isBrowsers = event.altKey || /^F(5|11|12)$/.test(event.code) ||
            (hasControl && (!state.takesText || event.code === "KeyV"));
        game.key(...pass(game, event.code, isLetter(event) ? event.key.toUpperCase() : ""), true, event.repeat,
            hasControl);
        if (!isText && !isBrowsers) event.preventDefault();
        acted();
    });
    addEventListener("keyup", event => game.key(...pass(game, event.code, ""), false, false, false));
    addEventListener("blur", () => game.release_all());
    document.addEventListener("fullscreenchange", () => game.full_screen(document.fullscreenElement !== null));
    // The browser takes Escape for itself while the pointer is locked.
    document.addEventListener("pointerlockchange", () => { if (!isLocked() && state.locks) press("Escape"), acted(); });

    // Letters, keyboards of phones, composed text and paste come by the field.
    entry.addEventListener("beforeinput", event => {
        if (event.isComposing) return;
        if (/^insert(Text|FromPaste|ReplacementText)$/.test(event.inputType))
            text(event.data ?? event.dataTransfer?.getData("text") ?? "");
        else if (event.inputType === "insertLineBreak") press("Enter");
        else if (event.inputType === "deleteContentBackward") press("Backspace");
        event.preventDefault();
        acted();
    });
    entry.addEventListener("compositionstart", () => entry.classList.add("composes")); // it shows what is composed
    entry.addEventListener("compositionend", event => {
        entry.classList.remove("composes");
        entry.value = "";
        text(event.data);
        acted();
    });

    for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel"])
        canvas.addEventListener(kind, event => {
            const {button} = event, isMove = kind === "pointermove";
            if (event.pointerType === "touch")
                game.finger(event.pointerId, isMove || kind === "pointerdown", ...at(event));
            else if (button >= 0) // a second button comes as a move
                game.mouse(button + 1, (event.buttons >> BIT[button] & 1) !== 0, ...at(event));
            else if (isLocked()) game.move_mouse(event.movementX * scale(), event.movementY * scale());
            else game.mouse(0, true, ...at(event));
            if (kind === "pointerdown") {
                event.preventDefault();
                if (state.locks && !isLocked()) lockPointer(canvas);
            }
            if (!isMove || button >= 0) acted();
        });
    canvas.addEventListener("wheel", event => {
        if (event.deltaY !== 0) game.wheel(event.deltaY < 0 ? 1 : -1);
        event.preventDefault();
    }, {passive: false});
    canvas.addEventListener("contextmenu", event => event.preventDefault());
}

// The first gamepad of the "standard" mapping.
export const findPad = () => navigator.getGamepads?.().find(one => one?.mapping === "standard");

// Passes its state; all at rest without one.
export function passPad(game) {
    const pad = findPad();
    game.pad(...(pad ? pad.axes.slice(0, 4) : [0, 0, 0, 0]));
    for (let i = 0; i < PAD_BUTTONS; i++)
        game.pad_button(i, pad?.buttons[i]?.pressed ?? false, pad?.buttons[i]?.value ?? 0);
}
