import type { Group } from '../state.ts';
import { useSpeech } from '../words/words.ts';

/** What is wrong, in words, and what to do about it. */
export function Problems({ problems }: { readonly problems: Group['problems'] }) {
  const { words, language, reason, remedy } = useSpeech();
  if (problems.length === 0) return null;
  return (
    <ul class="problems">
      {problems.map(({ code, node, text }) => (
        <li key={`${code} ${node ?? ''} ${text}`}>
          <p>
            {language === 'en' ? text : `${node === undefined ? '' : `${node}: `}${reason(code)}`}{' '}
            <code>{code}</code>
          </p>
          <p class="remedy">
            <span class="quiet">{words.remedy}:</span> {remedy(code)}
          </p>
        </li>
      ))}
    </ul>
  );
}
