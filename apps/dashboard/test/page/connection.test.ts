import { StatusError, type SourceStatus } from 'rx-informers';
import { silentConnectionError } from '../../../../src/sources/model/errors.js';
import { connectionOf, isAnswered, silenceOf, stalenessText } from '../../page/cluster/connection.js';
import { culpritOf, healthOf, maxSilenceOf, type Health, type Watched } from '../../page/cluster/health.js';

const request = { method: 'GET', url: '/api/v1/pods' };
const refusal = (code: number) => new StatusError(request, { kind: 'Status', apiVersion: 'v1', code, message: 'no' });
const waiting = (state: 'forbidden' | 'backing-off' | 'not-found', code: number): SourceStatus => ({
  state,
  until: 12_400,
  attempt: 2,
  cause: refusal(code),
});

describe('the text about a connection', () => {
  it.each<[string, SourceStatus, string, string]>([
    ['the first list', { state: 'listing', by: 'pages', received: 500, expected: 5000 }, 'busy', 'loading'],
    ['a watch', { state: 'watching', since: 0, resourceVersion: '1' }, 'live', 'live'],
    ['a lost watch', { state: 'reconnecting' }, 'busy', 'reconnecting'],
    ['an unused informer', { state: 'stopped' }, 'idle', 'not connected'],
    ['403', waiting('forbidden', 403), 'trouble', 'no permission'],
    ['401', waiting('forbidden', 401), 'trouble', 'expired credentials'],
    ['404', waiting('not-found', 404), 'trouble', 'not found'],
    ['502', waiting('backing-off', 502), 'trouble', 'disconnected'],
  ])('describes its state: %s', (_, status, tone, text) => {
    expect(connectionOf(status)).toMatchObject({ tone, text });
  });

  it('states what went wrong', () => {
    expect(connectionOf(waiting('backing-off', 502)).detail).toBe('GET /api/v1/pods: 502: no');
  });

  it('still describes the failure until the server has sent data', () => {
    const listing = (received: number): SourceStatus => ({ state: 'listing', by: 'stream', received });
    expect([isAnswered(listing(0)), isAnswered({ state: 'reconnecting' }), isAnswered(listing(1))]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('states how old the shown data may be', () => {
    expect([stalenessText(1000, 13_000), stalenessText(1000, 3000)]).toEqual(['as of 12s ago', 'as of 2s ago']);
  });

  it('does not state the age for a short time, nor if the clock was set back', () => {
    expect([stalenessText(1000, 2999), stalenessText(1000, 0)]).toEqual([undefined, undefined]);
  });

  it('includes the silence before a connection was given up in the age', () => {
    const cause = silentConnectionError(request, 'data', 630_000);
    expect([silenceOf({ state: 'reconnecting', cause }), silenceOf({ state: 'reconnecting' })]).toEqual([630_000, 0]);
    expect(silenceOf({ state: 'listing', by: 'stream', received: 0 })).toBe(0);
  });

  it('describes a failure only if the error is not handled by design', () => {
    const expired = (expected: boolean): SourceStatus => ({
      state: 'backing-off',
      until: 12_400,
      attempt: 1,
      cause: Object.assign(refusal(410), { expected }),
    });
    expect([connectionOf(expired(true)).tone, connectionOf(expired(false)).tone]).toEqual(['busy', 'trouble']);
  });
});

describe('the health indicator of the page', () => {
  const server = { context: 'a', kindsOfHub: [] };
  const watching: SourceStatus = { state: 'watching', since: 0, resourceVersion: '1' };
  const kind = (status: SourceStatus, silence: number | undefined = 1000, hasSynced = true): Watched => ({
    status,
    hasSynced,
    silence,
  });

  it.each<[string, readonly Watched[], Health['state']]>([
    ['all kinds are watched and sent data recently', [kind(watching), kind(watching)], 'live'],
    ['one kind may not be read', [kind(watching), kind(waiting('forbidden', 403), undefined, false)], 'live'],
    ['no kind may be read', [kind(waiting('forbidden', 403), undefined, false)], 'refused'],
    ['a kind is not loaded yet', [kind(watching), kind(watching, 1000, false)], 'loading'],
    ['one watch is opened again', [kind(watching), kind({ state: 'reconnecting' })], 'reconnecting'],
    ['one kind backs off', [kind(watching), kind(waiting('backing-off', 502))], 'lost'],
    ['no data arrived for longer than a heartbeat takes', [kind(watching), kind(watching, 13_000)], 'silent'],
  ])('is correct if %s', (_, watched, state) => {
    expect(healthOf(watched, maxSilenceOf(server)).state).toBe(state);
  });

  it('distinguishes credentials that are no longer accepted from missing permissions', () => {
    const refused = (code: number) => healthOf([kind(waiting('forbidden', code), undefined, false)], 12_000);
    expect([refused(401), refused(403)]).toEqual([
      { state: 'refused', isExpired: true },
      { state: 'refused', isExpired: false },
    ]);
  });

  it('stays live through any silence if the server sends no heartbeat', () => {
    const maxSilence = maxSilenceOf({ context: undefined, kindsOfHub: [] });
    expect(healthOf([kind(watching, 300_000)], maxSilence)).toEqual({ state: 'live', silence: 300_000 });
  });

  it('stays live through the time between two bookmarks of a hub, and not for longer', () => {
    const maxSilence = maxSilenceOf({ context: 'a', kindsOfHub: ['/v1/pods'] });
    const states = [35_000, 50_000].map((silence) => healthOf([kind(watching, silence)], maxSilence).state);
    expect(states).toEqual(['live', 'silent']);
  });

  it('blames the cluster only for errors that the proxy reports about it', () => {
    expect([502, 503, 504, 500].map((code) => culpritOf(refusal(code)))).toEqual([
      'cluster',
      'cluster',
      'cluster',
      undefined,
    ]);
  });
});
