import { finalize, NEVER, of, switchMap, throwError, VirtualTimeScheduler } from 'rxjs';
import { retryOnConflict } from 'rx-informers/controller';
import { StatusError } from 'rx-informers';
import { settings, stage } from './support/stage.js';

const request = { method: 'PUT', url: '/x' };
const refused = (code: number, reason: string) => new StatusError(request, { code, reason });
const conflict = refused(409, 'Conflict');

/** Calls that fail with these errors, one after the other, and then give `done`. */
function failing(errors: readonly unknown[], options: Parameters<typeof retryOnConflict>[1] = {}) {
  const scheduler = new VirtualTimeScheduler(undefined, 600_000);
  const calls: number[] = [];
  const left = [...errors];
  const told: unknown[] = [];
  const call = () => {
    calls.push(scheduler.now());
    return left.length > 0 ? throwError(() => left.shift()) : of('done');
  };
  retryOnConflict(call, { scheduler, random: () => 0.5, ...options }).subscribe({
    next: (value) => told.push(value),
    error: (error: unknown) => told.push(error),
  });
  scheduler.flush();
  return { calls, told };
}

describe('retryOnConflict', () => {
  it('U1: calls again while there is a conflict, after 10 ms and up to a tenth more', () => {
    expect(failing([conflict, conflict])).toEqual({ calls: [0, 10.5, 21], told: ['done'] });
  });

  it('U1: hands on any other error at once', () => {
    for (const error of [refused(409, 'AlreadyExists'), refused(404, 'NotFound'), new Error('other'), undefined]) {
      expect(failing([error])).toEqual({ calls: [0], told: [error] });
    }
  });

  it('U1: hands on the last conflict, as it is, after 5 tries', () => {
    const errors = [1, 2, 3, 4, 5, 6].map(() => refused(409, 'Conflict'));
    const { calls, told } = failing(errors);
    expect(calls).toHaveLength(5);
    expect(told).toEqual([errors[4]]);
    expect(told[0]).toBe(errors[4]);
  });

  it('makes as many tries, and waits as long, as configured', () => {
    expect(failing([conflict], { tries: 1 })).toEqual({ calls: [0], told: [conflict] });
    const waits = failing([conflict, conflict], { backoff: (attempt) => attempt * 100 });
    expect(waits).toEqual({ calls: [0, 100, 300], told: ['done'] });
    expect(failing([conflict], { backoff: () => NaN })).toEqual({ calls: [0, 0], told: ['done'] });
    expect(() => failing([], { tries: 0 })).toThrow(RangeError);
  });

  it('reads and writes again each time, so that the second try succeeds', () => {
    const { run, client, put, before, scheduler } = stage();
    put(settings({ count: '1' }));
    before('PUT', () => put(settings({ count: '2' })));
    const increment = () =>
      client
        .get('web/settings')
        .pipe(
          switchMap(({ data, ...rest }) => client.update({ ...rest, data: { count: `${data?.['count'] ?? ''}+` } })),
        );
    const { values } = run(retryOnConflict(increment, { scheduler }));
    expect(values).toMatchObject([{ data: { count: '2+' } }]);
  });

  it('takes promises, too', async () => {
    const { client, put } = stage();
    put(settings({ count: '1' }));
    await expect(retryOnConflict(async () => client.get('web/settings'))).resolves.toMatchObject({
      data: { count: '1' },
    });
  });

  it('treats a call that throws as one that failed', () => {
    const call = () => {
      throw conflict;
    };
    const errors: unknown[] = [];
    retryOnConflict(call, { tries: 1 }).subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([conflict]);
  });

  it('stops when it is aborted, or after the last subscriber has left', () => {
    let active = 0;
    const call = () => {
      active++;
      return NEVER.pipe(finalize(() => active--));
    };
    const abort = new AbortController();
    const errors: unknown[] = [];
    const subscription = retryOnConflict(call, { signal: abort.signal }).subscribe({
      error: (error: unknown) => errors.push(error),
    });
    abort.abort(new Error('enough'));
    expect(errors).toEqual([new Error('enough')]);
    expect(subscription.closed).toBe(true);
    expect(active).toBe(0);
    retryOnConflict(call).subscribe().unsubscribe();
    expect(active).toBe(0);
  });
});
