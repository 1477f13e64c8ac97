import { type KubeClient, StatusError } from 'rx-informers';
import type { KubeRequest, ResponsePart, RequestLine } from 'rx-informers/client';
import { finalize, merge, NEVER, Observable, of, takeUntil, throwError, timer, mergeMap, map } from 'rxjs';

export type Answer = Observable<ResponsePart>;

export interface ScriptedClient extends KubeClient {
  readonly requests: readonly KubeRequest[];
  /** Each request in short form: `LIST limit=500`, `WATCH resourceVersion=10`. */
  readonly log: readonly string[];
  readonly inFlight: number;
  /** The largest number of simultaneous requests. */
  readonly maxInFlight: number;
}

type ScriptedAnswer = Answer | ((request: KubeRequest) => Answer);

/** Returns true for the request for the version of the server, after a broken connection. */
export const isProbe = ({ query = {} }: KubeRequest): boolean =>
  query['limit'] === 1 && query['resourceVersion'] === undefined && query['continue'] === undefined;

/**
 * Returns a client that answers each request with the next answer. When all answers are used, it
 * repeats the last one.
 *
 * @param probe answers requests for the version of the server; default: a list without a version.
 *   Such a request uses up no other answer, and is in `log` only if `probe` is given
 */
export function scriptedClient(answers: readonly ScriptedAnswer[], probe?: ScriptedAnswer): ScriptedClient {
  const requests: KubeRequest[] = [];
  const log: string[] = [];
  let answered = 0;
  let inFlight = 0;
  let maxInFlight = 0;
  return {
    requests,
    log,
    get inFlight() {
      return inFlight;
    },
    get maxInFlight() {
      return maxInFlight;
    },
    exchange: (request) =>
      new Observable((subscriber) => {
        const isApart = isProbe(request);
        const answer = isApart ? (probe ?? versionless) : (answers[Math.min(answered++, answers.length - 1)] ?? NEVER);
        requests.push(request);
        if (!isApart || probe !== undefined) log.push(describe(request));
        inFlight++;
        if (!isApart) maxInFlight = Math.max(maxInFlight, inFlight);
        const observable = typeof answer === 'function' ? answer(request) : answer;
        return observable.pipe(finalize(() => inFlight--)).subscribe(subscriber);
      }),
  };
}

function describe({ query = {} }: KubeRequest): string {
  const { watch, sendInitialEvents, allowWatchBookmarks: _bookmarks, timeoutSeconds: _seconds, ...rest } = query;
  const shown = Object.entries(rest)
    .filter(([name, value]) => value !== undefined && name !== 'resourceVersionMatch')
    .map(([name, value]) => `${name}=${String(value)}`);
  return [sendInitialEvents ? 'STREAM' : watch ? 'WATCH' : 'LIST', ...shown].join(' ');
}

/**
 * Returns a successful answer: the head, then texts at their times. The answer completes at `end`,
 * or never if there is no `end`.
 */
export function respond(
  chunks: readonly (readonly [at: number, text: string])[],
  options: {
    readonly headAt?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly end?: number;
    readonly cut?: readonly [at: number, error: Error];
  } = {},
): Answer {
  const { headAt = 0, headers, end, cut } = options;
  const parts = merge(
    at(headAt, { type: 'head', status: 200, headers: { 'content-type': 'application/json', ...headers } }),
    ...chunks.map(([time, text]) => at(time, { type: 'bytes', bytes: encode(text) })),
    cut === undefined ? NEVER : timer(cut[0]).pipe(mergeMap(() => throwError(() => cut[1]))),
  );
  return end === undefined ? merge(parts, NEVER) : parts.pipe(takeUntil(timer(end)));
}

const versionless = respond([[0, '{"metadata":{}}']], { end: 1 });

/** Returns an answer that fails after 1 ms. */
export function refuse(error: Error): Answer {
  return timer(1).pipe(mergeMap(() => throwError(() => error)));
}

export const somewhere: RequestLine = { method: 'GET', url: '/api/v1/pods' };

export function statusError(
  code: number,
  status: Partial<StatusError['status']> = {},
  retryAfter?: number,
): StatusError {
  return new StatusError(somewhere, { kind: 'Status', code, ...status }, { code, retryAfter });
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function at(time: number, part: ResponsePart): Answer {
  return time === 0 ? of(part) : timer(time).pipe(map(() => part));
}
