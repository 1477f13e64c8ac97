import { StatusError, type SourceStatus } from 'rx-informers';
import { connectionOf, isUnauthorized } from './connection.js';

/** The server that does not answer: the server of this page, or the API server of the cluster. */
export type Culprit = 'server' | 'cluster';

/** One kind that the page always watches. */
export interface Watched {
  /** The status as `useSettled` returns it. */
  readonly status: SourceStatus;
  readonly hasSynced: boolean;
  /** Milliseconds since anything was last received; undefined before the first byte. */
  readonly silence: number | undefined;
}

/** The state of the page's connection, with the details of that state. */
export type Health =
  | { readonly state: 'live'; readonly silence: number | undefined }
  | { readonly state: 'loading'; readonly status: Extract<SourceStatus, { readonly state: 'listing' }> | undefined }
  | { readonly state: 'reconnecting' }
  | { readonly state: 'silent'; readonly silence: number }
  /** No kind may be read: permissions are missing, or the API server does not accept the credentials. */
  | { readonly state: 'refused'; readonly isExpired: boolean }
  | { readonly state: 'lost'; readonly status: Extract<SourceStatus, { readonly until: number }> };

/** Milliseconds of silence after which a server that sends heartbeats is no longer shown as live. */
const maxSilence = 12_000;

/**
 * The same for kinds that are read through the hub, which confirms every 30 s that its objects are
 * current. Its connection is checked every five seconds.
 */
const maxSilenceOfHub = 45_000;

/**
 * Returns the silence that counts as a failure. A server that reports no context, such as `kubectl
 * proxy`, sends no heartbeats, so silence is no failure.
 */
export function maxSilenceOf({
  context,
  kindsOfHub,
}: {
  readonly context: string | undefined;
  readonly kindsOfHub: readonly string[];
}): number {
  if (context === undefined) return Infinity;
  return kindsOfHub.length > 0 ? maxSilenceOfHub : maxSilence;
}

/**
 * Returns the worst state of all kinds that the page watches.
 *
 * @param maxSilence the milliseconds of silence that count as a failure
 */
export function healthOf(watched: readonly Watched[], maxSilence: number): Health {
  for (const { status } of watched) {
    if (status.state === 'backing-off' && connectionOf(status).tone === 'trouble') return { state: 'lost', status };
  }
  const allowed = watched.filter(({ status }) => status.state !== 'forbidden' && status.state !== 'not-found');
  if (allowed.length === 0) {
    const isExpired = watched.some(({ status }) => status.state === 'forbidden' && isUnauthorized(status.cause));
    return { state: 'refused', isExpired };
  }
  const loading = allowed.find(({ hasSynced }) => !hasSynced);
  if (loading) return { state: 'loading', status: loading.status.state === 'listing' ? loading.status : undefined };
  const silences = allowed.flatMap(({ silence }) => silence ?? []);
  const silence = silences.length === 0 ? undefined : Math.max(...silences);
  if (silence !== undefined && silence > maxSilence) return { state: 'silent', silence };
  if (allowed.some(({ status }) => status.state !== 'watching')) return { state: 'reconnecting' };
  return { state: 'live', silence };
}

/**
 * Returns the server that does not answer, if the error identifies it. The page's server answers
 * 502, 503 or 504 if the API server does not answer.
 */
export function culpritOf(cause: Error): Culprit | undefined {
  return cause instanceof StatusError ? culpritOfStatus(cause.statusCode) : undefined;
}

/** Does the same for the status code of an answer. */
export function culpritOfStatus(statusCode: number): Culprit | undefined {
  return [502, 503, 504].includes(statusCode) ? 'cluster' : undefined;
}
