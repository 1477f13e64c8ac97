import { SilentConnectionError, StatusError, type SourceStatus } from 'rx-informers';
import { durationText } from './age.js';

/** How a connection is to be shown. */
export type Tone = 'live' | 'busy' | 'trouble' | 'idle';

export interface Connection {
  readonly tone: Tone;
  /** In a few words; the same for as long as the state is the same. */
  readonly text: string;
  /** What changes with every second: when it is tried again. */
  readonly countdown?: string;
  /** What may be the matter, where the words of the error do not say it. */
  readonly hint?: string;
  /** What went wrong, in the words of the error. */
  readonly detail?: string;
}

export function connectionOf(status: SourceStatus, now: number): Connection {
  switch (status.state) {
    case 'watching':
      return { tone: 'live', text: 'live' };
    case 'listing':
      return { tone: 'busy', text: `loading ${progressText(status)}` };
    case 'reconnecting':
      return { tone: 'busy', text: 'reconnecting', ...detailOf(status.cause) };
    case 'stopped':
      return { tone: 'idle', text: 'not connected' };
    case 'backing-off':
      if (status.cause.expected) {
        return { tone: 'busy', text: 'reconnecting', ...detailOf(status.cause) };
      }
      return { tone: 'trouble', text: 'disconnected', ...retryOf(status, now) };
    case 'forbidden':
      return {
        tone: 'trouble',
        text: isUnauthorized(status.cause) ? 'not signed in' : 'no permission',
        ...retryOf(status, now),
      };
    case 'not-found':
      return { tone: 'trouble', text: 'not found', hint: notFound, ...retryOf(status, now) };
  }
}

const notFound = 'This kind is not installed, or there is no Kubernetes API behind this page.';

/** A watch that is opened anew takes no longer: nothing to speak of. */
const moment = 2000;

/** How old what is shown may be: since when a connection that was live is not. `undefined` for a moment. */
export function stalenessText(lostAt: number, now: number): string | undefined {
  return now - lostAt < moment ? undefined : `as of ${durationText(now - lostAt)} ago`;
}

/** For how many milliseconds a connection had been silent before it was given up: what was shown meanwhile was not live. */
export function silenceOf(status: SourceStatus): number {
  const cause = 'cause' in status ? status.cause : undefined;
  return cause instanceof SilentConnectionError ? cause.silence : 0;
}

/** Whether the server has given something since it was last asked; nobody asks while stopped. */
export function isAnswered(status: SourceStatus): boolean {
  return (
    status.state === 'watching' || status.state === 'stopped' || (status.state === 'listing' && status.received > 0)
  );
}

function progressText({ received, expected }: Extract<SourceStatus, { state: 'listing' }>): string {
  return expected === undefined ? String(received) : `${received} of ${expected}`;
}

function retryOf(
  { until, attempt, cause }: Extract<SourceStatus, { until: number }>,
  now: number,
): Pick<Connection, 'countdown' | 'detail'> {
  const seconds = Math.ceil(Math.max(0, until - now) / 1000);
  return { countdown: `attempt ${attempt + 1} in ${seconds} s`, ...detailOf(cause) };
}

function detailOf(cause: Error | undefined): Pick<Connection, 'detail'> {
  return cause === undefined ? {} : { detail: cause.message.replace(/\s+/g, ' ') };
}

function isUnauthorized(cause: Error): boolean {
  return cause instanceof StatusError && cause.statusCode === 401;
}
