import type { KubeClient } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import { concat, NEVER, Observable, of } from 'rxjs';

/**
 * An API server with two objects of every kind. The objects never change. It counts open exchanges.
 */
export class QuietClient implements KubeClient {
  readonly requests: KubeRequest[] = [];
  /** The number of exchanges that have neither ended nor been aborted. */
  open = 0;

  exchange(request: KubeRequest): Observable<ResponsePart> {
    return new Observable((subscriber) => {
      this.requests.push(request);
      this.open++;
      subscriber.add(() => this.open--);
      subscriber.add(this.#answer(request).subscribe(subscriber));
    });
  }

  #answer({ query }: KubeRequest): Observable<ResponsePart> {
    const head: ResponsePart = { type: 'head', status: 200, headers: { 'content-type': 'application/json' } };
    if (query?.['watch'] !== undefined) return concat(of(head), NEVER);
    const items = ['a', 'b'].map((name) => ({ metadata: { name, uid: name, resourceVersion: '1' } }));
    const list = { kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items };
    return of<ResponsePart[]>(head, { type: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(list)) });
  }
}
