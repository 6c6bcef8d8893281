import { close, constants, fstat, open, stat } from 'node:fs';
import { Socket } from 'node:net';
import type { FeedConnection } from './feed-connection.ts';

/** Not blocking: opening would otherwise wait for a writer, in a thread that files need. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK;
/** How often it is looked whether the path still means the same FIFO, ms. */
const watchMs = 1000;
/** From one writer's end to reading on, ms. */
const againMs = 20;

/**
 * Reads what is written to a FIFO, by one writer after the other. A second descriptor is held all the time, so that the
 * FIFO never is without a reader: between two readings nothing is lost, and no writer is killed by a broken pipe.
 */
export const connectFifo =
  (path: string): FeedConnection =>
  (sink) => {
    let isStopped = false;
    let held: number | undefined;
    let socket: Socket | undefined;
    let again: NodeJS.Timeout | undefined;

    const lost = (what: string, cause?: NodeJS.ErrnoException) =>
      sink.lost(cause === undefined ? what : `${what}: ${cause.code ?? 'unknown'}`);

    const opened = (use: (fd: number) => void) => {
      open(path, flags, (cause, fd) => {
        if (cause !== null) return lost('the fifo cannot be opened', cause);
        if (isStopped) return close(fd, () => undefined);
        use(fd);
      });
    };
    const read = () =>
      opened((fd) => {
        try {
          socket = new Socket({ fd, readable: true, writable: false });
        } catch {
          close(fd, () => undefined);
          return lost('the path is no fifo');
        }
        socket.on('data', (bytes: Buffer) => sink.bytes(bytes));
        socket.on('error', (cause) => lost('the fifo cannot be read', cause));
        socket.on('end', () => sink.paused('nobody writes to the fifo any more'));
        socket.on('close', () => {
          if (!isStopped) again = setTimeout(read, againMs);
        });
      });
    const watch = (fd: number, inode: number) =>
      stat(path, (cause, stats) => {
        if (held !== fd) return;
        if (cause !== null) lost('the fifo is gone', cause);
        else if (stats.ino !== inode) lost('the fifo was replaced');
      });
    let watching: NodeJS.Timeout | undefined;

    opened((fd) => {
      held = fd;
      fstat(fd, (cause, stats) => {
        if (held !== fd) return;
        if (cause !== null || !stats.isFIFO()) return lost('the path is no fifo');
        watching = setInterval(watch, watchMs, fd, stats.ino);
        read();
      });
    });

    return () => {
      isStopped = true;
      clearTimeout(again);
      clearInterval(watching);
      socket?.destroy();
      if (held !== undefined) close(held, () => undefined);
      held = undefined;
    };
  };
