import fc from 'fast-check';
import { shareStructure } from 'rx-informers/store';
import { shareRow, shareStructureInPlace } from '../../src/kubernetes/share-structure.js';
import { freezeDeeply } from '../../src/store/freeze.js';

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
    ['zero became negative', 0, -0],
    ['a negative zero became positive', -0, 0],
    ['the zero in an array became negative', [0], [-0]],
    ['a negative zero in an array became positive', [-0], [0]],
    ['a date changed', new Date(1), new Date(2)],
    ['a date became a number', new Date(1), 1],
    ['an item moved', [{ a: 1 }, { b: 1 }], [{ b: 1 }, { a: 1 }]],
  ])('returns the new version if %s', (_, previous, next) => {
    const expected = structuredClone(next);
    const shared = shareStructure({ value: previous }, { value: next });
    expect(shared).toStrictEqual({ value: expected });
    expect(shared.value === previous && previous !== next).toBe(false);
  });

  it('compares arrays by position', () => {
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
      'with exponentially many paths',
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
  ])('returns an object %s unchanged', (_, make) => {
    const next = make();
    const shared = shareStructure(make(), next);
    // Matchers of jest would follow it.
    expect(shared === next).toBe(true);
  });

  it('copies the values of getters and read-only properties', () => {
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

  it('does not modify the new version, which may be in use elsewhere', () => {
    const previous = { spec: { containers: [{ name: 'a' }], nodeName: 'a-node-with-a-long-name' }, version: 1 };
    const next = { spec: { containers: [{ name: 'a' }], nodeName: 'another-node-with-a-long-name' }, version: 2 };
    const { spec } = next;
    const { containers } = spec;
    const shared = shareStructure(previous, next);
    expect(shared.spec.containers).toBe(previous.spec.containers);
    expect(next.spec).toBe(spec);
    expect(next.spec.containers).toBe(containers);
  });

  it('does not modify frozen input', () => {
    const previous = { spec: { list: [1, { x: 1 }] }, version: 1 };
    const next = freezeDeeply({ spec: { list: [1, { x: 1 }] }, version: 2 });
    const original = next.spec;
    const shared = shareStructure(previous, next);
    expect(shared).toEqual({ spec: { list: [1, { x: 1 }] }, version: 2 });
    expect(shared.spec).toBe(previous.spec);
    expect(next.spec).toBe(original);
  });

  it('does not modify a frozen array', () => {
    const previous = [{ a: 1 }, { b: 1 }];
    const next = Object.freeze([{ a: 1 }, { b: 2 }]);
    const first = next[0];
    const shared = shareStructure<readonly object[]>(previous, next);
    expect(shared[0]).toBe(previous[0]);
    expect(next[0]).toBe(first);
  });

  it('returns a frozen object unchanged if only strings and numbers are equal', () => {
    const next: object = Object.freeze({
      image: 'registry.example.com/shop:1',
      replicas: 2,
      list: Object.freeze(['a longer text', 1]),
    });
    expect(
      shareStructure({ image: 'registry.example.com/shop:1', replicas: 1, list: ['a longer text', 2] }, next),
    ).toBe(next);
  });

  it('does not mistake an inherited method for a field', () => {
    const previous: object = { a: 1 };
    const next: object = { toString: Object.prototype.toString };
    expect(shareStructure(previous, next)).toBe(next);
  });

  it('compares dates by value, and other objects that are not plain by identity, such as maps', () => {
    const previous = { date: new Date(1), map: new Map([['a', 1]]) };
    const next = { date: new Date(1), map: new Map([['a', 1]]) };
    const { map } = next;
    const shared = shareStructure(previous, next);
    expect(shared.date).toBe(previous.date);
    expect(shared.map).toBe(map);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('handles a field named %s', (name) => {
    const previous = json({ a: 1 }) as object;
    const empty = JSON.parse(`{"${name}":{}}`) as object;
    const shared = shareStructure(previous, empty);
    expect(Object.keys(shared)).toEqual([name]);
    expect(shareStructure({}, JSON.parse(`{"${name}":{}}`) as object)).not.toBe(Object.prototype);
    expect(JSON.stringify(shareStructure(empty, JSON.parse(`{"${name}":{"x":1}}`) as object))).toBe(
      `{"${name}":{"x":1}}`,
    );
    expect(Object.prototype).not.toHaveProperty('x');
  });

  it.each([
    ['shareStructure', shareStructure],
    ['shareStructureInPlace', shareStructureInPlace],
    ['shareRow', shareRow],
  ])('%s keeps a field named __proto__ as a field where parts are shared beside it and in it', (_, share) => {
    const text = (count: number): string => `{"a":{"x":{"y":1}},"__proto__":{"b":{"x":1},"count":${count}}}`;
    const previous = JSON.parse(text(1)) as Readonly<Record<string, unknown>>;
    const shared = share(previous, JSON.parse(text(2)) as typeof previous);
    expect(JSON.stringify(shared)).toBe(text(2));
    expect(Object.getPrototypeOf(shared)).toBe(Object.prototype);
    expect(shared['a']).toBe(previous['a']);
    expect('count' in shared).toBe(false);
  });

  it.each([
    ['shareStructure', false],
    ['shareStructureInPlace', true],
  ])(
    'for any two JSON values, with %s, equals the new value, modifies nothing, and shares equal parts',
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

  it('returns the previous row if it is equal', () => {
    const previous = { pod: pod('a'), zones: ['east', Number.NaN], empty: undefined };
    expect(shareRow(previous, structuredClone(previous))).toBe(previous);
  });

  it('keeps equal fields and items of the previous row, and uses the new ones otherwise', () => {
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

  it('returns an array unchanged if none of its new items is equal to another object', () => {
    const [a, b] = [pod('a'), pod('b')];
    const next = { pods: [a, b] };
    expect(shareRow({ pods: [b] }, next).pods).toBe(next.pods);
  });

  it('equals the new row, for any two rows, and modifies neither', () => {
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
    ['a missing field', { a: 1, b: { c: 1 } }, { a: 1 }],
    ['an additional nested field', { a: { b: 1 } }, { a: { b: 1, c: 2 } }],
    ['a shorter array', { a: [1, 2] }, { a: [1] }],
    ['an array instead of an object', { a: { 0: 1 } }, { a: [1] }],
    ['another date', { a: new Date(1) }, { a: new Date(2) }],
  ])('returns the new row for %s', (_, previous: object, next: object) => {
    expect(shareRow(previous, next)).toBe(next);
  });

  it('returns a row unchanged if it throws when it is read, or refers to itself', () => {
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
