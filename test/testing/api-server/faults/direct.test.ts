import { StatusError, configMaps, informer, listWatch, type ConfigMap, type Informer } from 'rx-informers';
import {
  aConfigMap,
  createInMemoryApiServer,
  randomFromSeed,
  type FaultTarget,
  type InMemoryApiServer,
  type ServerFault,
  serverFaults,
  informerTest,
} from 'rx-informers/testing';
import { lastValueFrom, map, of, toArray, type Observable, type SchedulerLike } from 'rxjs';
import { errorWith } from '../../../support/error-with.js';
import { runs, seedOf } from '../../../support/seed.js';

/** Runs in virtual time; what is subscribed to when `test` returns is run to its end. */
function inVirtualTime(test: (scheduler: SchedulerLike, at: (time: number, act: () => void) => void) => void): void {
  informerTest(({ scheduler }) => {
    test(scheduler, (time, act) => scheduler.schedule(act, time));
  });
}

interface Followed {
  readonly server: InMemoryApiServer;
  readonly configs: Informer<ConfigMap>;
  readonly errors: readonly Error[];
  readonly tombstones: readonly string[];
  /** The content of the informer at the end. */
  readonly keys: string[];
}

/**
 * An informer over a server in virtual time, some writes while it follows, and what both hold after
 * an hour.
 */
function followThrough(
  plan: (server: InMemoryApiServer) => void,
  initialList: 'stream' | 'pages',
  writes: (followed: Followed, at: (time: number, act: () => void) => void) => void,
): Followed {
  let followed: Followed | undefined;
  inVirtualTime((scheduler, at) => {
    const server = createInMemoryApiServer({ scheduler, random: randomFromSeed(1) });
    for (let number = 0; number < 20; number += 1) server.apply(config(number, 'first'));
    plan(server);
    const configs = informer(
      listWatch(server.client, configMaps, { initialList, scheduler, random: randomFromSeed(2) }),
      { scheduler, random: randomFromSeed(3) },
    );
    const errors: Error[] = [];
    const tombstones: string[] = [];
    configs.errors$.subscribe((error) => errors.push(error));
    configs.changes$.subscribe(({ changes }) => {
      for (const change of changes)
        if (change.type === 'deleted' && change.finalStateUnknown) tombstones.push(change.key);
    });
    const keys: string[] = [];
    const result = { server, configs, errors, tombstones, keys };
    writes(result, at);
    at(3_600_000, () => {
      expectConverged(server, configs);
      keys.push(...configs.keys());
      followed = result;
      configs.stop();
      server.stop();
    });
  });
  if (followed === undefined) throw new Error('the hour never ended');
  return followed;
}

function config(number: number, text: string): ConfigMap {
  return aConfigMap({ name: `c${String(number).padStart(2, '0')}`, data: { text, umlaut: 'äöü' } });
}

function expectConverged(server: InMemoryApiServer, configs: Informer<ConfigMap>): void {
  const versions = (objects: readonly ConfigMap[]): readonly string[] =>
    objects.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
  expect(configs.hasSynced).toBe(true);
  expect(versions(configs.list())).toEqual(versions(server.objects.list(configMaps)));
  expect(configs.status.state).toBe('watching');
}

const hour = 3_600_000;

/** Writes that are spread over the first minutes, among them deletions. */
function churn({ server }: Followed, at: (time: number, act: () => void) => void): void {
  for (let step = 0; step < 40; step += 1) {
    at(1_000 + step * 5_000, () => {
      if (step % 4 === 3) server.remove(configMaps, config(step % 20, '').metadata.name, 'default');
      else server.apply(config(step % 20, `step ${step}`));
    });
  }
}

