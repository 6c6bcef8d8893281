import { runWorker } from './compose-worker.ts';

// What `node:cluster` starts beside the main process, see `docs/adr/0023-workers-repeat.md`.
await runWorker();
