import { useState } from 'preact/hooks';
import type { Connection } from './live.ts';
import { useSpeech } from './words/words.ts';

/** Asks for the bearer token. */
export function SignIn({
  fault,
  onToken,
}: {
  readonly fault: Connection | undefined;
  readonly onToken: (token: string) => void;
}) {
  const { words } = useSpeech();
  const [text, setText] = useState('');
  return (
    <main class="sign-in">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') onToken(text.trim());
        }}
      >
        <h1 class="wordmark">{words.appName}</h1>
        <label for="token">{words.token}</label>
        <input
          id="token"
          type="password"
          autocomplete="current-password"
          value={text}
          aria-describedby="token-hint"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p id="token-hint" class="quiet">
          {words.tokenHint}
        </p>
        {fault !== undefined && (
          <p role="alert" class="fault">
            {fault === 'busy' ? words.tooMany : words.tokenWrong}
          </p>
        )}
        <button type="submit" class="strong">
          {words.signIn}
        </button>
      </form>
    </main>
  );
}
