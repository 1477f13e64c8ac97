import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { exponentialBackoff } from 'rx-informers/client';
import { type SourceError } from 'rx-informers/store';
import { connectionError, responseError, decodingError, transformError } from '../../../src/sources/model/errors.js';
import { reflectorAlarm } from '../../../src/sources/reflector/alarm.js';
import {
  type ReflectorConfig,
  type Step,
  type Input,
  nothingKnown,
  type Memory,
  type RequestQuery,
  type State,
  type DecodedEvent,
  type Turn,
} from '../../../src/sources/reflector/protocol.js';
import { initialState, step } from '../../../src/sources/reflector/step.js';
import { somewhere, statusError } from '../support/scripted-client.js';

describe('step: single steps', () => {
  const config: ReflectorConfig = {
    initialList: 'pages',
    listConsistency: 'any',
    pageSize: 500,
    isPageSizeSet: false,
    watchTimeout: [300, 600],
    grace: 30_000,
    listSilence: 30_000,
    watchSilence: Infinity,
    maxRetryAfter: 300_000,
    backoff: exponentialBackoff({ jitter: 0 }),
    requestLine: (query) => ({ method: 'GET', url: `/${query.verb}` }),
  };

  type Item = string;

  function next(
    state: State<Item>,
    reflectorEvent: Input<Item>,
    at = 0,
    settings: Partial<ReflectorConfig> = {},
  ): Step<Item> {
    return step({ config: { ...config, ...settings }, at, random: 0 }, state, reflectorEvent);
  }

  function queryOf({ effects }: Step<Item>): unknown {
    return effects.flatMap((effect) => (effect.type === 'request' ? [effect.query] : []))[0];
  }

  const started = (memory: Partial<Memory>, settings: Partial<ReflectorConfig> = {}): unknown =>
    queryOf(next({ name: 'idle', memory: { ...nothingKnown, ...memory } }, { type: 'started' }, 0, settings));

  describe('step: the first request of a cycle', () => {
    const list = (resourceVersion: string, limit: number | undefined): object => ({
      verb: 'list',
      resourceVersion,
      limit,
    });

    it.each<[string, Partial<Memory>, Partial<ReflectorConfig>, object]>([
      ['R1, R2: without a known version', {}, {}, list('0', 500)],
      [
        'R1, R2: with a known version (TestReflectorNotPaginatingNotConsistentReads)',
        { resourceVersion: '7' },
        {},
        list('7', undefined),
      ],
      ['R3: after lists at version 0 that came in pages', { resourceVersion: '7', isPaged: true }, {}, list('7', 500)],
      [
        'R2: with a page size (TestReflectorWatchListPageSize)',
        { resourceVersion: '7' },
        { pageSize: 4, isPageSizeSet: true },
        list('7', 4),
      ],
      [
        'R4: after the version was unavailable',
        { resourceVersion: '7', isVersionUnavailable: true },
        {},
        list('', 500),
      ],
      ['with listConsistency most-recent', { resourceVersion: '7' }, { listConsistency: 'most-recent' }, list('', 500)],
      ['R22: after streaming was refused', { isStreamRefused: true }, { initialList: 'stream' }, list('0', 500)],
    ])('is as specified: %s', (_name, memory, settings, query) => {
      expect(started(memory, settings)).toEqual(query);
    });

    it.each<[string, Partial<Memory>, string]>([
      ['R23: streaming without a known version', {}, ''],
      ['R23: streaming with a known version', { resourceVersion: '7' }, '7'],
      [
        'R23, R26: streaming after the version was unavailable',
        { resourceVersion: '7', isVersionUnavailable: true },
        '',
      ],
    ])('is as specified: %s', (_name, memory, resourceVersion) => {
      const query = { verb: 'watch', resourceVersion, timeoutSeconds: 300, sendInitialEvents: true };
      expect(started(memory, { initialList: 'stream' })).toEqual(query);
    });
  });

  describe('step: the alarm', () => {
    it('G5: every state with a request, and every wait, ends at some time by itself', () => {
      const listing = next(initialState, { type: 'started' });
      expect(reflectorAlarm(config, listing.state)).toBe(60_000);
      const waiting = next(listing.state, { type: 'failed', error: { name: 'x' } as never }, 10);
      expect(reflectorAlarm(config, waiting.state)).toBe(810);
    });

    it('changes nothing if it fires before the time of the state', () => {
      let { state } = next(initialState, { type: 'started' });
      ({ state } = next(state, { type: 'head' }, 10));
      ({ state } = next(state, { type: 'items', items: ['a'], failures: [] }, 20_000));
      expect(reflectorAlarm(config, state)).toBe(50_000);
      const early = next(state, { type: 'alarm' }, 30_010);
      expect(early.state).toBe(state);
      expect(early.effects).toEqual([]);
    });
  });

  describe('step as a pure function', () => {
    it('returns the same result for the same arguments, and modifies neither', () => {
      const fingerprint = (value: unknown): string => createHash('sha1').update(JSON.stringify(value)).digest('hex');
      let { state } = next(initialState, { type: 'started' }, 0, { initialList: 'stream' });
      const sequence: readonly Input<Item>[] = [
        { type: 'head' },
        {
          type: 'events',
          events: [
            { type: 'change', change: 'ADDED', object: 'a', resourceVersion: '1' },
            { type: 'bookmark', resourceVersion: '2', endsInitialList: true },
            { type: 'change', change: 'MODIFIED', object: 'b', resourceVersion: '3' },
          ],
        },
        { type: 'closed' },
      ];
      for (const [at, reflectorEvent] of sequence.entries()) {
        const before = fingerprint([state, reflectorEvent]);
        const once = next(state, reflectorEvent, at);
        const twice = next(state, reflectorEvent, at);
        expect(fingerprint([state, reflectorEvent])).toBe(before);
        expect(fingerprint(once)).toBe(fingerprint(twice));
        ({ state } = once);
      }
      expect(state.memory.resourceVersion).toBe('3');
    });
  });
});

