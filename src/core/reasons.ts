/**
 * Every reason a decision can give, with the sentence an operator reads. The same codes appear in
 * `X-Understudy-Reason`, problem bodies, the API, logs and `docs/reasons.md` (compared by a test).
 * A code is never reused for another meaning.
 */
export const reasonTexts = {
  // Is a stream on air here?
  starting: 'the origin has not shown a whole live window yet',
  'origin-unreachable': 'the origin does not answer',
  'origin-timeout': 'the origin did not answer in time',
  'origin-status': 'the origin answered with an error status',
  'origin-refused': 'the origin pointed outside of what is configured for the stream',
  'origin-too-large': 'the origin sent more than the limit',
  'playlist-invalid': 'the origin sent something that is not a playlist which can be offered',
  ended: 'the origin ended the stream',
  'sequence-fell-back': 'the media sequence of the origin fell back',
  frozen: 'the live window does not move',
  'no-such-protocol': 'the stream is not offered over this protocol',
  'reason-unknown': 'the node gives a reason that this version of the agent does not know',

  // May a member be named as a backup?
  unreachable: 'the node does not answer its peers',
  'reachability-unknown': 'it is not known whether the node is there: no node is heard',
  'protocol-version': 'the node speaks another version of the peer protocol',
  'reserve-off': 'the stream is not offered as a backup there',
  draining: 'the node is being drained',
  'no-recent-window': 'no live window was served there in the last 10 minutes',
  'source-undeclared': 'nothing says that the members carry the same source',
  'source-differs': 'the members carry different sources',
  'source-unproved': 'the members have not been seen to carry the same pictures yet',
  'source-ambiguous':
    'the pictures repeat: it cannot be told whether the members carry the same source',
  'timeline-differs':
    'one of the streams is written anew, the other is left as its packager makes it',
  aligning: 'the stream is being put on the timeline of its group',
  behind: 'the live window ends two or more segments before ours',
  'codec-unsupported': 'the stream has a codec that is not written anew',
  'segments-encrypted': 'the segments are encrypted: they are not written anew',
  'segments-unreadable': 'the segments cannot be read: they are not written anew',
  'byte-ranges': 'the segments are ranges of one file: they are not written anew',
  'window-memory':
    'the windows of all streams take more memory than they may: it is not written anew',
  'low-latency': 'low-latency HLS is not written anew',
  'left-as-is': 'the operator wants the stream to be left as its packager makes it',
  'segments-damaged':
    'segments came incomplete to this node: those of another member were published, or none',
  settling: 'the stream has come back a moment ago: it must be stable first',
  'container-differs': 'the segments are in another container',
  'low-latency-differs': 'one of the streams is low-latency HLS, the other is not',
  'rungs-differ': 'the variant streams do not match one by one',
  'clock-skew': 'the clocks differ by more than 240 s',
  'clock-unknown': 'the clock of the node has not been measured yet',
  'key-missing': 'the node does not hold the viewing key',
  overloaded: 'the node is over its load limit',
  'backup-limit': 'the node has as many viewers of other nodes as it may take',
  'address-missing': 'the node announces no address',
  'address-private': 'the node has only private addresses, the viewer is public',
  'address-insecure': 'the viewer came over https, the node offers only http',
  'address-scheme': 'the viewer came over http, the node offers only https',
  'address-unusable': 'no address of the node can be reached from where the viewer is',
  'address-same': 'the node has the same address as another one already named',
  visited: 'the viewer has been at this node already',
  'player-follows-no-backup': 'the player cannot use backups',
  'no-other-member': 'no other node carries the group',
  'no-eligible-backup': 'no other member can stand in for this node now',
  'not-survivable': 'the other nodes could not take all of its viewers if it died now',
  'key-not-in-force': 'the viewing key is not in force',

  // What became of a request.
  'own-viewer': 'served here: the viewer came to this node first',
  'backup-viewer': 'served here: the viewer of another node was admitted',
  'least-bad-backups':
    'served here: the other nodes are overloaded or not heard, the least bad are named',
  'last-resort': 'served here although the stream is not well: nobody else can',
  redirected: 'another node serves the stream',
  'redirected-unheard':
    'no node is heard: the viewer is sent to the one that served the stream when it was heard last',
  'not-carried': 'this node does not carry the stream, another one does',
  'unknown-stream': 'no node of the domain carries a stream of this name',
  'nobody-has-it': 'no node can serve the stream now',
  'all-full': 'every other node that has the stream is over a limit and takes no viewers of others',
  'hops-exhausted': 'the viewer has been sent on as often as is allowed',
  'path-invalid': 'the path or query is malformed',
  'not-found': 'the origin has no such file',
  'period-invalid': 'the start or end of the period is not a time',
  'period-empty': 'the period ends at or before its start',
  'period-future': 'the period starts in the future',
  'period-too-old': 'the period starts before the depth of the archive',
  'period-too-long': 'the period is longer than a week',
  'nothing-recorded': 'no node has any of the period',
  'archive-own': 'served here: this node has the most of the period',
  'archive-joined':
    'served here: the nodes have more of the period together than any of them alone',
  'archive-elsewhere': 'another node has more of the period',
  'internal-error': 'the agent failed on this request',
  drill: 'a drill is on, and this session is meant to meet its failure',

  // Why a pass was refused.
  'pass-too-long': 'the pass is longer than the limit',
  'pass-malformed': 'the pass cannot be read',
  'pass-algorithm': 'the pass is not signed with HS256',
  'pass-type': 'the token is not a pass',
  'pass-unknown-key': 'the pass names a viewing key that this node does not hold',
  'pass-signature': 'the signature of the pass is wrong',
  'pass-claims': 'the pass lacks a claim or has one of the wrong form',
  'pass-audience': 'the pass is not good for this node',
  'pass-group': 'the pass is for another group',
  'pass-not-yet-valid': 'the pass is not valid yet',
  'pass-expired': 'the pass has expired',
  'session-ended': 'an operator ended the session',

  // Why a viewer is not let in at all.
  'auth-missing': 'the viewer brings no token, and this node asks for one',
  'auth-denied': 'the token does not allow the viewer to watch this stream',
  'auth-unavailable': 'it cannot be found out whether the viewer may watch',
  'login-limit': 'the login is watching as many streams as it may',

  // What is wrong with a stream's recording or with what says what is recorded?
  'recorder-disk-full': 'the disk of the recordings is full: nothing more is recorded',
  'recorder-disk-failed': 'the disk does not take recordings',
  'recorder-behind': 'the disk is too slow: live segments were left out of the recording',
  'recorder-segment-unread': 'a live segment could not be read and is missing in the recording',
  'recorder-encrypted': 'the stream is encrypted and is not recorded',
  'recording-lost': 'recordings that were there are gone from the disk or the media server',
  'coverage-source-failed': 'the media server or folder does not say what is recorded',
} as const;

export type ReasonCode = keyof typeof reasonTexts;
