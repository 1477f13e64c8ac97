import { createHash } from 'node:crypto';
import { exponentialBackoff } from 'rx-informers';
import {
  type ReflectorConfig,
  type Step,
  type Happening,
  nothingKnown,
  type Memory,
  type State,
} from '../../../src/sources/reflector/protocol.js';
import { alarmOf, initialState, step } from '../../../src/sources/reflector/step.js';

const config: ReflectorConfig = {
  initialList: 'pages',
  listConsistency: 'any',
  pageSize: undefined,
  watchTimeout: [300, 600],
  grace: 30_000,
  openTimeout: 60_000,
  listSilence: 30_000,
  bookmarkDeadline: 30_000,
  maxRetryAfter: 300_000,
  backoff: exponentialBackoff({ jitter: 0 }),
  requestLine: (query) => ({ method: 'GET', url: `/${query.verb}` }),
};

type Item = string;

function next(
  state: State<Item>,
  happening: Happening<Item>,
  at = 0,
  settings: Partial<ReflectorConfig> = {},
): Step<Item> {
  return step({ ...config, ...settings }, state, { ...happening, at, random: 0 });
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
    ['R1, R2: nothing is known', {}, {}, list('0', 500)],
    [
      'R1, R2: a version is known (TestReflectorNotPaginatingNotConsistentReads)',
      { resourceVersion: '7' },
      {},
      list('7', undefined),
    ],
    ['R3: and lists at version 0 came in pages', { resourceVersion: '7', isPaged: true }, {}, list('7', 500)],
    [
      'R2: and a page size was chosen (TestReflectorWatchListPageSize)',
      { resourceVersion: '7' },
      { pageSize: 4 },
      list('7', 4),
    ],
    ['R4: the version is unavailable', { resourceVersion: '7', isVersionUnavailable: true }, {}, list('', 500)],
    ['most-recent was chosen', { resourceVersion: '7' }, { listConsistency: 'most-recent' }, list('', 500)],
    ['R22: streaming was refused', { isStreamRefused: true }, { initialList: 'stream' }, list('0', 500)],
  ])('the first request of a cycle: %s', (_name, memory, settings, query) => {
    expect(started(memory, settings)).toEqual(query);
  });

  it.each<[string, Partial<Memory>, string]>([
    ['R23: nothing is known', {}, ''],
    ['R23: a version is known', { resourceVersion: '7' }, '7'],
    ['R23, R26: the version is unavailable', { resourceVersion: '7', isVersionUnavailable: true }, ''],
  ])('the first request of a cycle: %s', (_name, memory, resourceVersion) => {
    const query = { verb: 'watch', resourceVersion, timeoutSeconds: 300, sendInitialEvents: true };
    expect(started(memory, { initialList: 'stream' })).toEqual(query);
  });
});

describe('step: the alarm', () => {
  it('G5: every state with a request, and every wait, ends by itself at some moment', () => {
    const listing = next(initialState, { type: 'started' });
    expect(alarmOf(config, listing.state)).toBe(60_000);
    const waiting = next(listing.state, { type: 'failed', error: { name: 'x' } as never }, 10);
    expect(alarmOf(config, waiting.state)).toBe(810);
  });

  it('changes nothing when it rings before the moment of the state', () => {
    let { state } = next(initialState, { type: 'started' });
    ({ state } = next(state, { type: 'head' }, 10));
    ({ state } = next(state, { type: 'items', items: ['a'], failures: [] }, 20_000));
    expect(alarmOf(config, state)).toBe(50_000);
    const early = next(state, { type: 'alarm' }, 30_010);
    expect(early.state).toBe(state);
    expect(early.effects).toEqual([]);
  });
});

describe('step is pure', () => {
  it('returns the same for the same, and changes neither state nor input', () => {
    const fingerprint = (value: unknown): string => createHash('sha1').update(JSON.stringify(value)).digest('hex');
    let { state } = next(initialState, { type: 'started' }, 0, { initialList: 'stream' });
    const happenings: readonly Happening<Item>[] = [
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
    for (const [at, happening] of happenings.entries()) {
      const before = fingerprint([state, happening]);
      const once = next(state, happening, at);
      const twice = next(state, happening, at);
      expect(fingerprint([state, happening])).toBe(before);
      expect(fingerprint(once)).toBe(fingerprint(twice));
      ({ state } = once);
    }
    expect(state.memory.resourceVersion).toBe('3');
  });
});
