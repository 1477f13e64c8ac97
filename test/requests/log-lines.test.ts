import { informer, type KubeClient, pods, StatusError } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import { logLines$, type LogPosition, type LogLine, type LogStatus } from 'rx-informers/requests';
import { aPod, createInMemoryApiServer, randomFromSeed, virtualClock, type PodLogLine } from 'rx-informers/testing';
import { concat, filter, mergeMap, NEVER, type Observable, of, Subject, takeUntil, throwError } from 'rxjs';
import { seedOf } from '../support/seed.js';

const web = { metadata: { namespace: 'shop', name: 'web-1' } };
const head: ResponsePart = { type: 'head', status: 200, headers: {} };
const part = (text: string): ResponsePart => ({ type: 'bytes', bytes: new TextEncoder().encode(text) });
const line = (time: string, text: string): string => `2026-03-01T12:00:0${time}Z ${text}\n`;
const notFound = refusal(400, 'previous terminated container not found');

/** A client that answers the requests for logs one after the other, and has every pod. */
function clientWith(...answers: readonly Observable<ResponsePart>[]) {
  const clock = virtualClock();
  const requests: (KubeRequest & { readonly at: number })[] = [];
  let answered = 0;
  const client: KubeClient = {
    scheduler: clock,
    random: () => 0,
    exchange: (request) => {
      if (!request.path.endsWith('/log')) return of(head, part('{"status":{"phase":"Running"}}'));
      requests.push({ ...request, at: clock.now() });
      return answers[answered++] ?? NEVER;
    },
  };
  return { client, clock, requests };
}

function refusal(code: number, message: string): Observable<never> {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message } as never;
  return throwError(() => new StatusError({ method: 'GET', url: '/log' }, status, { code, retryAfter: undefined }));
}

