// SPDX-License-Identifier: MIT
// Plays the game's sounds by Web Audio, which browsers allow only after the player has done something.
export class Sounds {
    constructor() {
        this.loaded = []; // by kind
        this.amplitude = 1;
    }

    load(kind, samples, hz) {
        this.loaded[kind] = {hz, samples: Float32Array.from(samples, sample => sample / 32768)};
    }

    setVolume(amplitude) {
        this.amplitude = amplitude;
        if (this.level) this.level.gain.value = amplitude;
    }

    // Within an event of the player.
    wake() {
        if (this.context === undefined) {
            this.context = new AudioContext({latencyHint: "interactive"});
            this.level = new GainNode(this.context, {gain: this.amplitude});
            this.level.connect(this.context.destination);
        }
        if (this.context.state === "suspended") this.context.resume().catch(() => {});
    }

    play(kind, left, right) {
        const {context, level} = this, sound = this.loaded[kind];
        if (context?.state !== "running" || document.hidden) return;
        if (sound.buffer === undefined) {
            sound.buffer = context.createBuffer(1, sound.samples.length, sound.hz);
            sound.buffer.copyToChannel(sound.samples, 0);
        }
        const source = new AudioBufferSourceNode(context, {buffer: sound.buffer});
        const ears = new ChannelMergerNode(context, {numberOfInputs: 2});
        [left, right].forEach((gain, ear) =>
            source.connect(new GainNode(context, {gain})).connect(ears, 0, ear));
        ears.connect(level);
        source.start();
    }
}
