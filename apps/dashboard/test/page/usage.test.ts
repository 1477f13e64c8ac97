import { pods, type KubeClient } from 'rx-informers';
import {
  aPod,
  createInMemoryApiServer,
  serverFaults,
  virtualClock,
  type InMemoryApiServerOptions,
} from 'rx-informers/testing';
import { toExternalStore } from 'rx-informers/views';
import { BehaviorSubject, of } from 'rxjs';
import { unknownCluster } from '../../page/cluster/cluster-info.js';
import { shownTime } from '../../page/history/shown-time.js';
import { measured$, type Measured, type MeasuredCluster, type MeasuredKind } from '../../page/metrics/measured.js';
import { step, type Poll } from '../../page/metrics/poll.js';
import { amountText, boundOf, usagesOf, usageText } from '../../page/metrics/usage.js';

const cores = { cpu: 0.0125, memory: 34 * 2 ** 20 };

interface StageOptions extends InMemoryApiServerOptions {
  readonly token?: string;
  readonly forcedNamespace?: string;
}

/** A cluster with metrics, in virtual time, and the requests for these metrics. */
function stage({ token, forcedNamespace, ...options }: StageOptions = {}) {
  const scheduler = virtualClock({ now: Date.parse('2026-03-01T12:00:00Z') });
  const server = createInMemoryApiServer({ scheduler, containerUsage: () => cores, ...options });
  server.apply([
    aPod({ name: 'web', namespace: 'shop', node: 'n1' }),
    aPod({ name: 'api', namespace: 'blog', node: 'n1' }),
  ]);
  const inner = token === undefined ? server.client : server.clientFor(token);
  const sent: string[] = [];
  const client: KubeClient = {
    exchange: (request) => {
      if (/metrics|authorization/.test(request.path)) sent.push(`${request.method} ${request.path}`);
      return inner.exchange(request);
    },
  };
  const info = {
    ...unknownCluster,
    isKnown: true,
    hasMetrics: options.containerUsage !== undefined || !('containerUsage' in options),
    forcedNamespace,
  };
  const cluster: MeasuredCluster = { client, info: toExternalStore(of(info), info) };
  const paused$ = new BehaviorSubject(false);
  const seen: Measured[] = [];
  const show = (kind: MeasuredKind = 'pods', namespace?: string) =>
    measured$(cluster, kind, namespace, { paused$, scheduler }).subscribe((measured) => seen.push(measured));
  const cpuOf = (name: string): string | undefined => {
    const pod = server.objects.list(pods).find(({ metadata }) => metadata.name === name);
    const usage = pod && seen.at(-1)?.of(pod);
    return usage && amountText('cpu', usage.cpu);
  };
  return { server, scheduler, cluster, queries: sent, paused$, seen, show, cpuOf };
}

const review = 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const list = 'GET /apis/metrics.k8s.io/v1beta1/pods';

