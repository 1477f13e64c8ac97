import { defer, throwError } from 'rxjs';
import {
  wrappedClient,
  type KubeClient,
  type KubeRequest,
  type RecordedWrite,
} from '../../sources/client/kube-client.js';

/**
 * Returns a client that uses the same connection and reports the writes that are sent through it,
 * also through a wrapper of it. A client made by `resourceClient` calls `record` with each write to
 * which the server has responded. It calls `record` before the caller of the write receives the
 * response. Dry runs are not reported.
 *
 * **Does not guarantee**: that a write without a response is reported. The server may have carried
 * out such a write, for example if the connection was lost or the call was aborted.
 *
 * @param unrecorded called with a request that may write, and whose writes cannot be reported: a
 *   request of the program itself, or of a wrapper that does not pass on `recordWrites`
 * @param refusal returns why a request that may write is not sent; called when it is about to be
 */
export function recordingClient(
  client: KubeClient,
  record: (write: RecordedWrite) => void,
  unrecorded: (request: KubeRequest) => void = () => undefined,
  refusal: () => Error | undefined = () => undefined,
): KubeClient {
  return wrappedClient(client, (request) => {
    if (request.method === 'GET') return client.exchange(request);
    if (request.recordWrites) request.recordWrites(record);
    else unrecorded(request);
    return defer(() => {
      const error = refusal();
      return error ? throwError(() => error) : client.exchange(request);
    });
  });
}