const everyFault: readonly (readonly [string, FaultTarget, () => ServerFault])[] = [
  ['drop(0)', 'any', () => serverFaults.drop(0)],
  ['drop, in the middle of a character', 'any', () => serverFaults.drop(1234)],
  ['stall', 'any', () => serverFaults.stall()],
  ['stall after the head', 'any', () => serverFaults.stall({ afterBytes: 0 })],
  ['stall after bytes', 'any', () => serverFaults.stall({ afterBytes: 1000 })],
  ['stall after events', 'any', () => serverFaults.stall({ afterEvents: 3 })],
  ['reset', 'any', () => serverFaults.reset()],
  ['reset after bytes', 'any', () => serverFaults.reset(500)],
  ['refuse', 'any', () => serverFaults.refuse()],
  ['delay', 'any', () => serverFaults.delay(20_000)],
  ['respond 429', 'any', () => serverFaults.respond(429, { retryAfter: 7 })],
  ['respond 500', 'any', () => serverFaults.respond(500)],
  ['respond 503', 'any', () => serverFaults.respond(503)],
  ['respond 504', 'any', () => serverFaults.respond(504)],
  ['expire', 'any', () => serverFaults.expire()],
  ['expire after events', 'watch', () => serverFaults.expire({ afterEvents: 25 })],
  ['expire as HTTP', 'any', () => serverFaults.expire({ as: 'http' })],
  ['truncate', 'any', () => serverFaults.truncate()],
  ['truncate after events', 'any', () => serverFaults.truncate({ afterEvents: 23 })],
  ['garble', 'any', () => serverFaults.garble()],
  ['garble after events', 'any', () => serverFaults.garble({ afterEvents: 22 })],
  ['duplicate', 'any', () => serverFaults.duplicate()],
  ['drip', 'any', () => serverFaults.drip(64, 50)],
  ['restart', 'any', () => serverFaults.restart()],
  ['restart with a compacted history', 'any', () => serverFaults.restart({ compact: true })],
];

describe.each([['stream'], ['pages']] as const)(
  'an informer that lists by %s, through the direct client',
  (initialList) => {
    it.each(everyFault)('G5: recovers from %s and converges', (_name, target, make) => {
      const { errors } = followThrough(
        (server) => {
          server.faults.next(target, make(), { times: 3 });
        },
        initialList,
        churn,
      );
      expect(errors.every((error) => error.message !== '')).toBe(true);
    });

    it.each(everyFault)(
      'G7: finds objects that were deleted while %s affected every request',
      (_name, target, make) => {
        const { keys } = followThrough(
          () => {},
          initialList,
          ({ server }, at) => {
            at(10_000, () => {
              server.faults.always(target, make());
              server.restart();
              server.remove(configMaps, 'c03', 'default');
              server.compact();
            });
            at(600_000, () => {
              server.faults.clear();
              server.restart();
            });
          },
        );
        expect(keys).toHaveLength(19);
        expect(keys).not.toContain('default/c03');
      },
    );

    it('G7: emits missed deletions as tombstones after a restart with a compacted history', () => {
      const { tombstones, errors } = followThrough(
        () => {},
        initialList,
        ({ server }, at) => {
          at(10_000, () => {
            server.faults.next('watch', serverFaults.refuse());
            server.restart();
            server.remove(configMaps, 'c05', 'default');
            server.apply(config(6, 'later'));
            server.compact();
          });
        },
      );
      expect(tombstones).toEqual(['default/c05']);
      expect(errors).toContainEqual(expect.objectContaining({ name: 'StatusError', statusCode: 410 }));
    });

    it.each(Array.from({ length: 20 * runs }, (_, index) => index))('G5: converges after any faults (%i)', (number) => {
      const { keys } = followThrough(
        (server) => {
          server.faults.always('any', serverFaults.random(seedOf(`faults ${number}`), { probability: 0.7 }));
        },
        initialList,
        (followed, at) => {
          churn(followed, at);
          at(hour / 2, () => {
            followed.server.faults.clear();
          });
        },
      );
      expect(keys.length).toBeGreaterThan(0);
    });
  },
);

