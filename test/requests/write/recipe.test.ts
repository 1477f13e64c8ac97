import fc from 'fast-check';
import { applyPatch, type Operation } from 'rfc6902';
import { type KubernetesObject, type RxInformersError } from 'rx-informers';
import { TerminalError } from 'rx-informers/controller';
import type { Editable } from 'rx-informers/requests';
import { planEdit } from '../../../src/requests/write/recipe.js';
import { freezeDeeply } from '../../../src/store/freeze.js';
import { errorWith } from '../../support/error-with.js';
import { promisesSettled } from '../../support/promises-settled.js';

interface Thing extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const thing: Thing = freezeDeeply({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { namespace: 'web', name: 'a', uid: 'u', resourceVersion: '1', generation: 1 },
  spec: { list: [1, 2, 3] as unknown },
});

function problemOf(
  recipe: (draft: Editable<Thing>) => unknown,
  subresource?: 'status',
): RxInformersError<'RXI_RECIPE'> {
  let caught: unknown;
  try {
    planEdit(thing, recipe, subresource);
  } catch (error) {
    caught = error;
  }
  expect(caught).toEqual(errorWith('RXI_RECIPE'));
  return caught as RxInformersError<'RXI_RECIPE'>;
}

describe('a recipe', () => {
  it('that throws fails with a typed error that contains what it threw', () => {
    const cause = new TypeError('no labels');
    const error = problemOf(() => {
      throw cause;
    });
    expect(error).toMatchObject({ key: 'web/a', problem: 'threw', cause });
    expect(error.message).toBe('invalid recipe for Thing web/a: it threw: no labels');
  });

  it('that throws a TerminalError fails with that error, so a queue recognises it', () => {
    const terminal = new TerminalError('never');
    expect(() =>
      planEdit(
        thing,
        () => {
          throw terminal;
        },
        undefined,
      ),
    ).toThrow(terminal);
  });

  it('that is asynchronous fails with a typed error, and causes no unhandled rejection', async () => {
    const error = problemOf(async () => {
      await Promise.resolve();
      throw new Error('too late');
    });
    expect(error.problem).toBe('asynchronous');
    // jest fails a test during which a rejection is unhandled.
    await promisesSettled();
  });

  it.each<[string, (draft: Editable<Thing>) => unknown]>([
    ['a new object', () => ({ ...thing, spec: {} })],
    ['the value of an assignment', (draft) => (draft.spec = {})],
    ['null', () => null],
  ])('that returns %s fails with a typed error', (_name, recipe) => {
    expect(problemOf(recipe).problem).toBe('returned-a-value');
  });

  it('does not freeze values that it puts into the object', () => {
    const own = { list: [1] };
    planEdit(thing, (draft) => void (draft.spec = own), undefined);
    expect([own, own.list].some(Object.isFrozen)).toBe(false);
  });

  it('may return its draft', () => {
    const recipe = (draft: Editable<Thing>): Editable<Thing> => {
      draft.spec = {};
      return draft;
    };
    expect(planEdit(thing, recipe, undefined)).toEqual([{ op: 'remove', path: '/spec/list' }]);
  });

  it.each<[string, (metadata: Record<string, unknown>, draft: Record<string, unknown>) => void]>([
    ['/metadata/name', (metadata) => (metadata['name'] = 'b')],
    ['/metadata/namespace', (metadata) => delete metadata['namespace']],
    ['/metadata/uid', (metadata) => (metadata['uid'] = 'v')],
    ['/metadata/resourceVersion', (metadata) => (metadata['resourceVersion'] = '2')],
    ['/metadata/generation', (metadata) => (metadata['generation'] = 2)],
    ['/metadata/managedFields', (metadata) => (metadata['managedFields'] = [])],
    ['/metadata/deletionTimestamp', (metadata) => (metadata['deletionTimestamp'] = '2024-01-01T00:00:00Z')],
    ['/metadata/creationTimestamp', (metadata) => (metadata['creationTimestamp'] = '2024-01-01T00:00:00Z')],
    ['/metadata', (_metadata, draft) => delete draft['metadata']],
    ['/kind', (_metadata, draft) => (draft['kind'] = 'Other')],
    ['/apiVersion', (_metadata, draft) => delete draft['apiVersion']],
  ])('that changes %s fails with a typed error that names it', (path, change) => {
    const error = problemOf((draft) => {
      change(draft.metadata as Record<string, unknown>, draft);
    });
    expect(error).toMatchObject({ problem: 'read-only-field' });
    expect(error.message).toContain(`it changed ${path},`);
  });

  it('that edits the status may change nothing else', () => {
    const error = problemOf((draft) => void (draft.metadata!.labels = { a: 'b' }), 'status');
    expect(error).toMatchObject({ problem: 'outside-of-subresource' });
    expect(planEdit(thing, (draft) => void (draft.status = { ready: true }), 'status')).toEqual([
      { op: 'add', path: '/status', value: { ready: true } },
    ]);
  });

  const circular: { self?: unknown } = {};
  circular.self = circular;
  it.each<[string, unknown, string]>([
    ['a function', () => 1, '/spec/x is a function'],
    ['NaN', NaN, '/spec/x is NaN'],
    ['a bigint', 1n, '/spec/x is a bigint'],
    ['a Map', new Map(), '/spec/x is a Map'],
    ['a hole in an array', [1, undefined], '/spec/x/1 is undefined'],
    ['a cyclic object', circular, '/spec/x/self is a part of itself'],
  ])('that puts %s into the object fails with a typed error that names the place', (_name, value, where) => {
    const error = problemOf((draft) => void (draft.spec!['x'] = value));
    expect(error.problem).toBe('not-json');
    expect(error.message).toContain(where);
  });

  it('may set fields to undefined, which removes them, and to dates, which become strings', () => {
    const operations = planEdit(
      thing,
      (draft) => {
        draft.spec = { list: undefined, inner: { a: undefined, b: 1 }, at: new Date(0) };
      },
      undefined,
    );
    expect(operations).toEqual([
      { op: 'remove', path: '/spec/list' },
      { op: 'add', path: '/spec/inner', value: { b: 1 } },
      { op: 'add', path: '/spec/at', value: '1970-01-01T00:00:00.000Z' },
    ]);
  });

  it('may move values within the object, and use them twice', () => {
    const operations = planEdit(thing, (draft) => void (draft.spec!['copy'] = draft.spec!['list']), undefined);
    expect(operations).toEqual([{ op: 'add', path: '/spec/copy', value: [1, 2, 3] }]);
  });

  it('results in a patch with the same effect as the recipe has on a copy', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 8 }), fc.array(steps, { maxLength: 12 }), (list, script) => {
        const object = freezeDeeply({ ...thing, spec: { list, map: { '~a/b': 1, b: 2 } } });
        const recipe = (draft: Editable<typeof object>): void => {
          script.forEach((step) => carryOut(draft.spec, step));
        };
        const expected = structuredClone(object) as Editable<typeof object>;
        recipe(expected);
        const actual = structuredClone(object);
        const failures = applyPatch(actual, [...planEdit(object, recipe, undefined)] as Operation[]);
        expect(failures.filter((failure) => failure !== null)).toEqual([]);
        expect(actual).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

type Step = readonly [what: string, at: number, value: number];
const steps = fc.tuple(
  fc.constantFrom('push', 'insert', 'remove', 'set', 'sort', 'reverse', 'member', 'delete', 'nest', 'truncate'),
  fc.nat(9),
  fc.nat(9),
);

/** Typical recipes, including immer's own array methods. */
function carryOut(spec: { list: number[]; map: Record<string, number> }, [what, at, value]: Step): void {
  const { list } = spec;
  switch (what) {
    case 'push':
      list.push(value);
      break;
    case 'insert':
      list.splice(at, 0, value);
      break;
    case 'remove':
      list.splice(at, 1);
      break;
    case 'set':
      if (at < list.length) list[at] = value;
      break;
    case 'sort':
      list.sort((a, b) => a - b);
      break;
    case 'reverse':
      list.reverse();
      break;
    case 'member':
      spec.map[`~${at}/x`] = value;
      break;
    case 'delete':
      delete spec.map[at % 2 === 0 ? '~a/b' : `~${at}/x`];
      break;
    case 'nest':
      spec.map = { ...spec.map, fresh: value };
      break;
    default:
      list.length = Math.min(list.length, at);
  }
}
