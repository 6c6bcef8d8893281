import type { Language } from './words/words.ts';

export type Theme = 'auto' | 'light' | 'dark';

/** The token is gone with the tab; language and theme stay in the browser. */
const names = {
  token: 'understudy-token',
  language: 'understudy-language',
  theme: 'understudy-theme',
};

export const settings = {
  token: () => sessionStorage.getItem(names.token) ?? '',
  setToken(token: string) {
    if (token === '') sessionStorage.removeItem(names.token);
    else sessionStorage.setItem(names.token, token);
  },
  /** The language chosen before, else that of the browser. */
  language: (): Language => {
    const chosen = localStorage.getItem(names.language) ?? navigator.language;
    return chosen.startsWith('ru') ? 'ru' : 'en';
  },
  setLanguage: (language: Language) => localStorage.setItem(names.language, language),
  theme: (): Theme => {
    const chosen = localStorage.getItem(names.theme);
    return chosen === 'light' || chosen === 'dark' ? chosen : 'auto';
  },
  setTheme: (theme: Theme) => localStorage.setItem(names.theme, theme),
};
