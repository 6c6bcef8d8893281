/**
 * Plays `?src=` with `?player=hls|shaka|vhs` in default settings, `?rate=` times as fast as usual, and measures what is shown: every
 * picture of the source carries its frame number as an 18-bit bar code along its top edge, so a picture
 * that is missing, late or shown twice is seen here and not guessed from the player's clock.
 */
const bits = 18;
const cell = 16;
/** Gaps between shown pictures up to this long are not worth a note. */
const gapMsMin = 200;
/** Jumps of the frame number by up to this many pictures are late drawing. */
const jumpMin = 6;
const tickMs = 50;
/** Notes kept per list; a player in a loop of errors must not fill the memory. */
const notesMax = 500;
const frameMs = 40;
/** A picture that comes this much before its turn was not drawn early: pictures before it are missing. */
const earlyMsMin = 1.5 * frameMs;
const straysMax = 3;
/** Lateness of drawing is told from a stall by what was seen in the last so many ms. */
const paceKeptMs = 10_000;

const query = new URLSearchParams(location.search);
const rate = Number(query.get('rate') ?? 1);
const video = document.querySelector('video');
const pen = document.querySelector('canvas').getContext('2d', { willReadFrequently: true });

const seen = {
  frames: 0,
  unread: 0,
  firstAt: 0,
  lastAt: 0,
  lastNumber: 0,
  /** `{ at, ms, lagMs, jump }`: a picture came `ms` after the last one, `jump` numbers further. */
  gaps: [],
  errors: [],
  /** Pictures of the source that were skipped, and that were shown again. */
  lost: 0,
  repeated: 0,
  /** `{ at, number, jump, moved, earlyMs, mediaTime }` of each picture that counted as one or the other. */
  jumps: [],
  starvedMs: 0,
  lagMs: 0,
};
let lagAtLastFrame = 0;
/** Place of the source's numbers on the player's time line, ms; and how many pictures in a row lay elsewhere. */
let place = { ms: undefined, strays: 0 };
/** `{ at, lateMs }` of pictures of the last seconds: how long after its number's turn each was shown. */
let pace = [];

function note(list, entry) {
  if (list.length < notesMax) list.push({ at: Date.now(), ...entry });
}

/** The frame number of the picture now shown; undefined if it carries none. */
function readNumber() {
  pen.drawImage(video, 0, 0, video.videoWidth, (video.videoHeight * 16) / 180, 0, 0, 320, 16);
  const row = pen.getImageData(0, 8, 320, 1).data;
  const isLit = (index) => row[(index * cell + cell / 2) * 4] > 128;
  if (!isLit(bits) || isLit(bits + 1)) return undefined;
  let number = 0;
  for (let bit = 0; bit < bits; bit++) if (isLit(bit)) number |= 1 << bit;
  return number;
}

/**
 * By how many pictures the numbers have moved on the time line. What is drawn may be one picture ahead of what is told; of
 * those that are shown, which are few when played faster.
 */
function moveOf(ms) {
  const apart = Math.round((ms - (place.ms ?? ms)) / frameMs);
  const pictures = rate > 1 && Math.abs(apart) <= rate ? 0 : apart;
  const strays = pictures === 0 ? 0 : place.strays + 1;
  const isMove = strays > straysMax;
  place = { ms: isMove ? ms : (place.ms ?? ms), strays: isMove ? 0 : strays };
  return isMove ? pictures : 0;
}

/**
 * Pictures that are not drawn because the machine is busy are no loss: the next one comes at its turn. Lost is what moves
 * the numbers forward on the player's time line, or makes a picture come before its turn; repeated is what moves them back.
 */
