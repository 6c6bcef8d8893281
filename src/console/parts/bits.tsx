import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Group } from '../state.ts';
import { useSpeech } from '../words/words.ts';

/** State of a group: colour, shape and word say the same. */
export function StateBadge({ state }: { readonly state: Group['state'] }) {
  const { words } = useSpeech();
  return (
    <span class="badge" data-state={state} title={words.stateMeaning[state]}>
      {words.states[state]}
    </span>
  );
}

/** Reason codes, each with its sentence. */
export function Reasons({ codes }: { readonly codes: readonly string[] }) {
  const { reason } = useSpeech();
  return (
    <ul class="reasons">
      {codes.map((code) => (
        <li key={code}>
          {reason(code)} <code>{code}</code>
        </li>
      ))}
    </ul>
  );
}

export function YesNo({ is }: { readonly is: boolean }) {
  const { words } = useSpeech();
  return (
    <span class="yes-no" data-is={is}>
      {is ? words.yes : words.no}
    </span>
  );
}

/** A heading and what belongs to it. */
export function Section(props: {
  readonly title: string;
  readonly note?: string | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card">
      <h2>{props.title}</h2>
      {props.note !== undefined && <p class="quiet">{props.note}</p>}
      {props.children}
    </section>
  );
}

/** A table that scrolls by itself where the page is narrow; `name` is what it is called when read aloud. */
export function Table(props: {
  readonly name: string;
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}) {
  return (
    // A keyboard must be able to scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable
    <section class="table" tabIndex={0} aria-label={props.name}>
      <table>
        <thead>
          <tr>
            {props.heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </section>
  );
}

/** A button that asks before it acts, and says when that did not work. */
export function Ask(props: {
  readonly label: string;
  readonly question: string;
  readonly act: () => Promise<{ readonly error?: { readonly detail: string } | undefined }>;
}) {
  const { words } = useSpeech();
  const [isAsking, setAsking] = useState(false);
  const [fault, setFault] = useState<string>();
  const act = async () => {
    setAsking(false);
    const outcome = await props
      .act()
      .catch((error: unknown) => ({ error: { detail: String(error) } }));
    setFault(outcome.error?.detail);
  };
  return (
    <div class="ask">
      {isAsking ? (
        <>
          <span>{props.question}</span>
          <button type="button" class="strong" onClick={() => void act()}>
            {words.confirm}
          </button>
          <button type="button" onClick={() => setAsking(false)}>
            {words.cancel}
          </button>
        </>
      ) : (
        <button type="button" onClick={() => setAsking(true)}>
          {props.label}
        </button>
      )}
      {fault !== undefined && (
        <span role="alert" class="fault">
          {words.failed}: {fault}
        </span>
      )}
    </div>
  );
}