const name = fc.constantFrom('a', 'b', 'c');

const version = fc.constantFrom('0', '1', '2', '3');

const failure: fc.Arbitrary<SourceError> = fc.oneof(
  fc.constantFrom(400, 401, 403, 404, 405, 408, 410, 422, 429, 500, 503, 504).map((code) => statusError(code)),
  fc.constant(connectionError(somewhere, new Error('reset'))),
  fc.constant(responseError(somewhere, 'HTML')),
);

const lost = fc.constant(decodingError(somewhere, 'garbage', 'x', 1));

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
      .map(([type, key]) => ({ type: 'untransformed' as const, change: type, error: transformError(key, 'no') })),
  },
);

const reflectorEvent: fc.Arbitrary<Input<string> | Turn> = fc.oneof(
  fc.constantFrom({ type: 'queued' as const }, { type: 'sent' as const }),
  fc.constant({ type: 'started' as const }),
  fc.constant({ type: 'head' as const }),
  fc.constant({ type: 'head' as const, isCompressed: true }),
  fc.constant({ type: 'alarm' as const }),
  fc.array(name, { maxLength: 3 }).map((items) => ({ type: 'items' as const, items, failures: [] })),
  fc
    .record({ resourceVersion: version, continue: fc.constantFrom('', 'next') }, { requiredKeys: [] })
    .map((metadata) => ({ type: 'page-end' as const, metadata })),
  { weight: 4, arbitrary: fc.array(event, { maxLength: 4 }).map((events) => ({ type: 'events' as const, events })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(event, { maxLength: 4 }), fc.integer({ min: 1, max: 200_000 }))
      .map(([events, bytes]) => ({ type: 'events' as const, events, bytes })),
  },
  fc.constant({ type: 'closed' as const }),
  failure.map((error) => ({ type: 'failed' as const, error })),
);

const elapsed = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 700_000 }));

const walk = fc.array(fc.tuple(reflectorEvent, elapsed, fc.double({ min: 0, max: 0.999, noNaN: true })), {
  maxLength: 60,
});

