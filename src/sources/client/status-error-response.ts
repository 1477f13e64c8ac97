import {
  asyncScheduler,
  catchError,
  concat,
  defer,
  EMPTY,
  filter,
  takeWhile,
  tap,
  throwError,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import { wallTime } from '../../time/steady.js';
import type { KubernetesStatus } from '../../kubernetes/status.js';
import { ResponseError, StatusError, type RequestLine } from '../source-error.js';
import { createByteAccumulator } from '../wire/byte-accumulator.js';
import type { ResponseHead, ResponsePart } from './kube-client.js';
import { retryAfterMilliseconds } from './retry-after.js';

/** More than any `Status`, and any page that explains a failure to a person. */
const maxBodyLength = 1024 * 1024;
const maxMessageLength = 1000;

/**
 * Turns an answer that is no success into an error, once its body has been read.
 *
 * | in | out |
 * | --- | --- |
 * | head below 300, and its bytes | as they are |
 * | head of 400 or more, with a `Status` object | `StatusError` with that status |
 * | head of 400 or more, with anything else (a proxy's HTML) | `StatusError` made up from the code and the text |
 * | head of 300 to 399 | `ResponseError` that says where the server redirects to |
 * | an error while such a body is read | as if the body had ended there: the code says more than the broken connection |
 *
 * `Retry-After` is read as seconds or as a date; a date is compared with the answer's own `Date`, so that it does not
 * matter what this machine's clock says, and with the `scheduler`'s clock where there is none.
 *
 * **Guarantees**: never holds more than 1 MiB of the body and one chunk; it does not read on beyond that.
 */
export function statusErrorResponse(
  request: RequestLine,
  scheduler: SchedulerLike = asyncScheduler,
): MonoTypeOperatorFunction<ResponsePart> {
  return (parts) =>
    defer(() => {
      const body = createByteAccumulator();
      let refusal: ResponseHead | undefined;
      const outcome = defer(() => {
        const head = refusal;
        return head === undefined ? EMPTY : throwError(() => errorOf(request, head, body.peek(), scheduler));
      });
      const successful = parts.pipe(
        tap((part) => {
          if (part.type === 'head' && part.status >= 300) refusal = part;
          if (part.type === 'bytes' && refusal !== undefined) body.append(part.bytes);
        }),
        takeWhile((part) => part.type === 'head' || body.length < maxBodyLength),
        filter(() => refusal === undefined),
        catchError((error: unknown) => (refusal === undefined ? throwError(() => error) : EMPTY)),
      );
      return concat(successful, outcome);
    });
}

function errorOf(
  request: RequestLine,
  { status: code, headers }: ResponseHead,
  body: Uint8Array,
  scheduler: SchedulerLike,
): StatusError | ResponseError {
  const text = new TextDecoder().decode(body);
  if (code < 400) {
    return new ResponseError(request, `${code}: the server redirects to ${headers['location'] ?? 'nowhere'}`, text);
  }
  const sentAt = Date.parse(headers['date'] ?? '');
  const now = (): number => (Number.isNaN(sentAt) ? wallTime(scheduler) : sentAt);
  const retryAfter = retryAfterMilliseconds(headers['retry-after'], now);
  return new StatusError(request, statusIn(text) ?? madeUpStatus(code, text), { code, retryAfter });
}

function statusIn(text: string): KubernetesStatus | undefined {
  try {
    const value = JSON.parse(text) as KubernetesStatus | null;
    return value?.kind === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}

function madeUpStatus(code: number, text: string): KubernetesStatus {
  const message = text.trim().slice(0, maxMessageLength) || `HTTP status ${code} without a body`;
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message };
}
