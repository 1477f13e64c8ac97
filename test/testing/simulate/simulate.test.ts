import { randomUUID } from 'node:crypto';
import { configMaps, informer, type ConfigMap } from 'rx-informers';
import { controller } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { aConfigMap, simulate, simulationPoints, type SimulateOptions } from 'rx-informers/testing';
import { interval, NEVER, of, throwError, timer } from 'rxjs';
import { failureOf } from './failure-of.js';
import { plantedBugs } from './planted-bugs.js';

/** Marks each ConfigMap as checked. */
const marks: SimulateOptions = {
  start: ({ client }) =>
    controller({
      for: informer(client, configMaps, { namespace: 'default' }),
      client,
      reconcile: ({ key, object, clientOf }) =>
        object?.data?.['checked'] === undefined && object
          ? clientOf(configMaps).patch(key, { data: { checked: 'yes' } })
          : undefined,
    }),
  user: [({ apply }) => apply(aConfigMap({ name: 'web' }))],
  goal: ({ get }) => get<ConfigMap>(configMaps, 'web', 'default')?.data?.['checked'] === 'yes',
};

describe('simulate', () => {
  it('reports its runs, the share of distinct schedules, and which points fired', async () => {
    const { runs, distinct, points } = await simulate({ ...marks, runs: 30 });
    expect(runs).toBe(30);
    expect(distinct).toBeGreaterThan(0.5);
    expect(Object.keys(points)).toEqual([...simulationPoints]);
    expect(points.latency.asked).toBeGreaterThan(100);
    expect(points.latency.fired).toBeGreaterThan(0);
    expect(points.crash.fired).toBeGreaterThan(0);
  });

  it('repeats a run byte for byte from its seed', async () => {
    for (const seed of [3, 7]) {
      const [first, second] = [
        await simulate({ ...marks, seed, runs: 1 }),
        await simulate({ ...marks, seed, runs: 1 }),
      ];
      expect(first.trace.length).toBeGreaterThan(10);
      expect(second.trace).toEqual(first.trace);
    }
  });

  it('asks only the given points', async () => {
    const { points } = await simulate({ ...marks, runs: 20, points: ['watch'] });
    expect(points.watch.fired).toBeGreaterThan(0);
    expect(simulationPoints.filter((point) => points[point].fired > 0)).toEqual(['watch']);
  });

  it('shows the fault that is necessary, and repeats the failure from the printed schedule', async () => {
    const { buggy, corrected } = plantedBugs['lost requeue'];
    const failure = await failureOf({ ...buggy, runs: 100, points: ['latency', 'fail-before'] });
    expect(failure).toMatchObject({ code: 'RXI_SIMULATION', kind: 'goal' });
    const [choice = ''] = failure.schedule;
    expect(failure.schedule).toHaveLength(1);
    expect(choice).toMatch(/^fail-before a PATCH \/api\/v1\/namespaces\/default\/configmaps\/web #1 = \d$/);
    expect(failure.message).toContain(`without "${choice}", this does not happen`);
    expect(failure.message).toMatch(/▶ {5}5\.00\d s {2}a/);

    const { schedule } = failure;
    expect(await failureOf({ ...buggy, schedule })).toMatchObject({ kind: 'goal', schedule });
    expect((await simulate({ ...corrected, schedule })).runs).toBe(1);
  });

  it.each([
    ['a goal that is not met', { goal: () => false }, 'goal'],
    ['an invariant that does not hold', { invariants: { 'no objects': () => false } }, 'invariant no objects'],
    ['an invariant that throws', { invariants: { 'no objects': () => JSON.parse('{') } }, 'invariant no objects'],
    ['a replica that throws', { start: () => void JSON.parse('{') }, 'error'],
    ['a replica whose stream errors', { start: () => throwError(() => new Error('no')) }, 'error'],
    ['an action that fails', { user: [() => Promise.reject(new Error('no'))] }, 'error'],
    ['an action that does not end', { user: [() => NEVER] }, 'error'],
    ['a timer that is left', { start: ({ scheduler }) => void interval(1_000, scheduler).subscribe() }, 'timers'],
    ['a random result', { user: [({ apply }) => apply(aConfigMap({ name: `n${randomUUID()}` }))] }, 'nondeterminism'],
  ] as [string, Partial<SimulateOptions>, string][])('fails for %s', async (_, options, kind) => {
    const program: SimulateOptions = {
      start: () => of(1),
      runs: 1,
      user: [({ apply }) => apply(aConfigMap({ name: 'web' }))],
    };
    expect(await failureOf({ ...program, ...options })).toMatchObject({ kind, schedule: [], seed: undefined });
  });

  it('sends nothing from a crashed replica, and starts it again with another identity', async () => {
    const identities: string[] = [];
    const { trace } = await simulate({
      start: ({ client, identity, scheduler }) => {
        identities.push(identity);
        const written = resourceClient(client, configMaps);
        return timer(1, 1_000, scheduler).subscribe(
          () => void written.get('default/web').subscribe({ error: () => 0 }),
        );
      },
      schedule: ['crash a GET /api/v1/namespaces/default/configmaps/web #3 = 1'],
    });
    expect(identities.slice(-2)).toEqual(['a', 'a-2']);
    const times = trace.filter((line) => line.includes(' a sends GET')).map((line) => Number(line.split(' ')[0]));
    expect(times.slice(0, 4)).toEqual([1, 1_001, 5_002, 6_002]);
  });

  it('refuses a schedule that it did not print', async () => {
    await expect(simulate({ ...marks, schedule: ['something else'] })).rejects.toMatchObject({
      code: 'RXI_INVALID_OPTION',
    });
  });
});
