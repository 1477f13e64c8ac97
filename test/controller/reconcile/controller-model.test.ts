import fc from 'fast-check';
import { fastSlow, controller, type ReconcileEvent, requeueAfter } from 'rx-informers/controller';
import { virtualClock } from 'rx-informers/testing';
import { map, Subject, timer, type Observable } from 'rxjs';
import { fail } from '../workqueue/support/recorded-events.js';
import { aChild, aSite, by, store, type Thing } from './support/stores.js';

const names = ['a', 'b', 'c', 'd'] as const;

/** The events that may happen in the cluster between two moments. */
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('set' as const), name: fc.constantFrom(...names), size: fc.nat(9) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom(...names) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('break' as const), name: fc.constantFrom(...names), size: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hook' as const), name: fc.constantFrom(...names) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resync' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), time: fc.nat(30) }) },
);
const world = fc.record({
  history: fc.array(action, { maxLength: 60 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  debounce: fc.constantFrom(0, 7),
  /** The behaviour of each run: its duration and its result. */
  runs: fc.array(fc.record({ took: fc.nat(12), ends: fc.constantFrom('well', 'well', 'badly', 'again') }), {
    minLength: 1,
    maxLength: 20,
  }),
});

/** The desired state: every site has one child of the same size, and other objects have none. */
function desired(sites: readonly Thing[]): Readonly<Record<string, number>> {
  return Object.fromEntries(sites.map(({ metadata, spec }) => [metadata.name, spec.size]));
}

describe('controller: random histories', () => {
  it('reaches the desired state, reconciles each key after its last trigger, and never twice at once', () => {
    fc.assert(
      fc.property(world, ({ history, concurrency, debounce, runs }) => {
        const clock = virtualClock();
        const sites = store(aSite('a', 0));
        const children = store();
        const hooks = new Subject<string>();
        const violations: string[] = [];
        const running = new Set<string>();
        const lastTrigger = new Map<string, number>();
        const lastStart = new Map<string, number>();
        let step = 0;
        let turn = 0;

        const writeChild = (name: string): void => {
          const size = sites.get(name)?.spec.size;
          if (size === children.get(name)?.spec.size) return;
          step++;
          if (size === undefined) children.delete(name);
          else children.add(aChild(name, [by(name)], size));
        };
        const reconcile = ({ key }: { readonly key: string }): Observable<unknown> => {
          const plan = runs[turn++ % runs.length] ?? { took: 0, ends: 'well' };
          // If everything always failed, the desired state would never be reached.
          const ends = turn > 300 ? 'well' : plan.ends;
          if (ends === 'badly') return fail('as planned');
          return timer(plan.took, clock).pipe(
            map(() => {
              writeChild(key);
              return ends === 'again' ? requeueAfter(9) : undefined;
            }),
          );
        };
        const follow = (event: ReconcileEvent): void => {
          if (event.type === 'started') {
            if (running.has(event.key)) violations.push(`${event.key} runs twice at once`);
            if (event.reasons.length === 0) violations.push(`${event.key} runs without a reason`);
            running.add(event.key);
            lastStart.set(event.key, ++step);
            if (running.size > concurrency) violations.push(`${running.size} run at once`);
          }
          if (event.type === 'succeeded' || event.type === 'failed') running.delete(event.key);
        };
        const touch = (name: string): void => {
          lastTrigger.set(name, ++step);
        };

        children.replace([]);
        const rateLimiter = () => fastSlow({ fast: 5, slow: 5, fastAttempts: 0 });
        const scheduler = clock;
        const subscription = controller({
          for: sites,
          owns: [children],
          watches: [{ source: hooks, map: (name) => name }],
          scheduler,
          rateLimiter,
          concurrency,
          debounce,
          reconcile,
        }).subscribe(follow);

        for (const input of history) {
          switch (input.do) {
            case 'set':
              touch(input.name);
              sites.update(aSite(input.name, input.size));
              break;
            case 'remove':
              if (sites.has(input.name)) touch(input.name);
              sites.delete(input.name);
              break;
            case 'break':
              // Another client changes a child: its owner, if there is one, must be reconciled.
              if (!children.has(input.name)) break;
              if (sites.has(input.name)) touch(input.name);
              children.update(aChild(input.name, [by(input.name)], input.size));
              break;
            case 'hook':
              touch(input.name);
              hooks.next(input.name);
              break;
            case 'resync':
              for (const name of sites.keys()) touch(name);
              sites.resync();
              break;
            case 'wait':
              clock.advance(input.time);
              break;
            default:
              input satisfies never;
          }
        }
        clock.advance(20_000);

        expect(violations).toEqual([]);
        for (const [name, at] of lastTrigger) expect(lastStart.get(name)).toBeGreaterThan(at);
        expect(desired(children.list())).toEqual(desired(sites.list()));
        subscription.unsubscribe();
        expect([clock.timers, hooks.observed]).toEqual([0, false]);
      }),
      { numRuns: 50 },
    );
  });
});