describe('logLines$', () => {
  it('reads the last lines first, and after a cut from the second of the last line, each line once', () => {
    const cut = throwError(() => new Error('cut'));
    const { client, clock, requests } = clientWith(
      concat(of(head, part(line('1.5', 'one') + line('2.5', 'two'))), cut),
      notFound,
      concat(of(head, part(line('2.5', 'two') + line('2.5', 'again') + line('3.5', 'three'))), NEVER),
    );
    const texts: string[] = [];
    logLines$(client, web, { tail: 500 }).subscribe(({ text }) => texts.push(text));
    clock.advance(2_000);

    expect(texts).toEqual(['one', 'two', 'again', 'three']);
    expect(requests.map(({ path, query }) => [path, query])).toMatchObject([
      ['/api/v1/namespaces/shop/pods/web-1/log', { tailLines: 500, follow: true, timestamps: true }],
      ['/api/v1/namespaces/shop/pods/web-1/log', { previous: true, sinceTime: '2026-03-01T12:00:02Z' }],
      ['/api/v1/namespaces/shop/pods/web-1/log', { follow: true, sinceTime: '2026-03-01T12:00:02Z' }],
    ]);
    expect(requests[2]?.query?.['tailLines']).toBeUndefined();
  });

  it('loses no line whose time is earlier than that of the line before, also after a cut', () => {
    // The runtime stamps the lines of stdout and stderr before it writes them, each by itself.
    const before = line('1.1', 'out 1') + line('1.3', 'out 2') + line('1.2', 'err 1');
    const { client, clock } = clientWith(
      of(head, part(before)),
      notFound,
      concat(of(head, part(before + line('1.25', 'err 2') + line('1.5', 'out 3') + line('1.4', 'err 3'))), NEVER),
    );
    const texts: string[] = [];
    logLines$(client, web).subscribe(({ text }) => texts.push(text));
    clock.advance(2_000);
    expect(texts).toEqual(['out 1', 'out 2', 'err 1', 'err 2', 'out 3', 'err 3']);
  });

  it('does not emit, after a cut, the lines before the last ones that were asked for', () => {
    const all = line('1.1', 'one') + line('1.2', 'two') + line('1.3', 'three');
    const { client, clock } = clientWith(
      of(head, part(line('1.3', 'three'))),
      notFound,
      concat(of(head, part(all + line('1.4', 'four'))), NEVER),
    );
    const texts: string[] = [];
    logLines$(client, web, { tail: 1 }).subscribe(({ text }) => texts.push(text));
    clock.advance(2_000);
    expect(texts).toEqual(['three', 'four']);
  });

  it('continues in a later program from positions that were stored as JSON', () => {
    const stream = (lines: string) => concat(of(head, part(lines)), NEVER);
    const earlier = clientWith(stream(line('1.5', 'one') + line('2.5', 'two') + line('2.7', 'three')));
    const positions = new Map<string, LogPosition>();
    logLines$(earlier.client, of([web]), { tail: 3, positions })
      .subscribe()
      .unsubscribe();
    const stored = JSON.stringify([...positions]);

    const later = clientWith(
      stream(line('1.2', 'before') + line('2.5', 'two') + line('2.7', 'three') + line('2.7', 'again')),
    );
    const texts: string[] = [];
    const restored = new Map(JSON.parse(stored) as [string, LogPosition][]);
    logLines$(later.client, of([web]), { tail: 3, positions: restored }).subscribe(({ text }) => texts.push(text));
    expect(texts).toEqual(['again']);
    expect(later.requests[0]?.query).toMatchObject({ sinceTime: '2026-03-01T12:00:02Z', tailLines: undefined });
  });

  it('reads the last lines of a container that restarted while nothing could be read', () => {
    const { client, clock } = clientWith(
      of(head, part(line('1.1', 'one'))),
      of(head, part(line('1.1', 'one') + line('1.2', 'last words'))),
      concat(of(head, part(line('5.1', 'started again'))), NEVER),
    );
    const texts: string[] = [];
    logLines$(client, web).subscribe(({ text }) => texts.push(text));
    clock.advance(2_000);
    expect(texts).toEqual(['one', 'last words', 'started again']);
  });

  it('tries again after 1, 2, 4, 8 and then 15 s while the log cannot be read, and says why', () => {
    const { client, clock, requests } = clientWith(
      ...Array.from({ length: 7 }, () => refusal(400, 'ContainerCreating')),
    );
    const states: LogStatus[] = [];
    logLines$(client, web, { onStatus: (status) => states.push(status) }).subscribe();
    clock.advance(50_000);
    expect(requests.map(({ at }) => at)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 30_000, 45_000]);
    expect(states[0]).toMatchObject({ pod: web, state: 'waiting', error: { message: /ContainerCreating/ as never } });
  });

  it.each([401, 403, 404])('fails if the API server answers %d', (code) => {
    const { client } = clientWith(refusal(code, 'no'));
    const errors: unknown[] = [];
    logLines$(client, web).subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toMatchObject([{ code: 'RXI_STATUS', statusCode: code }]);
  });

  it('ends the log of one pod that may not be read, and continues the others, if onStatus receives it', () => {
    const { client } = clientWith(refusal(403, 'no'), concat(of(head, part(line('1.1', 'one'))), NEVER));
    const texts: string[] = [];
    const states: string[] = [];
    logLines$(client, of([web, { metadata: { namespace: 'shop', name: 'web-2' } }]), {
      onStatus: ({ pod, state }) => states.push(`${pod.metadata?.name} ${state}`),
    }).subscribe(({ text }) => texts.push(text));
    expect([texts, states]).toEqual([['one'], ['web-1 ended', 'web-2 open']]);
  });

  it('says once that a log has ended which is read once and cannot be read', () => {
    const { client } = clientWith(refusal(400, 'no previous run'));
    const states: string[] = [];
    logLines$(client, web, { previous: true, onStatus: ({ state }) => states.push(state) }).subscribe();
    expect(states).toEqual(['ended']);
  });

  it('completes if a pod is deleted that has written nothing, without the right to get the pod', () => {
    const { server, clock } = setup();
    server.apply(aPod({ name: 'silent', node: 'n' }));
    const ends: string[] = [];
    const client: KubeClient = {
      ...server.client,
      exchange: (request) =>
        request.path.endsWith('/log') ? server.client.exchange(request) : refusal(403, 'pods may not be read'),
    };
    logLines$(client, aPod({ name: 'silent' }), { pollInterval: 1_000 }).subscribe({
      complete: () => ends.push('complete'),
      error: () => ends.push('error'),
    });
    server.remove(pods, 'silent', 'default');
    clock.advance(1_000);
    expect(ends).toEqual(['complete']);
  });

  it.each([
    ['the log of the previous run', { previous: true }, { previous: true }],
    ['the lines that exist', { follow: false }, {}],
  ])('reads %s once, and completes', (_, options, query) => {
    const { client, requests } = clientWith(of(head, part('2026-03-01T12:00:01Z last words')));
    const events: string[] = [];
    logLines$(client, web, options).subscribe({
      next: ({ text, time }) => events.push(`${time} ${text}`),
      complete: () => events.push('complete'),
    });
    expect(events).toEqual(['2026-03-01T12:00:01Z last words', 'complete']);
    expect(requests).toMatchObject([{ query }]);
    expect(requests[0]?.query?.['follow']).toBeUndefined();
  });

  it('begins with the first line that is not older than since, although the server takes whole seconds', () => {
    const { client, requests } = clientWith(
      concat(of(head, part(line('1.1', 'one') + line('1.5', 'two') + line('1.6', 'three'))), NEVER),
    );
    const texts: string[] = [];
    logLines$(client, web, { since: '2026-03-01T13:00:01.5+01:00' }).subscribe(({ text }) => texts.push(text));
    expect(texts).toEqual(['two', 'three']);
    expect(requests[0]?.query?.['sinceTime']).toBe('2026-03-01T12:00:01Z');
  });

  it('emits whole lines, wherever the chunks are cut', () => {
    const bytes = new TextEncoder().encode(line('1.1', 'größer ▲') + line('1.2', 'zwei'));
    const chunks = [...bytes].map((byte): ResponsePart => ({ type: 'bytes', bytes: Uint8Array.of(byte) }));
    const { client } = clientWith(concat(of(head, ...chunks), NEVER));
    const texts: string[] = [];
    logLines$(client, web).subscribe(({ text }) => texts.push(text));
    expect(texts).toEqual(['größer ▲', 'zwei']);
  });

  it('reads each container of a pod', () => {
    const { client, requests } = clientWith();
    const pod = { ...web, spec: { containers: [{ name: 'main' }, { name: 'proxy' }] } };
    const reading = logLines$(client, pod).subscribe();
    logLines$(client, pod, { containers: ['proxy'] })
      .subscribe()
      .unsubscribe();
    reading.unsubscribe();
    expect(requests.map(({ query }) => query?.['container'])).toEqual(['main', 'proxy', 'proxy']);
  });

  it('reads again after pollInterval, without a request that stays open', () => {
    const { client, clock, requests } = clientWith(
      of(head, part(line('1.1', 'one'))),
      of(head, part(line('1.1', 'one') + line('1.2', 'two'))),
    );
    const texts: string[] = [];
    logLines$(client, web, { pollInterval: 5_000 }).subscribe(({ text }) => texts.push(text));
    clock.advance(5_000);
    expect(texts).toEqual(['one', 'two']);
    expect(requests.map(({ at, query }) => [at, query?.['follow']])).toEqual([
      [0, undefined],
      [5_000, undefined],
    ]);
  });

  it('completes when the pod is deleted, and when it has succeeded', () => {
    const { server, clock } = setup();
    const ends: string[] = [];
    for (const name of ['deleted', 'succeeded']) {
      server.apply(aPod({ name, node: 'n' }));
      logLines$(server.client, aPod({ name })).subscribe({ complete: () => ends.push(name) });
    }
    server.remove(pods, 'deleted', 'default');
    clock.advance(2_000);
    expect(ends).toEqual(['deleted']);
    server.apply(aPod({ name: 'succeeded', node: 'n', phase: 'Succeeded' }));
    server.restart();
    clock.advance(2_000);
    expect(ends).toEqual(['deleted', 'succeeded']);
    expect(clock.timers).toBe(0);
  });

  it('emits each of 10,000 lines of 200 pods that come and go once, over 200 cuts and over restarts', () => {
    const { server, clock, containers, write, restart } = setup();
    const random = randomFromSeed(seedOf('lines of pods'));
    const pick = (): string => `pod-${Math.floor(random() * 200)}`;
    const cut$ = new Subject<string>();
    const client: KubeClient = {
      ...server.client,
      exchange: (request) => {
        const cut = cut$.pipe(
          filter((name) => request.path.endsWith(`/${name}/log`)),
          mergeMap(() => throwError(() => new Error('cut'))),
        );
        return server.client.exchange(request).pipe(takeUntil(cut));
      },
    };
    const cache = informer(server.client, pods);
    const received = new Map<string, string[]>();
    const reading = logLines$(client, cache.list$()).subscribe(({ pod, text }: LogLine) => {
      const name = pod.metadata?.name ?? '';
      const texts = received.get(name) ?? [];
      texts.push(text);
      received.set(name, texts);
    });
    const expectAll = (name: string): void =>
      expect([name, received.get(name) ?? []]).toEqual([name, containers.get(name)?.written ?? []]);
    for (let at = 0; at < 200; at += 1) server.apply(aPod({ name: `pod-${at}`, node: 'n' }));
    clock.advance(1_000);
    for (let written = 0; written < 10_000; written += 1) {
      write(pick(), `line ${written}`);
      const dice = random();
      if (dice < 0.02) cut$.next(pick());
      else if (dice < 0.03) restart(pick());
      else if (dice < 0.035) {
        // The pod leaves, with its log, and another one of its name comes.
        const name = pick();
        clock.advance(30_000);
        expectAll(name);
        server.remove(pods, name, 'default');
        containers.delete(name);
        received.delete(name);
        server.apply(aPod({ name, node: 'n' }));
        clock.advance(1_000);
      } else if (dice < 0.3) clock.advance(Math.floor(random() * 900));
    }
    clock.advance(60_000);
    for (const name of containers.keys()) expectAll(name);
    reading.unsubscribe();
    expect(cut$.observed).toBe(false);
  });
});

