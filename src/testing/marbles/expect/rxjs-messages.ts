import { inspect, isDeepStrictEqual } from 'node:util';
import { MarbleAssertionError } from './marble-assertion-error.js';
import type { Moment } from './moment.js';

/** What rxjs's `expectObservable` compares. */
interface Message {
  readonly frame: number;
  readonly notification:
    | { readonly kind: 'N'; readonly value: unknown }
    | { readonly kind: 'E'; readonly error: unknown }
    | { readonly kind: 'C' };
}

/** The assertion of rxjs's own expectations: deep equality, with the timeline in the error. */
export function assertSameMessages(actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new MarbleAssertionError('the stream', toMoments(expected), toMoments(actual));
}

function toMoments(recorded: unknown): readonly Moment[] {
  return (recorded as readonly unknown[]).flatMap((entry) =>
    isMessage(entry) ? [momentOf(entry)] : subscriptionOf(entry),
  );
}

function isMessage(entry: unknown): entry is Message {
  return typeof entry === 'object' && entry !== null && 'notification' in entry;
}

function momentOf({ frame, notification }: Message): Moment {
  switch (notification.kind) {
    case 'N':
      return { frame, label: show(notification.value) };
    case 'E':
      return { frame, label: '#', detail: show(notification.error) };
    case 'C':
      return { frame, label: '|' };
  }
}

function subscriptionOf(entry: unknown): readonly Moment[] {
  const { subscribedFrame, unsubscribedFrame } = entry as {
    readonly subscribedFrame: number;
    readonly unsubscribedFrame: number;
  };
  return [
    { frame: subscribedFrame, label: '^' },
    { frame: unsubscribedFrame, label: '!' },
  ];
}

function show(value: unknown): string {
  return value instanceof Error
    ? `${value.name}: ${value.message}`
    : inspect(value, { depth: 4, breakLength: Infinity });
}
