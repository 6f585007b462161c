// SPDX-License-Identifier: MIT
// Draws the game's frames by WebGL 2, and letters by the browser's own text, which it keeps in sheets.
const SIZE = 2048; // of a sheet, pixels
const CORNER = 20, COMMAND = 7; // bytes and integers of the structs in client/platform/web/canvas.c
const FONT = "\"DejaVu Sans\", \"Noto Sans\", system-ui, sans-serif";

const VERTEX = `#version 300 es
in vec2 at; in vec4 colour; in vec2 image; uniform vec2 size; uniform sampler2D sheet;
out vec4 tint; out vec2 place;
void main() {
    gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0);
    tint = vec4(colour.rgb * colour.a, colour.a);
    place = image / vec2(textureSize(sheet, 0));
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 tint; in highp vec2 place; uniform sampler2D sheet; out vec4 shown;
void main() { shown = texture(sheet, place) * tint; }`;

export class Drawing {
    constructor(canvas) {
        this.canvas = canvas;
        this.sheets = [];
        this.heights = new Map(); // by font: ascent and height
        this.ink = new OffscreenCanvas(SIZE, 256).getContext("2d", {willReadFrequently: true});
        canvas.addEventListener("webglcontextlost", event => event.preventDefault());
        canvas.addEventListener("webglcontextrestored", () => location.reload());
        const gl = this.gl = canvas.getContext("webgl2",
            {alpha: false, antialias: false, depth: false, desynchronized: true});
        if (gl === null) throw new Error("This browser has no WebGL 2, by which the game draws.");
        this.useProgram();
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
        this.addSheet();
    }

    useProgram() {
        const gl = this.gl, program = gl.createProgram();
        for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
            const shader = gl.createShader(kind);
            gl.shaderSource(shader, source);
            gl.compileShader(shader);
            gl.attachShader(program, shader);
        }
        gl.linkProgram(program);
        if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
        gl.useProgram(program);
        this.size = gl.getUniformLocation(program, "size");
        gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
        for (const [name, count, kind, offset] of
            [["at", 2, gl.FLOAT, 0], ["colour", 4, gl.UNSIGNED_BYTE, 8], ["image", 2, gl.FLOAT, 12]]) {
            const at = gl.getAttribLocation(program, name);
            gl.enableVertexAttribArray(at);
            gl.vertexAttribPointer(at, count, kind, kind === gl.UNSIGNED_BYTE, CORNER, offset);
        }
    }

    // --- Sheets of letters, in shelves of about equal height ---

    addSheet() {
        const gl = this.gl, texture = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, SIZE, SIZE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4).fill(255));
        this.sheets.push({texture, shelves: [], end: 2});
    }

    // Finds a place of this size in a sheet, and null where it is full.
    placeIn(sheet, width, height) {
        for (const shelf of sheet.shelves) {
            if (shelf.height < height || shelf.height > height + 6) continue;
            const hole = shelf.holes.findIndex(one => one.width >= width);
            if (hole < 0 && shelf.end + width > SIZE) continue;
            const {x, width: wide} = hole >= 0 ? shelf.holes.splice(hole, 1)[0] : {x: shelf.end, width};
            if (hole < 0) shelf.end += width + 1;
            shelf.used.set(x, wide);
            return {x, y: shelf.y};
        }
        if (sheet.end + height > SIZE) return null;
        sheet.shelves.push({y: sheet.end, height, end: 0, holes: [], used: new Map()});
        sheet.end += height + 1;
        return this.placeIn(sheet, width, height);
    }

    freeLine(number, x, y) {
        const sheet = this.sheets[number], shelf = sheet.shelves.find(one => one.y === y);
        shelf.holes.push({x, width: shelf.used.get(x)});
        shelf.used.delete(x);
        if (sheet.shelves.every(one => one.used.size === 0)) sheet.shelves = [], sheet.end = 2;
    }

    // --- Letters ---

    setFont(em, bold) {
        const font = `${bold ? "bold " : ""}${em}px ${FONT}`;
        if (this.font !== font) this.ink.font = this.font = font;
        return font;
    }

    measure(words, em, bold) {
        this.setFont(em, bold);
        return Math.ceil(this.ink.measureText(words).width);
    }

    // Returns width, height, sheet and place; white letters over a dark outline.
    makeLine(words, em, bold, outline) {
        const ink = this.ink, font = this.setFont(em, bold);
        if (!this.heights.has(font)) {
            const size = ink.measureText(""), ascent = Math.round(size.fontBoundingBoxAscent);
            this.heights.set(font, [ascent, ascent + Math.round(size.fontBoundingBoxDescent)]);
        }
        const [ascent, height] = this.heights.get(font);
        const width = Math.min(this.measure(words, em, bold), SIZE - 2 * outline);
        const wide = width + 2 * outline, high = height + 2 * outline;
        if (width === 0) return [0, height, -1, 0, 0];
        if (ink.canvas.height < high) {
            ink.canvas.height = high;
            this.font = null; // the browser has reset it
            this.setFont(em, bold);
        }
        ink.clearRect(0, 0, wide, high);
        ink.fillStyle = "rgba(0,0,0,0.6)";
        for (const [x, y] of outline > 0 ? [[0, 0], [0, 2], [2, 0], [2, 2]] : [])
            ink.fillText(words, x * outline, ascent + y * outline);
        ink.fillStyle = "#fff";
        ink.fillText(words, outline, ascent + outline);
        let number = 0, place = this.placeIn(this.sheets[0], wide, high);
        while (place === null) {
            if (++number === this.sheets.length) this.addSheet();
            place = this.placeIn(this.sheets[number], wide, high);
        }
        const gl = this.gl;
        gl.bindTexture(gl.TEXTURE_2D, this.sheets[number].texture);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, place.x, place.y, gl.RGBA, gl.UNSIGNED_BYTE,
            ink.getImageData(0, 0, wide, high));
        return [width, height, number, place.x, place.y];
    }

    // --- A frame ---

    draw(corners, indices, commands) {
        const gl = this.gl, {width, height} = this.canvas;
        gl.viewport(0, 0, width, height);
        gl.disable(gl.SCISSOR_TEST);
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.uniform2f(this.size, width, height);
        gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STREAM_DRAW);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STREAM_DRAW);
        for (let i = 0; i < commands.length; i += COMMAND) {
            const [sheet, first, count, left, top, right, bottom] = commands.subarray(i, i + COMMAND);
            if (right < 0) gl.disable(gl.SCISSOR_TEST);
            else {
                gl.enable(gl.SCISSOR_TEST);
                gl.scissor(left, height - bottom, Math.max(right - left, 0), Math.max(bottom - top, 0));
            }
            gl.bindTexture(gl.TEXTURE_2D, this.sheets[Math.max(sheet, 0)].texture);
            gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
        }
    }
}
