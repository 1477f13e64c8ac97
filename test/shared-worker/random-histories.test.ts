import * as fc from 'fast-check';
import { configMaps, type ConfigMap, isRxInformersError } from 'rx-informers';
import { aConfigMap } from 'rx-informers/testing';
import { loadListWatch, scene, textOf, type Followed, type Page, type Scene } from './support/scene.js';

type Step =
  | { readonly type: 'write' | 'remove' | 'replace'; readonly name: number; readonly size: number }
  | { readonly type: 'hold' | 'release' | 'leave' | 'join'; readonly page: number }
  | { readonly type: 'wait'; readonly time: number }
  | { readonly type: 'relist' | 'crash' };

const name = fc.integer({ min: 0, max: 7 });
const size = fc.constantFrom(1, 100, 150_000);
const page = fc.integer({ min: 0, max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('write' as const), name, size }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('remove' as const, 'replace' as const), name, size }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('hold' as const, 'release' as const), page }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('leave' as const, 'join' as const), page }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), time: fc.constantFrom(10, 3_000, 25_000) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('relist' as const, 'crash' as const) }) },
);

/** A page with a collection, and a Map that is updated only by its change sets. */
class Reader {
  readonly page: Page;
  readonly replica = new Map<string, ConfigMap>();
  readonly problems: string[] = [];
  #followed: Followed | undefined;

  constructor(made: Scene) {
    this.page = made.page();
    this.join();
  }

  get followed(): Followed | undefined {
    return this.#followed;
  }

  join(): void {
    if (this.#followed) return;
    this.replica.clear();
    this.#followed = this.page.follow();
    this.#followed.informer.changes$.subscribe(({ changes }) => {
      for (const change of changes) {
        const stored = this.replica.get(change.key);
        const isSound =
          change.type === 'added'
            ? stored === undefined
            : change.type === 'deleted'
              ? stored !== undefined
              : stored === change.previous;
        if (!isSound)
          this.problems.push(`${change.type} ${change.key}, and held ${stored?.metadata.resourceVersion ?? 'nothing'}`);
        if (change.type === 'deleted') this.replica.delete(change.key);
        else this.replica.set(change.key, change.object);
      }
    });
  }

  leave(): void {
    this.#followed?.stop();
    this.#followed = undefined;
  }

  hold(): void {
    for (const channel of this.page.channels.slice(-1)) channel.hold();
  }

  release(): void {
    for (const channel of this.page.channels) channel.release();
  }
}

function play(made: Scene, readers: readonly Reader[], next: Step): void {
  const key = 'name' in next ? `o${next.name}` : '';
  const write = (text: string): void => {
    made.server.apply(aConfigMap({ name: key, data: { text } }));
  };
  switch (next.type) {
    case 'write':
      write(`${made.requests.length}`.padEnd(next.size));
      return;
    case 'replace':
      made.server.remove(configMaps, key, 'default');
      write('another');
      return;
    case 'remove':
      made.server.remove(configMaps, key, 'default');
      return;
    case 'hold':
    case 'release':
    case 'leave':
    case 'join':
      readers[next.page]?.[next.type]();
      return;
    case 'wait':
      made.clock.advance(next.time);
      return;
    case 'relist':
      made.server.restart({ compact: true });
      return;
    case 'crash':
      made.crash();
  }
}

beforeAll(loadListWatch);

describe('informers over a shared worker', () => {
  it('contain the objects of the API server after any history of changes, slow pages, relists and crashes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const made = scene();
        const readers = [new Reader(made), new Reader(made)];
        for (const next of steps) play(made, readers, next);
        for (const reader of readers) reader.release();
        made.clock.advance(120_000);
        for (const reader of readers) {
          expect(reader.problems).toEqual([]);
          if (!reader.followed) continue;
          const { informer, errors } = reader.followed;
          expect(textOf(informer.list())).toBe(textOf(made.server.objects.list(configMaps)));
          expect([...reader.replica.values()].sort(byName)).toEqual(informer.list());
          expect(
            errors.filter((error) => !isRxInformersError(error, 'RXI_SHARED_WORKER') && !('request' in error)),
          ).toEqual([]);
        }
        for (const reader of readers) reader.leave();
        made.clock.advance(10_000);
        expect([made.worker.pages, made.worker.informers]).toEqual([0, 0]);
        expect(made.clock.timers).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});

function byName(a: ConfigMap, b: ConfigMap): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
