import { defer, map, reduce, type Observable } from 'rxjs';
import { ResponseError } from '../source-error.js';
import { createByteAccumulator } from '../wire/byte-accumulator.js';
import { decodeJson } from '../wire/decode-json.js';
import { WireError } from '../wire/wire-error.js';
import type { KubeClient, KubeRequest } from './kube-client.js';
import { requestLine } from './request-line.js';

/**
 * One request whose whole answer is one JSON document: emits the document and completes.
 *
 * **Errors**: those of `KubeClient.exchange`; `ResponseError` for an answer that is not JSON (a login page, nothing at all).
 * **Guarantees**: cold, one exchange per subscription; unsubscribing aborts it.
 * **Does not guarantee**: that the document is a `T`; that is the caller's belief.
 */
export function requestJson<T>(client: KubeClient, request: KubeRequest): Observable<T> {
  return defer(() => {
    const body = createByteAccumulator();
    return client.exchange(request).pipe(
      reduce((collected, part) => {
        if (part.type === 'bytes') collected.append(part.bytes);
        return collected;
      }, body),
      map((collected) => decodeAnswer(request, collected.peek()) as T),
    );
  });
}

function decodeAnswer(request: KubeRequest, body: Uint8Array): unknown {
  try {
    return decodeJson(body);
  } catch (error) {
    if (error instanceof WireError) throw new ResponseError(requestLine(request), error.problem, error.line);
    throw error;
  }
}
