import * as fc from 'fast-check';
import { type ConfigMap, type SourceStatus, isRxInformersError } from 'rx-informers';
import { watchEvent, type WatchEvent } from 'rx-informers/store';
import { aConfigMap } from 'rx-informers/testing';
import { Observable, type Subscriber } from 'rxjs';
import { loadListWatch, scene, type Page, type Scene } from './support/scene.js';

/** The source of the worker's informer. The test decides what it emits. */
class ScriptedSource {
  /** The statuses of the source, the latest one last. */
  readonly statuses: SourceStatus[] = [];
  readonly source$ = new Observable<readonly WatchEvent<ConfigMap>[]>((subscriber) => {
    this.#reader = subscriber;
    this.emit({ state: 'listing', by: 'pages', received: 0 });
    subscriber.next([watchEvent.listed([...this.#objects.values()], this.#nextVersion())]);
    this.emit(this.watching());
  });
  readonly #objects = new Map<string, ConfigMap>();
  #reader: Subscriber<readonly WatchEvent<ConfigMap>[]> | undefined;
  #version = 0;

  watching(): SourceStatus {
    return { state: 'watching', since: this.#version, resourceVersion: this.#nextVersion() };
  }

  /** Emits a status after changes of the same batch, so that a reader has both or neither. */
  emit(status: SourceStatus, changes: readonly WatchEvent<ConfigMap>[] = []): void {
    this.statuses.push(status);
    this.#reader?.next([...changes, { type: 'STATUS', status }]);
  }

  write(count: number, size: number): void {
    this.#reader?.next(this.changes(count, size));
  }

  relist(count: number, size: number): void {
    this.emit({ state: 'listing', by: 'pages', received: 0 });
    this.changes(count, size);
    this.emit(this.watching(), [watchEvent.listed([...this.#objects.values()], this.#nextVersion())]);
  }

  changes(count: number, size: number): readonly WatchEvent<ConfigMap>[] {
    return Array.from({ length: count }, (_, index) => {
      const name = `o${index}`;
      const resourceVersion = this.#nextVersion();
      const object = aConfigMap({ name, data: { text: resourceVersion.padEnd(size, 'x') }, resourceVersion });
      this.#objects.set(name, object);
      return watchEvent.modified(object);
    });
  }

  #nextVersion(): string {
    return String(++this.#version);
  }
}

type Step =
  | { readonly type: 'write' | 'relist'; readonly count: number; readonly size: number }
  | { readonly type: 'status'; readonly state: 'watching' | 'reconnecting' | 'listing' }
  | { readonly type: 'hold' | 'deliver' | 'release' | 'reload' | 'crash' | 'silence' };

const count = fc.constantFrom(1, 2, 40, 700);
const size = fc.constantFrom(1, 1_000, 15_000, 150_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({ type: fc.constantFrom('write' as const, 'write' as const, 'relist' as const), count, size })
      .filter((next) => next.count * next.size <= 700_000),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('status' as const),
      state: fc.constantFrom('watching' as const, 'reconnecting' as const, 'listing' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom('hold' as const, 'deliver' as const, 'deliver' as const, 'release' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('reload' as const, 'crash' as const, 'silence' as const) }),
  },
);

/** A tab, which checks each status that it shows against the statuses of the worker's source. */
class Tab {
  readonly page: Page;
  readonly problems: string[] = [];
  #followed: ReturnType<Page['follow']> | undefined;
  /** True until the content of the current worker has arrived. */
  #isReading = true;
  /** The position of the shown status in the statuses of the source. */
  #position = 0;

  constructor(
    made: Scene,
    private readonly scripted: ScriptedSource,
  ) {
    this.page = made.page();
    this.load();
  }

  get status(): SourceStatus {
    return this.#followed!.informer.status;
  }

  load(): void {
    this.#followed?.stop();
    this.#followed = this.page.follow();
    const { informer } = this.#followed;
    informer.status$.subscribe((status) => {
      const { statuses } = this.scripted;
      const isLost = 'cause' in status && isRxInformersError(status.cause, 'RXI_SHARED_WORKER');
      const isProgress = this.#isReading && status.state === 'listing';
      this.#isReading ||= isLost || status.state === 'stopped';
      if (isLost || isProgress || status.state === 'stopped') return;
      this.#isReading = false;
      const position = statuses.findIndex(
        (known, index) => index >= this.#position && JSON.stringify(known) === JSON.stringify(status),
      );
      if (position >= 0) this.#position = position;
      else this.problems.push(`shows ${JSON.stringify(status)}, after status ${this.#position} of the worker`);
    });
  }
}

function play(made: Scene, scripted: ScriptedSource, tab: Tab, next: Step): void {
  switch (next.type) {
    case 'write':
    case 'relist':
      scripted[next.type](next.count, next.size);
      return;
    case 'status':
      if (next.state === 'watching') scripted.emit(scripted.watching());
      else if (next.state === 'reconnecting') scripted.emit({ state: 'reconnecting' });
      else scripted.emit({ state: 'listing', by: 'pages', received: scripted.statuses.length });
      return;
    case 'hold':
      tab.page.channel.hold();
      return;
    case 'deliver':
      tab.page.channel.deliverOne();
      return;
    case 'release':
      tab.page.channel.release();
      return;
    case 'reload':
      tab.load();
      return;
    // The tab loses the worker at most once a minute. Twice would end its use of the worker.
    case 'crash':
      made.crash();
      made.clock.advance(70_000);
      return;
    case 'silence':
      tab.page.channel.hold();
      made.clock.advance(70_000);
  }
}

beforeAll(loadListWatch);

describe('the status of an informer over a shared worker', () => {
  it('is always a status of the worker, in its order, and the last one once the tab has taken everything', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const scripted = new ScriptedSource();
        const made = scene({ source: scripted.source$ });
        const tab = new Tab(made, scripted);
        made.clock.advance(10);
        for (const next of steps) {
          play(made, scripted, tab, next);
          expect(tab.problems).toEqual([]);
        }
        tab.page.channel.release();
        made.clock.advance(10);
        expect(tab.status).toEqual(scripted.statuses.at(-1));
        expect(tab.problems).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it('stays "watching" during one burst of changes that the worker sends in several parts', () => {
    const scripted = new ScriptedSource();
    const made = scene({ source: scripted.source$ });
    const { informer, states, commits } = made.page().follow();
    made.clock.advance(10);
    scripted.write(400, 1_000);
    expect(commits).toEqual(['initial 0', 'watch 400']);
    expect(informer.status.state).toBe('watching');
    expect(new Set(states.slice(states.indexOf('watching')))).toEqual(new Set(['watching']));
  });

  it('arrives although the tab is never done with the changes', () => {
    const scripted = new ScriptedSource();
    const made = scene({ source: scripted.source$ });
    const page = made.page();
    const { informer } = page.follow();
    made.clock.advance(10);
    page.channel.hold();
    for (let round = 0; round < 200; round++) {
      scripted.write(10, 66_000);
      if (round === 5) scripted.emit({ state: 'reconnecting' });
      page.channel.deliverOne();
    }
    expect(informer.status.state).toBe('reconnecting');
  });
});
