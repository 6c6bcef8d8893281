import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiProvider, createApi } from './api.ts';
import { type Connection, follow } from './live.ts';
import { Page } from './page.tsx';
import { settings, type Theme } from './settings.ts';
import { SignIn } from './sign-in.tsx';
import { type State, withEvent } from './state.ts';
import { createSpeech, SpeechProvider } from './words/words.ts';

/** The console: a sign-in, then what the node tells. */
export function App() {
  const [language, setLanguage] = useState(settings.language);
  const [theme, setTheme] = useState<Theme>(settings.theme);
  const [token, setToken] = useState(settings.token);
  const { state, connection } = useLive(token);
  const speech = useMemo(() => createSpeech(language), [language]);
  const api = useMemo(() => createApi(token), [token]);

  useEffect(() => {
    document.documentElement.lang = language;
    settings.setLanguage(language);
  }, [language]);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    settings.setTheme(theme);
  }, [theme]);

  const signIn = (next: string) => {
    settings.setToken(next);
    setToken(next);
  };
  const isOut = token === '' || connection === 'refused' || connection === 'busy';
  return (
    <SpeechProvider value={speech}>
      <ApiProvider value={api}>
        {isOut ? (
          <SignIn fault={token === '' ? undefined : connection} onToken={signIn} />
        ) : (
          <Page
            state={state}
            connection={connection}
            theme={theme}
            onTheme={setTheme}
            onLanguage={() => setLanguage(language === 'en' ? 'ru' : 'en')}
            onSignOut={() => signIn('')}
          />
        )}
      </ApiProvider>
    </SpeechProvider>
  );
}

/** What the node tells, from the moment there is a token. */
function useLive(token: string): { readonly state: State; readonly connection: Connection } {
  const [state, setState] = useState<State>({});
  const [connection, setConnection] = useState<Connection>('waiting');
  useEffect(() => {
    setState({});
    setConnection('waiting');
    if (token === '') return;
    const stop = new AbortController();
    void follow({
      token,
      stop: stop.signal,
      onEvent: (event, data) => setState((before) => withEvent(before, event, data)),
      onConnection: setConnection,
    });
    return () => stop.abort();
  }, [token]);
  return { state, connection };
}
