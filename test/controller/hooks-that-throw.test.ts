import { filter, map, type Observable } from 'rxjs';
import { eventRecorder, leader$, membership$, silentLogger, type Logger } from 'rx-informers/controller';
import { aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';

const broken = (): never => {
  throw new Error('broken');
};
const brokenLogger: Logger = { debug: broken, info: broken, warn: broken, error: broken };
const lease = { namespace: 'default', name: 'operator' };
// A lease is renewed some hundred times in it.
const tenMinutes = 600_000;

function setUp() {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock });
  const hooks: unknown[] = [];
  const logger: Logger = { ...silentLogger, warn: ({ hook }) => hook !== undefined && hooks.push(hook) };
  return { clock, client: server.client, scheduler: clock, logger, hooks };
}

function record<T>(values$: Observable<T>): T[] {
  const values: T[] = [];
  values$.subscribe((value) => values.push(value));
  return values;
}

describe('an option that throws ends nothing', () => {
  it('leader$: random; it leads on, and logs it once', () => {
    const { clock, client, scheduler, logger, hooks } = setUp();
    const states = record(leader$(client, { lease, identity: 'a', scheduler, logger, random: broken }));
    clock.advance(tenMinutes);
    expect(states.map(({ type }) => type)).toEqual(['standby', 'leading']);
    expect(hooks).toEqual(['random']);
  });

  it('membership$: random; it owns keys on, and logs it once', () => {
    const { clock, client, scheduler, logger, hooks } = setUp();
    const state$ = membership$(client, { group: lease, identity: 'a', scheduler, logger, random: broken });
    const owns = record(state$.pipe(map(({ owns: isOwned }) => isOwned('web/a'))));
    clock.advance(tenMinutes);
    expect(owns.at(-1)).toBe(true);
    expect(hooks).toEqual(['random']);
  });

  it.each([
    ['logger', { logger: brokenLogger }],
    ['random', { random: broken }],
    ['random gives NaN', { random: () => NaN }],
  ])('eventRecorder: %s; events are written', (_what, options) => {
    const { clock, client, scheduler } = setUp();
    const recorder = eventRecorder(client, { reportingController: 'example.com/operator', scheduler, ...options });
    const written = record(recorder.outcomes$.pipe(filter(({ type }) => type === 'written')));
    const details = { type: 'Normal', reason: 'Tested', action: 'Test', note: 'a test' } as const;
    recorder.record(aPod({ name: 'a', namespace: 'default' }), details);
    clock.advance(1_000);
    recorder.record(aPod({ name: 'b', namespace: 'default' }), details);
    clock.advance(1_000);
    expect(written).toHaveLength(2);
    recorder.unsubscribe();
  });
});
