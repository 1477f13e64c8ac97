import { SilentConnectionError, StatusError, type SourceStatus } from 'rx-informers';
import {
  connectionOf,
  isAnswered,
  silenceOf,
  stalenessText,
} from '../../../../examples/dashboard/page/model/connection.js';

const request = { method: 'GET', url: '/api/v1/pods' };
const refusal = (code: number) => new StatusError(request, { kind: 'Status', apiVersion: 'v1', code, message: 'no' });
const waiting = (state: 'forbidden' | 'backing-off' | 'not-found', code: number): SourceStatus => ({
  state,
  until: 12_400,
  attempt: 2,
  cause: refusal(code),
});

describe('the words for a connection', () => {
  it.each<[string, SourceStatus, string, string]>([
    ['the first list', { state: 'listing', by: 'pages', received: 500, expected: 5000 }, 'busy', 'loading 500 of 5000'],
    ['a list of unknown length', { state: 'listing', by: 'stream', received: 7 }, 'busy', 'loading 7'],
    ['a watch', { state: 'watching', since: 0, resourceVersion: '1' }, 'live', 'live'],
    ['a lost watch', { state: 'reconnecting' }, 'busy', 'reconnecting'],
    ['no use', { state: 'stopped' }, 'idle', 'not connected'],
    ['403', waiting('forbidden', 403), 'trouble', 'no permission'],
    ['401', waiting('forbidden', 401), 'trouble', 'not signed in'],
    ['404', waiting('not-found', 404), 'trouble', 'not found'],
    ['502', waiting('backing-off', 502), 'trouble', 'disconnected'],
  ])('a connection is shown in words: %s', (_, status, tone, text) => {
    expect(connectionOf(status, 0)).toMatchObject({ tone, text });
  });

  it('say what went wrong and when it is tried again, which is never in the past', () => {
    const { detail, countdown } = connectionOf(waiting('backing-off', 502), 10_000);
    expect([detail, countdown]).toEqual(['GET /api/v1/pods: 502: no', 'attempt 3 in 3 s']);
    expect(connectionOf(waiting('backing-off', 502), 99_000).countdown).toBe('attempt 3 in 0 s');
  });

  it('stay those of the trouble until the server has given something', () => {
    const listing = (received: number): SourceStatus => ({ state: 'listing', by: 'stream', received });
    expect([isAnswered(listing(0)), isAnswered({ state: 'reconnecting' }), isAnswered(listing(1))]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('say how old what is shown may be', () => {
    expect([stalenessText(1000, 13_000), stalenessText(1000, 3000)]).toEqual(['as of 12s ago', 'as of 2s ago']);
  });

  it('say nothing of that for a moment, nor where the clock was set back', () => {
    expect([stalenessText(1000, 2999), stalenessText(1000, 0)]).toEqual([undefined, undefined]);
  });

  it('count the silence before a connection was given up to the age of what is shown', () => {
    const cause = new SilentConnectionError(request, 'data', 630_000);
    expect([silenceOf({ state: 'reconnecting', cause }), silenceOf({ state: 'reconnecting' })]).toEqual([630_000, 0]);
    expect(silenceOf({ state: 'listing', by: 'stream', received: 0 })).toBe(0);
  });

  it('speak of trouble only where the error is not handled by design', () => {
    const expired = (expected: boolean): SourceStatus => ({
      state: 'backing-off',
      until: 12_400,
      attempt: 1,
      cause: Object.assign(refusal(410), { expected }),
    });
    expect([connectionOf(expired(true), 0).tone, connectionOf(expired(false), 0).tone]).toEqual(['busy', 'trouble']);
  });
});
