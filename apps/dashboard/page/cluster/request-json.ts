import type { KubeClient, KubeRequest } from 'rx-informers';
import { map, reduce, type Observable } from 'rxjs';

/**
 * Sends one request, emits its whole answer as one JSON document, and completes.
 *
 * **Errors**: those of the client, and `SyntaxError` if the answer is not JSON.
 */
export function requestJson<T>(client: KubeClient, request: KubeRequest): Observable<T> {
  const decoder = new TextDecoder();
  return client.exchange(request).pipe(
    reduce((text, part) => (part.type === 'bytes' ? text + decoder.decode(part.bytes, { stream: true }) : text), ''),
    map((text) => JSON.parse(text) as T),
  );
}
