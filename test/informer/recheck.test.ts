import {
  fromEvents,
  inNamespaces,
  informer,
  informerRegistry,
  listWatch,
  type Informer,
  type ResourceInformerOptions,
} from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { watchEvent } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { asyncScheduler, BehaviorSubject, NEVER, Observable, of, Subject, throwError } from 'rxjs';
import { pods, type Pod } from '../fixtures/pods.js';
import { added, bookmark, endBookmark, podList } from '../fixtures/wire.js';
import { list, open, refused } from '../sources/support/run-list-watch.js';
import { refuse, respond, scriptedClient, statusError, type Answer } from '../sources/support/scripted-client.js';

type Options = ResourceInformerOptions<Pod, never>;
const paged = { initialList: 'pages', random: () => 0 } as const;

type Action = readonly [at: number, act: (informer: Informer<Pod>) => void];

interface Seen {
  readonly requests: readonly string[];
  /** The states, each with its time. */
  readonly states: readonly string[];
  readonly errors: readonly string[];
  /** True if `hasSynced` ever became false again. */
  readonly flickered: boolean;
  readonly inFlight: number;
}

/** Runs an informer over scripted answers in virtual time, with actions at their times. */
function play(answers: readonly Answer[], actions: readonly Action[], until: number, options: Options = {}): Seen {
  const client = scriptedClient(answers);
  const states: string[] = [];
  const errors: string[] = [];
  let flickered = false;
  informerTest(
    ({ flush }) => {
      const followed = informer(client, pods, { ...paged, linger: 0, ...options });
      let hasSynced = false;
      followed.status$.subscribe(({ state }) => {
        states.push(`${asyncScheduler.now()}: ${state}`);
        flickered ||= hasSynced && !followed.hasSynced && state !== 'stopped';
        hasSynced = followed.hasSynced;
      });
      followed.errors$.subscribe((error) => errors.push(`${asyncScheduler.now()}: ${error.code}`));
      const running = followed.connect();
      for (const [at, act] of actions)
        asyncScheduler.schedule(() => {
          act(followed);
        }, at);
      asyncScheduler.schedule(() => {
        running.unsubscribe();
      }, until);
      flush();
    },
    { until: Infinity },
  );
  return { requests: client.log, states, errors, flickered, inFlight: client.inFlight };
}

const recheck = (followed: Informer<Pod>): void => {
  followed.recheck();
};

