import type { Reachability } from '../group/node.ts';
import type { KeyState } from '../pass/key-ring.ts';
import type { UnixMs } from '../time.ts';
import type { AddressClass } from '../viewer/address-class.ts';

/** What was gathered of a domain, from one of its nodes and by asking its listeners. */
export type CheckFacts = {
  /** Id of the node that was asked. */
  readonly self: string;
  readonly keyState: KeyState;
  readonly groups: readonly GroupFacts[];
  readonly peers: readonly PeerFacts[];
  /** Whom that node hears: the reachable among its peers. */
  readonly hears: readonly string[];
  /** Nodes that ask it without being among its peers. */
  readonly strangers: readonly string[];
  /** Nodes whose clock most others contradict. */
  readonly wrongClocks: readonly string[];
  /** Alerts that stand. */
  readonly alerts: readonly {
    readonly code: number;
    readonly text: string;
    readonly node: string;
  }[];
  /** The nodes as viewers reach them. */
  readonly sites: readonly SiteFacts[];
  /** What those who are told of alerts made of a test, or why none was told. */
  readonly delivery:
    | { readonly kind: 'untried'; readonly why: string }
    | {
        readonly kind: 'tried';
        readonly targets: readonly { readonly to: string; readonly fault?: string | undefined }[];
      };
  readonly trials: readonly TrialFacts[];
};

export type GroupFacts = {
  readonly name: string;
  readonly state: 'reserve' | 'degraded' | 'none';
  readonly problems: readonly {
    readonly code: string;
    readonly text: string;
    readonly node?: string | undefined;
  }[];
};

export type PeerFacts = {
  /** As in the list of peers. */
  readonly url: string;
  /** Absent until it was heard. */
  readonly id?: string | undefined;
  readonly reachability: Reachability;
  readonly fault?: string | undefined;
  /** Whom it hears; absent where it does not say. */
  readonly hears?: readonly string[] | undefined;
  readonly clockOffsetMs?: number | undefined;
};

/** One node at the address that it announces to viewers. */
export type SiteFacts = {
  readonly node: string;
  /** Where it is asked: its public URL, else an address that it announces; absent where it announces none. */
  readonly base?: string | undefined;
  /** Whether that is a public URL. */
  readonly isDeclared: boolean;
  /** Where the host name leads from here; absent where it leads nowhere, with the cause. */
  readonly addresses?:
    | readonly { readonly text: string; readonly class: AddressClass }[]
    | undefined;
  readonly unresolved?: string | undefined;
  /** What listens there; absent where nothing could be asked. */
  readonly listener?: ListenerFacts | undefined;
  /** What it showed; absent for http, and where nobody answered. */
  readonly certificate?: CertificateFacts | undefined;
};

type ListenerFacts =
  | { readonly kind: 'silent'; readonly cause: string }
  /** `node`: who it says it is; absent where it is no agent. */
  | { readonly kind: 'answers'; readonly node?: string | undefined };

export type CertificateFacts = {
  /** Why the chain is not trusted here; absent when it is. */
  readonly untrusted?: string | undefined;
  readonly coversName: boolean;
  readonly validFrom: UnixMs;
  readonly validTo: UnixMs;
};

/** One stream of a group opened at the node as if it were to be watched elsewhere. */
export type TrialFacts = {
  readonly group: string;
  readonly stream: string;
  readonly outcome: /** Nothing could be asked for. */
    | { readonly kind: 'untried'; readonly why: string }
    /** The node answered itself; with the reason that it gave. */
    | {
        readonly kind: 'not-redirected';
        readonly status: number;
        readonly reason?: string | undefined;
      }
    /** The node pointed to where no node of the domain says it is: nobody was asked there. */
    | { readonly kind: 'elsewhere'; readonly host: string }
    /** Followed, and not served there. */
    | { readonly kind: 'refused'; readonly to: string; readonly cause: string }
    | { readonly kind: 'served'; readonly by: string };
};
