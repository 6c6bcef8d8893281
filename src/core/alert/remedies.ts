import type { ReasonCode } from '../reasons.ts';

/** What to do about each cause that an alert can have, as `docs/reasons.md` has it (compared by a test). */
const remedies: Readonly<Partial<Record<ReasonCode, string>>> = {
  starting: 'wait one or two target durations; if it stays, see whether the playlist grows',
  'origin-unreachable':
    "see whether the media server runs and the stream's origin or dash is right",
  'origin-timeout': 'look at the load of the media server and of its disk',
  'origin-status': "ask the origin's URL yourself; 404 mostly means that nobody publishes",
  'origin-refused': "set the stream's URL to the host that serves all of its files",
  'origin-too-large': 'shorten the live window; see that the URL is that of a playlist',
  'playlist-invalid':
    "open the origin's URL: an HTML page, an IPTV list or a playlist without segments is not offered",
  ended: 'publish again; nothing if it was meant to end',
  'sequence-fell-back':
    'nothing if the packager was restarted: it is on air when the window moves again',
  frozen: 'look at the encoder: no new segment for 1.5 target durations',
  'reason-unknown': 'upgrade this node to the version of that one',
  unreachable: 'start that node, or mend the way to its peer listener; GET /api/v1/peers says more',
  'reachability-unknown': 'look at the network of the node you ask; nothing right after its start',
  'protocol-version': 'bring all nodes to one version',
  'reserve-off': 'set reserve: true there if it should be',
  draining: 'end the drain when the work is done',
  'no-recent-window': 'look at the origin there',
  'source-undeclared': 'give the members one source, if they do carry the same',
  'source-differs': 'give both one feed and one source, or part the group',
  'source-unproved':
    'nothing for some keyframes (seconds); then see whether both nodes get the same feed of one encoder',
  'source-ambiguous':
    'nothing if it is a slate or black: it passes with the picture; else give both one source',
  'timeline-differs':
    'see why one is left (its own node says it); or set "canonical": false and one source on both',
  aligning:
    'nothing for some 15 s after a start of packager or agent; then see the log: packager began anew again and again is a packager that restarts',
  behind:
    "shorten the segments of that node's packager: as long as the keyframe interval, 2 s at most",
  'codec-unsupported':
    'nothing if one packager feeds all: declare one source; else H.264, HEVC or MPEG-2 with AAC, MP2, MP3 or AC-3',
  'segments-encrypted': "encrypt behind the agent, or declare one source for one packager's output",
  'segments-unreadable':
    'open a segment of the origin with ffprobe: neither MPEG-TS nor fragmented MP4, or not to be had',
  'byte-ranges': 'let the packager write one file per segment',
  'window-memory': 'raise UNDERSTUDY_WINDOW_MEMORY_MB, or spread the streams over more nodes',
  'low-latency': "declare one source for one packager's output, or leave low latency",
  'left-as-is': 'take "canonical": false away if it is not meant',
  'segments-damaged':
    'look for lost packets between the source and the node that the problem names; timeline in GET /api/v1/streams/{name} counts them',
  settling: 'nothing: it passes when the window has been stable for some segments',
  'container-differs': 'set both packagers to MPEG-TS, or both to fMP4',
  'low-latency-differs': 'switch it on, or off, on both',
  'rungs-differ': 'make number, order, codecs, resolution and bit rate (to within 1.25) alike',
  'clock-skew': 'set the clock that the text names; nothing has to be restarted',
  'clock-unknown': 'nothing for some seconds; then as for unreachable',
  'key-missing': 'nothing for some seconds; then see GET /api/v1/key on both',
  overloaded: 'nothing if it passes; else more nodes, or less weight for this one',
  'backup-limit': 'raise UNDERSTUDY_BACKUP_SESSION_LIMIT there if it can take more',
  'address-missing': 'set its UNDERSTUDY_PUBLIC_URL',
  'address-private': 'set its UNDERSTUDY_PUBLIC_URL, unless all viewers are inside',
  'no-other-member': 'add the stream with the same group on another node; see UNDERSTUDY_PEERS',
  'no-eligible-backup':
    'see in the members of the group why none is eligible; end a drain, or set reserve: true',
  'not-survivable':
    'more nodes, or higher limits where there is room; GET /api/v1/forecast says which limit it is',
  'key-not-in-force':
    'nothing for some seconds; then GET /api/v1/key says which peer does not take it',
};

/** What to do about it, in one line. */
export function remedyOf(cause: ReasonCode): string {
  return remedies[cause] ?? `see "${cause}" in docs/reasons.md`;
}
