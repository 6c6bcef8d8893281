import { useEffect, useRef, useState } from 'preact/hooks';
import type { Connection } from './live.ts';
import { hashOf, type Place, placeOf, type View, views } from './place.ts';
import type { Theme } from './settings.ts';
import type { State } from './state.ts';
import { AlertsView } from './views/alerts-view.tsx';
import { DrillView } from './views/drill-view.tsx';
import { ExplainView } from './views/explain-view.tsx';
import { ForecastView } from './views/forecast-view.tsx';
import { GroupView } from './views/group-view.tsx';
import { GroupsView } from './views/groups-view.tsx';
import { KeyView } from './views/key-view.tsx';
import { NodesView } from './views/nodes-view.tsx';
import { useSpeech } from './words/words.ts';

const themes: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };

/** Where the page is narrow the navigation scrolls. (`scrollIntoView` would have the keyboard begin there, too.) */
function showCurrent(nav: HTMLElement): void {
  const link = nav.querySelector('[aria-current]')?.getBoundingClientRect();
  const frame = nav.getBoundingClientRect();
  if (link === undefined) return;
  if (link.left < frame.left) nav.scrollLeft += link.left - frame.left;
  else if (link.right > frame.right) nav.scrollLeft += link.right - frame.right;
}

/** The frame around every view: where one is, and whether what is shown is of now. */
export function Page(props: {
  readonly state: State;
  readonly connection: Connection;
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
  readonly onLanguage: () => void;
  readonly onSignOut: () => void;
}) {
  const { state, connection, theme } = props;
  const { words } = useSpeech();
  const place = usePlace();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (nav.current) showCurrent(nav.current);
    // Whoever goes to another view with the keyboard goes on reading there.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [place.view, place.name]);
  return (
    <>
      <a class="skip" href={hashOf(place)} onClick={() => main.current?.focus()}>
        {words.skip}
      </a>
      <header class="bar">
        <span class="wordmark">{words.appName}</span>
        {state.node && <span class="mono self">{state.node.id}</span>}
        <span class="connection" data-connection={connection} role="status">
          {words.live[connection === 'live' || connection === 'lost' ? connection : 'waiting']}
        </span>
        <span class="tools">
          <button
            type="button"
            onClick={props.onLanguage}
            lang={words.language === 'English' ? 'en' : 'ru'}
          >
            {words.language}
          </button>
          <button type="button" onClick={() => props.onTheme(themes[theme])}>
            {words.theme[theme]}
          </button>
          <a class="button" href="docs">
            {words.apiPage}
          </a>
          <button type="button" onClick={props.onSignOut}>
            {words.signOut}
          </button>
        </span>
      </header>
      <nav ref={nav} aria-label={words.appName}>
        {views.map((view) => (
          <a
            key={view}
            href={`#/${view}`}
            aria-current={view === place.view ? 'page' : undefined}
            data-alarm={alarmsOf(view, state) > 0}
          >
            {words.nav[view]}
            {alarmsOf(view, state) > 0 && <span class="count">{alarmsOf(view, state)}</span>}
          </a>
        ))}
      </nav>
      <main ref={main} tabIndex={-1} data-stale={connection === 'lost'}>
        <CurrentView place={place} state={state} />
      </main>
    </>
  );
}

function CurrentView({ place, state }: { readonly place: Place; readonly state: State }) {
  switch (place.view) {
    case 'groups':
      return place.name === undefined ? (
        <GroupsView state={state} />
      ) : (
        <GroupView name={place.name} state={state} />
      );
    case 'nodes':
      return <NodesView state={state} />;
    case 'alerts':
      return <AlertsView alerts={state.alerts?.alerts ?? []} />;
    case 'forecast':
      return <ForecastView forecasts={state.forecast?.forecasts ?? []} />;
    case 'key':
      return <KeyView keys={state.key} />;
    case 'drill':
      return <DrillView state={state} />;
    case 'explain':
      return <ExplainView groups={state.groups?.groups ?? []} />;
  }
}

/** How many things of a view want somebody's attention. */
function alarmsOf(view: View, { groups, peers, alerts, key, drills }: State): number {
  switch (view) {
    case 'groups':
      return groups?.groups.filter(({ state }) => state !== 'reserve').length ?? 0;
    case 'nodes':
      return peers?.peers.filter(({ reachability }) => reachability !== 'reachable').length ?? 0;
    case 'alerts':
      return alerts?.alerts.filter(({ state }) => state === 'raised').length ?? 0;
    case 'key':
      return key === undefined || key.state === 'in-force' ? 0 : 1;
    case 'drill':
      return drills?.drills.some(({ state }) => state === 'failing') === true ? 1 : 0;
    default:
      return 0;
  }
}

function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return placeOf(hash);
}
