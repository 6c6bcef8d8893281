import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export type Line = {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A custom property of the style sheet. */
  readonly colour: string;
};

const height = 120;
/** Times of the axis in the place of the browser, always of five characters. */
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Values over time; the same numbers are in the table above it, so that it is hidden from screen readers. */
export function Plot(props: {
  readonly at: readonly number[];
  readonly lines: readonly Line[];
  readonly unit: string;
  readonly max?: number | undefined;
}) {
  const place = useRef<HTMLDivElement>(null);
  const { at, lines, unit, max } = props;
  const key = lines.map(({ label }) => label).join();
  const plot = useRef<uPlot | undefined>(undefined);
  useEffect(() => {
    const target = place.current;
    if (target === null) return;
    const made = new uPlot(
      optionsOf(target, { lines, unit, max }),
      [[], ...lines.map(() => [])],
      target,
    );
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize({ width: target.clientWidth, height }));
    watcher.observe(target);
    return () => {
      watcher.disconnect();
      made.destroy();
    };
  }, [key, unit, max]);
  useEffect(() => {
    plot.current?.setData([at.map((ms) => ms / 1000), ...lines.map(({ values }) => [...values])]);
  }, [at, lines, key]);
  return <div ref={place} class="plot" aria-hidden="true" />;
}

function optionsOf(
  target: HTMLElement,
  { lines, unit, max }: { lines: readonly Line[]; unit: string; max: number | undefined },
): uPlot.Options {
  const style = getComputedStyle(target);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: () => getComputedStyle(target).getPropertyValue('color'),
    grid: { stroke: () => getComputedStyle(target).getPropertyValue('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: target.clientWidth || 300,
    height,
    padding: [8, 20, 0, 0],
    cursor: { y: false, points: { size: 5 } },
    legend: { markers: { fill: (_, at) => colour(lines[at - 1]?.colour ?? '--line') } },
    scales: {
      x: { time: true },
      y: { range: (_, __, top) => [0, Math.max(max ?? 4, Math.ceil(top * 1.1))] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        space: 70,
        incrs: [60, 120, 300, 600, 900],
        values: (_, values) => values.map((value) => clock.format(value * 1000)),
      },
      { ...axis, size: 44, values: (_, values) => values.map((value) => `${value}${unit}`) },
    ],
    series: [
      { label: '', value: (_, value) => (value === null ? '' : clock.format(value * 1000)) },
      ...lines.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: false },
        value: (_: uPlot, value: number | null) => (value === null ? '–' : `${value}${unit}`),
      })),
    ],
  };
}
