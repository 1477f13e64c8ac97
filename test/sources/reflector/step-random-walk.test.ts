import fc from 'fast-check';
import {
  exponentialBackoff,
  ConnectionError,
  DecodeError,
  ResponseError,
  TransformError,
  type SourceError,
} from 'rx-informers';
import {
  type ReflectorConfig,
  type DecodedEvent,
  type Happening,
  type Turn,
  type State,
} from '../../../src/sources/reflector/protocol.js';
import { alarmOf, initialState, step } from '../../../src/sources/reflector/step.js';
import { somewhere, statusError } from '../support/scripted-client.js';

const config = (initialList: 'stream' | 'pages'): ReflectorConfig => ({
  initialList,
  listConsistency: 'any',
  pageSize: undefined,
  watchTimeout: [300, 600],
  grace: 30_000,
  openTimeout: 60_000,
  listSilence: 30_000,
  bookmarkDeadline: 30_000,
  maxRetryAfter: 300_000,
  backoff: exponentialBackoff(),
  requestLine: () => somewhere,
});

const name = fc.constantFrom('a', 'b', 'c');
const version = fc.constantFrom('0', '1', '2', '3');
const failure: fc.Arbitrary<SourceError> = fc.oneof(
  fc.constantFrom(400, 401, 403, 404, 405, 408, 410, 422, 429, 500, 503, 504).map((code) => statusError(code)),
  fc.constant(new ConnectionError(somewhere, new Error('reset'))),
  fc.constant(new ResponseError(somewhere, 'HTML')),
);
const lost = fc.constant(new DecodeError(somewhere, 'garbage', 'x', 1));
const change = fc.constantFrom('ADDED' as const, 'MODIFIED' as const, 'DELETED' as const);
const event: fc.Arbitrary<DecodedEvent<string>> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      change,
      object: name,
      key: name,
      resourceVersion: version,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('elsewhere' as const), change, resourceVersion: version }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('bookmark' as const),
      resourceVersion: version,
      endsInitialList: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(410, 429, 500).map((code) => ({ type: 'error' as const, error: statusError(code) })),
  },
  { weight: 1, arbitrary: lost.map((error) => ({ type: 'lost' as const, error })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(change, name)
      .map(([type, key]) => ({ type: 'untransformed' as const, change: type, error: new TransformError(key, 'no') })),
  },
);
const happening: fc.Arbitrary<Happening<string> | Turn> = fc.oneof(
  fc.constantFrom({ type: 'queued' as const }, { type: 'sent' as const }),
  fc.constant({ type: 'started' as const }),
  fc.constant({ type: 'head' as const }),
  fc.constant({ type: 'alarm' as const }),
  fc.array(name, { maxLength: 3 }).map((items) => ({ type: 'items' as const, items, failures: [] })),
  fc
    .record({ resourceVersion: version, continue: fc.constantFrom('', 'next') }, { requiredKeys: [] })
    .map((metadata) => ({ type: 'page-end' as const, metadata })),
  { weight: 4, arbitrary: fc.array(event, { maxLength: 4 }).map((events) => ({ type: 'events' as const, events })) },
  fc.constant({ type: 'closed' as const }),
  failure.map((error) => ({ type: 'failed' as const, error })),
);
const elapsed = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 700_000 }));

const walk = fc.array(fc.tuple(happening, elapsed, fc.double({ min: 0, max: 0.999, noNaN: true })), { maxLength: 60 });

const endsRequest = (type: (Happening<string> | Turn)['type']): boolean =>
  ['page-end', 'closed', 'failed'].includes(type);

/** Whether a limited client keeps the request waiting: then the next alarm is the client's. */
const isQueued = (state: State<string>): boolean =>
  'openedAt' in state && state.openedAt === Infinity && state.headAt === undefined;

/** Cheaper than `expect`, which is asked some hundred thousand times here. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`violated: ${what}`);
}

describe('step, whatever happens', () => {
  it.each(['stream', 'pages'] as const)(
    'G5: never throws, never has two requests, never stops by itself (%s)',
    (initialList) => {
      fc.assert(
        fc.property(walk, (steps) => {
          let state: State<string> = initialState;
          let inFlight = 0;
          let alarm = Infinity;
          let at = 0;
          const settings = config(initialList);
          const feed = (input: Happening<string> | Turn, random: number): void => {
            if (endsRequest(input.type)) inFlight = 0;
            const next = step(settings, state, { ...input, at, random });
            ({ state } = next);
            for (const effect of next.effects) {
              if (effect.type === 'abort') inFlight = 0;
              if (effect.type === 'request') inFlight++;
              must(inFlight <= 1, 'one request at a time');
            }
            alarm = alarmOf(settings, state);
            must(alarm < Infinity || isQueued(state), 'an alarm');
            must(state.name !== 'waiting' || inFlight === 0, 'no request while waiting');
          };
          feed({ type: 'started' }, 0);
          for (const [input, after, random] of steps) {
            // An alarm rings when it is due, before anything later happens.
            const then = at + after;
            while (alarm <= then) {
              at = Math.max(at, alarm);
              feed({ type: 'alarm' }, random);
            }
            at += after;
            // What no request is there to bring cannot happen.
            if (inFlight === 0 && input.type !== 'alarm') continue;
            feed(input, random);
          }
          // Left alone, it asks again: no silence lasts for ever.
          if (isQueued(state)) feed({ type: 'sent' }, 0);
          let requests = 0;
          for (let rings = 0; rings < 10 && requests === 0; rings++) {
            at = Math.max(at, alarm);
            const before = step(settings, state, { type: 'alarm', at, random: 0 });
            requests += before.effects.filter((effect) => effect.type === 'request').length;
            feed({ type: 'alarm' }, 0);
          }
          must(requests > 0, 'another request');
        }),
        { numRuns: 300 },
      );
    },
  );

  it('R12 ▲: the version only ever moves to one that was delivered before it, or is another shard’s', () => {
    fc.assert(
      fc.property(walk, (steps) => {
        let state: State<string> = initialState;
        let at = 0;
        for (const [input, after, random] of [[{ type: 'started' as const }, 0, 0] as const, ...steps]) {
          at += after;
          const before = state.memory.resourceVersion;
          const next = step(config('stream'), state, { ...input, at, random });
          ({ state } = next);
          if (state.memory.resourceVersion === before || isElsewhere(input, state.memory.resourceVersion)) continue;
          const delivered = next.effects.flatMap((effect) => (effect.type === 'emit' ? effect.batch : []));
          expect(
            delivered.some(({ type }) => ['LISTED', 'ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'].includes(type)),
          ).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function isElsewhere(input: Happening<string> | Turn, resourceVersion: string): boolean {
  if (input.type !== 'events') return false;
  return input.events.some((event) => event.type === 'elsewhere' && event.resourceVersion === resourceVersion);
}
