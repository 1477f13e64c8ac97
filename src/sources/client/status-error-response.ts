import {
  asyncScheduler,
  Observable,
  Subject,
  takeUntil,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import { type RxInformersError } from '../../kubernetes/errors.js';
import type { KubernetesStatus } from '../../kubernetes/object.js';
import { wallTime } from '../../scheduling/clock.js';
import { StatusError, type RequestLine, responseError } from '../model/errors.js';
import { createByteAccumulator } from '../wire/bytes.js';
import type { ResponseHead, ResponsePart } from './kube-client.js';

/** The limit for a body, in bytes. Any `Status` and any error page is smaller. */
const maxBodyLength = 1024 * 1024;
const maxMessageLength = 1000;

/**
 * Turns a response that is not successful into an error, after its body has been read.
 *
 * | in | out |
 * | --- | --- |
 * | head of 200 to 299, and its bytes | unchanged |
 * | head of 400 or more, with a `Status` object | `StatusError` with that status |
 * | head of 400 or more, with anything else (a proxy's HTML) | `StatusError` made from the code and
 * the text |
 * | head of 300 to 399 | `RXI_RESPONSE` that contains the target of the redirect |
 * | head below 200 (101 Switching Protocols) | `RXI_RESPONSE`, at once, because it has no body |
 * | an error while the body of a response that is not successful is read | the same error as if the
 * body had ended there, because the code is more useful than the broken connection |
 *
 * `Retry-After` is read as seconds or as a date; a date is compared with the `Date` header of the
 * response, so that the clock of this machine does not matter. Without that header, it is compared
 * with the clock of `scheduler`.
 *
 * **Guarantees**: holds and reads at most 1 MiB of the body and one chunk.
 */
export function statusErrorResponse(
  request: RequestLine,
  scheduler: SchedulerLike = asyncScheduler,
): MonoTypeOperatorFunction<ResponsePart> {
  return (parts) =>
    new Observable((subscriber) => {
      const body = createByteAccumulator();
      const enough$ = new Subject<void>();
      let refusal: ResponseHead | undefined;
      const refuse = (head: ResponseHead): void => subscriber.error(errorOf(request, head, body.peek(), scheduler));
      return parts.pipe(takeUntil(enough$)).subscribe({
        next(part) {
          if (part.type === 'head' && !(part.status >= 200 && part.status < 300)) {
            refusal = part;
            if (part.status < 200) enough$.next();
          } else if (refusal === undefined) {
            subscriber.next(part);
          } else if (part.type === 'bytes') {
            body.append(part.bytes);
            if (body.length >= maxBodyLength) enough$.next();
          }
        },
        error: (error: unknown) => (refusal === undefined ? subscriber.error(error) : refuse(refusal)),
        complete: () => (refusal === undefined ? subscriber.complete() : refuse(refusal)),
      });
    });
}

function errorOf(
  request: RequestLine,
  { status: code, headers }: ResponseHead,
  body: Uint8Array,
  scheduler: SchedulerLike,
): StatusError | RxInformersError<'RXI_RESPONSE'> {
  const text = new TextDecoder().decode(body);
  if (code < 200) {
    return responseError(request, `${code}: the API server switches to another protocol; check its address`, text);
  }
  if (code < 400) {
    return responseError(
      request,
      `${code}: the API server redirects to ${headers['location'] ?? 'an unknown address'}, which is not followed; check its address`,
      text,
    );
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
/** This is checked first, because `Date.parse` also accepts `-5` and `1.5`. */
const httpDate = /^[A-Z][a-z]{2,8},? /;

/**
 * Returns the milliseconds of a `Retry-After` header: 0 for a date that has passed, `undefined` for
 * neither seconds nor a date.
 *
 * @param now returns the current time in milliseconds, on the clock that produced the date
 */
export function retryAfterMilliseconds(header: string | undefined, now: () => number): number | undefined {
  const value = header?.trim() ?? '';
  if (wholeSeconds.test(value)) return Number(value) * 1000;
  const date = httpDate.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

/**
 * Returns the innermost error, which has the actual reason. The error `fetch failed` has the actual
 * reason as its `cause`. For a host with several addresses, there is one error for each address.
 *
 * It does not use `instanceof`, because in a test runner the network code may be of another realm.
 */
export function rootCause(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { errors, cause } = error as { readonly errors?: unknown; readonly cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return rootCause(errors[0]);
  return typeof cause === 'object' && cause !== null ? rootCause(cause) : error;
}
