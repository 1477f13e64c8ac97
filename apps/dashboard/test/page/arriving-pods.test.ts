/** @jest-environment ./test/page/support/browser-environment.js */
import { informer, type KubeClient, type Pod, type SourceStatus } from 'rx-informers';
import { aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { BehaviorSubject, NEVER, of, throwError } from 'rxjs';
import { arrivingPods } from '../../page/pods/arriving-pods.js';

const nothing: SourceStatus = { state: 'listing', by: 'stream', received: 0 };

/** A cluster of 1,000 pods that takes 100 ms for each response. */
function aSlowCluster() {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock });
  server.apply(Array.from({ length: 1000 }, (_, index) => aPod({ name: `pod-${String(index).padStart(4, '0')}` })));
  const requests: string[] = [];
  const client: KubeClient = {
    ...server.client,
    exchange: (request) => {
      requests.push(`${request.path} ${JSON.stringify(request.query?.['limit'])}`);
      return server.client.exchange(request);
    },
  };
  return { clock, client, requests };
}

describe('the pods that the table shows before its list is complete', () => {
  it('are those of the first page as soon as it arrives, then those of each further page, with an estimate of the remaining ones', () => {
    const { clock, client, requests } = aSlowCluster();
    const arriving = informer(arrivingPods(client, undefined, { status$: of(nothing) }), { scheduler: clock });
    const seen: string[] = [];
    arriving.status$.subscribe((status) => {
      if (status.state === 'listing') seen.push(`${arriving.list().length}: ${status.received} of ${status.expected}`);
    });
    const running = arriving.connect();
    clock.advance(10_000);

    expect(seen.slice(1)).toEqual([
      '50: 50 of 1000',
      '300: 300 of 1000',
      '550: 550 of 1000',
      '800: 800 of 1000',
      '1000: 1000 of 1000',
    ]);
    expect(requests[0]).toBe('/api/v1/pods 50');
    running.unsubscribe();
  });

  it.each([
    ['has received a part of its list', { state: 'listing', by: 'stream', received: 1 }],
    ['has its complete list', { state: 'watching', since: 0, resourceVersion: '1' }],
  ] as const)('are no longer requested once the informer %s', (_, status) => {
    const { clock, client, requests } = aSlowCluster();
    const status$ = new BehaviorSubject<SourceStatus>(nothing);
    const arriving = informer(arrivingPods(client, 'default', { status$ }), { scheduler: clock });
    arriving.snapshot$.subscribe(() => {
      status$.next(status);
    });
    clock.advance(10_000);

    expect(requests).toEqual(['/api/v1/namespaces/default/pods 50', '/api/v1/namespaces/default/pods 250']);
    expect(arriving.list()).toHaveLength(50);
    arriving.stop();
  });

  it('are none, without an error, if listing them is forbidden: the informer reports why', () => {
    const client: KubeClient = { exchange: () => throwError(() => new Error('refused')) };
    const batches: unknown[] = [];
    const failures: unknown[] = [];
    arrivingPods(client, undefined, { status$: NEVER }).subscribe({
      next: (batch) => batches.push(batch),
      error: (error: unknown) => failures.push(error),
    });

    expect([batches, failures]).toEqual([[], []]);
  });

  it('do not affect the informer, which is not synced by them', () => {
    const { clock, client } = aSlowCluster();
    const own = informer<Pod>(NEVER, { scheduler: clock });
    const running = own.connect();
    const arriving = informer(arrivingPods(client, undefined, own), { scheduler: clock });
    running.add(arriving.connect());
    clock.advance(10_000);

    expect([arriving.hasSynced, own.hasSynced, own.list().length]).toEqual([true, false, 0]);
    running.unsubscribe();
  });
});
