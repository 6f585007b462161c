// SPDX-License-Identifier: MIT
// What every part of the page uses: elements, colours, numbers as words. Text from the server
// becomes text of the page, never markup.

export const find = id => document.getElementById(id);

export function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className)
    made.className = className;
  return made;
}

// Writes a text only if it has changed, so that a screen reader does not repeat it.
export function say(node, text) {
  if (node.textContent !== String(text))
    node.textContent = text;
}

// Makes a link open the game with these options in its page.
export function linkGame(link, page, options) {
  const url = new URL(page);
  for (const [name, value] of Object.entries(options))
    url.searchParams.set(name, value);
  Object.assign(link, {href: url, target: "_blank", rel: "noopener"});
  return link;
}

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function colourOf(id) {
  return `hsl(${(id & 1023) * 137.5 % 360} 70% ${colour("--luminance")})`;
}

// Clears a canvas and returns its context with CSS pixels as units, for any display density.
export function prepareCanvas(canvas) {
  const scale = devicePixelRatio || 1, {clientWidth: width, clientHeight: height} = canvas;
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== w || canvas.height !== h)
    [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return {context, width, height};
}

export const count = number => number >= 1e6 ? `${+(number / 1e6).toPrecision(3)} M`
  : number >= 1e4 ? `${+(number / 1e3).toPrecision(3)} k`
  : number >= 10 || number === 0 ? `${Math.round(number)}` : `${+number.toPrecision(2)}`;

export const duration = us => us >= 1000 ? `${+(us / 1000).toPrecision(3)} ms`
  : `${Math.round(us)} \u00b5s`;

export const milliseconds = ms => `${Math.round(ms)} ms`;

export const rate = bytes => bytes >= 1e6 ? `${+(bytes / 1e6).toPrecision(3)} MB/s`
  : `${+(bytes / 1e3).toPrecision(3)} kB/s`;

export const size = bytes => bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB`
  : `${Math.max(1, Math.round(bytes / 1e3))} kB`;

export const percent = permille => `${+(permille / 10).toPrecision(3)} %`;

// Formats seconds as "4:05", or as "8 s" during the last minute.
export function clock(seconds) {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s`
    : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function ago(seconds) {
  const [days, hours, minutes] =
    [seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60].map(Math.floor);
  return days ? `${days} d ${hours} h` : hours ? `${hours} h ${minutes} min`
    : minutes ? `${minutes} min` : `${Math.floor(seconds)} s`;
}
