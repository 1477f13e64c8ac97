import fc from 'fast-check';
import { informer } from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { Subject, VirtualTimeScheduler } from 'rxjs';
import { aPod, type Pod } from '../fixtures/pods.js';

const { added, bookmark, deleted, listed, modified } = watchEvent;

const names = ['a', 'b', 'c'] as const;

/**
 * What happens next: a write by us or by another client, an answer that arrives, watch events that
 * arrive, a new list.
 */
type Step =
  | { readonly type: 'write'; readonly name: string; readonly isDelete: boolean; readonly isOurs: boolean }
  | { readonly type: 'answer'; readonly which: number }
  | { readonly type: 'deliver'; readonly count: number; readonly isOneBatch: boolean }
  | { readonly type: 'relist'; readonly by: number }
  | { readonly type: 'join' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('write'),
      name: fc.constantFrom(...names),
      isDelete: fc.boolean(),
      isOurs: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('answer'), which: fc.nat(5) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('deliver'),
      count: fc.integer({ min: 1, max: 4 }),
      isOneBatch: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('relist'), by: fc.integer({ min: -4, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('join') }) },
);

/** A server with a history, watched from some point of it on. */
class Model {
  readonly source = new Subject<readonly WatchEvent<Pod>[]>();
  readonly overlaid = overlay(this.source, { scheduler: new VirtualTimeScheduler() });
  readonly objects = new Map<string, Pod>();
  /**
   * The newest version of each name that an answer has shown, and the incarnations that one has
   * shown as deleted.
   */
  readonly shown = new Map<string, number>();
  readonly shownDeleted = new Map<string, number>();
  readonly #answers: (() => void)[] = [];
  readonly #history: {
    readonly event: WatchEvent<Pod>;
    readonly state: ReadonlyMap<string, Pod>;
    readonly version: number;
  }[] = [];
  #version = 1;
  #incarnation = 0;
  #delivered = 0;
  /** The latest version of the watch and the lists so far. */
  #reached = 0;

  get reached(): number {
    return this.#history[this.#reached - 1]?.version ?? 1;
  }

  write({ name, isDelete, isOurs }: Step & { readonly type: 'write' }): void {
    const before = this.objects.get(name);
    if (isDelete && before === undefined) return;
    this.#version += 1;
    const uid = before?.metadata.uid ?? `${name}-${(this.#incarnation += 1)}`;
    const object = aPod({ name, namespace: 'web', uid, version: this.#version });
    if (isDelete) this.objects.delete(name);
    else this.objects.set(name, object);
    const event = isDelete ? deleted(object) : before === undefined ? added(object) : modified(object);
    this.#history.push({ event, state: new Map(this.objects), version: this.#version });
    if (!isOurs) return;
    const version = this.#version;
    this.#answers.push(() => {
      // The answer to a delete need not say when it happened.
      if (isDelete) {
        this.shownDeleted.set(uid, version);
        this.overlaid.showDeleted(before as Pod);
      } else {
        this.shown.set(name, Math.max(version, this.shown.get(name) ?? 0));
        this.overlaid.show(object);
      }
    });
  }

  /** Responses arrive in any order. */
  answer(which: number): void {
    const [answer] = this.#answers.splice(which % Math.max(1, this.#answers.length), 1);
    answer?.();
  }

  deliver(count: number, isOneBatch: boolean): void {
    const due = this.#history.slice(this.#delivered, this.#delivered + count);
    this.#moveTo(this.#delivered + due.length);
    if (isOneBatch && due.length > 0) this.source.next(due.map(({ event }) => event));
    else for (const { event } of due) this.source.next([event]);
  }

  /**
   * A list may be older than what the watch has delivered: another API server answers. The watch
   * goes on from it.
   */
  relist(by: number): void {
    this.#moveTo(Math.max(0, Math.min(this.#history.length, this.#delivered + by)));
    this.list();
  }

  #moveTo(position: number): void {
    this.#delivered = position;
    this.#reached = Math.max(this.#reached, position);
  }

  list(): void {
    const at = this.#history[this.#delivered - 1];
    this.source.next([listed([...(at?.state.values() ?? [])], String(at?.version ?? 1))]);
  }

  end(): void {
    while (this.#answers.length > 0) this.answer(0);
    this.deliver(this.#history.length, false);
    this.source.next([bookmark(String(this.#version))]);
  }
}

/**
 * Follows one view. While the watch has not reached a write that was answered, its object may not
 * go back to an older version, and an incarnation that it deleted may not come back. A source that
 * never goes back may not take the view back at all.
 */
function follow(model: Model, complaints: string[], { goesBack = true } = {}) {
  const pods = informer(model.overlaid);
  const latest = new Map<string, number>();
  pods.changes$.subscribe(({ changes }) => {
    for (const { type, object } of changes) {
      if (type === 'deleted') continue;
      const { name, uid = '', resourceVersion = '' } = object.metadata;
      const version = Number(resourceVersion);
      const shown = model.shown.get(name) ?? 0;
      const before = goesBack ? (shown > model.reached ? shown : 0) : (latest.get(name) ?? 0);
      if (version < before) complaints.push(`${name}: ${version} after ${before}`);
      if ((model.shownDeleted.get(uid) ?? 0) > model.reached)
        complaints.push(`${uid}: deleted, and back at ${version}`);
      latest.set(name, version);
    }
  });
  return pods;
}

function contentOf(objects: Iterable<Pod>): readonly string[] {
  return [...objects].map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`).sort();
}

describe('overlay with random events', () => {
  it.each([
    ['never goes back, and ends with the content of the server', { goesBack: false }],
    [
      'does not go back behind a response to an older list, and ends with the content of the server',
      { goesBack: true },
    ],
  ])('agrees with its model: %s', (_sentence, { goesBack }) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model = new Model();
        const complaints: string[] = [];
        const views = [follow(model, complaints, { goesBack })];
        model.list();
        for (const each of steps) {
          if (each.type === 'write') model.write(each);
          else if (each.type === 'answer') model.answer(each.which);
          else if (each.type === 'deliver') model.deliver(each.count, each.isOneBatch);
          else if (each.type === 'relist') model.relist(goesBack ? each.by : Math.max(0, each.by));
          else {
            views.push(follow(model, complaints, { goesBack }));
            model.list();
          }
        }
        model.end();
        expect(complaints).toEqual([]);
        for (const view of views) {
          expect(contentOf(view.list())).toEqual(contentOf(model.objects.values()));
          view.stop();
        }
        expect(model.source.observed).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('shows every response at once, unless a newer version is known', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const model = new Model();
        const view = follow(model, []);
        model.list();
        for (const each of steps) {
          if (each.type !== 'write') continue;
          model.write({ ...each, isOurs: true });
          model.answer(0);
          expect(contentOf(view.list())).toEqual(contentOf(model.objects.values()));
        }
        view.stop();
      }),
    );
  });
});
