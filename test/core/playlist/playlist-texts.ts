import { readFileSync } from 'node:fs';

/** A playlist of `test/fixtures/playlists`, as text. */
export function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/playlists/${name}`, import.meta.url), 'utf8');
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** One byte per character, for what is not UTF-8. */
export function rawBytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
