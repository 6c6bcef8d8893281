import type { Forecast } from '../state.ts';
import { useSpeech } from '../words/words.ts';

type Place = { readonly x: number; readonly y: number };
type Cover = { readonly from: string; readonly to: string; readonly viewers: number };

const size = { width: 560, height: 290 };
const radius = { x: 200, y: 105 };
const dot = 30;

/** Who takes whose viewers, as arrows between nodes in a ring; the same as a list for whoever cannot see it. */
export function CoverPicture(props: {
  readonly nodes: readonly { readonly id: string; readonly isThere: boolean }[];
  readonly forecasts: readonly Forecast[];
}) {
  const { words } = useSpeech();
  const { nodes } = props;
  const ids = new Set(nodes.map(({ id }) => id));
  const covers = props.forecasts.flatMap(({ node, survivors }) =>
    survivors
      .filter((survivor) => ids.has(node) && ids.has(survivor.node))
      .map((survivor): Cover => ({ from: node, to: survivor.node, viewers: survivor.takes })),
  );
  const places = new Map(nodes.map(({ id }, at) => [id, placeOf(at, nodes.length)]));
  const most = Math.max(1, ...covers.map(({ viewers }) => viewers));
  return (
    <figure class="cover">
      <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
        <defs>
          <marker
            id="tip"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" class="tip" />
          </marker>
        </defs>
        {covers.map((cover) => (
          <Arrow key={`${cover.from} ${cover.to}`} cover={cover} places={places} most={most} />
        ))}
        {nodes.map(({ id, isThere }) => {
          const { x = 0, y = 0 } = places.get(id) ?? {};
          return (
            <g key={id} class="node" data-is={isThere}>
              <circle cx={x} cy={y} r={dot} />
              <text x={x} y={y + 4}>
                {id}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption class="unseen">
        <ul>
          {covers.map(({ from, to, viewers }) => (
            <li key={`${from} ${to}`}>{words.coverText(from, to, viewers)}</li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}

function Arrow(props: {
  readonly cover: Cover;
  readonly places: ReadonlyMap<string, Place>;
  readonly most: number;
}) {
  const { cover, places, most } = props;
  const from = places.get(cover.from);
  const to = places.get(cover.to);
  if (from === undefined || to === undefined) return null;
  const { path, middle } = curve(from, to);
  const isUsed = cover.viewers > 0;
  return (
    <g class="arrow" data-is={isUsed}>
      <path
        d={path}
        stroke-width={isUsed ? 1.5 + (5 * cover.viewers) / most : 1}
        marker-end="url(#tip)"
      />
      {isUsed && (
        <text x={middle.x} y={middle.y + 4}>
          {cover.viewers}
        </text>
      )}
    </g>
  );
}

/** From the rim of one node to that of the other, bent so that both directions can be seen. */
function curve(from: Place, to: Place): { readonly path: string; readonly middle: Place } {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const bend = 0.14 * length;
  const control = { x: (from.x + to.x) / 2 - uy * bend, y: (from.y + to.y) / 2 + ux * bend };
  const start = towards(from, control, dot + 3);
  const end = towards(to, control, dot + 5);
  return {
    path: `M${start.x} ${start.y}Q${control.x} ${control.y} ${end.x} ${end.y}`,
    middle: {
      x: (start.x + 2 * control.x + end.x) / 4,
      y: (start.y + 2 * control.y + end.y) / 4,
    },
  };
}

function towards(from: Place, to: Place, distance: number): Place {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return {
    x: from.x + ((to.x - from.x) / length) * distance,
    y: from.y + ((to.y - from.y) / length) * distance,
  };
}

function placeOf(at: number, count: number): Place {
  const angle = (2 * Math.PI * at) / count - Math.PI / 2;
  return {
    x: size.width / 2 + (count === 1 ? 0 : radius.x * Math.cos(angle)),
    // Three in a ring leave more room below than above.
    y: size.height / 2 + (count === 1 ? 0 : radius.y * Math.sin(angle)) + (count === 3 ? 22 : 0),
  };
}
