import { concat, filter, map, NEVER, Observable, of, throwError } from 'rxjs';
import {
  informer,
  type Informer,
  pods as podResource,
  type Pod,
  resync,
  type KubeClient,
  type KubeRequest,
  type ResponsePart,
  listWatch,
  type ListWatchOptions,
  ConnectionError,
  indexByNode,
  allObjects,
  bucket,
} from 'rx-informers';
import { createInMemoryApiServer, informerTest } from 'rx-informers/testing';
import { a, b, objects } from './support.js';

/** A client that lets a test decide what becomes of each request. */
function clientThat(answer: (request: KubeRequest, count: number) => Observable<ResponsePart>): KubeClient {
  let count = 0;
  return { exchange: (request) => new Observable((subscriber) => answer(request, ++count).subscribe(subscriber)) };
}

const refused = (): Observable<never> =>
  throwError(() => new ConnectionError({ method: 'GET', url: '/' }, new Error('refused'), 'ECONNREFUSED'));
const follow = (client: KubeClient, options: ListWatchOptions<Pod> = {}): Informer<Pod, 'node'> =>
  informer(listWatch(client, podResource, { random: () => 0, ...options }), {
    indexers: { node: indexByNode },
    onUnobservedError: () => undefined,
  });

describe('virtual time', () => {
  it('G5 G9: backoff is over when a diagram says so, here after 0.8 s and 1.6 s more', () => {
    informerTest(objects, ({ expectQuery, expectStatus }) => {
      const server = createInMemoryApiServer();
      server.apply(a);
      const pods = follow(clientThat((request, count) => (count <= 2 ? refused() : server.client.exchange(request))));
      expectQuery(pods, bucket('node', 'n1'), '^ 3s !').toBe('2400ms a');
      expectStatus(pods, '^ 2999ms !').toBe('b 799ms [lb] 1596ms [lw]');
    });
  });

  it('G6 G9: a connection that has died in silence is noticed when its timeout and grace are over', () => {
    informerTest(objects, ({ expectStatus, expectQuery }) => {
      const server = createInMemoryApiServer();
      server.apply([a, b]);
      const silentOnce = clientThat((request, count) =>
        count === 2
          ? concat(of<ResponsePart>({ type: 'head', status: 200, headers: {} }), NEVER)
          : server.client.exchange(request),
      );
      const pods = follow(silentOnce, { initialList: 'pages', watchTimeout: [10, 10], grace: 5_000 });
      expectQuery(pods, allObjects(), '^ 20s !').toBe('(ab)');
      expectStatus(pods, '^ 19s !').toBe('w 14999ms [rw]');
    });
  });

  it('G9: a watch that the API server ends after its timeout is opened again, and nothing is missed', () => {
    informerTest(objects, ({ cold, expectQuery }) => {
      const server = createInMemoryApiServer();
      server.apply(a);
      cold('9m b', { b }).subscribe((pod) => server.apply(pod));
      cold('11m d').subscribe(() => server.remove(podResource, 'a', 'default'));
      expectQuery(follow(server.client), bucket('node', 'n1'), '^ 12m !').toBe('a 539999ms (ab) 119996ms b');
    });
  });

  it('I6 G9: resync delivers what is there again, each period', () => {
    informerTest(objects, ({ source, expectObservable }) => {
      const resyncs = informer(source('L(ab)')).changes$.pipe(
        resync(30_000),
        filter(({ reason }) => reason === 'resync'),
        map(({ changes }) => changes.length),
      );
      expectObservable(resyncs, '^ 70s !').toBe('30s x 29999ms x', { x: 2 });
    });
  });

  it('G8 G9: lingering keeps the source for its time, and not longer', () => {
    informerTest(objects, ({ source, expectStatus, expectQuery }) => {
      const pods = informer(source('L(a)-S(w)'), { linger: 5_000 });
      expectStatus(pods, '^ 10s !').toBe('s--[lw]-w 6995ms s');
      expectQuery(pods, allObjects(), '---^ 2s !').toBe('---a');
    });
  });
});
