import { askListener, resolveHost } from './adapters/check/ask-listener.ts';
import type {
  CheckFacts,
  GroupFacts,
  PeerFacts,
  SiteFacts,
  TrialFacts,
} from './core/check/facts.ts';
import { type OpeningAnswer, readFollowed, readTrial } from './core/check/trial-outcome.ts';
import { readAddress } from './core/viewer/address-class.ts';
import type { NodeCall } from './node-call.ts';

/** Listeners asked at once; each answers within some seconds, or counts as silent. */
const atOnceMax = 8;
/** Groups of which one stream is opened; the first ones by name. */
const trialsMax = 50;
/** Pages of groups that are read. */
const pagesMax = 20;
/** A name that no stream has: the node says who it is, and nobody begins to watch. */
const noStream = '/~check/index.m3u8';

type NodeView = {
  readonly id: string;
  readonly publicUrl?: string;
  readonly addresses: readonly string[];
  readonly key: { readonly state: CheckFacts['keyState'] };
  readonly clock: { readonly wrongNodes: readonly string[] };
};
type PeerView = PeerFacts & { readonly publicUrl?: string; readonly addresses?: readonly string[] };
type GroupView = GroupFacts & {
  readonly members: readonly { readonly node: string; readonly stream: string }[];
};
type Announced = Pick<NodeView, 'id' | 'publicUrl'> & { readonly addresses: readonly string[] };

/** Gathers everything that a check judges. Takes at most a minute or two, whoever is silent. @throws when the node is */
export async function gatherCheck(
  call: NodeCall,
  options: { readonly testAlert: boolean },
): Promise<CheckFacts> {
  const node = (await call('GET', '/node')) as NodeView;
  const { peers, strangers } = (await call('GET', '/peers')) as {
    readonly peers: readonly PeerView[];
    readonly strangers: readonly { readonly id: string }[];
  };
  const { alerts } = (await call('GET', '/alerts?state=raised')) as Pick<CheckFacts, 'alerts'>;
  const groups = await readGroups(call);
  const known = peers.flatMap(({ id, publicUrl, addresses = [] }): readonly Announced[] =>
    id === undefined ? [] : [{ id, addresses, ...(publicUrl !== undefined && { publicUrl }) }],
  );
  const nodes: readonly Announced[] = [node, ...known];
  const [sites, trials, delivery] = await Promise.all([
    eachOf(nodes, lookAt),
    tryRedirects(call, { self: node, groups, origins: originsOf(nodes) }),
    testAlerts(call, options.testAlert),
  ]);
  return {
    self: node.id,
    keyState: node.key.state,
    ...{ groups, peers, alerts, sites, trials, delivery },
    hears: peers.flatMap(({ id, reachability }) => (id && reachability === 'reachable' ? id : [])),
    strangers: strangers.map(({ id }) => id),
    wrongClocks: node.clock.wrongNodes,
  };
}

async function readGroups(call: NodeCall): Promise<readonly GroupView[]> {
  const groups: GroupView[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax && (page === 0 || cursor !== undefined); page += 1) {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const answer = (await call('GET', `/groups${query}`)) as {
      readonly groups: readonly GroupView[];
      readonly nextCursor?: string;
    };
    groups.push(...answer.groups);
    cursor = answer.nextCursor;
  }
  return groups;
}

/** A node as viewers reach it. */
async function lookAt(node: Announced): Promise<SiteFacts> {
  const base = baseOf(node);
  const site = { node: node.id, base, isDeclared: node.publicUrl !== undefined };
  if (base === undefined) return site;
  const resolved = await resolveHost(new URL(base).hostname);
  if ('cause' in resolved) return { ...site, unresolved: resolved.cause };
  const addresses = resolved.addresses.map((text) => ({
    text,
    class: readAddress(text)?.class ?? ('unusable' as const),
  }));
  const answer = await askListener(`${base}${noStream}`, { mustTrust: false });
  return answer.kind === 'silence'
    ? { ...site, addresses, listener: { kind: 'silent', cause: answer.cause } }
    : {
        ...{ ...site, addresses, certificate: answer.certificate },
        listener: { kind: 'answers', node: answer.header('x-understudy-node') },
      };
}

/** Opens one stream of each group as if it were to be watched elsewhere, and where it is sent to. */
async function tryRedirects(
  call: NodeCall,
  domain: {
    readonly self: Announced;
    readonly groups: readonly GroupView[];
    readonly origins: ReadonlyMap<string, string>;
  },
): Promise<readonly TrialFacts[]> {
  const base = baseOf(domain.self);
  if (base === undefined) return [];
  const wanted = domain.groups.flatMap(({ name: group, state, members }) => {
    const own = members.find(({ node }) => node === domain.self.id);
    return own === undefined || state === 'none' ? [] : [{ group, stream: own.stream }];
  });
  return eachOf(wanted.slice(0, trialsMax), async ({ group, stream }) => {
    const path = `/streams/${encodeURIComponent(stream)}/trial`;
    const begun = await call('POST', path).catch(reasonOf);
    if (typeof begun === 'string')
      return { group, stream, outcome: { kind: 'untried', why: begun } };
    const first = readTrial(await open(`${base}${Object(begun).entry}`), domain.origins);
    const outcome = first.kind === 'follow' ? readFollowed(await open(first.url), first.to) : first;
    return { group, stream, outcome };
  });
}

/** The URL holds a pass: it goes to nobody whose certificate is not good. */
async function open(url: string): Promise<OpeningAnswer> {
  const answer = await askListener(url, { mustTrust: true });
  if (answer.kind === 'silence') return answer;
  const { kind, status, header } = answer;
  return {
    ...{ kind, status, reason: header('x-understudy-reason'), node: header('x-understudy-node') },
    location: header('location'),
  };
}

async function testAlerts(call: NodeCall, isWanted: boolean): Promise<CheckFacts['delivery']> {
  if (!isWanted) return { kind: 'untried', why: 'none was wanted' };
  const tested = await call('POST', '/alerts/test').catch(reasonOf);
  if (typeof tested === 'string') return { kind: 'untried', why: tested };
  const { targets } = tested as {
    readonly targets: readonly { readonly to: string; kind: string; cause?: string }[];
  };
  return {
    kind: 'tried',
    targets: targets.map(({ to, kind, cause }) => ({
      to,
      ...(kind !== 'taken' && { fault: cause ?? kind }),
    })),
  };
}

/** Why a call brought nothing: a token for reading only, most likely. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Without a slash at its end. */
function baseOf({ publicUrl, addresses: [address] }: Announced): string | undefined {
  return publicUrl?.replace(/\/+$/, '') ?? (address && `http://${address}`);
}

/** Everywhere that nodes say they are. */
function originsOf(nodes: readonly Announced[]): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ id, publicUrl, addresses }) =>
      [...(publicUrl === undefined ? [] : [publicUrl]), ...addresses.map((at) => `http://${at}`)]
        .filter((url) => URL.canParse(url))
        .map((url) => [new URL(url).origin, id] as const),
    ),
  );
}

/** Runs `work` for each item, some at once; results are in order. */
async function eachOf<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const run = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T);
  };
  await Promise.all(Array.from({ length: atOnceMax }, run));
  return results;
}
