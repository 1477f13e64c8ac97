import { TestScheduler } from 'rxjs/testing';
import { pictures, type Line, type Picture } from '../../test/operators/pictures.js';

/** Returns the pictures of `docs/marbles`, light and dark, by path. */
export function marblePictures(): ReadonlyMap<string, string> {
  return new Map(
    pictures.flatMap((picture) =>
      (['light', 'dark'] as const).map((theme) => [
        `docs/marbles/${picture.name}-${theme}.svg`,
        draw(picture, themes[theme]),
      ]),
    ),
  );
}

interface Theme {
  readonly ground: string;
  readonly frame: string;
  readonly text: string;
  readonly quiet: string;
  readonly box: string;
  /** The colours of the edge and the filling of a marble, by the kind of its value. */
  readonly marbles: Readonly<Record<Kind, readonly [edge: string, filling: string]>>;
}

type Kind = 'added' | 'updated' | 'deleted' | 'other';

const themes: Readonly<Record<'light' | 'dark', Theme>> = {
  light: {
    ground: '#ffffff',
    frame: '#d1d9e0',
    text: '#1f2328',
    quiet: '#59636e',
    box: '#f6f8fa',
    marbles: {
      added: ['#1a7f37', '#dafbe1'],
      updated: ['#0969da', '#ddf4ff'],
      deleted: ['#cf222e', '#ffebe9'],
      other: ['#59636e', '#f6f8fa'],
    },
  },
  dark: {
    ground: '#0d1117',
    frame: '#3d444d',
    text: '#f0f6fc',
    quiet: '#9198a1',
    box: '#151b23',
    marbles: {
      added: ['#3fb950', '#12261e'],
      updated: ['#4493f8', '#121d2f'],
      deleted: ['#f85149', '#25171c'],
      other: ['#9198a1', '#151b23'],
    },
  },
};

const size = { width: 720, left: 120, right: 24, line: 48, box: 36, letter: 7.4, marble: 28 } as const;

