import type { LoadLimits } from '../core/load/load.ts';
import type { AlertStore, AlertTarget } from './alert-ports.ts';
import type { AskRecordings, CoverageStore, OpenDvr, OpenScannedFolder } from './archive-ports.ts';
import type { ReadMeaning } from './live-snapshots.ts';
import type { PeerLink } from './peer-ports.ts';
import type {
  Checksum,
  Clock,
  KeyStore,
  KeyWrap,
  Log,
  NewId,
  OpenFeed,
  OpenOrigin,
  OpenProbeConnection,
  PassSigner,
  RandomBytes,
  ReadLoad,
  TimelineStore,
  Timers,
} from './ports.ts';
import type { ViewerAuthDeps } from './viewer-auth.ts';

/** The outside world of one agent. */
export type AgentPorts = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
  readonly openOrigin: OpenOrigin;
  readonly isFeed: (entry: string) => boolean;
  readonly openFeed: OpenFeed;
  readonly readMeaning: ReadMeaning;
  readonly keyStore: KeyStore;
  readonly coverageStore: CoverageStore;
  /** Absent: nothing is recorded here. */
  readonly openDvr?: OpenDvr | undefined;
  /** Absent: archives in folders, or at media servers, are not known. */
  readonly openScannedFolder?: OpenScannedFolder | undefined;
  readonly askRecordings?: AskRecordings | undefined;
  /** Absent without a cluster secret: then keys never leave the node. */
  readonly keyWrap?: KeyWrap | undefined;
  readonly signer: PassSigner;
  readonly link: PeerLink;
  readonly openProbeConnection: OpenProbeConnection;
  readonly checksum: Checksum;
  readonly timelineStore: TimelineStore;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
  /** Absent: viewers need no token. */
  readonly viewerAuth?: Omit<ViewerAuthDeps, 'log' | 'fingerprint'> | undefined;
  /** Absent: load is not known, and refuses nobody. */
  readonly readLoad?: ReadLoad | undefined;
  readonly alertStore: AlertStore;
  readonly alertTargets: readonly AlertTarget[];
};

export type AgentSettings = {
  readonly id: string;
  readonly version: string;
  readonly publicUrl?: string | undefined;
  readonly weight: number;
  readonly passTtlS: number;
  readonly backupSessionsMax?: number | undefined;
  readonly loadLimits?: LoadLimits | undefined;
  readonly loginLimitScope?: 'node' | 'group' | undefined;
  readonly segmentCacheBytesMax?: number | undefined;
  readonly windowBytesMax?: number | undefined;
  readonly peerUrls: readonly string[];
  /** Whether workers take viewers' requests and pass them on, see `workers/repeats.ts`. */
  readonly hasWorkers?: boolean | undefined;
};
