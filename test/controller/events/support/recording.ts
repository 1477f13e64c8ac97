import {
  type EventDetails,
  type EventRecorderOptions,
  eventRecorder,
  type EventRecorder,
  type RecordingOutcome,
} from 'rx-informers/controller';
import { eventsV1Events, type EventsV1Event } from 'rx-informers/resources';
import { createInMemoryApiServer, virtualClock, type InMemoryApiServer } from 'rx-informers/testing';

/** A recorder and its API server, in virtual time. */
export interface Recording {
  readonly server: InMemoryApiServer;
  readonly recorder: EventRecorder;
  /** The outcomes, each described in a few words: `0 written a Started 2`. */
  readonly lines: string[];
  readonly outcomes: readonly RecordingOutcome[];
  /** The time and the method of each request: `0 POST`. */
  readonly requests: string[];
  /** Returns the number of timers. */
  readonly timers: () => number;
  readonly advance: (milliseconds: number) => void;
  /** Returns the events that the API server stores. */
  readonly stored: () => readonly EventsV1Event[];
  /** Returns the number of occurrences of each event: `a Started 2`. */
  readonly counts: () => readonly string[];
}

export function recording(options: Partial<EventRecorderOptions> = {}): Recording {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({ scheduler });
  const recorder = eventRecorder(server.client, {
    reportingController: 'example.com/tests',
    reportingInstance: 'tests-0',
    random: () => 0.5,
    scheduler,
    ...options,
  });
  const lines: string[] = [];
  const outcomes: RecordingOutcome[] = [];
  const requests: string[] = [];
  server.requests$.subscribe(({ method }) => requests.push(`${scheduler.now()} ${method}`));
  recorder.outcomes$.subscribe((outcome) => {
    outcomes.push(outcome);
    lines.push(`${scheduler.now()} ${lineOf(outcome)}`);
  });
  const stored = (): readonly EventsV1Event[] => server.objects.list(eventsV1Events);
  return {
    server,
    recorder,
    lines,
    outcomes,
    requests,
    stored,
    timers: () => scheduler.timers,
    advance: (milliseconds) => {
      scheduler.advance(milliseconds);
    },
    counts: () =>
      stored()
        .map(({ regarding, reason, series }) => `${regarding?.name} ${reason} ${series?.count ?? 1}`)
        .sort(),
  };
}

function lineOf(outcome: RecordingOutcome): string {
  const { event } = outcome;
  const what = event && `${event.regarding.name} ${event.reason} ${event.series?.count ?? 1}`;
  switch (outcome.type) {
    case 'written':
      return `written ${what}`;
    case 'retrying':
      return `retrying ${what} in ${outcome.wait}`;
    case 'dropped':
      return `dropped ${what} (${outcome.cause}, ${outcome.occurrences})`;
    default:
      return outcome satisfies never;
  }
}

export const pod = (name: string, namespace = 'default') =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, uid: `uid-of-${name}` } }) as const;

export const started: EventDetails = { type: 'Normal', reason: 'Started', action: 'Starting', note: 'it runs' };

export const seconds = 1_000;
export const minutes = 60 * seconds;
