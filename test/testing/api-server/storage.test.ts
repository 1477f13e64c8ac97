import fc from 'fast-check';
import { Storage } from '../../../src/testing/api-server/storage/storage.js';
import type { StoredObject } from 'rx-informers/testing';

const object = (name: string, content: number): StoredObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: name, resourceVersion: '', creationTimestamp: '' },
  content,
});

const write = fc.record({
  type: fc.constantFrom('put', 'put', 'remove', 'elsewhere', 'compact'),
  key: fc.constantFrom('a/x', 'a/y', 'a-b/x', 'b/x', 'c'),
  content: fc.integer(),
});

type Contents = readonly (readonly [string, unknown])[];
const contents = (entries: Iterable<readonly [string, StoredObject]>): Contents =>
  Array.from(entries, ([key, { content }]) => [key, content] as const);

describe('the storage', () => {
  it('remembers every version since the last compaction, and replays every event after any of them', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 40 }), (writes) => {
        const storage = new Storage({ historyLimit: 1000 });
        const things = storage.resource('things');
        const model = new Map<string, number>();
        const versions = new Map<number, Contents>();
        let compacted = 0;
        const remember = (): void => {
          versions.set(
            storage.resourceVersion,
            [...model].sort(([a], [b]) => (a < b ? -1 : 1)),
          );
        };
        remember();
        for (const { type, key, content } of writes) {
          if (type === 'put') things.put(key, object(key, content));
          if (type === 'put') model.set(key, content);
          if (type === 'remove') things.remove(key);
          if (type === 'remove') model.delete(key);
          if (type === 'elsewhere') storage.resource('others').put(key, object(key, content));
          if (type === 'compact') storage.compact();
          if (type === 'compact') compacted = storage.resourceVersion;
          remember();
        }
        for (const [version, expected] of versions) {
          const then = things.scanAt(version, '', '');
          const start = things.history.after(version);
          // A watch from the version before the compaction needs nothing that was forgotten.
          expect(start === 'discarded').toBe(version + 1 < compacted);
          const known = then === 'discarded' ? then : contents(then);
          expect(known).toEqual(version < compacted ? 'discarded' : expected);
          if (known === 'discarded') continue;
          const replayed = new Map(expected);
          for (let sequence = Number(start); sequence < things.history.end; sequence += 1) {
            const event = things.history.at(sequence);
            if (event === undefined || event === 'discarded') throw new Error(`event ${sequence} is missing`);
            if (event.type === 'DELETED') replayed.delete(event.key);
            else replayed.set(event.key, event.object['content']);
          }
          expect([...replayed].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(contents(things.scan()));
        }
      }),
    );
  });

  it('numbers all writes of all resources with one counter', () => {
    const storage = new Storage({ historyLimit: 10 });
    const first = storage.resource('a').put('x', object('x', 1));
    const second = storage.resource('b').put('x', object('x', 1));
    expect(Number(second.metadata.resourceVersion)).toBe(Number(first.metadata.resourceVersion) + 1);
  });

  it('forgets the oldest events where there are more than its limit', () => {
    const storage = new Storage({ historyLimit: 5 });
    const things = storage.resource('things');
    for (let index = 0; index < 100; index += 1) things.put('x', object('x', index));
    expect(things.history.all().length).toBeLessThan(10);
    expect(things.history.after(1)).toBe('discarded');
    expect(things.history.after(storage.resourceVersion - 5)).not.toBe('discarded');
    expect(things.history.at(0)).toBe('discarded');
  });

  it('shows in a scan what was there when it began, and no later write', () => {
    const things = new Storage({ historyLimit: 5 }).resource('things');
    things.put('a', object('a', 1));
    const snapshot = things.scan();
    things.put('b', object('b', 2));
    things.remove('a');
    expect(contents(snapshot)).toEqual([['a', 1]]);
  });

  it('does not call a listener that leaves inside its call again', () => {
    const things = new Storage({ historyLimit: 5 }).resource('things');
    let told = 0;
    const leave: (() => void)[] = [];
    leave.push(
      things.listen(() => leave[1]?.()),
      things.listen(() => (told += 1)),
    );
    things.put('a', object('a', 1));
    expect(told).toBe(0);
  });
});
