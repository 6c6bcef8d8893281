import { useApi, useAsked } from '../api.ts';
import { Ask, Section, Table } from '../parts/bits.tsx';
import { Plot } from '../parts/plot.tsx';
import type { Node, Peer, State } from '../state.ts';
import { useSpeech } from '../words/words.ts';

const historyEveryMs = 10_000;

/** This node and its peers: what they are, and how they fared over the last hour. */
export function NodesView({ state: { node, peers } }: { readonly state: State }) {
  const { words, time } = useSpeech();
  if (node === undefined || peers === undefined) return <h1>{words.live.waiting}</h1>;
  const heads = [
    words.node,
    words.state,
    words.version,
    words.addresses,
    words.clock,
    words.roundTrip,
    words.cpu,
    words.network,
    words.viewers,
  ];
  const others = peers.peers.filter(({ id }) => id !== node.id);
  return (
    <>
      <div class="head">
        <h1>{words.nav.nodes}</h1>
        <p class="quiet">{words.asSeenFrom(node.id)}</p>
        <DrainButton isDraining={node.draining} />
      </div>
      <section class="card">
        <Table name={words.nav.nodes} heads={heads}>
          <SelfRow node={node} />
          {others.map((peer) => (
            <PeerRow key={peer.url} peer={peer} />
          ))}
        </Table>
      </section>
      {peers.strangers.length > 0 && (
        <Section title={words.strangers}>
          <ul>
            {peers.strangers.map(({ id, lastAskedAt }) => (
              <li key={id}>
                <span class="mono">{id}</span> <span class="quiet">{time(lastAskedAt)}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <History />
    </>
  );
}

function DrainButton({ isDraining }: { readonly isDraining: boolean }) {
  const { words } = useSpeech();
  const api = useApi();
  return (
    <Ask
      key={String(isDraining)}
      label={isDraining ? words.undrain : words.drain}
      question={isDraining ? `${words.undrain}?` : words.drainAsk}
      act={() => (isDraining ? api.DELETE('/api/v1/drain') : api.POST('/api/v1/drain'))}
    />
  );
}

function SelfRow({ node }: { readonly node: Node }) {
  const { words } = useSpeech();
  const { counts, load } = node;
  return (
    <tr>
      <th scope="row" class="mono">
        {node.id} <span class="quiet">{words.thisNode}</span>
      </th>
      <td>
        <YesNoState is={true} word={words.reachability.reachable} />
        <Marks isDraining={node.draining} isOverloaded={load.overloaded} />
      </td>
      <td>{node.version}</td>
      <td class="mono">{[node.publicUrl, ...node.addresses].filter(Boolean).join(' ')}</td>
      <td class="number">–</td>
      <td class="number">–</td>
      <LoadCells load={load} />
      <td class="number">
        {counts.ownSessions} + {counts.backupSessions}
      </td>
    </tr>
  );
}

function PeerRow({ peer }: { readonly peer: Peer }) {
  const { words, number, time } = useSpeech();
  const { clockOffsetMs, roundTripMs, lastSeenAt } = peer;
  return (
    <tr>
      <th scope="row" class="mono">
        {peer.id ?? peer.url}
      </th>
      <td>
        <YesNoState
          is={peer.reachability === 'reachable'}
          word={words.reachability[peer.reachability]}
        />
        {peer.reachability !== 'reachable' && (
          <span class="quiet">
            {' '}
            {peer.fault} {lastSeenAt !== undefined && `${words.lastSeen} ${time(lastSeenAt)}`}
          </span>
        )}
        <Marks isDraining={peer.draining === true} isOverloaded={peer.load?.overloaded === true} />
      </td>
      <td>{peer.version ?? '–'}</td>
      <td class="mono">{[peer.publicUrl, ...(peer.addresses ?? [])].filter(Boolean).join(' ')}</td>
      <td class="number">{clockOffsetMs === undefined ? '–' : `${number(clockOffsetMs)} ms`}</td>
      <td class="number">{roundTripMs === undefined ? '–' : `${number(roundTripMs)} ms`}</td>
      <LoadCells load={peer.load} />
      <td class="number">
        {peer.ownSessions ?? '–'} + {peer.backupSessions ?? '–'}
      </td>
    </tr>
  );
}

function YesNoState({ is, word }: { readonly is: boolean; readonly word: string }) {
  return (
    <span class="yes-no" data-is={is}>
      {word}
    </span>
  );
}

function Marks(props: { readonly isDraining: boolean; readonly isOverloaded: boolean }) {
  const { words } = useSpeech();
  return (
    <>
      {props.isDraining && <span class="mark"> {words.draining}</span>}
      {props.isOverloaded && <span class="mark"> {words.overloaded}</span>}
    </>
  );
}

function LoadCells({ load }: { readonly load: Node['load'] | undefined }) {
  const { words } = useSpeech();
  return (
    <>
      {[load?.cpu, load?.network].map((resource, at) => (
        <td key={at === 0 ? 'cpu' : 'network'} class="number">
          {resource?.percent === undefined ? (
            <span class="quiet" title={words.notMeasured}>
              –
            </span>
          ) : (
            `${resource.percent} %`
          )}
        </td>
      ))}
    </>
  );
}

function History() {
  const { words } = useSpeech();
  const history = useAsked((api) => api.GET('/api/v1/history'), 'history', historyEveryMs);
  if (history === undefined || history.at.length < 2) return null;
  return (
    <Section title={words.lastHour}>
      <div class="plots">
        {history.nodes.map((node) => (
          <figure key={node.node}>
            <figcaption class="mono">{node.node}</figcaption>
            <Plot
              at={history.at}
              unit=" %"
              max={100}
              lines={[
                { label: words.cpu, values: node.cpuPercent, colour: '--one' },
                { label: words.network, values: node.networkPercent, colour: '--two' },
              ]}
            />
            <Plot
              at={history.at}
              unit=""
              lines={[
                { label: words.own, values: node.ownSessions, colour: '--one' },
                { label: words.ofOthers, values: node.backupSessions, colour: '--three' },
              ]}
            />
          </figure>
        ))}
      </div>
    </Section>
  );
}
