/**
 * Makes the clip of the built-in test channel anew: `node test/support/clip/make.mjs`. Needs Chromium
 * (draws the pictures), ffmpeg (encodes) and fonts-dejavu-core. The result is committed, so this runs
 * only when the picture changes.
 *
 * 8 s hold exactly 200 pictures of 25 per second and exactly 375 AAC frames of 1024 samples at 48 kHz.
 * The clip is encoded three times in a row and the middle one is kept: its audio begins with the end of
 * the clip already in the codec's overlap, so that repeating it makes no click.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const frames = 200;
const clipS = 8;
const segmentS = 2;
const sampleRate = 48_000;
const target = fileURLToPath(new URL('../../../src/demo/clip/', import.meta.url));

async function drawFrames(folder) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage({ viewport: { width: 640, height: 360 } });
  await page.setContent('<body style="margin:0"><canvas width="640" height="360"></canvas>');
  await page.addScriptTag({
    content: readFileSync(new URL('./picture.js', import.meta.url), 'utf8'),
  });
  for (let frame = 0; frame < frames; frame++) {
    await page.evaluate((number) => globalThis.drawFrame(number), frame);
    await page.screenshot({ path: join(folder, `${String(frame).padStart(3, '0')}.png`) });
  }
  await browser.close();
}

/** One soft plucked note per second, the first an octave higher. Each has died away before the next. */
function composeAudio(path) {
  const notesHz = [880, 440, 523.25, 587.33, 659.25, 587.33, 523.25, 392];
  const samples = new Int16Array(clipS * sampleRate);
  for (let index = 0; index < samples.length; index++) {
    const second = Math.floor(index / sampleRate);
    const at = (index % sampleRate) / sampleRate;
    const envelope = Math.min(1, at / 0.01) * Math.exp(-5 * at) * Math.min(1, (1 - at) / 0.05);
    const phase = 2 * Math.PI * notesHz[second] * at;
    samples[index] = 7000 * envelope * (Math.sin(phase) + 0.3 * Math.sin(2 * phase));
  }
  writeFileSync(path, samples);
}

function encode(folder) {
  const run = (args) =>
    execFileSync('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-nostdin', '-y', ...args], {
      stdio: 'inherit',
    });
  const every = segmentS * 25;
  run(
    [
      ...['-stream_loop', '2', '-framerate', '25', '-i', join(folder, '%03d.png')],
      ...[
        '-stream_loop',
        '2',
        '-f',
        's16le',
        '-ar',
        sampleRate,
        '-ac',
        1,
        '-i',
        join(folder, 'audio.raw'),
      ],
      ...['-t', 3 * clipS, '-c:v', 'libx264', '-profile:v', 'baseline', '-preset', 'veryslow'],
      ...['-pix_fmt', 'yuv420p', '-crf', 21, '-g', every, '-keyint_min', every, '-sc_threshold', 0],
      ...['-c:a', 'aac', '-b:a', '56k', '-f', 'hls', '-hls_time', segmentS, '-hls_list_size', 0],
      ...['-hls_segment_filename', join(folder, '%d.mpegts'), join(folder, 'all.m3u8')],
    ].map(String),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'understudy-clip-'));
try {
  await drawFrames(folder);
  composeAudio(join(folder, 'audio.raw'));
  encode(folder);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const count = clipS / segmentS;
  for (let index = 0; index < count; index++) {
    cpSync(join(folder, `${count + index}.mpegts`), join(target, `${index}.mpegts`));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
