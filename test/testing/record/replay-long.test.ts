import fc from 'fast-check';
import { informer, replay, type ConfigMap } from 'rx-informers';
import {
  lastValueFrom,
  of,
  Subject,
  Subscription,
  take,
  VirtualTimeScheduler,
  type ObservableInput,
  type SchedulerAction,
  type SchedulerLike,
} from 'rxjs';
import { promisesSettled } from '../../support/promises-settled.js';
import { until } from '../../support/until.js';

const header = '{"recording":"rx-informers","version":1,"startedAt":0,"redacted":true}';
const end = (at: number): string => `{"at":${at},"end":"completed"}`;

function added(at: number, name: number): string {
  const object = { metadata: { name: `m${name}`, namespace: 'web', resourceVersion: String(name + 1) } };
  return JSON.stringify({ at, batch: [{ type: 'ADDED', object }] });
}

/** A recording whose batches were recorded at these times. */
function recordingOf(times: readonly number[]): readonly string[] {
  return [header, ...times.map(added), end(Math.max(0, ...times))];
}

/** Lines, and the number of lines that were read. */
function watched(lines: readonly string[]) {
  const reading = { read: 0, closed: 0 };
  function* sync(): Generator<string> {
    try {
      for (const line of lines) {
        reading.read += 1;
        yield line;
      }
    } finally {
      reading.closed += 1;
    }
  }
  async function* async(): AsyncGenerator<string> {
    yield* sync();
  }
  return { reading, sync, async };
}

const countOf = (lines: ObservableInput<string> | string): Promise<number> =>
  lastValueFrom(replay(lines, { speed: Infinity })).then(() => 0);

