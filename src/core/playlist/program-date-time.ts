import type { UnixMs } from '../time.ts';

const form =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(?:[Zz]|([+-])(\d\d):?(\d\d)?)?$/;

/**
 * The instant of an ISO 8601 date and time as packagers write it: zone `Z`, `+03:00`, `+0300` or none (then UTC), any
 * number of decimals, cut to milliseconds. Undefined for any other text.
 */
export function parseDateTime(text: string): UnixMs | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const part = (index: number) => Number(match[index] ?? 0);
  const [month, day, hour, minute, second] = [part(2), part(3), part(4), part(5), part(6)];
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24) return undefined;
  if (minute > 59 || second > 60) return undefined;
  const zoneMinutes = (part(9) * 60 + part(10)) * (match[8] === '-' ? -1 : 1);
  const minutes = daysSince1970(part(1), month, day) * 1440 + hour * 60 + minute - zoneMinutes;
  const ms = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  return (minutes * 60 + second) * 1000 + ms;
}

/** Days of the Gregorian calendar; years are counted from March, so that the leap day is the last one. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1;
  const monthFromMarch = (month + 9) % 12;
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + day - 1;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + dayOfYear - 719_468;
}

/** RFC 3339 with milliseconds in UTC, of whole Unix milliseconds. */
export function formatDateTime(unixMs: UnixMs): string {
  const days = Math.floor(unixMs / 86_400_000);
  const inDay = unixMs - days * 86_400_000;
  // Civil date of a day count, months from March so that leap days come last in the year.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0);
  const date = [pad(year, 4), pad(((month + 2) % 12) + 1, 2), pad(day, 2)].join('-');
  const [h, m, s] = [3_600_000, 60_000, 1_000].map((unit) => Math.floor(inDay / unit));
  const time = [h ?? 0, (m ?? 0) % 60, (s ?? 0) % 60].map((value) => pad(value, 2)).join(':');
  return `${date}T${time}.${pad(inDay % 1_000, 3)}Z`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
