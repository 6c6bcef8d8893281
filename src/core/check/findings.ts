import { type CheckArea, type CheckCode, checkCodes } from './check-codes.ts';

/** One thing that was found. */
export type Finding = {
  readonly code: CheckCode;
  readonly area: CheckArea;
  readonly severity: 'error' | 'warning';
  /** Id of the node that it is about, or its peer address; absent: the domain or this node. */
  readonly node?: string | undefined;
  readonly group?: string | undefined;
  /** One sentence. */
  readonly text: string;
  readonly remedy: string;
};

/** A finding, heavy as its code is. `remedy`: a better one than that of the code. */
export function finding(
  code: CheckCode,
  found: {
    readonly text: string;
    readonly node?: string | undefined;
    readonly group?: string | undefined;
    readonly remedy?: string | undefined;
  },
): Finding {
  const { area, severity, remedy } = checkCodes[code];
  const { text, node, group } = found;
  return { code, area, severity, node, group, text, remedy: found.remedy ?? remedy };
}
