import { useState } from 'react';
import { StatusError, type Collection, type SourceStatus, isRxInformersError } from 'rx-informers';
import { useHasSynced, useStatus } from 'rx-informers/react';
import { durationText } from '../text/age.js';

/** How a connection is displayed. */
export type Tone = 'live' | 'busy' | 'trouble' | 'idle';

export interface Connection {
  readonly tone: Tone;
  /** The state in a few words. */
  readonly text: string;
  /** A possible cause, if the message of the error does not name one. */
  readonly hint?: string;
  /** The message of the error. */
  readonly detail?: string;
}

export function connectionOf(status: SourceStatus): Connection {
  switch (status.state) {
    case 'watching':
      return { tone: 'live', text: 'live' };
    case 'listing':
      return { tone: 'busy', text: 'loading' };
    case 'reconnecting':
      return { tone: 'busy', text: 'reconnecting', ...detailOf(status.cause) };
    case 'stopped':
      return { tone: 'idle', text: 'not connected' };
    case 'backing-off':
      if (status.cause.expected) {
        return { tone: 'busy', text: 'reconnecting', ...detailOf(status.cause) };
      }
      return { tone: 'trouble', text: 'disconnected', ...detailOf(status.cause) };
    case 'forbidden':
      return isUnauthorized(status.cause)
        ? { tone: 'trouble', text: 'expired credentials', hint: expired, ...detailOf(status.cause) }
        : { tone: 'trouble', text: 'no permission', ...detailOf(status.cause) };
    case 'not-found':
      return { tone: 'trouble', text: 'not found', hint: notFound, ...detailOf(status.cause) };
  }
}

const expired = 'The API server does not accept the credentials, or no longer. Sign in to the cluster again.';
const notFound = 'This kind is not installed, or there is no Kubernetes API behind this page.';

/**
 * Milliseconds within which a watch usually reconnects. A shorter interruption needs no message.
 */
const moment = 2000;

/**
 * Returns the age of the data after a live connection was lost at `lostAt`. Returns `undefined` for
 * the first two seconds.
 */
export function stalenessText(lostAt: number, now: number): string | undefined {
  return now - lostAt < moment ? undefined : `as of ${durationText(now - lostAt)} ago`;
}

/**
 * Returns how many milliseconds a connection had been silent before it was closed. The data that
 * was shown during that time was not live.
 */
export function silenceOf(status: SourceStatus): number {
  const cause = 'cause' in status ? status.cause : undefined;
  return isRxInformersError(cause, 'RXI_SILENT_CONNECTION') ? cause.silence : 0;
}

/**
 * Returns whether the server has answered since the last request. Returns true for a stopped
 * source, because it requests nothing.
 */
export function isAnswered(status: SourceStatus): boolean {
  return (
    status.state === 'watching' || status.state === 'stopped' || (status.state === 'listing' && status.received > 0)
  );
}

function detailOf(cause: Error | undefined): Pick<Connection, 'detail'> {
  return cause === undefined ? {} : { detail: cause.message.replace(/\s+/g, ' ') };
}

/**
 * Returns the message of the API server about a refused request, without the request. Returns
 * `undefined` if it sent none.
 */
export function answerTo({ cause }: { readonly cause: Error }): string | undefined {
  return cause instanceof StatusError ? cause.status.message?.replace(/\s+/g, ' ') : undefined;
}

/** Returns whether the API server does not accept the credentials. */
export function isUnauthorized(cause: Error): boolean {
  return cause instanceof StatusError && cause.statusCode === 401;
}

/**
 * Returns the status to display. A failure stays until the server has answered successfully, also
 * during a retry.
 */
export function useSettled(status: SourceStatus): SourceStatus {
  const [trouble, setTrouble] = useState<SourceStatus>();
  const next = connectionOf(status).tone === 'trouble' ? status : isAnswered(status) ? undefined : trouble;
  if (next !== trouble) setTrouble(next);
  return next ?? status;
}

/**
 * Returns true while a collection has no content because the user may not read it, or because the
 * cluster does not have the resource. Then the collection does not count as loading, not even
 * during a retry.
 */
export function useIsRefused<T, I extends string>(collection: Collection<T, I>): boolean {
  const hasSynced = useHasSynced(collection);
  const { state } = useSettled(useStatus(collection));
  return !hasSynced && (state === 'forbidden' || state === 'not-found');
}

/**
 * Returns when a synced collection stopped being live, in milliseconds since the epoch. Returns
 * `undefined` while the collection is live, and before its first sync.
 *
 * @param silence milliseconds since the last received data
 */
export function useLostAt(status: SourceStatus, hasSynced: boolean, now: number, silence = 0): number | undefined {
  const [lostAt, setLostAt] = useState<number>();
  const isLost = hasSynced && status.state !== 'watching';
  // Only the silence before the loss counts. A later silence does not move the time back.
  const next = isLost ? (lostAt ?? now - Math.max(silenceOf(status), silence)) : undefined;
  if (next !== lostAt) setLostAt(next);
  return next;
}
