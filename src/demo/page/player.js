import { measurePictures } from './picture-meter.js';

const stream = 'live';
const statePollMs = 700;
const reopenMs = 1000;
const cellsBehind = 6;
const cells = 14;
const eventsMax = 60;

const { Hls } = globalThis;
const find = (selector) => document.querySelector(selector);
const video = find('video');

/** Node that sent each segment, by media sequence number. */
const sentBy = new Map();
let nodes = [];
let playing = { node: undefined, number: undefined };
/** Node that answered the last request for a playlist, and since when it is that one. */
let feeding = { node: undefined, since: 0 };
/** The node that died while its picture was on screen, until the outcome is told. */
let dead;

const meter = measurePictures(video, showMeter);

function showMeter(sums) {
  find('#still').textContent = seconds(sums.stillMs);
  find('#gap').textContent = seconds(sums.longestMs);
  find('#lost').textContent = sums.lost;
  find('#twice').textContent = sums.twice;
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** Adds a line to the log; `{node}` in the text becomes the node's name in its colour. */
function tell(text, node) {
  const [before, after] = text.split('{node}');
  const words = document.createElement('span');
  words.append(before);
  if (after !== undefined) {
    words.append(
      Object.assign(document.createElement('span'), { className: 'node-name', textContent: node }),
      after,
    );
    words.dataset.node = node;
  }
  const line = document.createElement('li');
  line.append(
    Object.assign(document.createElement('time'), {
      textContent: new Date().toTimeString().slice(0, 8),
    }),
    words,
  );
  find('#events').prepend(line);
  while (find('#events').children.length > eventsMax) find('#events').lastChild.remove();
}

function nodeOf(url) {
  const { host } = new URL(url);
  return nodes.find((node) => new URL(node.url).host === host)?.id;
}

function showSegments() {
  const first = (playing.number ?? 0) - cellsBehind;
  const list = Array.from({ length: cells }, (_, index) => {
    const number = first + index;
    const item = document.createElement('li');
    const node = sentBy.get(number);
    if (node !== undefined) {
      item.dataset.node = node;
      item.textContent = String(number % 1000).padStart(3, '0');
    }
    item.className = number < playing.number ? 'past' : number === playing.number ? 'current' : '';
    return item;
  });
  find('#segments').replaceChildren(...list);
}

function showPlaying() {
  const box = find('#playing');
  const node = nodes.find(({ id }) => id === playing.node);
  box.dataset.node = playing.node ?? '';
  box.querySelector('strong').textContent = playing.node ?? 'nobody';
  box.querySelector('.host').textContent = node === undefined ? '' : new URL(node.url).host;
}

function onAnswered(url) {
  const node = nodeOf(url);
  if (node === undefined || node === feeding.node) return;
  if (feeding.node !== undefined) tell('the player asks {node} now', node);
  feeding = { node, since: performance.now() };
}

function onShown(node, number) {
  const isOther = node !== playing.node;
  playing = { node, number };
  showPlaying();
  showSegments();
  if (!isOther) return;
  tell('the picture comes from {node}', node);
  showNodes();
  if (dead !== undefined) tellOutcome();
}

function tellOutcome() {
  const movedMs = Math.max(0, feeding.since - dead.at);
  const stillMs = meter.stillMs - dead.stillMs;
  const lost = meter.lost - dead.lost;
  const verdict = find('#verdict');
  verdict.classList.toggle('good', stillMs < 1000 && lost === 0);
  verdict.textContent =
    `${dead.node} died. ${seconds(movedMs)} later the player had its playlist from ${playing.node}. ` +
    `The picture stood still for ${seconds(stillMs)}, ${lost || 'no'} pictures were lost.`;
  dead = undefined;
}

/** Opens the channel at the first node that runs; again, when the player has given up. */
function open() {
  const entry = nodes.find(({ isRunning }) => isRunning);
  if (entry === undefined) {
    setTimeout(open, reopenMs);
    return;
  }
  tell('the channel is opened at {node}', entry.id);
  const player = new Hls();
  player.on(Hls.Events.LEVEL_LOADED, (_, { networkDetails }) =>
    onAnswered(networkDetails.responseURL),
  );
  player.on(Hls.Events.FRAG_LOADED, (_, { frag }) => {
    sentBy.set(frag.sn, nodeOf(frag.url));
    for (const number of sentBy.keys()) if (number < frag.sn - 60) sentBy.delete(number);
    showSegments();
  });
  player.on(Hls.Events.FRAG_CHANGED, (_, { frag }) => onShown(nodeOf(frag.url), frag.sn));
  player.on(Hls.Events.ERROR, (_, { details, fatal, url, frag, context }) => {
    const asked = url ?? frag?.url ?? context?.url;
    const node = asked === undefined ? undefined : nodeOf(asked);
    if (node !== undefined) tell(`no answer from {node}: ${details}`, node);
    if (!fatal) return;
    tell(`the player gave up: ${details}`);
    player.destroy();
    feeding = { node: undefined, since: 0 };
    setTimeout(open, reopenMs);
  });
  player.loadSource(`${entry.url}/${stream}/index.m3u8`);
  player.attachMedia(video);
  video.play().catch(() => tell('the browser waits for a click before it plays'));
}

function stateOf({ id, isRunning, member }) {
  if (!isRunning) return 'killed';
  if (id === playing.node) return 'plays for you';
  if (member === null) return 'starting';
  if (member.eligible) return 'ready to take over';
  return member.onAir ? member.reasons.join(', ') || 'on air' : 'starting';
}

function showNodes() {
  const list = find('#nodes');
  if (list.children.length === 0) list.append(...nodes.map(createNodeCard));
  nodes.forEach((node, index) => {
    const card = list.children[index];
    card.classList.toggle('off', !node.isRunning);
    card.classList.toggle('plays', node.isRunning && node.id === playing.node);
    card.querySelector('.state').textContent = stateOf(node);
    card.querySelector('button').textContent = node.isRunning ? 'kill' : 'start';
  });
}

function createNodeCard({ id, adminUrl }) {
  const card = find('#node').content.cloneNode(true).firstElementChild;
  card.dataset.node = id;
  card.querySelector('.letter').textContent = id.at(-1).toUpperCase();
  card.querySelector('.name').textContent = id;
  card.querySelector('.api').href = `${adminUrl}/openapi.json`;
  const button = card.querySelector('button');
  button.addEventListener('click', async () => {
    button.disabled = true;
    await press(id);
    button.disabled = false;
  });
  return card;
}

async function press(id) {
  const verb = nodes.find((node) => node.id === id).isRunning ? 'kill' : 'start';
  await fetch(`/${verb}/${id}`, { method: 'POST' });
  await refresh();
}

function noteChange(old, { id, isRunning, downMs }) {
  if (old === undefined || old.isRunning === isRunning) return;
  tell(isRunning ? '{node} starts' : '{node} is dead', id);
  if (isRunning || id !== playing.node) return;
  dead = { node: id, at: performance.now() - downMs, stillMs: meter.stillMs, lost: meter.lost };
}

/** What changed is told here, so that a kill from the command line is told too. */
async function refresh() {
  const before = nodes;
  const { nodes: now, group } = await (await fetch('/state')).json();
  nodes = now;
  for (const node of nodes) {
    noteChange(
      before.find(({ id }) => id === node.id),
      node,
    );
  }
  showNodes();
  const badge = find('#group');
  badge.dataset.state = group?.state ?? 'none';
  badge.textContent = {
    reserve: 'group in reserve',
    degraded: 'group degraded',
    none: 'no backups',
  }[group?.state ?? 'none'];
  badge.title = group?.problems.map(({ text }) => text).join('\n') ?? '';
}

async function watch() {
  try {
    await refresh();
  } catch {
    find('#group').textContent = 'the demo has ended';
  }
  setTimeout(watch, statePollMs);
}

find('#sound').addEventListener('click', ({ target }) => {
  video.muted = !video.muted;
  target.textContent = video.muted ? 'sound on' : 'sound off';
  video.play();
});

await watch();
open();