interface Container {
  lines: PodLogLine[];
  previous: PodLogLine[] | undefined;
  lines$: Subject<PodLogLine>;
  readonly written: string[];
}

/** A server whose containers write, and restart. */
function setup() {
  const clock = virtualClock({ now: Date.parse('2026-03-01T12:00:00Z') });
  const containers = new Map<string, Container>();
  const containerOf = (name: string): Container => {
    const existing = containers.get(name);
    if (existing) return existing;
    const created: Container = { lines: [], previous: undefined, lines$: new Subject(), written: [] };
    containers.set(name, created);
    return created;
  };
  const server = createInMemoryApiServer({
    scheduler: clock,
    podLogs: ({ pod, previous }) => {
      const container = containerOf(pod.metadata.name);
      if (previous) return { lines: container.previous ?? [] };
      return { lines: [...container.lines], lines$: container.lines$ };
    },
  });
  return {
    server,
    clock,
    containers,
    write(name: string, text: string): void {
      const container = containerOf(name);
      const added = { time: clock.now(), text };
      container.lines.push(added);
      container.written.push(text);
      container.lines$.next(added);
    },
    restart(name: string): void {
      const container = containerOf(name);
      container.previous = container.lines;
      container.lines = [];
      const ended$ = container.lines$;
      container.lines$ = new Subject();
      const pod = aPod({ name, node: 'n', restarts: 1 });
      const [status] = pod.status?.containerStatuses ?? [];
      server.apply({
        ...pod,
        status: { ...pod.status, containerStatuses: [{ ...status, lastState: { terminated: { exitCode: 1 } } }] },
      });
      ended$.complete();
    },
  };
}
