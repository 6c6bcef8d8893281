import { u32 } from '../media/bits.ts';
import { withCrc } from '../media/ts-writer.ts';
import type { OtherUnit } from '../media/units.ts';
import { ticksWrap, wrapTicks } from '../media/units.ts';

/** A unit that is carried as it is. */
export type CarriedUnit = {
  /** Index among the layout's other tracks. */
  readonly lane: number;
  /** Its time in the group's time; absent for what has none, as sections. */
  readonly pts?: number | undefined;
  readonly form: 'pes' | 'section';
  readonly streamId: number;
  readonly bytes: Uint8Array;
};

/** Units with a time that wait for their segment. */
export type CarriedUnits = {
  push(unit: CarriedUnit): void;
  /** Takes the units before `ticks` out, in order of time. */
  takeBefore(ticks: number): CarriedUnit[];
};

/** Most units that wait; beyond it the oldest are dropped. */
const unitsMax = 2_000;

export function createCarriedUnits(): CarriedUnits {
  let units: CarriedUnit[] = [];
  const time = (unit: CarriedUnit) => unit.pts ?? 0;
  return {
    push(unit) {
      units.push(unit);
      if (units.length > unitsMax) units = units.slice(-unitsMax / 2);
    },
    takeBefore(ticks) {
      const taken = units.filter((unit) => time(unit) < ticks);
      units = units.filter((unit) => time(unit) >= ticks);
      return taken.sort((a, b) => time(a) - time(b) || a.lane - b.lane);
    },
  };
}

/**
 * A member's unit in the group's time: `ticks` is its own, where it has one. `offset` turns the member's times
 * into the group's; SCTE-35 sections are adjusted by it. Undefined for what has no place in MPEG-TS.
 */
export function carry(
  { form, pts, streamId = 0xbd, bytes }: OtherUnit,
  { lane, offset, ticks }: { lane: number; offset: number; ticks: number },
): CarriedUnit | undefined {
  if (form === 'sample') return undefined;
  if (form === 'section') {
    return { lane, form, streamId, bytes: adjustSplice(bytes, offset) };
  }
  return { lane, pts: pts === undefined ? undefined : ticks, form, streamId, bytes };
}

/** Adds the offset to `pts_adjustment` (SCTE 35 9.6); other sections stay as they are. */
function adjustSplice(section: Uint8Array, offset: number): Uint8Array {
  if (section[0] !== 0xfc || section.length < 15) return section;
  const body = section.slice(0, -4);
  const before = ((body[4] ?? 0) & 1) * 2 ** 32 + u32(body, 5);
  const after = wrapTicks(before + offset);
  body[4] = ((body[4] ?? 0) & 0xfe) | (after >= ticksWrap / 2 ? 1 : 0);
  const low = after % 2 ** 32;
  for (let i = 0; i < 4; i += 1) body[5 + i] = Math.floor(low / 2 ** (24 - 8 * i)) & 255;
  return withCrc(body);
}
