/** The part of m3u8-parser 7 that is used; the package has no types of its own. */
declare module 'm3u8-parser' {
  export class Parser {
    readonly manifest: {
      readonly targetDuration?: number;
      readonly mediaSequence?: number;
      readonly endList?: boolean;
      readonly segments: readonly object[];
      readonly playlists?: readonly { readonly attributes?: object }[];
    };
    push(text: string): void;
    end(): void;
  }
}
