import { configMaps, informer, isRxInformersError } from 'rx-informers';
import { serveInformers, sharedListWatch } from 'rx-informers/shared-worker';
import { aConfigMap, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { promisesSettled } from '../support/promises-settled.js';
import { testChannel, type TestChannel } from './support/ports.js';

/** The locks of one origin. */
class TestLocks {
  /** The names of the held locks, the earliest first, and who waits for each. */
  readonly #waiting = new Map<string, (() => void)[]>();

  request(name: string, ...rest: readonly unknown[]): Promise<unknown> {
    const granted = rest.at(-1) as () => unknown;
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) {
      this.#waiting.set(name, []);
      return Promise.resolve(granted());
    }
    const { signal } = rest[0] as { readonly signal: AbortSignal };
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      waiting.push(() => {
        if (!signal.aborted) resolve(granted());
      });
    });
  }

  /** Releases the lock that has been held for the longest, as at the end of the worker. */
  endWorker(): void {
    const [name] = this.#waiting.keys();
    const waiting = this.#waiting.get(name ?? '') ?? [];
    this.#waiting.delete(name ?? '');
    for (const grant of waiting) grant();
  }
}

/** The part of a browser that a SharedWorker and its pages see. */
function inBrowser(locks: TestLocks | undefined) {
  let scope = new EventTarget();
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.assign(globalThis, {
    SharedWorkerGlobalScope: EventTarget,
    addEventListener: (type: string, listener: () => void) => scope.addEventListener(type, listener),
    removeEventListener: (type: string, listener: () => void) => scope.removeEventListener(type, listener),
  });
  Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
  return {
    /** Ends the worker: what connects from now on reaches only the next worker. */
    endWorker: () => {
      scope = new EventTarget();
    },
    connect: (port: object) => scope.dispatchEvent(Object.assign(new Event('connect'), { ports: [port] })),
    restore: () => {
      for (const name of ['SharedWorkerGlobalScope', 'addEventListener', 'removeEventListener', 'navigator'])
        Reflect.deleteProperty(globalThis, name);
      if (before) Object.defineProperty(globalThis, 'navigator', before);
    },
  };
}

describe('a page whose shared worker ends', () => {
  async function endedWorker(locks: TestLocks | undefined) {
    const browser = inBrowser(locks);
    const clock = virtualClock({ now: 1_000_000 });
    const server = createInMemoryApiServer({ scheduler: clock });
    server.apply(aConfigMap({ name: 'a' }));
    const start = () => serveInformers(server.client, { initialList: 'pages' });
    let worker = start();
    const channels: TestChannel[] = [];
    const { listWatch } = sharedListWatch(
      () => {
        const channel = testChannel();
        channels.push(channel);
        browser.connect(channel.worker);
        return { port: channel.page };
      },
      { identity: '', scheduler: clock },
    );
    const followed = informer(listWatch(server.client, configMaps), { scheduler: clock });
    const problems: unknown[] = [];
    followed.errors$.subscribe((error) =>
      problems.push(isRxInformersError(error, 'RXI_SHARED_WORKER') && error.detail),
    );
    followed.connect();
    await promisesSettled();
    clock.advance(100);
    expect(followed.status.state).toBe('watching');
    channels[0]?.cut();
    worker.stop();
    browser.endWorker();
    return {
      clock,
      followed,
      problems,
      startAgain: () => {
        worker = start();
      },
      restore: () => {
        followed.stop();
        worker.stop();
        browser.restore();
      },
    };
  }

  it('is not "live" any more when the browser releases the lock of the worker, and starts it again (G6)', async () => {
    const locks = new TestLocks();
    const made = await endedWorker(locks);
    try {
      made.startAgain();
      locks.endWorker();
      expect(made.followed.status.state).toBe('reconnecting');
      expect(made.problems).toEqual(['the worker has ended']);
      await promisesSettled();
      made.clock.advance(100);
      expect(made.followed.status.state).toBe('watching');
    } finally {
      made.restore();
    }
  });

  it('is not "live" any more after eight seconds, if the browser has no locks (G6)', async () => {
    const made = await endedWorker(undefined);
    try {
      made.clock.advance(8_000);
      expect(made.followed.status.state).toBe('reconnecting');
      expect(made.problems).toEqual(['the worker was silent for 6 s']);
    } finally {
      made.restore();
    }
  });

  it('does not wait for the lock of a worker that it no longer uses', async () => {
    const locks = new TestLocks();
    const made = await endedWorker(locks);
    try {
      made.followed.stop();
      locks.endWorker();
      await promisesSettled();
      expect(made.problems).toEqual([]);
      expect(made.clock.timers).toBe(0);
    } finally {
      made.restore();
    }
  });
});
