import fc from 'fast-check';
import { virtualClock } from 'rx-informers/testing';
import { fairness } from '../../../src/controller/queue/priority-fifo.js';
import { PriorityQueue } from '../../../src/controller/queue/priority-queue.js';
import { jumpingScheduler } from '../../support/wall-clock.js';

/** One key in the naive queue. */
interface Wanted {
  readonly key: string;
  priority: number;
  /** The time at which it may run; `undefined` once it may. */
  until: number | undefined;
  /** Its position among keys of its priority. */
  place: number;
  /** Its age among all keys. */
  age: number;
}

/** The same rules in naive form: every query reads everything. */
class Oracle {
  readonly running = new Set<string>();
  wanted: Wanted[] = [];
  readonly pausedUntil = new Map<string, number>();
  isShutDown = false;
  #clock = 0;
  #passOvers = 0;

  constructor(private readonly maxPassOvers: number) {}

  add(key: string, priority: number, wantedAt: number | undefined, now: number): void {
    if (this.isShutDown) return;
    const earliest = Math.max(wantedAt ?? now, this.pausedUntil.get(key) ?? now);
    const until = earliest > now ? earliest : undefined;
    const known = this.wanted.find((item) => item.key === key);
    if (!known) {
      this.wanted.push({ key, priority, until, place: this.#clock++, age: this.#clock++ });
      return;
    }
    const isQueued = known.until === undefined && !this.running.has(key);
    if (priority > known.priority) {
      known.priority = priority;
      if (isQueued) known.place = this.#clock++;
    }
    if (known.until === undefined) return;
    if (until === undefined) this.#ready(known);
    else if (until < known.until) Object.assign(known, { until, place: this.#clock++ });
  }

  pause(key: string, until: number): void {
    this.pausedUntil.set(key, Math.max(until, this.pausedUntil.get(key) ?? until));
    const known = this.wanted.find((item) => item.key === key && (item.until ?? 0) < until);
    if (!known) return;
    Object.assign(known, { until, place: this.#clock++ });
    if (this.isShutDown) this.wanted = this.wanted.filter((item) => item !== known);
  }

  release(now: number): void {
    const due = this.wanted.filter(({ until }) => until !== undefined && until <= now);
    for (const item of due.sort((a, b) => a.until! - b.until! || a.place - b.place)) this.#ready(item);
  }

  queued(): readonly Wanted[] {
    return this.wanted.filter(({ key, until }) => until === undefined && !this.running.has(key));
  }

  take(): Wanted | undefined {
    const queued = this.queued();
    const [oldest] = queued.toSorted((a, b) => a.age - b.age);
    const [first] = queued.toSorted((a, b) => b.priority - a.priority || a.place - b.place);
    if (!oldest || !first) return undefined;
    const isOldestDue = oldest === first || this.#passOvers >= this.maxPassOvers;
    this.#passOvers = isOldestDue ? 0 : this.#passOvers + 1;
    const taken = isOldestDue ? oldest : first;
    this.wanted = this.wanted.filter((item) => item !== taken);
    this.running.add(taken.key);
    this.pausedUntil.delete(taken.key);
    return taken;
  }

  done(key: string): void {
    if (!this.running.delete(key)) return;
    const again = this.wanted.find((item) => item.key === key && item.until === undefined);
    if (again) this.#ready(again);
  }

  shutDown(): void {
    this.isShutDown = true;
    this.wanted = this.wanted.filter(({ until }) => until === undefined);
  }

  #ready(item: Wanted): void {
    Object.assign(item, { until: undefined, place: this.#clock++, age: this.#clock++ });
  }
}

type Step =
  | { readonly type: 'add'; readonly key: string; readonly priority: number }
  | { readonly type: 'addAfter'; readonly key: string; readonly priority: number; readonly delay: number }
  | { readonly type: 'pause'; readonly key: string; readonly delay: number }
  | { readonly type: 'get' }
  | { readonly type: 'done'; readonly key: string }
  | { readonly type: 'advance'; readonly by: number }
  | { readonly type: 'set clock'; readonly by: number }
  | { readonly type: 'shutDown' };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const priority = fc.constantFrom(-100, 0, 0, 0, 5);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 120, arbitrary: fc.record({ type: fc.constant('add' as const), key, priority }) },
  {
    weight: 80,
    arbitrary: fc.record({
      type: fc.constant('addAfter' as const),
      key,
      priority,
      delay: fc.integer({ min: -1, max: 30 }),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({ type: fc.constant('pause' as const), key, delay: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 100, arbitrary: fc.record({ type: fc.constant('get' as const) }) },
  { weight: 100, arbitrary: fc.record({ type: fc.constant('done' as const), key }) },
  { weight: 60, arbitrary: fc.record({ type: fc.constant('advance' as const), by: fc.integer({ min: 0, max: 25 }) }) },
  {
    weight: 20,
    arbitrary: fc.record({
      type: fc.constant('set clock' as const),
      by: fc.constantFrom(-3_600_000, -10, 10, 3_600_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('shutDown' as const) }) },
);

describe('PriorityQueue against a naive queue', () => {
  const { maxPassOvers: usual } = fairness;
  afterEach(() => void (fairness.maxPassOvers = usual));

  it('W1, W2, W5: returns the same keys in the same order after any history and any clock change, none twice at once, and no paused key', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 0, max: 4 }), (steps, maxPassOvers) => {
        fairness.maxPassOvers = maxPassOvers;
        const clock = virtualClock();
        const scheduler = jumpingScheduler(clock);
        const queue = new PriorityQueue({ scheduler });
        const oracle = new Oracle(maxPassOvers);
        // Each key with its priority, and whether it was already running.
        const handedOut: (readonly [string | undefined, number | undefined, boolean])[] = [];
        const expected: typeof handedOut = [];
        for (const action of steps) {
          const now = clock.now();
          switch (action.type) {
            case 'add':
              queue.add(action.key, { priority: action.priority });
              oracle.add(action.key, action.priority, undefined, now);
              break;
            case 'addAfter':
              queue.addAfter(action.key, action.delay, { priority: action.priority });
              oracle.add(action.key, action.priority, action.delay > 0 ? now + action.delay : undefined, now);
              break;
            case 'pause':
              queue.pause(action.key, action.delay);
              oracle.pause(action.key, now + action.delay);
              break;
            case 'get': {
              const isRunning = new Set(oracle.running);
              const taken = queue.tryGet();
              handedOut.push([taken?.key, taken?.priority, taken !== undefined && isRunning.has(taken.key)]);
              const wanted = oracle.take();
              expected.push([wanted?.key, wanted?.priority, false]);
              break;
            }
            case 'done':
              queue.done(action.key);
              oracle.done(action.key);
              break;
            case 'advance':
              clock.advance(action.by);
              oracle.release(now + action.by);
              break;
            case 'set clock':
              scheduler.jump(action.by);
              break;
            case 'shutDown':
              queue.shutDown();
              oracle.shutDown();
              break;
            default:
              action satisfies never;
          }
          expect(handedOut).toEqual(expected);
          expect([queue.length, queue.running, queue.delayed]).toEqual([
            oracle.queued().length,
            oracle.running.size,
            oracle.wanted.filter(({ until }) => until !== undefined).length,
          ]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('loses no key: each added key runs after its last addition', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const clock = virtualClock();
        const scheduler = jumpingScheduler(clock);
        const queue = new PriorityQueue({ scheduler });
        const unserved = new Set<string>();
        const running = new Set<string>();
        const get = (): string | undefined => {
          const taken = queue.tryGet()?.key;
          if (taken === undefined) return undefined;
          unserved.delete(taken);
          running.add(taken);
          return taken;
        };
        for (const action of steps) {
          if (action.type === 'get') get();
          if (action.type === 'advance') clock.advance(action.by);
          if (action.type === 'set clock') scheduler.jump(action.by);
          if (action.type === 'done') queue.done(action.key);
          if (action.type === 'add') queue.add(action.key);
          if (action.type === 'addAfter') queue.addAfter(action.key, action.delay);
          if (action.type === 'pause') queue.pause(action.key, action.delay);
          if (action.type === 'add' || action.type === 'addAfter') unserved.add(action.key);
        }
        clock.advance(100);
        for (const runningKey of running) queue.done(runningKey);
        for (let taken = get(); taken !== undefined; taken = get()) queue.done(taken);
        expect([...unserved]).toEqual([]);
        expect([queue.length, queue.delayed, queue.running]).toEqual([0, 0, 0]);
        expect(clock.timers).toBe(0);
      }),
    );
  });
});