describe('the usage of pods from metrics.k8s.io', () => {
  it('is requested every 15 s while something shows it, once for all subscribers', () => {
    const { scheduler, queries: sent, show, cpuOf } = stage();
    const first = show();
    const second = show();
    expect(cpuOf('web')).toBe('13m');
    expect(sent).toEqual([review, list]);
    scheduler.advance(15_000);
    expect(sent).toEqual([review, list, list]);
    first.unsubscribe();
    second.unsubscribe();
    scheduler.advance(60_000);
    expect(sent).toHaveLength(3);
    expect(scheduler.timers).toBe(0);
  });

  it('is emitted to late subscribers as last read, without an additional request', () => {
    const { scheduler, queries: sent, seen, show } = stage();
    show().unsubscribe();
    scheduler.advance(5_000);
    show();
    expect(seen.at(-1)?.isAvailable).toBe(true);
    expect(sent).toEqual([review, list]);
    scheduler.advance(10_000);
    expect(sent).toEqual([review, list, list]);
  });

  it('is not requested while the page is hidden or shows the past, and at once afterwards', () => {
    const { scheduler, queries: sent, paused$, show } = stage();
    show();
    paused$.next(true);
    scheduler.advance(600_000);
    expect(sent).toEqual([review, list]);
    paused$.next(false);
    scheduler.advance(0);
    expect(sent).toEqual([review, list, list]);
  });

  it('is not shown beside the past, because it belongs to the present', () => {
    const { show, cpuOf, seen } = stage();
    show();
    shownTime.moveTo(Date.parse('2026-03-01T11:59:00Z'));
    expect([cpuOf('web'), seen.at(-1)?.isAvailable]).toEqual([undefined, true]);
    shownTime.moveTo(undefined);
    expect(cpuOf('web')).toBe('13m');
  });

  it('is not requested if the API server does not have metrics.k8s.io', () => {
    const { scheduler, queries: sent, seen, show } = stage({ containerUsage: undefined });
    show();
    scheduler.advance(60_000);
    expect(sent).toEqual([]);
    expect(seen.at(-1)?.isAvailable).toBe(false);
  });

  it('is requested only once if the user may not read it', () => {
    const users = { guest: { name: 'guest', allow: [{ groups: [''] }] } };
    const { scheduler, queries: sent, seen, show } = stage({ users, token: 'guest' });
    show().unsubscribe();
    show();
    scheduler.advance(600_000);
    expect(sent).toEqual([review]);
    expect(seen.at(-1)?.isAvailable).toBe(false);
  });

  it.each([403, 404])('is not requested again after a %i response', (status) => {
    const { server, scheduler, queries: sent, seen, show } = stage();
    server.faults.always(({ path }) => path.includes('metrics'), serverFaults.respond(status));
    show();
    scheduler.advance(600_000);
    expect(sent).toEqual([review, list]);
    expect(seen.at(-1)?.isAvailable).toBe(false);
  });

  it('is requested less and less often while the API fails; the last figures stay, with their age', () => {
    const { server, scheduler, queries: sent, seen, show, cpuOf } = stage();
    const begin = scheduler.now();
    show();
    server.faults.always(({ path }) => path.includes('metrics'), serverFaults.respond(503));
    scheduler.advance(15_000);
    expect(cpuOf('web')).toBe('13m');
    expect(seen.at(-1)).toMatchObject({ isFailing: true, latestAt: begin });
    expect(sent).toHaveLength(3);
    scheduler.advance(15_000 + 30_000 + 60_000);
    expect(sent).toHaveLength(6);
    server.faults.clear();
    scheduler.advance(120_000);
    expect(sent).toHaveLength(7);
    expect(seen.at(-1)).toMatchObject({ isFailing: false });
  });

  it('treats a response that takes longer than 30 s as a failure', () => {
    const { server, scheduler, queries: sent, seen, show, cpuOf } = stage();
    server.faults.next(({ path }) => path.includes('metrics'), serverFaults.delay(600_000));
    show();
    scheduler.advance(29_000);
    expect(seen).toEqual([expect.objectContaining({ isAvailable: false })]);
    scheduler.advance(1_000);
    expect(seen.at(-1)).toMatchObject({ isAvailable: true, isFailing: true, latestAt: undefined });
    scheduler.advance(15_000);
    expect(sent).toEqual([review, list, list]);
    expect(cpuOf('web')).toBe('13m');
  });

  it('is requested for the one namespace that the page or its server shows', () => {
    const users = { tenant: { name: 'tenant', allow: [{ namespaces: ['shop'] }] } };
    const byServer = stage({ users, token: 'tenant', forcedNamespace: 'shop' });
    byServer.show();
    expect(byServer.queries).toEqual([review, 'GET /apis/metrics.k8s.io/v1beta1/namespaces/shop/pods']);
    expect([byServer.cpuOf('web'), byServer.cpuOf('api')]).toEqual(['13m', undefined]);
    const byPage = stage();
    byPage.show('pods', 'blog');
    expect(byPage.queries).toEqual([review, 'GET /apis/metrics.k8s.io/v1beta1/namespaces/blog/pods']);
    byPage.show('nodes', 'blog');
    expect(byPage.queries.at(-1)).toBe('GET /apis/metrics.k8s.io/v1beta1/nodes');
  });
});

