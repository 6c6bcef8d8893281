import { totalmem } from 'node:os';

/** Memory that this process may take, bytes: that of the machine, or of its control group where that is less. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
