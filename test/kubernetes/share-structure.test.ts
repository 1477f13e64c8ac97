import fc from 'fast-check';
import { freezeDeeply } from '../../src/store/freeze.js';
import { shareStructure } from 'rx-informers/store';
import { shareRow, shareStructureInPlace } from '../../src/kubernetes/share-structure.js';

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** All objects and arrays in a JSON value, itself included. */
function containersOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(containersOf)] : [];
}

describe('shareStructure', () => {
  it('returns the previous version itself if nothing differs', () => {
    const previous = { spec: { ports: [{ port: 80 }, null], on: true }, labels: {} };
    expect(shareStructure(previous, structuredClone(previous))).toBe(previous);
  });

  it('keeps the identity of unchanged subtrees, and of nothing above a change', () => {
    const previous = { metadata: { version: '1', labels: { app: 'x' } }, spec: { nested: { deep: [1, 2] } } };
    const next = { metadata: { version: '2', labels: { app: 'x' } }, spec: { nested: { deep: [1, 2] } } };
    const shared = shareStructure(previous, next);
    expect(shared.spec).toBe(previous.spec);
    expect(shared.metadata.labels).toBe(previous.metadata.labels);
    expect(shared.metadata).not.toBe(previous.metadata);
    expect(shared.metadata.version).toBe('2');
  });

  it.each<[string, unknown, unknown]>([
    ['a field was added', { a: 1 }, { a: 1, b: 2 }],
    ['a field was removed', { a: 1, b: 2 }, { a: 1 }],
    ['a field was renamed', { a: undefined }, { b: undefined }],
    ['a field was added whose value is undefined', {}, { a: undefined }],
    ['an array became longer', [1], [1, 2]],
    ['an array became shorter', [1, 2], [1]],
    ['an array became an object', [1], { 0: 1 }],
    ['an object became an array', { 0: 1 }, [1]],
    ['an object became null', {}, null],
    ['null became an object', null, {}],
    ['a number became a string', 1, '1'],
    ['an item moved', [{ a: 1 }, { b: 1 }], [{ b: 1 }, { a: 1 }]],
  ])('returns the new version where %s', (_, previous, next) => {
    const expected = structuredClone(next);
    const shared = shareStructure({ value: previous }, { value: next });
    expect(shared).toStrictEqual({ value: expected });
    expect(shared.value === previous && previous !== next).toBe(false);
  });

  it('compares arrays position by position', () => {
    const previous = [{ a: [1] }, { b: [2] }];
    const shared = shareStructure(previous, [{ a: [1] }, { b: [3] }, { c: [4] }] as typeof previous);
    expect(shared[0]).toBe(previous[0]);
    expect(shared).toEqual([{ a: [1] }, { b: [3] }, { c: [4] }]);
  });

  it.each([
    ['nested 100,000 levels deep', () => JSON.parse('{"a":['.repeat(50_000) + '0' + ']}'.repeat(50_000)) as object],
    [
      'that refers to itself twice',
      () => {
        const object: Record<string, unknown> = { labels: { app: 'x' } };
        return Object.assign(object, { left: object, list: [object, object] });
      },
    ],
    [
      'with more paths than a computer can follow',
      () => {
        let object: object = { leaf: {} };
        for (let level = 0; level < 200; level++) object = Object.freeze({ left: object, right: object });
        return object;
      },
    ],
    [
      'that throws when it is read',
      () => ({
        labels: { app: 'x' },
        get spec(): never {
          throw new Error('not now');
        },
      }),
    ],
  ])('returns an object %s as it is', (_, make) => {
    const next = make();
    const shared = shareStructure(make(), next);
    // Matchers of jest would follow it.
    expect(shared === next).toBe(true);
  });

  it('takes over what a getter or a read-only property returns', () => {
    const previous = { labels: { app: 'x' }, version: 1 };
    const next = Object.defineProperty(
      {
        version: 2,
        get labels() {
          return { app: 'x' };
        },
      },
      'version',
      { writable: false },
    );
    expect(shareStructure(previous, next)).toEqual({ labels: { app: 'x' }, version: 2 });
    expect(shareStructure<object>(previous, next)).toHaveProperty('labels', previous.labels);
  });

  it('does not write to the new version, which may be in use elsewhere', () => {
    const previous = { spec: { containers: [{ name: 'a' }], nodeName: 'a-node-with-a-long-name' }, version: 1 };
    const next = { spec: { containers: [{ name: 'a' }], nodeName: 'another-node-with-a-long-name' }, version: 2 };
    const { spec } = next;
    const { containers } = spec;
    const shared = shareStructure(previous, next);
    expect(shared.spec.containers).toBe(previous.spec.containers);
    expect(next.spec).toBe(spec);
    expect(next.spec.containers).toBe(containers);
  });

  it('does not write to frozen input', () => {
    const previous = { spec: { list: [1, { x: 1 }] }, version: 1 };
    const next = freezeDeeply({ spec: { list: [1, { x: 1 }] }, version: 2 });
    const original = next.spec;
    const shared = shareStructure(previous, next);
    expect(shared).toEqual({ spec: { list: [1, { x: 1 }] }, version: 2 });
    expect(shared.spec).toBe(previous.spec);
    expect(next.spec).toBe(original);
  });

  it('does not write to a frozen array', () => {
    const previous = [{ a: 1 }, { b: 1 }];
    const next = Object.freeze([{ a: 1 }, { b: 2 }]);
    const first = next[0];
    const shared = shareStructure<readonly object[]>(previous, next);
    expect(shared[0]).toBe(previous[0]);
    expect(next[0]).toBe(first);
  });

  it('returns a frozen object as it is if only texts and numbers are equal', () => {
    const next: object = Object.freeze({
      image: 'registry.example.com/shop:1',
      replicas: 2,
      list: Object.freeze(['a longer text', 1]),
    });
    expect(
      shareStructure({ image: 'registry.example.com/shop:1', replicas: 1, list: ['a longer text', 2] }, next),
    ).toBe(next);
  });

  it('does not take an inherited method for a field', () => {
    const previous: object = { a: 1 };
    const next: object = { toString: Object.prototype.toString };
    expect(shareStructure(previous, next)).toBe(next);
  });

  it('takes what is no plain object by identity: dates and maps are not looked into', () => {
    const previous = { date: new Date(1), map: new Map([['a', 1]]) };
    const next = { date: new Date(1), map: new Map([['a', 1]]) };
    const { date, map } = next;
    const shared = shareStructure(previous, next);
    expect(shared.date).toBe(date);
    expect(shared.map).toBe(map);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'takes a field named %s for what it is',
    (name) => {
      const previous = json({ a: 1 }) as object;
      const empty = JSON.parse(`{"${name}":{}}`) as object;
      const shared = shareStructure(previous, empty);
      expect(Object.keys(shared)).toEqual([name]);
      expect(shareStructure({}, JSON.parse(`{"${name}":{}}`) as object)).not.toBe(Object.prototype);
      expect(JSON.stringify(shareStructure(empty, JSON.parse(`{"${name}":{"x":1}}`) as object))).toBe(
        `{"${name}":{"x":1}}`,
      );
      expect(Object.prototype).not.toHaveProperty('x');
    },
  );

  it.each([
    ['shareStructure', false],
    ['shareStructureInPlace', true],
  ])(
    'any two JSON values, with %s: the result equals the new one, nothing is written to, equal means identical',
    (_, inPlace) => {
      const share = inPlace ? shareStructureInPlace : shareStructure;
      fc.assert(
        fc.property(
          fc.jsonValue({ maxDepth: 4 }),
          fc.jsonValue({ maxDepth: 4 }),
          inPlace ? fc.constant(false) : fc.boolean(),
          (first, second, freeze) => {
            const [previous, other] = [json(first), json(second)];
            const next = { kept: json(first), other };
            const before = JSON.stringify(previous);
            const expected = JSON.stringify(next);
            const parts = containersOf(next);
            const shared = share<unknown>({ kept: previous, other: previous }, freeze ? freezeDeeply(next) : next);
            expect(JSON.stringify(shared)).toBe(expected);
            expect(JSON.stringify(previous)).toBe(before);
            expect(inPlace || containersOf(next).every((part, position) => part === parts[position])).toBe(true);
            expect((shared as typeof next).kept).toBe(previous);
          },
        ),
      );
    },
  );
});

describe('shareRow', () => {
  const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ image: 'x' }] } });

  it('returns the previous row if all is equal', () => {
    const previous = { pod: pod('a'), zones: ['east', Number.NaN], empty: undefined };
    expect(shareRow(previous, structuredClone(previous))).toBe(previous);
  });

  it('keeps the fields and items that are equal, and takes the others as they are', () => {
    const previous = { pods: [pod('a'), pod('c')], totals: { cpu: 1 }, labels: { app: 'x' } };
    const [a, b, c] = [pod('a'), pod('b'), pod('c')];
    const next = { pods: [a, b, c], totals: { cpu: 2 }, labels: { app: 'x' } };
    const shared = shareRow(previous, next);
    expect(shared).toStrictEqual(next);
    expect(shared.labels).toBe(previous.labels);
    expect(shared.totals).toBe(next.totals);
    expect(shared.pods[0]).toBe(previous.pods[0]);
    expect(shared.pods.slice(1)).toEqual([b, c]);
    expect([shared.pods[1] === b, shared.pods[2] === c]).toEqual([true, true]);
  });

  it('returns an array as it is if none of its new items is equal to another object', () => {
    const [a, b] = [pod('a'), pod('b')];
    const next = { pods: [a, b] };
    expect(shareRow({ pods: [b] }, next).pods).toBe(next.pods);
  });

  it('equals the new row, whatever the two are, and writes to neither', () => {
    const depth = { maxDepth: 3, withNullPrototype: false, withSparseArray: false, withBigInt: true } as const;
    fc.assert(
      fc.property(fc.object(depth), fc.object(depth), fc.boolean(), (first, second, mixes) => {
        const previous = freezeDeeply(first);
        const next = freezeDeeply(mixes ? { ...structuredClone(first), ...second } : second);
        const shared = shareRow(previous, next);
        expect(shared).toStrictEqual(next);
      }),
    );
  });

  it.each([
    ['another field', { a: undefined }, { b: undefined }],
    ['a field less', { a: 1, b: { c: 1 } }, { a: 1 }],
    ['a field more below', { a: { b: 1 } }, { a: { b: 1, c: 2 } }],
    ['a shorter array', { a: [1, 2] }, { a: [1] }],
    ['an array for an object', { a: { 0: 1 } }, { a: [1] }],
    ['another date', { a: new Date(1) }, { a: new Date(2) }],
  ])('returns the new row for %s', (_, previous: object, next: object) => {
    expect(shareRow(previous, next)).toBe(next);
  });

  it('returns a row as it is that throws when it is read, or refers to itself', () => {
    const throwing = {
      get a(): never {
        throw new Error('not now');
      },
    };
    expect(shareRow({ a: {} }, throwing)).toBe(throwing);
    const circle: Record<string, unknown> = {};
    circle['a'] = circle;
    const other: Record<string, unknown> = {};
    other['a'] = other;
    expect(shareRow(circle, other)).toBe(other);
  });
});