describe('a step of the usage poll', () => {
  it('ignores inputs after the poll has ended', () => {
    const absent: Poll<string> = { name: 'absent' };
    expect(step(absent, { type: 'due' })).toBe(absent);
    expect(step(absent, { type: 'answer', value: 'late', at: 1 })).toBe(absent);
  });

  it('waits at most two minutes after failures', () => {
    let poll: Poll<string> = { name: 'reading', latest: undefined, failures: 0 };
    const waits = Array.from({ length: 6 }, () => {
      poll = step(poll, { type: 'failure', status: 500, at: 0 });
      return poll.name === 'waiting' ? poll.until : undefined;
    });
    expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 120_000, 120_000]);
  });
});

describe('amounts of CPU and memory', () => {
  it('are printed as kubectl top prints them', () => {
    const cpu = ['0', '1n', '12500000n', '29m', '1', '1500m'].map((text) => usagesOf(listOf(text, '0')).of('a')?.cpu);
    expect(cpu.map((amount) => amountText('cpu', amount ?? NaN))).toEqual(['0m', '1m', '13m', '29m', '1000m', '1500m']);
    const memory = ['0', '1Mi', '34816Ki', '35000Ki', '2Gi', '128974848'].map(
      (text) => usagesOf(listOf('0', text)).of('a')?.memory,
    );
    expect(memory.map((amount) => amountText('memory', amount ?? NaN))).toEqual([
      '0Mi',
      '1Mi',
      '34Mi',
      '34Mi',
      '2048Mi',
      '123Mi',
    ]);
  });

  it('of a pod are the sum of its containers; unreadable amounts count as zero', () => {
    const usages = usagesOf({
      items: [
        {
          metadata: { name: 'web', namespace: 'shop' },
          timestamp: '2026-03-01T12:00:00Z',
          containers: [
            { name: 'main', usage: { cpu: '250m', memory: '32Mi' } },
            { name: 'proxy', usage: { cpu: '0.1', memory: 'plenty' } },
            { name: 'other' },
          ],
        },
        { metadata: {} },
        null,
      ],
    });
    const usage = usages.of('shop/web');
    expect(usage).toMatchObject({ cpu: 0.35, memory: 32 * 2 ** 20, measuredAt: '2026-03-01T12:00:00Z' });
    expect(usage?.containers.get('proxy')).toEqual({ cpu: 0.1, memory: 0 });
    expect(usages.of('shop/web')).toBe(usage);
    expect([usages.of('web'), usagesOf(undefined).of('web'), usagesOf({ items: 'none' }).of('web')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are compared with the limits if all containers have one, otherwise with the requests', () => {
    const [asks, isLimited] = [{ requests: { cpu: '100m' } }, { limits: { cpu: '500m' }, requests: { cpu: '100m' } }];
    expect(boundOf('cpu', [isLimited, isLimited])).toEqual({ of: 'limit', amount: 1 });
    expect(boundOf('cpu', [isLimited, asks])).toEqual({ of: 'request', amount: 0.2 });
    expect(boundOf('cpu', [asks, {}])).toEqual({ of: 'request', amount: 0.1 });
    expect(boundOf('memory', [isLimited])).toBeUndefined();
    expect(usageText('cpu', 0.012, { of: 'request', amount: 0.1 })).toBe('CPU: 12m of 100m requested, 12 %');
    expect(usageText('memory', 2 ** 26, { of: 'limit', amount: 2 ** 27 })).toBe('Memory: 64Mi of 128Mi limit, 50 %');
    expect(usageText('cpu', 0.012, undefined)).toBe('CPU: 12m; no request or limit');
  });
});

function listOf(cpu: string, memory: string): object {
  return { items: [{ metadata: { name: 'a' }, usage: { cpu, memory } }] };
}