function countJumps(number, mediaTime, shownAt) {
  const moved = moveOf(number * frameMs - mediaTime * 1000);
  const lateMs = shownAt - (number * frameMs) / rate;
  const paceMs = pace.length === 0 ? lateMs : Math.min(...pace.map((entry) => entry.lateMs));
  const earlyMs = paceMs - lateMs;
  const jump = number - seen.lastNumber;
  if (jump < 0) seen.repeated += 1 - jump;
  else if (moved < 0) seen.repeated -= moved;
  else if (earlyMs >= earlyMsMin) seen.lost += Math.round((earlyMs * rate) / frameMs);
  else seen.lost += moved;
  if (jump < 0 || moved !== 0 || earlyMs >= earlyMsMin)
    note(seen.jumps, { number, jump, moved, earlyMs: Math.round(earlyMs), mediaTime });
  const isSteady = jump >= 0 && earlyMs < earlyMsMin;
  if (!isSteady) place = { ms: undefined, strays: 0 };
  pace = isSteady ? pace.filter(({ at }) => at > shownAt - paceKeptMs) : [];
  pace.push({ at: shownAt, lateMs });
}

function onFrame(_, { mediaTime, expectedDisplayTime }) {
  const at = Date.now();
  const number = readNumber();
  if (number === undefined) {
    seen.unread++;
  } else {
    const ms = at - seen.lastAt;
    const jump = number - seen.lastNumber;
    if (seen.frames > 0 && (ms > gapMsMin || jump > jumpMin * rate || jump < 0)) {
      note(seen.gaps, { ms, jump, lagMs: Math.round(seen.lagMs - lagAtLastFrame) });
    }
    if (seen.frames > 0) countJumps(number, mediaTime, expectedDisplayTime);
    if (seen.frames === 0) seen.firstAt = at;
    seen.frames++;
    seen.lastAt = at;
    seen.lastNumber = number;
    lagAtLastFrame = seen.lagMs;
  }
  video.requestVideoFrameCallback(onFrame);
}

function bufferedAheadS() {
  for (let range = 0; range < video.buffered.length; range++) {
    const [start, end] = [video.buffered.start(range), video.buffered.end(range)];
    if (start <= video.currentTime + 0.1 && end > video.currentTime) return end - video.currentTime;
  }
  return 0;
}

/** Time without anything to show, and time this page itself came late: a busy machine, not a stall. */
function watchBuffer() {
  let lastAt = performance.now();
  setInterval(() => {
    const elapsedMs = performance.now() - lastAt;
    lastAt += elapsedMs;
    if (elapsedMs > 4 * tickMs) seen.lagMs += elapsedMs - tickMs;
    const isStarved =
      bufferedAheadS() < 0.1 || video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    if (seen.frames > 0 && isStarved && !video.paused) seen.starvedMs += Math.min(elapsedMs, 1000);
  }, tickMs);
}

function load(url) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    Object.assign(script, { src: url, onload: resolve, onerror: reject });
    document.head.append(script);
  });
}

const players = {
  async hls(src) {
    await load('/hls.js');
    const player = new globalThis.Hls();
    player.on(globalThis.Hls.Events.ERROR, (_, { details, fatal, response }) => {
      note(seen.errors, { text: `${details} ${response?.code ?? ''}`, fatal });
    });
    player.loadSource(src);
    player.attachMedia(video);
  },
  async shaka(src) {
    await load('/shaka.js');
    globalThis.shaka.polyfill.installAll();
    const player = new globalThis.shaka.Player();
    await player.attach(video);
    const critical = globalThis.shaka.util.Error.Severity.CRITICAL;
    player.addEventListener('error', ({ detail }) => {
      note(seen.errors, {
        // What is thrown inside of it comes by the same way.
        text: `${detail.category ?? detail.name} ${detail.code ?? detail.message}`,
        fatal: detail.severity === critical,
      });
    });
    await player.load(src);
  },
  async vhs(src) {
    await load('/video.js');
    const player = globalThis.videojs(video, { html5: { vhs: { overrideNative: true } } });
    player.on('error', () => note(seen.errors, { text: player.error()?.message, fatal: true }));
    player.src({ src, type: 'application/x-mpegURL' });
  },
};

globalThis.measured = () => ({ ...seen, bufferedAheadS: bufferedAheadS(), now: Date.now() });
video.requestVideoFrameCallback(onFrame);
watchBuffer();
try {
  // Attaching media sets the rate back to the usual one.
  Object.assign(video, { defaultPlaybackRate: rate, playbackRate: rate });
  await players[query.get('player')](query.get('src'));
  await video.play();
} catch (error) {
  note(seen.errors, { text: String(error?.code ?? error), fatal: true });
}
