import type { OpenOrigin } from '../../agent/ports.ts';
import { AgentError } from '../../core/errors.ts';
import { originPlace } from '../../core/stream/origin-paths.ts';
import { createFolderOrigin } from './folder-origin.ts';
import { createHttpOrigin } from './http-origin.ts';

/** @throws AgentError config_invalid for anything but an http(s) URL, a `file:` URL of this machine or an absolute path. */
export const openOrigin: OpenOrigin = (entry) => {
  const place = originPlace(entry, 'index');
  if (place === undefined) {
    throw new AgentError(
      'config_invalid',
      'an origin must be an http(s) URL, a file: URL or an absolute path',
    );
  }
  return place.entry.startsWith('file:')
    ? createFolderOrigin(place.folder)
    : createHttpOrigin(place.root);
};
