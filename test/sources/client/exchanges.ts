import { type ErrorCode, type RxInformersError, isRxInformersError } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import { lastValueFrom, map, toArray, type Observable } from 'rxjs';

export const listPods: KubeRequest = { method: 'GET', path: '/api/v1/pods', query: { limit: 500 } };

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The order in which the parts arrived. */
  readonly types: readonly ResponsePart['type'][];
}

export async function answerOf(parts: Observable<ResponsePart>): Promise<Answered> {
  // The bytes are valid only during the callback.
  const copies = parts.pipe(map((part) => (part.type === 'bytes' ? { ...part, bytes: part.bytes.slice() } : part)));
  const received = await lastValueFrom(copies.pipe(toArray()));
  const head = received.find((part) => part.type === 'head');
  const chunks = received.flatMap((part) => (part.type === 'bytes' ? [Buffer.from(part.bytes)] : []));
  return {
    status: head?.status ?? 0,
    headers: head?.headers ?? {},
    body: Buffer.concat(chunks).toString(),
    types: received.map((part) => part.type),
  };
}

/** Returns the error with which an Observable ends, if the error has `code`. */
export async function failureOf<Code extends ErrorCode>(
  source: Observable<unknown>,
  code: Code,
): Promise<RxInformersError<Code>> {
  const outcome: unknown = await lastValueFrom(source, { defaultValue: undefined }).then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (isRxInformersError(outcome, code)) return outcome;
  throw outcome;
}
