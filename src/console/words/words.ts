import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { remedyOf } from '../../core/alert/remedies.ts';
import { type ReasonCode, reasonTexts } from '../../core/reasons.ts';
import { en, type Words } from './en.ts';
import { reasonsRu } from './reasons-ru.ts';
import { remediesRu } from './remedies-ru.ts';
import { ru } from './ru.ts';

export type Language = 'en' | 'ru';

/** Texts, reasons and numbers of one language. */
export type Speech = {
  readonly language: Language;
  readonly words: Words;
  reason(code: string): string;
  remedy(code: string): string;
  /** A time of day, or date and time when it is not today. */
  time(at: number): string;
  /** How long ago or how much, in the largest fitting unit. */
  duration(ms: number): string;
  number(value: number): string;
  /** Seconds, to a tenth. */
  seconds(ms: number): string;
};

/** The console's way to speak. */
export function createSpeech(language: Language): Speech {
  const isRussian = language === 'ru';
  const locale = isRussian ? 'ru' : 'en-GB';
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium' });
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  return {
    language,
    words: isRussian ? ru : en,
    reason: (code) =>
      (isRussian ? reasonsRu[code as ReasonCode] : undefined) ??
      reasonTexts[code as ReasonCode] ??
      code,
    remedy: (code) =>
      (isRussian ? remediesRu[code as ReasonCode] : undefined) ?? remedyOf(code as ReasonCode),
    time: (at) =>
      (new Date(at).toDateString() === new Date().toDateString() ? clock : day).format(at),
    duration: (ms) => durationText(ms, locale),
    number: (value) => number.format(value),
    seconds: (ms) => `${number.format(ms / 1_000)}\u00a0${isRussian ? 'с' : 's'}`,
  };
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

function durationText(ms: number, locale: string): string {
  const [unit, unitMs] = units.find(([, size]) => Math.abs(ms) >= size) ?? ['second', 1_000];
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, options).format(ms / unitMs);
}

const SpeechContext = createContext<Speech>(createSpeech('en'));

export const SpeechProvider = SpeechContext.Provider;

/** The language of the page. */
export function useSpeech(): Speech {
  return useContext(SpeechContext);
}
