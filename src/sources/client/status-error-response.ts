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
import type { KubernetesStatus } from '../../kubernetes/object.js';
import { wallTime } from '../../time/clock.js';
import { ResponseError, StatusError, type RequestLine } from '../model/errors.js';
import { createByteAccumulator } from '../wire/bytes.js';
import type { ResponseHead, ResponsePart } from './kube-client.js';

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

const wholeSeconds = /^\d+$/;
/** HTTP dates begin with the day; `Date.parse` takes `-5` and `1.5` for dates, too. */
const httpDate = /^[A-Z][a-z]{2,8},? /;

/**
 * The milliseconds that a `Retry-After` header asks to wait: seconds, or the date when to come back.
 *
 * @param now what time it is, in milliseconds, on the clock that the date was made with
 * @returns `undefined` for a header that is neither; 0 for a date that has passed
 */
export function retryAfterMilliseconds(header: string | undefined, now: () => number): number | undefined {
  const value = header?.trim() ?? '';
  if (wholeSeconds.test(value)) return Number(value) * 1000;
  const date = httpDate.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

/**
 * The error that says what happened, under those that only say that something did: `fetch failed` has its reason as
 * `cause`, and a host with several addresses one error for each of them.
 *
 * It looks at shapes and not at classes: a test runner's realm has other classes than the network below it.
 */
export function rootCause(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { errors, cause } = error as { readonly errors?: unknown; readonly cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return rootCause(errors[0]);
  return typeof cause === 'object' && cause !== null ? rootCause(cause) : error;
}
