import { createPatch } from 'rfc6902';
import { diff } from '../../src/requests/write/json-patch/diff.js';
import type { Json } from '../../src/requests/write/json-patch/json.js';

// Compares the JSON Patch of `edit` with `createPatch` of rfc6902, in bytes and milliseconds, for
// some edits. Run it with `npx tsx bench/studies/json-patch.ts`. It takes some minutes, nearly all
// of them in rfc6902.

interface Edit {
  readonly name: string;
  readonly before: Json;
  readonly after: Json;
}

/**
 * Returns a copy with one place changed. The copy shares all other parts with the original, as in
 * immer.
 */
function edited(value: Json, [step, ...rest]: readonly (string | number)[], change: (place: Json) => Json): Json {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) {
    const all = value as readonly Json[];
    return all.with(Number(step), edited(all[Number(step)] as Json, rest, change));
  }
  const members = value as Readonly<Record<string, Json>>;
  return { ...members, [step]: edited(members[step] ?? null, rest, change) };
}

const items = (change: (all: Json[]) => Json[]) => (value: Json) => change(value as Json[]);
const condition = (type: string): Json => ({
  type,
  status: 'False',
  reason: 'Starting',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const pod: Json = {
  metadata: { name: 'web-1', namespace: 'web', labels: { app: 'web' }, finalizers: ['example.com/a', 'example.com/b'] },
  spec: { containers: ['web', 'proxy'].map((name) => ({ name, image: `${name}:1`, args: ['--verbose'] })) },
  status: { conditions: [condition('Ready'), condition('Initialized')] },
};
const endpoint = (index: number): Json => ({
  addresses: [`10.0.${index >> 8}.${index & 255}`],
  conditions: { ready: true, serving: true, terminating: false },
  nodeName: `node-${index % 100}`,
  targetRef: { kind: 'Pod', namespace: 'web', name: `web-${index}`, uid: `00000000-0000-4000-8000-${index}` },
  zone: 'a',
});
const slice: Json = { endpoints: Array.from({ length: 1_000 }, (_, index) => endpoint(index)) };
const configMap: Json = {
  data: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key-${index}`, `value ${index}`])),
};
const schema = (depth: number): Json => ({
  type: 'object',
  description: 'a field with a description of the usual length, as the generators of schemas write them',
  properties: Object.fromEntries(
    depth === 0 ? [] : Array.from({ length: 7 }, (_, index) => [`field${index}`, schema(depth - 1)]),
  ),
});
const crd: Json = { spec: { versions: ['v1', 'v2'].map((name) => ({ name, schema: schema(4) })) } };

const edits: readonly Edit[] = [
  { name: 'a label', before: pod, after: edited(pod, ['metadata', 'labels', 'size'], () => 'large') },
  {
    name: 'a condition',
    before: pod,
    after: edited(pod, ['status', 'conditions', 0], (value) => ({
      ...(value as object),
      status: 'True',
      reason: 'Started',
      lastTransitionTime: '2026-01-01T00:01:00Z',
    })),
  },
  {
    name: 'a container in front',
    before: pod,
    after: edited(
      pod,
      ['spec', 'containers'],
      items((all) => [{ name: 'sidecar', image: 's:1' }, ...all]),
    ),
  },
  {
    name: 'a finalizer less',
    before: pod,
    after: edited(
      pod,
      ['metadata', 'finalizers'],
      items((all) => all.slice(1)),
    ),
  },
  {
    name: 'one of 1,000 endpoints changed',
    before: slice,
    after: edited(slice, ['endpoints', 500, 'conditions', 'ready'], () => false),
  },
  {
    name: 'one of 1,000 endpoints removed',
    before: slice,
    after: edited(
      slice,
      ['endpoints'],
      items((all) => all.toSpliced(500, 1)),
    ),
  },
  {
    name: 'one of 1,000 endpoints moved',
    before: slice,
    after: edited(
      slice,
      ['endpoints'],
      items(([first, ...rest]) => [...rest, first as Json]),
    ),
  },
  {
    name: 'one of 1,000 endpoints changed, the list rebuilt',
    before: slice,
    after: structuredClone(edited(slice, ['endpoints', 500, 'conditions', 'ready'], () => false)),
  },
  {
    name: 'one of 10,000 keys of a ConfigMap',
    before: configMap,
    after: edited(configMap, ['data', 'key-5000'], () => 'new'),
  },
  {
    name: 'one description in a CRD of 800 kB',
    before: crd,
    after: edited(crd, ['spec', 'versions', 1, 'schema', 'properties', 'field3', 'description'], () => 'new'),
  },
  {
    name: 'a version in front in a CRD of 800 kB',
    before: crd,
    after: edited(
      crd,
      ['spec', 'versions'],
      items((all) => [{ ...(all[1] as object), name: 'v3' }, ...all]),
    ),
  },
];

/**
 * Returns the mean of several calls, after an equal number of warm-up calls. For slow calls,
 * returns the time of a single call.
 */
function milliseconds(work: () => unknown): number {
  const once = timed(work, 1);
  if (once > 100) return once;
  const times = Math.min(1_000, Math.ceil(50 / Math.max(once, 0.01)));
  timed(work, times);
  return timed(work, times);
}

function timed(work: () => unknown, times: number): number {
  const start = performance.now();
  for (let time = 0; time < times; time++) work();
  return (performance.now() - start) / times;
}

const figure = (work: () => unknown): string => {
  const took = milliseconds(work);
  const bytes = JSON.stringify(work()).length;
  return `${bytes.toLocaleString('en')} B, ${took < 10 ? took.toPrecision(2) : Math.round(took).toLocaleString('en')} ms`;
};

console.log(
  `CRD: ${Math.round(JSON.stringify(crd).length / 1_000)} kB\n| edit | diff | rfc6902 |\n| --- | --- | --- |`,
);
for (const { name, before, after } of edits) {
  console.log(`| ${name} | ${figure(() => diff(before, after))} | ${figure(() => createPatch(before, after))} |`);
}
