/** Where to listen: a host name or IP address (IPv6 without brackets) and a port, 0 for any free one. */
export type ListenAddress = { readonly host: string; readonly port: number };

/** `deadlineMs`, `cacheS`: how long an answer is waited for, and how long it holds at most. */
export type ViewerAuthConfig = {
  readonly deadlineMs: number;
  readonly cacheS: number;
  /** Whether viewers are let in while no answer can be had. */
  readonly failsOpen: boolean;
} & (
  | {
      readonly kind: 'jwt';
      readonly keys: { readonly secret: string } | { readonly jwksUrl: string };
      readonly limitClaim: string;
    }
  | { readonly kind: 'http'; readonly url: string }
);

/** The settings of this node, one slice per consumer; made from the environment once, by `loadConfig`, and frozen. */
export type Config = {
  readonly node: {
    readonly id: string;
    /** Scheme and host (and port) viewers reach the node at, without a slash at the end. */
    readonly publicUrl?: string | undefined;
    /** Share of backups relative to other nodes. */
    readonly weight: number;
  };
  readonly viewers: {
    readonly listen: ListenAddress;
    readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
    /** CIDRs whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: readonly string[];
    /** How viewers who open are checked; absent: they are not. */
    readonly auth?: ViewerAuthConfig | undefined;
    /** Where the sessions of a login are counted together. */
    readonly loginLimitScope: 'node' | 'group';
  };
  readonly admin: {
    readonly listen: ListenAddress;
    readonly token?: string | undefined;
    /** Identity provider whose tokens are good, too. */
    readonly oidc?:
      | { readonly issuer: string; readonly audience: string; readonly jwksUrl: string }
      | undefined;
  };
  readonly peers: {
    readonly listen: ListenAddress;
    /** Base URLs, each once, without a slash at the end; may hold this node's own. */
    readonly urls: readonly string[];
    /** There whenever `urls` is not empty. */
    readonly clusterSecret?: string | undefined;
  };
  readonly passes: { readonly ttlS: number; readonly keyRotationCron: string };
  readonly limits: {
    readonly backupSessionsMax?: number | undefined;
    readonly cpuPercentMax: number;
    readonly networkPercentMax: number;
    /** Seconds given to viewers to move before the process ends. */
    readonly stopDrainS: number;
    /** Absent: the speed of the link. */
    readonly networkCapacityMbps?: number | undefined;
    readonly segmentCacheBytesMax: number;
    /** Absent: a share of the memory. */
    readonly windowBytesMax?: number | undefined;
  };
  /** Processes that serve viewers beside this one; 0: it does so itself. */
  readonly workers: number;
  readonly store: { readonly dataDir: string };
  readonly streamsFile?: string | undefined;
  readonly alertWebhooks: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** What is allowed but seldom meant; one sentence each, naming the variable. */
  readonly warnings: readonly string[];
};