function draw({ code, inputs, output }: Picture, theme: Theme): string {
  const frames = Math.max(...[...inputs, output].map(lengthOf));
  const step = (size.width - size.left - size.right) / (frames + 1);
  const at = (frame: number): number => size.left + (frame + 0.5) * step;
  const boxTop = inputs.length * size.line + 10;
  const height = boxTop + size.box + size.line + 12;
  const parts = [
    ...inputs.map((line, index) => drawLine(line, index * size.line + size.line / 2 + 6, at, theme)),
    `<rect x="12" y="${boxTop}" width="${size.width - 24}" height="${size.box}" rx="6" fill="${theme.box}" stroke="${theme.frame}"/>`,
    `<text x="${size.width / 2}" y="${boxTop + size.box / 2 + 5}" text-anchor="middle" fill="${theme.text}" font-weight="600">${escape(code)}</text>`,
    drawLine(output, boxTop + size.box + size.line / 2 + 2, at, theme),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" width="${size.width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" role="img" aria-label="${escape(code)}">
<rect x="0.5" y="0.5" width="${size.width - 1}" height="${height - 1}" rx="10" fill="${theme.ground}" stroke="${theme.frame}"/>
${parts.join('\n')}
</svg>
`;
}

function drawLine(line: Line, y: number, at: (frame: number) => number, theme: Theme): string {
  const last = lengthOf(line);
  const end = messagesOf(line).find(({ notification: { kind } }) => kind === 'C');
  const right = end === undefined ? size.width - size.right : at(end.frame);
  const marbles = messagesOf(line).flatMap(({ frame, notification }) =>
    notification.kind === 'N' ? drawMarble(labelOf(notification.value), at(frame), y, theme) : [],
  );
  return [
    `<text x="20" y="${round(y + 4)}" fill="${theme.quiet}">${escape(line.name)}</text>`,
    `<path d="M${size.left} ${round(y)}H${round(right)}" stroke="${theme.quiet}" stroke-width="1.5"/>`,
    end === undefined
      ? `<path d="M${round(right - 6)} ${round(y - 4)}l6 4l-6 4" fill="none" stroke="${theme.quiet}" stroke-width="1.5"/>`
      : `<path d="M${round(at(last))} ${round(y - 12)}v24" stroke="${theme.quiet}" stroke-width="2"/>`,
    ...marbles,
  ].join('\n');
}

function drawMarble({ text, kind }: Label, x: number, y: number, theme: Theme): string {
  const [edge, filling] = theme.marbles[kind];
  const width = Math.max(size.marble, text.length * size.letter + 14);
  return [
    `<rect x="${round(x - width / 2)}" y="${round(y - size.marble / 2)}" width="${round(width)}" height="${size.marble}" rx="${size.marble / 2}" fill="${filling}" stroke="${edge}" stroke-width="1.5"/>`,
    `<text x="${round(x)}" y="${round(y + 4.5)}" text-anchor="middle" fill="${theme.text}">${escape(text)}</text>`,
  ].join('\n');
}

interface Label {
  readonly text: string;
  readonly kind: Kind;
}

/** Returns a value's text: `+a` added, `a₂` updated to version 2, `−a` deleted, `[a₁]` a list. */
function labelOf(value: unknown): Label {
  if (isChangeSet(value)) {
    const prefix = value.reason === 'resync' ? '↻' : '';
    return combined(
      value.changes.map((change) => labelOfChange(change.type, change.object)),
      prefix,
    );
  }
  if (Array.isArray(value)) {
    return value.every(isObject)
      ? { text: `[${value.map(nameOf).join(' ')}]`, kind: 'other' }
      : combined(value.map(labelOf));
  }
  if (isEvent(value)) return labelOfEvent(value);
  return { text: typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value), kind: 'other' };
}

interface KubernetesLike {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
}

interface EventLike {
  readonly type: string;
  readonly object?: KubernetesLike;
  readonly items?: readonly (KubernetesLike | { readonly object: KubernetesLike })[];
}

function labelOfEvent({ type, object, items }: EventLike): Label {
  if (items !== undefined) {
    return {
      text: `[${items.map((item) => nameOf('metadata' in item ? item : item.object)).join(' ')}]`,
      kind: 'other',
    };
  }
  return object === undefined ? { text: type, kind: 'other' } : labelOfChange(type.toLowerCase(), object);
}

function labelOfChange(type: string, object: KubernetesLike): Label {
  if (type === 'added') return { text: `+${nameOf(object)}`, kind: 'added' };
  if (type === 'deleted') return { text: `−${object.metadata.name}`, kind: 'deleted' };
  return { text: nameOf(object), kind: 'updated' };
}

function combined(labels: readonly Label[], prefix = ''): Label {
  const kinds = new Set(labels.map(({ kind }) => kind));
  const [kind = 'other'] = kinds;
  return { text: prefix + labels.map(({ text }) => text).join(' '), kind: kinds.size > 1 ? 'other' : kind };
}

function nameOf({ metadata: { name, resourceVersion = '' } }: KubernetesLike): string {
  return name + resourceVersion.replace(/\d/g, (digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)] ?? '');
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isObject = (value: unknown): value is KubernetesLike => isRecord(value) && 'metadata' in value;

const isEvent = (value: unknown): value is EventLike => isRecord(value) && 'type' in value;

function isChangeSet(value: unknown): value is {
  readonly reason: string;
  readonly changes: readonly { readonly type: string; readonly object: KubernetesLike }[];
} {
  return isRecord(value) && 'changes' in value;
}

function messagesOf({ marbles, values }: Line): ReturnType<typeof TestScheduler.parseMarbles> {
  return TestScheduler.parseMarbles(marbles, values, undefined, false, true);
}

function lengthOf(line: Line): number {
  return Math.max(...messagesOf(line).map(({ frame }) => frame), line.marbles.replaceAll(/[()]/g, '').length - 1);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
