/**
 * Measures what a video element really shows. Every picture of the test channel carries its number
 * within the clip as a bar code along its top edge, so pictures that are late, missing or shown twice
 * are seen, not guessed from the player's clock.
 */
const bits = 18;
const cell = 16;
const clipFrames = 200;
const frameMs = 40;
/** Longer than this between two pictures is standing still. */
const gapMsMin = 200;
/**
 * A shorter gap in which the channel went on as far as the clock did is late drawing on a busy machine:
 * the player had the pictures. After a longer one a player may have skipped what it missed.
 */
const lateDrawingMsMax = 1000;

/** Calls `onChange` with the sums after every event worth a note. A hidden page shows nothing: not counted. */
export function measurePictures(video, onChange) {
  const pen = Object.assign(document.createElement('canvas'), {
    width: 320,
    height: 16,
  }).getContext('2d', { willReadFrequently: true });
  const sums = { stillMs: 0, longestMs: 0, lost: 0, twice: 0 };
  let last;

  function readNumber() {
    pen.drawImage(video, 0, 0, video.videoWidth, (video.videoHeight * 16) / 180, 0, 0, 320, 16);
    const row = pen.getImageData(0, 8, 320, 1).data;
    const isLit = (index) => row[(index * cell + cell / 2) * 4] > 128;
    if (!isLit(bits) || isLit(bits + 1)) return undefined;
    let number = 0;
    for (let bit = 0; bit < bits; bit++) if (isLit(bit)) number |= 1 << bit;
    return number;
  }

  function count(ms, jump) {
    const isAhead = jump * frameMs - ms > gapMsMin;
    const isLate = ms - Math.max(jump, 1) * frameMs > gapMsMin || ms > lateDrawingMsMax;
    if (isLate) {
      sums.stillMs += ms - frameMs;
      sums.longestMs = Math.max(sums.longestMs, ms);
    }
    if (isAhead || (isLate && jump > 1)) sums.lost += jump - 1;
    if (jump < 0) sums.twice += 1 - jump;
    if (isAhead || isLate || jump < 0) onChange(sums);
  }

  function onFrame(at) {
    const number = readNumber();
    if (number !== undefined) {
      if (last !== undefined) count(at - last.at, shortestWay(last.number, number));
      last = { at, number };
    }
    video.requestVideoFrameCallback(onFrame);
  }

  document.addEventListener('visibilitychange', () => {
    last = undefined;
  });
  video.addEventListener('emptied', () => {
    last = undefined;
  });
  video.requestVideoFrameCallback(onFrame);
  return sums;
}

/** Pictures from one number to another in a clip that is a ring: -99 to 100. */
function shortestWay(from, to) {
  const ahead = (to - from + clipFrames) % clipFrames;
  return ahead > clipFrames / 2 ? ahead - clipFrames : ahead;
}
