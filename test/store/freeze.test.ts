import { type SnapshotOptions, emptySnapshot, reduceDeltas } from 'rx-informers/store';
import { isDevelopment } from '../../src/kubernetes/development.js';
import { freezeDeeply } from '../../src/store/freeze.js';
import { aPod, type Pod } from '../fixtures/pods.js';
import { list, removal, upsert } from './support/deltas.js';

const stored = (options: SnapshotOptions) =>
  reduceDeltas(emptySnapshot<Pod>(), [upsert(aPod({ labels: { app: 'x' } }))], options);
const write = (pod: Pod | undefined) => () => {
  const labels = pod?.metadata.labels as Record<string, string>;
  labels['app'] = 'changed';
};

function withEnvironment(value: string | undefined, test: () => void): void {
  const before = process.env['NODE_ENV'];
  if (value === undefined) delete process.env['NODE_ENV'];
  else process.env['NODE_ENV'] = value;
  try {
    test();
  } finally {
    process.env['NODE_ENV'] = before;
  }
}

describe('freezing', () => {
  it('H5 ▲: outside of production, a write to a cached object throws at once', () => {
    expect(write(stored({}).snapshot.get('a'))).toThrow(TypeError);
  });

  it('H5 ▲: is off in production, and can be turned on there', () => {
    withEnvironment('production', () => {
      expect(isDevelopment()).toBe(false);
      expect(write(stored({}).snapshot.get('a'))).not.toThrow();
      expect(write(stored({ freeze: true }).snapshot.get('a'))).toThrow(TypeError);
    });
  });

  it.each([undefined, '', 'development', 'test'])('freezing is on if NODE_ENV is %p', (value) => {
    withEnvironment(value, () => {
      expect(isDevelopment()).toBe(true);
    });
  });

  it('is on without a process object, as in a browser without a bundler', () => {
    const { process } = globalThis;
    Reflect.deleteProperty(globalThis, 'process');
    try {
      expect(isDevelopment()).toBe(true);
    } finally {
      globalThis.process = process;
    }
  });

  it("with 'sample', freezes one in 64 objects, of a list and of single updates, and their shared parts", () => {
    const labels = { app: 'x' };
    const pods = Array.from({ length: 640 }, (_, place) => aPod({ name: String(1_000 + place), version: 1, labels }));
    let { snapshot } = reduceDeltas(emptySnapshot<Pod>(), [list(pods)], { freeze: 'sample' });
    expect(snapshot.list().filter(Object.isFrozen)).toHaveLength(10);
    expect(write(snapshot.get('1001'))).toThrow(TypeError);
    let frozen = 0;
    for (let version = 2; version < 642; version++) {
      snapshot = reduceDeltas(snapshot, [upsert(aPod({ name: '1001', version }))], { freeze: 'sample' }).snapshot;
      if (Object.isFrozen(snapshot.get('1001'))) frozen++;
    }
    expect(frozen).toBe(10);
  });

  it('can be turned off', () => {
    expect(write(stored({ freeze: false }).snapshot.get('a'))).not.toThrow();
  });

  it('includes shared, changed and removed objects', () => {
    const { snapshot } = stored({});
    const { changes } = reduceDeltas(snapshot, [
      upsert(aPod({ version: 2, labels: { app: 'x' }, status: { phase: 'Running' } })),
      removal(aPod({ version: 3, labels: { app: 'y' } })),
    ]);
    for (const change of changes) expect(write(change.object)).toThrow(TypeError);
    expect(Object.isFrozen(changes[0]?.object.status)).toBe(true);
  });

  it('always freezes returned arrays', () => {
    const { snapshot } = reduceDeltas(
      emptySnapshot<Pod, 'node'>({ node: (pod) => pod.spec.nodeName }),
      [list([aPod({ node: 'n' })])],
      {
        freeze: false,
      },
    );
    const handedOut = [
      snapshot.list(),
      snapshot.keys(),
      snapshot.byIndex('node', 'n'),
      snapshot.byIndex('node', 'never'),
      snapshot.indexKeys('node', 'n'),
      snapshot.indexValues('node'),
      snapshot.index('node', aPod()),
    ];
    for (const array of handedOut) expect(Object.isFrozen(array)).toBe(true);
  });

  it('freezes the parts that sharing took over from an unfrozen object', () => {
    const loose = stored({ freeze: false }).snapshot;
    const { snapshot } = reduceDeltas(loose, [upsert(aPod({ version: 2, labels: { app: 'x' } }))], { freeze: true });
    expect(write(snapshot.get('a'))).toThrow(TypeError);
  });

  it('freezes plain objects and arrays deeply, and returns its argument', () => {
    const object = {
      list: [{ deep: [{ deeper: {} }] }],
      empty: [],
      without: Object.create(null) as object,
      none: null,
    };
    expect(freezeDeeply(object)).toBe(object);
    const inner = [object, object.list, object.list[0]?.deep[0]?.deeper, object.empty, object.without];
    expect(inner.map(Object.isFrozen)).toEqual([true, true, true, true, true]);
  });

  it('freezes objects of another realm', () => {
    const object = structuredClone({ list: [{ a: 1 }] });
    freezeDeeply(object);
    expect([object, object.list, object.list[0]].map(Object.isFrozen)).toEqual([true, true, true]);
  });

  it('terminates for a cycle', () => {
    const object: Record<string, unknown> = {};
    object['list'] = [object];
    expect(Object.isFrozen(freezeDeeply(object)['list'])).toBe(true);
  });

  it('freezes an object nested 100,000 levels deep', () => {
    const object = JSON.parse('{"a":['.repeat(50_000) + '{}' + ']}'.repeat(50_000)) as object;
    let frozen = 0;
    for (let part: unknown = freezeDeeply(object); Object.isFrozen(part); part = Object.values(part as object)[0]) {
      if (typeof part !== 'object') break;
      frozen++;
    }
    expect(frozen).toBe(100_001);
  });

  it('stops at frozen objects', () => {
    const inner = {};
    freezeDeeply({ frozen: Object.freeze({ inner }) });
    expect(Object.isFrozen(inner)).toBe(false);
  });

  it('skips objects that are neither plain nor arrays, with their content', () => {
    class Special {
      readonly inner = {};
    }
    const kept = { date: new Date(0), map: new Map(), bytes: new Uint8Array(1), special: new Special(), run: () => 1 };
    freezeDeeply(kept);
    expect(Object.isFrozen(kept)).toBe(true);
    expect([...Object.values(kept), kept.special.inner].some(Object.isFrozen)).toBe(false);
  });

  it('ignores objects that cannot be frozen', () => {
    expect(freezeDeeply('text')).toBe('text');
    expect(freezeDeeply(null)).toBeNull();
    expect([undefined].map(freezeDeeply)).toEqual([undefined]);
  });
});