describe('a fault of the embedded API server', () => {
  const server = (): InMemoryApiServer => {
    const created = createInMemoryApiServer();
    created.apply([config(1, 'x'), config(2, 'y')]);
    return created;
  };
  const path = '/api/v1/namespaces/default/configmaps';
  const bodyOf = (from: InMemoryApiServer, query = {}): Observable<string> =>
    from.client.exchange({ method: 'GET', path, query }).pipe(
      map((part) => (part.type === 'bytes' ? new TextDecoder().decode(part.bytes) : '')),
      toArray(),
      map((parts) => parts.join('')),
    );
  const failureOf = async (from: InMemoryApiServer): Promise<unknown> =>
    lastValueFrom(bodyOf(from)).catch((error: unknown) => error);

  it('affects only the next matching request, once', async () => {
    const one = server();
    one.faults.next('watch', serverFaults.refuse());
    one.faults.next('list', serverFaults.respond(503));
    expect(await failureOf(one)).toBeInstanceOf(StatusError);
    expect(await failureOf(one)).toContain('"kind":"ConfigMapList"');
    const watching = new Promise((resolve) => {
      bodyOf(one, { watch: true }).subscribe({ error: resolve });
    });
    expect(await watching).toEqual(errorWith('RXI_CONNECTION'));
  });

  it('is applied in the order of the script, the given number of times, before permanent faults', async () => {
    const one = server();
    one.faults.always('list', serverFaults.respond(500));
    one.faults.next('list', serverFaults.respond(503), { times: 2 });
    one.faults.next('list', serverFaults.respond(504));
    const codes: unknown[] = [];
    for (let request = 0; request < 5; request += 1) codes.push(((await failureOf(one)) as StatusError).statusCode);
    expect(codes).toEqual([503, 503, 504, 500, 500]);
    one.faults.clear();
    expect(await failureOf(one)).toContain('ConfigMapList');
  });

  it('distinguishes reads of one object from lists, and writes from both', async () => {
    const one = server();
    one.faults.always('get', serverFaults.respond(501));
    one.faults.always('write', serverFaults.respond(502));
    one.faults.always(({ path: requests }) => requests === '/version', serverFaults.respond(503));
    const codeOf = async (method: 'GET' | 'DELETE', requests: string): Promise<unknown> =>
      lastValueFrom(one.client.exchange({ method, path: requests })).then(
        () => 200,
        (error: unknown) => (error as StatusError).statusCode,
      );
    expect(await codeOf('GET', path)).toBe(200);
    expect(await codeOf('GET', `${path}/c01`)).toBe(501);
    expect(await codeOf('DELETE', `${path}/c01`)).toBe(502);
    expect(await codeOf('GET', '/version')).toBe(503);
    expect(one.objects.list(configMaps).map(({ metadata }) => metadata.name)).toContain('c01');
  });

  it('respond: sends the wait in the header and in the status', async () => {
    const one = server();
    one.faults.next('list', serverFaults.respond(429, { retryAfter: 7 }));
    expect(await failureOf(one)).toMatchObject({
      statusCode: 429,
      reason: 'TooManyRequests',
      retryAfter: 7000,
      status: { details: { retryAfterSeconds: 7 } },
    });
  });

  it('refuse: causes an RXI_CONNECTION before any response', async () => {
    const one = server();
    one.faults.next('list', serverFaults.refuse());
    expect(await failureOf(one)).toMatchObject({ code: 'RXI_CONNECTION', causeCode: 'ECONNREFUSED' });
  });

  it('drop: sends exactly the given number of bytes before the connection breaks', () => {
    const one = server();
    one.faults.next('list', serverFaults.drop(100));
    let received = 0;
    let failure: unknown;
    one.client.exchange({ method: 'GET', path }).subscribe({
      next: (part) => (received += part.type === 'bytes' ? part.bytes.length : 0),
      error: (error: unknown) => (failure = error),
    });
    expect(received).toBe(100);
    expect(failure).toMatchObject({ code: 'RXI_CONNECTION', causeCode: 'ECONNRESET' });
  });

  it('stall: sends the given number of events, and then neither data nor an end', () => {
    const one = server();
    one.faults.next('watch', serverFaults.stall({ afterEvents: 2 }));
    const seen: string[] = [];
    const subscription = one.client.exchange({ method: 'GET', path, query: { watch: true } }).subscribe({
      next: (part) => seen.push(part.type),
      error: () => seen.push('error'),
      complete: () => seen.push('complete'),
    });
    one.apply(config(3, 'z'));
    one.stop();
    expect(seen).toEqual(['head', 'bytes']);
    subscription.unsubscribe();
  });

  it('duplicate: sends each change twice, and nothing else', () => {
    const one = server();
    one.faults.next('watch', serverFaults.duplicate());
    let text = '';
    const query = {
      watch: true,
      sendInitialEvents: true,
      allowWatchBookmarks: true,
      resourceVersionMatch: 'NotOlderThan',
    };
    const subscription = one.client.exchange({ method: 'GET', path, query }).subscribe((part) => {
      if (part.type === 'bytes') text += new TextDecoder().decode(part.bytes);
    });
    one.remove(configMaps, 'c01', 'default');
    const types = [...text.matchAll(/^\{"type":"(\w+)"/gm)].map(([, type]) => type);
    expect(types).toEqual(['ADDED', 'ADDED', 'ADDED', 'ADDED', 'BOOKMARK', 'DELETED', 'DELETED']);
    subscription.unsubscribe();
  });

  it('drip: loses nothing', () => {
    inVirtualTime((scheduler) => {
      const one = createInMemoryApiServer({ scheduler, random: randomFromSeed(1) });
      one.apply([config(1, 'x'), config(2, 'y')]);
      let whole = '';
      bodyOf(one).subscribe((text) => (whole = text));
      one.faults.next('list', serverFaults.drip(7, 10));
      let startedAt = 0;
      let dripped: readonly [string, number] | undefined;
      of(0).subscribe(() => (startedAt = scheduler.now()));
      const decoder = new TextDecoder();
      let text = '';
      one.client.exchange({ method: 'GET', path }).subscribe({
        next: (part) => {
          if (part.type === 'bytes') text += decoder.decode(part.bytes, { stream: true });
        },
        complete: () => {
          dripped = [text, scheduler.now() - startedAt];
          expect(dripped).toEqual([whole, Math.floor((new TextEncoder().encode(whole).length - 1) / 7) * 10]);
          one.stop();
        },
      });
      expect(dripped).toBeUndefined();
    });
    expect.hasAssertions();
  });

  it('restart: breaks every connection, and keeps the objects of the server', () => {
    const one = server();
    const failures: unknown[] = [];
    for (let watches = 0; watches < 3; watches += 1) {
      bodyOf(one, { watch: true }).subscribe({ error: (error: unknown) => failures.push(error) });
    }
    one.restart();
    expect(failures).toHaveLength(3);
    expect(failures).toEqual(
      failures.map(() => expect.objectContaining({ code: 'RXI_CONNECTION', causeCode: 'ECONNRESET' })),
    );
    expect(one.objects.list(configMaps)).toHaveLength(2);
  });

  it('is the same for the same seed', () => {
    const story = (seed: number): readonly string[] => {
      const notified: string[] = [];
      followThrough(
        (one) => {
          one.faults.always('any', serverFaults.random(seed));
        },
        'stream',
        ({ server: one, configs }, at) => {
          one.requests$.subscribe(({ path: requests, query }) => notified.push(`${requests}?${query.toString()}`));
          configs.errors$.subscribe((error) => notified.push(error.message));
          at(hour / 2, () => {
            one.faults.clear();
          });
        },
      );
      return notified;
    };
    expect(story(7)).toEqual(story(7));
    expect(story(7)).not.toEqual(story(8));
  });

  it.each<readonly [string, () => unknown]>([
    ['drop(-1)', () => serverFaults.drop(-1)],
    ['drop(NaN)', () => serverFaults.drop(NaN)],
    ['reset(0.5)', () => serverFaults.reset(0.5)],
    ['stall({ afterEvents: -1 })', () => serverFaults.stall({ afterEvents: -1 })],
    ['stall({ afterBytes: Infinity })', () => serverFaults.stall({ afterBytes: Infinity })],
    ['delay(-1)', () => serverFaults.delay(-1)],
    ['respond(200)', () => serverFaults.respond(200)],
    ['respond(429, { retryAfter: -1 })', () => serverFaults.respond(429, { retryAfter: -1 })],
    ['drip(0, 1)', () => serverFaults.drip(0, 1)],
    ['drip(1, NaN)', () => serverFaults.drip(1, NaN)],
    ['expire({ afterEvents: -1 })', () => serverFaults.expire({ afterEvents: -1 })],
    ['garble({ afterEvents: -1 })', () => serverFaults.garble({ afterEvents: -1 })],
    ['truncate({ afterEvents: 1.5 })', () => serverFaults.truncate({ afterEvents: 1.5 })],
    ['random(1, { probability: 2 })', () => serverFaults.random(1, { probability: 2 })],
    [
      'times: 0',
      () => {
        server().faults.next('any', serverFaults.refuse(), { times: 0 });
      },
    ],
  ])('throws at once for an invalid definition: %s', (_name, make) => {
    expect(make).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});