describe('replay of a long recording', () => {
  const many = 20_000;
  const atOnce = recordingOf(Array<number>(many).fill(0));

  it.each<[string, () => string | ObservableInput<string>]>([
    ['text', () => atOnce.join('\n')],
    ['an array', () => atOnce],
    ['a generator', () => watched(atOnce).sync()],
    ['an async generator', () => watched(atOnce).async()],
    ['an Observable', () => of(...atOnce)],
  ])('replays 20,000 batches of one instant from %s', async (_name, linesOf) => {
    let batches = 0;
    await new Promise<void>((complete, fail) => {
      replay(linesOf()).subscribe({ next: () => (batches += 1), error: fail, complete });
    });

    expect(batches).toBe(many);
  });

  it('fills an informer with 20,000 batches that were recorded together after a pause', () => {
    const scheduler = new VirtualTimeScheduler();
    const lines = [header, added(0, 0), ...Array.from({ length: many }, (_, i) => added(5, i + 1)), end(10)];
    const maps = informer(replay<ConfigMap>(lines, { scheduler }), { scheduler });
    let hasCompleted = false;
    maps.changes$.subscribe({ complete: () => (hasCompleted = true) });

    scheduler.maxFrames = 9;
    scheduler.flush();
    expect(maps.snapshot.size).toBe(many + 1);

    scheduler.maxFrames = Infinity;
    scheduler.flush();
    expect(hasCompleted).toBe(true);
  });

  it.each(['sync', 'async'] as const)('reads a %s generator one line ahead, and not all of it', async (kind) => {
    const scheduler = new VirtualTimeScheduler();
    const lines = watched(recordingOf([0, 0, 7, 7, 7, 20]));
    const subscription = replay(lines[kind](), { scheduler }).subscribe();

    await promisesSettled();
    // The header, two batches, and the one that is not due.
    expect(lines.reading.read).toBe(4);

    scheduler.maxFrames = 7;
    scheduler.flush();
    await promisesSettled();
    expect(lines.reading.read).toBe(7);
    subscription.unsubscribe();
  });

  it.each(['sync', 'async'] as const)(
    'closes a %s generator when its subscriber unsubscribes in the middle',
    async (kind) => {
      const lines = watched(atOnce);
      let batches = 0;
      replay(lines[kind]())
        .pipe(take(3))
        .subscribe(() => (batches += 1));
      await promisesSettled();

      expect(batches).toBe(3);
      expect(lines.reading).toEqual({ read: 4, closed: 1 });
    },
  );

  it.each(['sync', 'async'] as const)('closes a %s generator during a pause of the recording', async (kind) => {
    const lines = watched(recordingOf([0, 1000]));
    const scheduler = new VirtualTimeScheduler();
    const subscription = replay(lines[kind](), { scheduler }).subscribe();
    await promisesSettled();
    subscription.unsubscribe();
    await promisesSettled();

    expect(lines.reading).toEqual({ read: 3, closed: 1 });
    scheduler.flush();
    expect(scheduler.frame).toBe(0);
  });

  it('G8: leaves no timer if its subscriber unsubscribes while a line is being read', async () => {
    const subscription = new Subscription();
    let isClosed = false;
    async function* lines(): AsyncGenerator<string> {
      try {
        yield header;
        subscription.unsubscribe();
        yield added(3_600_000, 0);
      } finally {
        isClosed = true;
      }
    }
    const delays: unknown[] = [];
    const clock: SchedulerLike = {
      now: () => 0,
      schedule: (_work, delay) => {
        delays.push(delay);
        return new Subscription();
      },
    };
    subscription.add(replay(lines(), { scheduler: clock }).subscribe());
    await until(() => isClosed);
    await promisesSettled();

    expect(delays).toEqual([]);
  });

  it('closes the lines and completes at the line that states how the recording ended', async () => {
    const lines = watched([header, added(0, 0), end(0), 'more', 'and more']);

    await countOf(lines.async());

    expect(lines.reading).toEqual({ read: 3, closed: 1 });
  });

  it('unsubscribes from an Observable of lines, and keeps none, when its subscriber unsubscribes', () => {
    const lines = new Subject<string>();
    const subscription = replay(lines).subscribe();
    subscription.unsubscribe();

    expect(lines.observed).toBe(false);
  });

  it.each<[string, () => ObservableInput<string>]>([
    ['a generator', () => failing()],
    ['an async generator', () => failingAsync()],
  ])('passes on the error of %s', async (_name, linesOf) => {
    await expect(countOf(linesOf())).rejects.toThrow('disk gone');
  });

  it('waits through a pause that is longer than any timer', () => {
    const scheduler = new VirtualTimeScheduler();
    const month = 31 * 24 * 3600_000;
    const delays: unknown[] = [];
    const platform: SchedulerLike = {
      now: () => scheduler.now(),
      schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T) => {
        delays.push(delay);
        return scheduler.schedule(work, delay, state);
      },
    };
    const times: number[] = [];
    replay(recordingOf([0, month]), { scheduler: platform }).subscribe(() => times.push(scheduler.now()));
    scheduler.flush();

    expect(times).toEqual([0, month]);
    expect(delays).toEqual([2 ** 31 - 1, month - (2 ** 31 - 1)]);
  });

  it('emits each batch once, in order, at its time, however many are due together', () => {
    const instants = fc.array(fc.record({ pause: fc.nat(5), count: fc.integer({ min: 1, max: 1200 }) }), {
      maxLength: 5,
    });
    const forms = {
      text: (lines: readonly string[]) => lines.join('\n'),
      array: (lines: readonly string[]) => lines,
      generator: (lines: readonly string[]) => watched(lines).sync(),
      observable: (lines: readonly string[]) => of(...lines),
    };
    fc.assert(
      fc.property(
        instants,
        fc.constantFrom(...Object.values(forms)),
        fc.option(fc.integer({ min: 1, max: 3000 }), { nil: Infinity }),
        (plan, form, leaveAfter) => {
          let at = 0;
          const times = plan.flatMap(({ pause, count }) => Array<number>(count).fill((at += pause)));
          const scheduler = new VirtualTimeScheduler();
          const seen: [number, string][] = [];
          let completed: number | undefined;
          replay<ConfigMap>(form(recordingOf(times)), { scheduler })
            .pipe(take(leaveAfter))
            .subscribe({
              next: ([event]) => {
                if (event?.type === 'ADDED') seen.push([scheduler.now(), event.object.metadata.name]);
              },
              complete: () => (completed = scheduler.now()),
            });
          scheduler.flush();

          expect(seen).toEqual(times.map((time, name) => [time, `m${name}`]).slice(0, leaveAfter));
          expect(completed).toBe(times[leaveAfter - 1] ?? at);
        },
      ),
      { numRuns: 15 },
    );
  });
});

function* failing(): Generator<string> {
  yield header;
  throw new Error('disk gone');
}

async function* failingAsync(): AsyncGenerator<string> {
  yield* failing();
}
