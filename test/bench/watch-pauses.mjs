// For `node --import`: tells whoever started this process of pauses of its event loop, and what it weighs.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();
process.on('message', () => {
  const pause = (ns) => Math.max(0, ns / 1e6 - resolutionMs);
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  process.send({
    ...{ worstMs: pause(delays.max), p99Ms: pause(delays.percentile(99)) },
    ...{ rss, heapUsed, arrayBuffers },
    cpuUs: Object.values(process.cpuUsage()).reduce((sum, us) => sum + us),
  });
  delays.reset();
});
process.channel?.unref();