const endsRequest = (type: (Input<string> | Turn)['type']): boolean => ['page-end', 'closed', 'failed'].includes(type);

/** True if a limited client keeps the request waiting: then the next alarm is the client's. */
const isQueued = (state: State<string>): boolean =>
  'openedAt' in state && state.openedAt === Infinity && state.headAt === undefined;

/** Cheaper than `expect`, which would be called some hundred thousand times here. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`violated: ${what}`);
}

describe('step with random inputs', () => {
  const config = (initialList: ReflectorConfig['initialList']): ReflectorConfig => ({
    initialList,
    listConsistency: 'any',
    pageSize: 500,
    isPageSizeSet: false,
    watchTimeout: [300, 600],
    grace: 30_000,
    listSilence: 30_000,
    watchSilence: Infinity,
    maxRetryAfter: 300_000,
    backoff: exponentialBackoff(),
    requestLine: () => somewhere,
  });

  it.each(['stream', 'pages', 'auto'] as const)(
    'G5: never throws, never has two requests, never stops by itself (%s)',
    (initialList) => {
      fc.assert(
        fc.property(walk, (steps) => {
          let state: State<string> = initialState;
          let inFlight = 0;
          let alarm = Infinity;
          let at = 0;
          const settings = config(initialList);
          const feed = (input: Input<string> | Turn, random: number): void => {
            if (endsRequest(input.type)) inFlight = 0;
            const next = step({ config: settings, at, random }, state, input);
            ({ state } = next);
            for (const effect of next.effects) {
              if (effect.type === 'abort') inFlight = 0;
              if (effect.type === 'request') inFlight++;
              must(inFlight <= 1, 'one request at a time');
            }
            alarm = reflectorAlarm(settings, state);
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
            // An input without a matching request cannot happen.
            if (inFlight === 0 && input.type !== 'alarm') continue;
            feed(input, random);
          }
          // Without inputs, it sends a request again: no silence lasts forever.
          if (isQueued(state)) feed({ type: 'sent' }, 0);
          let requests = 0;
          for (let rings = 0; rings < 10 && requests === 0; rings++) {
            at = Math.max(at, alarm);
            const before = step({ config: settings, at, random: 0 }, state, { type: 'alarm' });
            requests += before.effects.filter((effect) => effect.type === 'request').length;
            feed({ type: 'alarm' }, 0);
          }
          must(requests > 0, 'another request');
        }),
        { numRuns: 100 },
      );
    },
  );

  it('initialList auto: does not stream again once it has listed in pages because of a slow link', () => {
    fc.assert(
      fc.property(walk, (steps) => {
        let state: State<string> = initialState;
        let at = 0;
        for (const [input, after, random] of [[{ type: 'started' as const }, 0, 0] as const, ...steps]) {
          at += after;
          const wasSlow = state.memory.isLinkSlow;
          const { state: next, effects } = step({ config: config('auto'), at, random }, state, input);
          const streams = effects.some((effect) => effect.type === 'request' && isStreamQuery(effect.query));
          must(!(wasSlow && streams), 'no stream on a slow link');
          must(!wasSlow || next.memory.isLinkSlow, 'a slow link stays slow');
          state = next;
        }
      }),
      { numRuns: 100 },
    );
  });

  it('R12 ▲: the version only moves to one that was emitted before', () => {
    fc.assert(
      fc.property(walk, (steps) => {
        let state: State<string> = initialState;
        let at = 0;
        for (const [input, after, random] of [[{ type: 'started' as const }, 0, 0] as const, ...steps]) {
          at += after;
          const before = state.memory.resourceVersion;
          const next = step({ config: config('stream'), at, random }, state, input);
          ({ state } = next);
          if (state.memory.resourceVersion === before) continue;
          const delivered = next.effects.flatMap((effect) => (effect.type === 'emit' ? effect.batch : []));
          expect(
            delivered.some(({ type }) => ['LISTED', 'ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'].includes(type)),
          ).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});

function isStreamQuery(query: RequestQuery): boolean {
  return query.verb === 'watch' && query.sendInitialEvents;
}
