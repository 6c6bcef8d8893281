/**
 * Draws one frame of the test channel. Everything is a function of the frame number and returns to
 * its start after `frames` frames, so that the clip can be looped for ever.
 */
const width = 640;
const height = 360;
const frames = 200;
const framesPerSecond = 25;

const palette = {
  night: '#131a2e',
  stage: '#1b2440',
  line: '#33406a',
  text: '#f3f1ea',
  quiet: '#9aa6c9',
  spot: '#ffc857',
};
const strip = ['#f3f1ea', '#ffc857', '#4cc9c0', '#6ad07c', '#c77dff', '#ff6b6b', '#4d7cff'];

const turn = (frame, phase = 0) => 2 * Math.PI * (frame / frames + phase);

/** 18 bits of frame number, least first, then a lit and a dark guard: read by the player pages. */
function drawCode(pen, frame) {
  const cell = width / 20;
  pen.fillStyle = '#05070d';
  pen.fillRect(0, 0, width, 32);
  pen.fillStyle = '#ffffff';
  for (let bit = 0; bit < 18; bit++) {
    if ((frame >> bit) & 1) pen.fillRect(bit * cell, 0, cell, 32);
  }
  pen.fillRect(18 * cell, 0, cell, 32);
}

/** Two spotlights that cross: the beam of the node that plays and the one that stands by. */
function drawBeams(pen, frame) {
  for (const [side, colour, phase] of [
    [-1, '#22305a', 0],
    [1, '#25294f', 0.5],
  ]) {
    const top = width / 2 + side * 300;
    const foot = width / 2 + side * 40 + 120 * Math.sin(turn(frame, phase));
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(top - 14, 32);
    pen.lineTo(top + 14, 32);
    pen.lineTo(foot + 110, height);
    pen.lineTo(foot - 110, height);
    pen.fill();
  }
}

/** A dial that goes round once per clip, with the running second in its middle. */
function drawDial(pen, frame) {
  const [x, y, radius] = [158, 186, 92];
  pen.lineCap = 'butt';
  pen.fillStyle = palette.night;
  pen.beginPath();
  pen.arc(x, y, radius + 14, 0, 2 * Math.PI);
  pen.fill();
  pen.lineWidth = 10;
  pen.strokeStyle = palette.line;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.stroke();
  const from = -Math.PI / 2;
  pen.strokeStyle = palette.spot;
  pen.beginPath();
  pen.arc(x, y, radius, from, from + turn(frame + 1));
  pen.stroke();
  pen.fillStyle = palette.text;
  pen.beginPath();
  pen.arc(
    x + radius * Math.cos(from + turn(frame + 1)),
    y + radius * Math.sin(from + turn(frame + 1)),
    11,
    0,
    7,
  );
  pen.fill();
  pen.textAlign = 'center';
  pen.font = 'bold 76px "DejaVu Sans"';
  pen.fillText(String(Math.floor(frame / framesPerSecond) + 1), x, y + 18);
  pen.font = '15px "DejaVu Sans"';
  pen.fillStyle = palette.quiet;
  pen.fillText(`of ${frames / framesPerSecond} s`, x, y + 46);
}

function drawTitle(pen, frame) {
  pen.textAlign = 'left';
  pen.fillStyle = palette.text;
  pen.font = 'bold 38px "DejaVu Sans"';
  pen.letterSpacing = '-1px';
  pen.fillText('understudy', 294, 128);
  pen.letterSpacing = '3px';
  pen.font = '14px "DejaVu Sans"';
  pen.fillStyle = palette.quiet;
  pen.fillText('TEST CHANNEL', 298, 154);
  pen.letterSpacing = '0px';
  pen.font = 'bold 70px "DejaVu Sans Mono"';
  pen.fillStyle = palette.spot;
  pen.fillText(String(frame).padStart(3, '0'), 292, 236);
  pen.font = '14px "DejaVu Sans"';
  pen.fillStyle = palette.quiet;
  pen.fillText('frame', 428, 214);
  pen.fillText(`of ${frames}`, 428, 235);
}

/** A ball that runs to and fro once per two seconds: the eye sees a missing picture at once. */
function drawTrack(pen, frame) {
  const [left, right, y] = [300, 590, 268];
  pen.strokeStyle = palette.line;
  pen.lineWidth = 4;
  pen.lineCap = 'round';
  pen.beginPath();
  pen.moveTo(left, y);
  pen.lineTo(right, y);
  pen.stroke();
  const x = (left + right) / 2 - ((right - left) / 2) * Math.cos(turn(frame) * 4);
  pen.fillStyle = palette.text;
  pen.beginPath();
  pen.arc(x, y, 10, 0, 2 * Math.PI);
  pen.fill();
}

function drawStrip(pen) {
  const cell = width / strip.length;
  strip.forEach((colour, index) => {
    pen.fillStyle = colour;
    pen.fillRect(Math.round(index * cell), height - 22, Math.ceil(cell), 22);
  });
}

/** Draws frame `frame` on the page's canvas. */
// biome-ignore lint/correctness/noUnusedVariables: called by the generator from outside of the page
function drawFrame(frame) {
  const pen = document.querySelector('canvas').getContext('2d');
  pen.fillStyle = palette.stage;
  pen.fillRect(0, 0, width, height);
  drawBeams(pen, frame);
  drawDial(pen, frame);
  drawTitle(pen, frame);
  drawTrack(pen, frame);
  drawStrip(pen);
  drawCode(pen, frame);
}
