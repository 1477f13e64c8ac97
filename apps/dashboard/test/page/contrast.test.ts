import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const palette = readFileSync(fileURLToPath(new URL('../../page/style/palette.css', import.meta.url)), 'utf8');

const colours = new Map(
  [...palette.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }] as const,
  ),
);

/** Relative luminance, as WCAG 2.2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

const grounds = ['ground', 'panel', 'raised', 'accent-ground'];
const textPairs = [
  ...grounds.map((ground) => ['text', ground] as const),
  ...['ground', 'panel', 'raised'].map((ground) => ['muted', ground] as const),
  ...['ground', 'panel', 'accent-ground'].map((ground) => ['accent', ground] as const),
  ...['trouble-ground', 'panel', 'accent-ground'].map((ground) => ['trouble', ground] as const),
  ...['panel', 'raised', 'accent-ground'].map((ground) => ['bad', ground] as const),
  ['added', 'added-ground'] as const,
  ['removed', 'removed-ground'] as const,
];
const phases = [...colours.keys()].filter((name) => name.startsWith('phase-'));
const shapePairs = [
  ...phases.flatMap((phase) => ['panel', 'raised', 'accent-ground'].map((ground) => [phase, ground] as const)),
  ...['edge', 'good', 'accent'].flatMap((name) => ['panel', 'ground'].map((ground) => [name, ground] as const)),
];

describe.each(['light', 'dark'] as const)('the %s colours of the dashboard', (theme) => {
  const contrastOf = (name: string, ground: string): number =>
    contrast(colours.get(name)?.[theme] ?? '', colours.get(ground)?.[theme] ?? '');

  it.each(textPairs)('%s is readable on %s (WCAG AA: 4.5)', (name, ground) => {
    expect(contrastOf(name, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(shapePairs)('%s is visible on %s (WCAG AA for shapes: 3)', (name, ground) => {
    expect(contrastOf(name, ground)).toBeGreaterThanOrEqual(3);
  });
});

it('the contrast is computed as WCAG defines it', () => {
  expect([contrast('#ffffff', '#000000'), contrast('#777777', '#ffffff').toFixed(2), phases.length]).toEqual([
    21,
    '4.48',
    7,
  ]);
});
