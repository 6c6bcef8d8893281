import { resolve } from 'node:path';
import type { Database } from 'better-sqlite3';
import { openAlertTargets } from './adapters/alerts/open-targets.ts';
import { createOpenDvr } from './adapters/dvr/open-dvr.ts';
import { openScannedFolder } from './adapters/dvr/scanned-folder.ts';
import { createPassSigner } from './adapters/hmac/pass-signer.ts';
import { createKeyWrap } from './adapters/jose/key-wrap.ts';
import { askRecordings } from './adapters/media-servers/ask-recordings.ts';
import { isFeed, openFeed } from './adapters/origin/feed.ts';
import { openOrigin } from './adapters/origin/open-origin.ts';
import { readMeaning } from './adapters/origin/read-playlist.ts';
import { openProbeConnection } from './adapters/probe/probe-connection.ts';
import { createHttpPeerLink } from './adapters/registry/http-peer-link.ts';
import { createAlertStore } from './adapters/sqlite/alert-store.ts';
import { createCoverageStore } from './adapters/sqlite/coverage-store.ts';
import { createKeyStore } from './adapters/sqlite/key-store.ts';
import { createTimelineStore } from './adapters/sqlite/timeline-store.ts';
import { checksum, pause } from './adapters/system/checksum.ts';
import { systemTimers } from './adapters/system/clock.ts';
import { newBytes, newId } from './adapters/system/ids.ts';
import { createReadLoad } from './adapters/system/load.ts';
import { memoryBytes } from './adapters/system/memory.ts';
import { createAgent } from './agent/agent.ts';
import type { Clock, Log, ReadLoad } from './agent/ports.ts';
import { composeViewerAuth, visitorSettings } from './compose-admission.ts';
import type { Config } from './core/config.ts';
import { version } from './version.ts';

/** Of the memory, where no setting says how much windows may take. */
const windowMemoryShare = 0.5;

/** The agent with the outside world of a real node. */
export function openAgent(
  config: Config,
  {
    clock,
    log,
    database,
    workerLoad,
  }: { clock: Clock; log: Log; database: Database; workerLoad: ReadLoad },
) {
  const { clusterSecret } = config.peers;
  const readLoad = createReadLoad();
  return createAgent(
    {
      ...{ clock, timers: systemTimers, log, newId, randomBytes: newBytes },
      ...{ openOrigin, isFeed, openFeed, readMeaning, checksum, pause, signer: createPassSigner() },
      keyStore: createKeyStore(database),
      timelineStore: createTimelineStore(database),
      coverageStore: createCoverageStore(database),
      openDvr: createOpenDvr({ defaultFolder: resolve(config.store.dataDir, 'dvr') }),
      ...{ openScannedFolder, askRecordings },
      keyWrap: clusterSecret === undefined ? undefined : createKeyWrap(clusterSecret),
      readLoad: () => [...readLoad(), ...workerLoad()],
      viewerAuth: composeViewerAuth(config.viewers.auth),
      alertStore: createAlertStore(database),
      alertTargets: openAlertTargets(config.alertWebhooks, config.node.id),
      openProbeConnection,
      link: createHttpPeerLink({ clusterSecret: clusterSecret ?? newId() }),
    },
    {
      ...config.node,
      version,
      passTtlS: config.passes.ttlS,
      ...visitorSettings(config),
      segmentCacheBytesMax: config.limits.segmentCacheBytesMax,
      windowBytesMax: config.limits.windowBytesMax ?? memoryBytes() * windowMemoryShare,
      peerUrls: config.peers.urls,
      hasWorkers: config.workers > 0,
    },
  );
}