describe('recheck', () => {
  it('G6: opens the watch again from its last version, without a list, an error, or a change of hasSynced', () => {
    const watch = respond([[10, added('b@11')]]);
    const { requests, states, errors, flickered } = play([list('10'), watch, open], [[5_000, recheck]], 10_000);

    expect(requests).toEqual([
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'WATCH resourceVersion=11',
    ]);
    expect(states.slice(-4)).toEqual(['2: watching', '5000: reconnecting', '5000: watching', '10000: stopped']);
    expect(errors).toEqual([]);
    expect(flickered).toBe(false);
  });

  it('G5: ends a backoff early, and the waits after it are short again', () => {
    const answers = [list('10'), ...Array<Answer>(6).fill(refuse(refused)), open];
    const { requests, states } = play(answers, [[20_000, recheck]], 22_000);

    expect(requests).toHaveLength(8);
    // The fifth failure in a row waits for 12.8 s, and the first after the recheck for 0.8 s.
    expect(states.slice(-6)).toEqual([
      '12007: backing-off',
      '20000: reconnecting',
      '20001: backing-off',
      '20801: reconnecting',
      '20801: watching',
      '22000: stopped',
    ]);
  });

  it('G5: respects a wait that the server requested with Retry-After, and no longer', () => {
    const tooMany = refuse(statusError(429, {}, 30_000));
    const slow = { backoff: () => 60_000 };
    const { requests, states } = play(
      [list('10'), tooMany, open],
      [
        [1_000, recheck],
        [2_000, recheck],
      ],
      50_000,
      slow,
    );

    expect(requests).toHaveLength(3);
    expect(states.slice(-3)).toEqual(['30003: reconnecting', '30003: watching', '50000: stopped']);
  });

  it('G5: retries a forbidden kind at once', () => {
    const { states } = play([refuse(statusError(403)), list('10'), open], [[100, recheck]], 500);
    expect(states.slice(-3)).toEqual(
      ['100: listing', '102: watching', '500: stopped'].map((text) => expect.stringContaining(text)),
    );
  });

  it('G5: a thousand calls send no more requests than the bound, and report nothing', () => {
    const actions = Array.from({ length: 1_000 }, (_, index): Action => [1_000 + index * 10, recheck]);
    const { requests, errors, states } = play([list('10'), open], actions, 12_000);

    expect(requests.length).toBeLessThanOrEqual(10 + 11);
    expect(errors).toEqual([]);
    expect(states.some((state) => state.includes('backing-off'))).toBe(false);
  });

  it('does not interrupt a list that is being received, and sends a list again that is silent for a second', () => {
    const slow = respond(
      [
        [800, podList('10', ['a']).slice(0, 20)],
        [1_700, podList('10', ['a']).slice(20)],
      ],
      { end: 1_701 },
    );
    expect(play([slow, open], [[1_000, recheck]], 5_000).requests).toEqual([
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
    ]);
    const { requests } = play(
      [NEVER, list('10'), open],
      [
        [900, recheck],
        [1_000, recheck],
      ],
      5_000,
    );
    expect(requests).toEqual([
      'LIST limit=500 resourceVersion=0',
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
    ]);
  });

  it('sends a watch without a response again, from the same version', () => {
    const { requests, errors } = play(
      [list('10'), NEVER, open],
      [
        [500, recheck],
        [1_500, recheck],
      ],
      2_000,
    );
    expect(requests.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=10']);
    expect(errors).toEqual([]);
  });

  it('does nothing before the start and after the stop', () => {
    const client = scriptedClient([list('10'), open]);
    const followed = informer(client, pods, { ...paged, linger: 0 });
    followed.recheck();
    followed.connect().unsubscribe();
    followed.recheck();
    expect([client.requests.length, client.inFlight, followed.isRunning]).toEqual([1, 0, false]);
  });

  it('subscribes at once to a source that has errored', () => {
    informerTest(({ flush }) => {
      let subscriptions = 0;
      const source = new Observable<never>((subscriber) => {
        if (++subscriptions === 1) subscriber.error(new Error('down'));
      });
      const followed = informer(source, { onUnobservedError: () => undefined });
      const running = followed.connect();
      asyncScheduler.schedule(() => {
        followed.recheck();
        expect(subscriptions).toBe(2);
        followed.recheck();
        expect(subscriptions).toBe(2);
        running.unsubscribe();
      }, 10);
      flush();
    });
  });

  it('reaches every member of a merged source, and the source behind an overlay', () => {
    informerTest(({ flush }) => {
      const client = scriptedClient([open]);
      const namespaces = informer(client, pods, { ...paged, namespace: inNamespaces(['web', 'api']) });
      const late = informer(overlay(listWatch(client, pods, paged)));
      const running = [namespaces.connect(), late.connect()];
      asyncScheduler.schedule(() => {
        expect(client.requests).toHaveLength(3);
        namespaces.recheck();
        expect(client.requests).toHaveLength(5);
        late.recheck();
        expect([client.requests.length, client.inFlight]).toEqual([6, 3]);
        for (const each of running) each.unsubscribe();
      }, 2_000);
      flush();
    });
  });

  it('of a registry reaches every running informer', () => {
    informerTest(({ flush }) => {
      const client = scriptedClient([open]);
      const registry = informerRegistry(client);
      registry.informer(pods, { ...paged, namespace: 'web' }).connect();
      registry.informer(pods, { ...paged, namespace: 'api' });
      asyncScheduler.schedule(() => {
        registry.recheck();
        expect(client.requests).toHaveLength(2);
        registry.stop();
      }, 2_000);
      flush();
    });
  });
});

describe('wakeOn', () => {
  it('reconnects for each emission while the informer runs, and is subscribed to only then', () => {
    const wake = new Subject<string>();
    const client = scriptedClient([list('10'), open]);
    informerTest(({ flush }) => {
      const followed = informer(client, pods, { ...paged, linger: 1_000, wakeOn: wake });
      expect(wake.observed).toBe(false);
      const running = followed.connect();
      expect(wake.observed).toBe(true);
      asyncScheduler.schedule(() => {
        wake.next('online');
      }, 2_000);
      asyncScheduler.schedule(() => {
        running.unsubscribe();
      }, 3_000);
      flush();
      expect([client.requests.length, client.inFlight, wake.observed]).toEqual([3, 0, false]);
    });
  });

  it('G8: leaves nothing behind if its first emission stops the informer', () => {
    const client = scriptedClient([open]);
    const wakeOn = new Observable<void>((subscriber) => {
      followed.stop();
      subscriber.next();
    });
    const followed: Informer<Pod> = informer(client, pods, { ...paged, wakeOn });
    followed.connect();
    expect([client.requests.length, followed.isRunning]).toEqual([0, false]);
  });

  it('may emit on subscription, and complete', () => {
    const { requests } = play([list('10'), open], [], 1_000, { wakeOn: of('now') });
    expect(requests).toHaveLength(2);
    expect(play([list('10'), open], [], 1_000, { wakeOn: new BehaviorSubject('now') }).requests).toHaveLength(2);
  });

  it('G4: an error of it is reported, and the informer continues without it', () => {
    const { errors, states } = play([list('10'), open], [], 1_000, { wakeOn: throwError(() => new Error('broken')) });
    expect(errors).toEqual(['0: RXI_UNEXPECTED_SOURCE']);
    expect(states.at(-2)).toBe('2: watching');
  });

  it('of a registry is the default of its informers', () => {
    const wake = new Subject<void>();
    const own = new Subject<void>();
    const registry = informerRegistry(scriptedClient([open]), { wakeOn: wake });
    registry.informer(pods, { ...paged, namespace: 'web' }).connect();
    expect([wake.observed, own.observed]).toEqual([true, false]);
    registry.stop();
    registry.informer(pods, { ...paged, namespace: 'web', wakeOn: own }).connect();
    expect([wake.observed, own.observed]).toEqual([false, true]);
    registry.stop();
    expect(own.observed).toBe(false);
  });
});

describe('watchSilence', () => {
  it('G6: opens a silent watch again, once for each silence, and reports it', () => {
    const watch = respond([
      [10, added('b@11')],
      [4_000, '\n'],
      [8_000, '\n'],
      [12_000, bookmark('20')],
    ]);
    const { requests, errors, states } = play([list('10'), watch, open], [], 20_000, { watchSilence: 5_000 });

    expect(requests.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=20']);
    expect(errors).toEqual(['17002: RXI_SILENT_CONNECTION']);
    expect(states.slice(-3)).toEqual(['17002: reconnecting', '17002: watching', '20000: stopped']);
  });

  it('G6: is 12 s by default from the first empty line on, also for the watches after it', () => {
    const beating = respond([[1_000, '\n']]);
    const { errors, requests } = play([list('10'), beating, open], [], 30_000);

    expect(errors).toEqual(['13002: RXI_SILENT_CONNECTION', '25002: RXI_SILENT_CONNECTION']);
    expect(requests.slice(1)).toEqual(Array(3).fill('WATCH resourceVersion=10'));
  });

  it('G6: treats an empty line as a heartbeat, among events and in a streaming list', () => {
    const among = respond([[1_000, `${added('b@11')}\r\n${added('c@12')}`]]);
    expect(play([list('10'), among, open], [], 14_000).errors).toEqual(['13002: RXI_SILENT_CONNECTION']);
    const streamed = respond([[1, `${added('a@9')}\n${endBookmark('10')}`]]);
    expect(play([streamed, open], [], 14_000, { initialList: 'stream' }).errors).toEqual([
      '12001: RXI_SILENT_CONNECTION',
    ]);
  });

  it('G6: is unlimited without heartbeats, as with every Kubernetes API server', () => {
    const watch = respond([[10, added('b@11')]]);
    expect(play([list('10'), watch, open], [], 250_000, { watchSilence: 1_000 }).errors).toEqual([]);
  });
});

describe('lastHeardAt', () => {
  it('G6: is the time of the last bytes, including an empty line, and emits nothing for it', () => {
    const notified: (number | undefined)[] = [];
    const read: Action[1] = (followed) => notified.push(followed.lastHeardAt);
    const watch = respond([
      [1_000, '\n'],
      [2_000, added('b@11').slice(0, 5)],
    ]);
    const times = [0, 3, 1_500, 2_500].map((at): Action => [at, read]);
    let messageAt: number | undefined;
    const { states } = play(
      [list('10'), watch],
      [...times, [2_600, (followed) => (messageAt = followed.lastMessageAt)]],
      3_000,
    );

    expect(notified).toEqual([0, 2, 1_002, 2_002]);
    expect(messageAt).toBe(2);
    expect(states.slice(-2)).toEqual(['2: watching', '3000: stopped']);
  });

  it('G6: is undefined before the first byte and after the stop, and the last message for other sources', () => {
    informerTest(({ flush }) => {
      const silent = informer(scriptedClient([NEVER]), pods, { ...paged, linger: 0 });
      const other = informer(fromEvents<Pod>(of(watchEvent.listed<Pod>([]))));
      const running = silent.connect();
      other.connect();
      asyncScheduler.schedule(() => {
        expect([silent.lastHeardAt, other.lastHeardAt]).toEqual([undefined, other.lastMessageAt]);
        running.unsubscribe();
        expect(silent.lastHeardAt).toBeUndefined();
      }, 5);
      flush();
    });
  });

  it('G6: of a merged source is that of the member that has been silent for longest', () => {
    informerTest(({ flush }) => {
      const client = scriptedClient([respond([[100, podList('1', ['a'])]]), respond([[300, podList('1', ['b'])]])]);
      const merged = informer(client, pods, { ...paged, namespace: inNamespaces(['a', 'b']), linger: 0 });
      const running = merged.connect();
      asyncScheduler.schedule(() => {
        expect(merged.lastHeardAt).toBe(100);
        running.unsubscribe();
      }, 400);
      flush();
    });
  });
});
