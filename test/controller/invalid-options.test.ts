import { NEVER } from 'rxjs';
import { fromEvents, informer, type Pod, watchEvent } from 'rx-informers';
import { controller, workqueue, type WorkqueueOptions } from 'rx-informers/controller';
import { manager } from 'rx-informers/node';

const { listed } = watchEvent;

const pods = informer<Pod>(fromEvents([listed([], '1')]));
const reconcile = (): void => undefined;
const valid = { for: pods, reconcile };
const stop$ = Promise.resolve();

/** Options as JavaScript may give them, where no compiler looks, and what is said of them. */
function byMessage(cases: readonly (readonly [options: unknown, message: string])[]) {
  return cases.map(([options, message]) => ({ options, message }));
}

describe('options from JavaScript that cannot be meant are refused at once, with what to pass', () => {
  it.each(
    byMessage([
      [{ ...valid, concurrency: 1.5 }, 'the concurrency must be a whole number of at least 1, or Infinity, not 1.5'],
      [{ ...valid, concurrency: '4' }, 'the concurrency must be a whole number of at least 1, or Infinity, not "4"'],
      [{ ...valid, maxRetries: 0.5 }, 'maxRetries must be a whole number of at least 0, or Infinity, not 0.5'],
      [{ ...valid, timeout: '5s' }, 'the timeout must be between 0 and 2147483647 ms, not 5s'],
      [
        { ...valid, rateLimiter: { when: () => 5 } },
        'rateLimiter must be a function that returns a limiter, such as () => itemExponentialBackoff(), not an object',
      ],
      [{ for: pods }, 'reconcile must be a function, such as async ({ object, signal }) => { … }, not undefined'],
      [{ reconcile }, 'for must be a collection, such as an informer, or { source: collection }, not undefined'],
      [
        { ...valid, for: { source: 'pods' } },
        'for must be a collection, such as an informer, or { source: collection }, not a string',
      ],
      [
        { ...valid, owns: [pods, stop$] },
        'owns[1] must be a collection, such as an informer, or { source: collection }, not a promise',
      ],
      [{ ...valid, owns: pods }, 'owns must be an array, such as [deployments], not an object'],
      [
        { ...valid, watches: [{ source: pods }] },
        'watches[0].map must be a function that returns keys, such as (object) => [key], not undefined',
      ],
      [
        { ...valid, watches: [{ source: stop$, map: () => [] }] },
        'watches[0].source must be a collection, such as an informer, or an Observable, not a promise',
      ],
      [
        { ...valid, watches: [pods] },
        'watches[0].source must be a collection, such as an informer, or an Observable, not undefined',
      ],
      [{ ...valid, stop$ }, 'stop$ must be an Observable, not a promise; use from(…) of rxjs'],
      [{ ...valid, stop$: () => NEVER }, 'stop$ must be an Observable, not a function; use from(…) of rxjs'],
    ]),
  )('controller() refuses an option: $message', ({ options, message }) => {
    expect(() => controller(options as never)).toThrow(message);
  });

  it.each(
    byMessage([
      [
        [undefined, {}],
        'the work of workqueue must be a function, such as async (key, { signal }) => { … }, not undefined',
      ],
      [[reconcile, { drainUntil: stop$ }], 'drainUntil must be an Observable, not a promise; use from(…) of rxjs'],
      [[reconcile, { startWhen: 5 }], 'startWhen must be an Observable, not a number; use from(…) of rxjs'],
    ]),
  )('workqueue() refuses an option: $message', ({ options, message }) => {
    const [project, others] = options as [() => void, WorkqueueOptions];
    expect(() => workqueue(project, others)).toThrow(message);
  });

  it.each(
    byMessage([
      [{}, 'controllers must be an array of what controller(…) returns, not undefined'],
      [{ controllers: controller(valid) }, 'controllers must be an array of what controller(…) returns, not an object'],
      [{ controllers: [controller(valid)], stop$ }, 'stop$ must be an Observable, not a promise; use from(…) of rxjs'],
      [{ controllers: [NEVER] }, 'controllers[0] must be what controller(…) returns, not an object'],
    ]),
  )('manager() refuses an option: $message', ({ options, message }) => {
    expect(() => manager(options as never)).toThrow(message);
  });
});
