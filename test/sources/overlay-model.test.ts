import fc from 'fast-check';
import { Subject, VirtualTimeScheduler } from 'rxjs';
import { informer } from '../../src/informer/informer.js';
import { added, bookmark, deleted, listed, modified } from '../../src/sources/events.js';
import { overlay } from '../../src/sources/overlay.js';
import type { WatchEvent } from '../../src/sources/watch-event.js';
import type { Pod } from './support/pod.js';

const names = ['a', 'b', 'c'] as const;

/** What happens next: a write by us or by somebody else, an answer that arrives, watch events that arrive, a new list. */
type Step =
  | { readonly type: 'write'; readonly name: string; readonly isDelete: boolean; readonly isOurs: boolean }
  | { readonly type: 'answer'; readonly which: number }
  | { readonly type: 'deliver'; readonly count: number; readonly isOneBatch: boolean }
  | { readonly type: 'relist' }
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
  { weight: 1, arbitrary: fc.record({ type: fc.constant('relist') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('join') }) },
);

/** A server with a history, watched from some point of it on. */
class Model {
  readonly source = new Subject<readonly WatchEvent<Pod>[]>();
  readonly overlaid = overlay(this.source, { scheduler: new VirtualTimeScheduler() });
  readonly objects = new Map<string, Pod>();
  readonly #answers: (() => void)[] = [];
  readonly #history: {
    readonly event: WatchEvent<Pod>;
    readonly state: ReadonlyMap<string, Pod>;
    readonly version: number;
  }[] = [];
  #version = 1;
  #incarnation = 0;
  #delivered = 0;

  write({ name, isDelete, isOurs }: Step & { readonly type: 'write' }): void {
    const before = this.objects.get(name);
    if (isDelete && before === undefined) return;
    this.#version += 1;
    const uid = before?.metadata?.uid ?? `${name}-${(this.#incarnation += 1)}`;
    const object: Pod = { metadata: { name, namespace: 'web', uid, resourceVersion: String(this.#version) } };
    if (isDelete) this.objects.delete(name);
    else this.objects.set(name, object);
    const event = isDelete ? deleted(object) : before === undefined ? added(object) : modified(object);
    this.#history.push({ event, state: new Map(this.objects), version: this.#version });
    if (!isOurs) return;
    this.#answers.push(() => {
      // The answer to a delete need not say when it happened.
      if (isDelete) this.overlaid.showDeleted(before as Pod);
      else this.overlaid.show(object);
    });
  }

  /** Answers arrive in any order. */
  answer(which: number): void {
    const [answer] = this.#answers.splice(which % Math.max(1, this.#answers.length), 1);
    answer?.();
  }

  deliver(count: number, isOneBatch: boolean): void {
    const due = this.#history.slice(this.#delivered, this.#delivered + count);
    this.#delivered += due.length;
    if (isOneBatch && due.length > 0) this.source.next(due.map(({ event }) => event));
    else for (const { event } of due) this.source.next([event]);
  }

  /** A list is at least as new as what the watch has delivered, and may be newer. */
  relist(): void {
    this.#delivered = Math.min(this.#history.length, this.#delivered + 1);
    this.list();
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

/** Follows one view: each name may only move on, and an incarnation that was hidden by its deletion does not come back. */
function follow(model: Model, complaints: string[]) {
  const pods = informer(model.overlaid);
  const latest = new Map<string, number>();
  pods.changes$.subscribe(({ changes }) => {
    for (const change of changes) {
      const { name = '', resourceVersion = '' } = change.object.metadata ?? {};
      if (change.type === 'deleted') continue;
      const version = Number(resourceVersion);
      if (version < (latest.get(name) ?? 0)) complaints.push(`${name}: ${version} after ${latest.get(name)}`);
      latest.set(name, version);
    }
  });
  return pods;
}

function contentOf(objects: Iterable<Pod>): readonly string[] {
  return [...objects].map(({ metadata }) => `${metadata?.uid}@${metadata?.resourceVersion}`).sort();
}

describe('overlay, whatever happens', () => {
  it('never goes back to an older version of an object, and ends with what the server has', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model = new Model();
        const complaints: string[] = [];
        const views = [follow(model, complaints)];
        model.list();
        for (const each of steps) {
          if (each.type === 'write') model.write(each);
          else if (each.type === 'answer') model.answer(each.which);
          else if (each.type === 'deliver') model.deliver(each.count, each.isOneBatch);
          else if (each.type === 'relist') model.relist();
          else {
            views.push(follow(model, complaints));
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
      { numRuns: 500 },
    );
  });

  it('shows every answer at once, unless something newer is known', () => {
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
