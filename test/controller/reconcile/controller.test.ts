import { filterUpdates } from 'rx-informers';
import {
  fastSlow,
  type ControllerOptions,
  controller,
  type ReconcileRequest,
  requeueAfter,
} from 'rx-informers/controller';
import { changed } from 'rx-informers/store';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { NEVER, of, Subject, timer, type Observable } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { aChild, aSite, by, store, type Thing } from './support/stores.js';
import { reasonWord, notify } from './support/words.js';

type Options = ControllerOptions<Thing, readonly Thing[]>;

/** A controller whose runs can be read: `key: reason, reason`. */
function start(
  options: Omit<Options, 'reconcile'> & Partial<Pick<Options, 'reconcile'>>,
  clock: VirtualClock = virtualClock(),
) {
  const runs: string[] = [];
  const requests: ReconcileRequest<Thing>[] = [];
  const reconcile = (request: ReconcileRequest<Thing>): unknown => {
    runs.push(`${request.key}: ${request.reasons.map(reasonWord).join(', ')}`);
    requests.push(request);
    return options.reconcile?.(request);
  };
  const received = notify(controller({ scheduler: clock, ...options, reconcile }));
  return { ...received, clock, requests, runs: () => runs.splice(0) };
}

describe('controller: starting', () => {
  it('reconciles nothing before all collections have synced, and then each key once', () => {
    const sites = store();
    const children = store();
    const others = store();
    const { runs, news } = start({
      for: sites,
      owns: [children],
      watches: [{ source: others, map: () => 'web/mapped' }],
    });
    sites.replace([aSite('web/a'), aSite('web/b')]);
    sites.update(aSite('web/a'));
    children.replace([aChild('web/child', [by('a')])]);
    expect([runs(), news()]).toEqual([[], []]);
    others.replace([]);
    expect(runs()).toEqual([
      'web/a: primary added initial, primary updated watch, owned Child web/child added initial',
      'web/b: primary added initial',
    ]);
    expect(news()).toEqual(['synced', 'web/a started', 'web/a succeeded', 'web/b started', 'web/b succeeded']);
  });

  it('starts with an empty cluster', () => {
    const sites = store();
    const { news } = start({ for: sites });
    sites.replace([]);
    expect(news()).toEqual(['synced']);
  });

  it('queues values of an Observable that arrive before it is ready', () => {
    const sites = store();
    const { runs } = start({ for: sites, watches: [{ source: of('web/x', 'web/x'), map: (key) => key as string }] });
    expect(runs()).toEqual([]);
    sites.replace([aSite('web/a')]);
    expect(runs()).toEqual(['web/x: external watches[0]', 'web/a: primary added initial']);
  });

  it('reports how long syncing took', () => {
    const sites = store();
    const { clock, events } = start({ for: sites });
    clock.advance(25);
    sites.replace([]);
    expect(events).toEqual([{ type: 'synced', took: 25 }]);
  });

  it('does nothing before it is subscribed to, and runs once for each subscription', () => {
    const sites = store(aSite('web/a'));
    let runs = 0;
    const controller$ = controller({ for: sites, reconcile: () => runs++ });
    expect(runs).toBe(0);
    controller$.subscribe().unsubscribe();
    controller$.subscribe().unsubscribe();
    expect(runs).toBe(2);
  });
});

describe('controller: triggers', () => {
  it('reconciles added, updated and deleted objects, with the newest version', () => {
    const sites = store(aSite('web/a', 1));
    const { runs, requests } = start({ for: sites });
    sites.update(aSite('web/a', 2));
    sites.delete('web/a');
    expect(runs()).toEqual([
      'web/a: primary added initial',
      'web/a: primary updated watch',
      'web/a: primary deleted watch',
    ]);
    expect(requests.map(({ object }) => object?.spec.size)).toEqual([1, 2, undefined]);
  });

  it('reads the object when the run begins, not when it was queued', () => {
    const sites = store(aSite('web/a', 1), aSite('web/b', 1));
    const clock = virtualClock();
    const { requests } = start({ for: sites, reconcile: () => timer(10, clock) }, clock);
    sites.update(aSite('web/b', 2));
    sites.update(aSite('web/b', 3));
    clock.advance(10);
    expect(requests.map(({ key, object }) => `${key} ${object?.spec.size ?? 'gone'}`)).toEqual(['web/a 1', 'web/b 3']);
  });

  it('runs changed objects before the initial list and resyncs', () => {
    const sites = store(aSite('web/a'), aSite('web/b'), aSite('web/c'));
    const children = store(aChild('web/child', [by('b')]));
    const clock = virtualClock();
    const { runs } = start({ for: sites, owns: [children], reconcile: () => timer(10, clock) }, clock);
    sites.update(aSite('web/c'));
    clock.advance(25);
    expect(runs().map((line) => line.slice(0, 5))).toEqual(['web/a', 'web/c', 'web/b']);
    sites.resync();
    children.update(aChild('web/child', [by('c')]));
    clock.advance(40);
    expect(runs().map((line) => line.slice(0, 5))).toEqual(['web/c', 'web/b', 'web/a']);
  });

  it('reconciles the owner of added, updated and deleted objects', () => {
    const sites = store(aSite('web/a'));
    const children = store();
    const { runs } = start({ for: sites, owns: [children] });
    children.replace([]);
    runs();
    children.add(aChild('web/child', [by('a')]));
    children.update(aChild('web/child', [by('a')]));
    children.delete('web/child');
    expect(runs()).toEqual([
      'web/a: owned Child web/child added watch',
      'web/a: owned Child web/child updated watch',
      'web/a: owned Child web/child deleted watch',
    ]);
  });

  it('reconciles both owners if an object moves to another owner', () => {
    const sites = store(aSite('web/a'), aSite('web/b'));
    const children = store(aChild('web/child', [by('a')]));
    const { runs } = start({ for: sites, owns: [children] });
    runs();
    children.update(aChild('web/child', [by('b')]));
    expect(runs().map((line) => line.slice(0, 5))).toEqual(['web/a', 'web/b']);
  });

  it('reconciles owners of every kind only if the option is set', () => {
    const sites = store(aSite('web/a'), aSite('web/b'));
    const children = store(aChild('web/child', []));
    const { runs } = start({ for: sites, owns: [children, { source: children, everyOwner: true }] });
    runs();
    children.update(aChild('web/child', [by('a', { controller: false }), by('b', { controller: false })]));
    expect(runs().map((line) => line.slice(0, 5))).toEqual(['web/a', 'web/b']);
  });

  it('ignores an owner that does not exist: the owner is reconciled when it is created', () => {
    const sites = store(aSite('web/b'));
    const children = store(aChild('web/child', [by('a')]));
    const { runs } = start({ for: sites, owns: [children] });
    children.update(aChild('web/child', [by('a')], 2));
    expect(runs()).toEqual(['web/b: primary added initial']);
    sites.add(aSite('web/a'));
    expect(runs()).toEqual(['web/a: primary added watch']);
  });

  it('maps both versions of an updated object, and one version in a resync', () => {
    const sites = store();
    const settings = store(aChild('web/settings', [], 1));
    const mapped: number[] = [];
    const map = (object: unknown): readonly string[] => {
      const { size } = (object as Thing).spec;
      mapped.push(size);
      return [`size-${size}`, 'always'];
    };
    const { runs } = start({ for: sites, watches: [{ source: settings, map }] });
    sites.replace([]);
    runs();
    settings.update(aChild('web/settings', [], 2));
    expect(runs()).toEqual([
      'size-1: watched Child web/settings updated watch',
      'always: watched Child web/settings updated watch',
      'size-2: watched Child web/settings updated watch',
    ]);
    settings.resync();
    expect(runs()).toHaveLength(2);
    expect(mapped).toEqual([1, 1, 2, 2]);
  });

  it('takes keys from an Observable, which may emit nothing', () => {
    const hooks = new Subject<string>();
    const { runs } = start({
      for: store(aSite('web/a')),
      watches: [{ source: hooks, map: (value) => ((value as string) === 'ignore' ? undefined : (value as string)) }],
    });
    runs();
    hooks.next('ignore');
    hooks.next('web/a');
    expect(runs()).toEqual(['web/a: external watches[0]']);
  });

  it('accepts the operators of the library as predicates, separately for each collection', () => {
    const sites = store(aSite('web/a', 1));
    const children = store(aChild('web/child', [by('a')], 1));
    const { runs } = start({
      for: { source: sites, through: filterUpdates(changed((site) => site.spec.size)) },
      owns: [{ source: children, through: filterUpdates(changed((child: Thing) => child.spec.size)) }],
    });
    runs();
    sites.update(aSite('web/a', 1));
    children.update(aChild('web/child', [by('a')], 1));
    expect(runs()).toEqual([]);
    sites.update(aSite('web/a', 2));
    children.update(aChild('web/child', [by('a')], 2));
    expect(runs()).toHaveLength(2);
  });

  it('debounces each key, but not its retries', () => {
    const sites = store(aSite('web/a'));
    const { clock, runs, news } = start({
      for: sites,
      debounce: { wait: 10, maxWait: 25 },
      rateLimiter: () => fastSlow({ fast: 1, slow: 1, fastAttempts: 0 }),
      reconcile: ({ attempt }) => {
        if (attempt === 1) throw new Error('once');
      },
    });
    for (let update = 0; update < 4; update++) {
      clock.advance(8);
      sites.update(aSite('web/a', update));
    }
    expect(runs()).toEqual(['web/a: primary added initial, primary updated watch', 'web/a: retry 1']);
    expect(news()).toEqual([
      'synced',
      'web/a started',
      'web/a failed, retry at 26',
      'web/a started',
      'web/a succeeded',
    ]);
    clock.advance(10);
    expect(runs()).toEqual(['web/a: primary updated watch']);
  });
});

describe('controller: runs', () => {
  it('passes a run all its reasons, each once, and a reason for a run without a trigger', () => {
    const sites = store(aSite('web/a'));
    const children = store(aChild('web/child', [by('a')]));
    let outcome: unknown = requeueAfter(50);
    const { clock, runs, requests } = start({
      for: sites,
      owns: [children],
      rateLimiter: () => fastSlow({ fast: 5, slow: 5, fastAttempts: 0 }),
      reconcile: () => {
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
    });
    runs();
    outcome = new Error('broken');
    clock.advance(50);
    expect(runs()).toEqual(['web/a: requeue']);
    children.update(aChild('web/child', [by('a')]));
    expect(runs()).toEqual(['web/a: owned Child web/child updated watch, retry 1']);
    clock.advance(5);
    expect(runs()).toEqual(['web/a: retry 2']);
    outcome = timer(10, clock);
    clock.advance(5);
    runs();
    for (let update = 0; update < 30; update++) children.update(aChild('web/child', [by('a')]));
    sites.update(aSite('web/a'));
    clock.advance(10);
    expect(runs()).toEqual(['web/a: owned Child web/child updated watch, primary updated watch']);
    expect(requests.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 3, 4, 1]);
  });

  it('accepts values, promises, Observables and async iterables, and emits their values', async () => {
    async function* generate(): AsyncGenerator<string> {
      yield 'one';
      yield 'two';
    }
    const outputs: Readonly<Record<string, () => unknown>> = {
      'web/value': () => 'value',
      'web/promise': () => Promise.resolve('later'),
      'web/observable': () => of('x', 'y', 'z'),
      'web/iterable': generate,
    };
    const sites = store(...Object.keys(outputs).map((key) => aSite(key)));
    const stop$ = new Subject<void>();
    const words: string[] = [];
    const reconcile = ({ key }: { readonly key: string }): unknown => outputs[key]?.();
    const scheduler = virtualClock();
    const done = controller({ for: sites, concurrency: 4, stop$, reconcile, scheduler }).forEach((event) => {
      if (event.type === 'emitted') words.push(`${event.key.slice(4)} ${String(event.value)}`);
    });
    stop$.next();
    await done;
    expect(words.sort()).toEqual([
      'iterable one',
      'iterable two',
      'observable x',
      'observable y',
      'observable z',
      'promise later',
      'value value',
    ]);
  });

  it('W2: never runs a key twice at once, and runs as many keys at once as configured', () => {
    const sites = store(...['a', 'b', 'c'].map((name) => aSite(name)));
    const clock = virtualClock();
    const { news } = start({ for: sites, concurrency: 2, reconcile: () => timer(10, clock) }, clock);
    sites.update(aSite('a'));
    clock.advance(10);
    expect(news()).toEqual([
      'synced',
      'a started',
      'b started',
      'a emitted 0',
      'a succeeded',
      'a started',
      'b emitted 0',
      'b succeeded',
      'c started',
    ]);
  });

  it('is not delayed by a flood of triggers, nor by triggers of its own runs', () => {
    const sites = store(...Array.from({ length: 500 }, (_, index) => aSite(`site-${index}`)));
    const hooks = new Subject<string>();
    let runs = 0;
    const reconcile = ({ key }: ReconcileRequest<Thing>): Observable<unknown> => {
      runs++;
      if (runs < 5_000) for (let index = 0; index < 3; index++) hooks.next(`site-${(runs * 7 + index) % 500}`);
      return of(key);
    };
    const { words } = start({ for: sites, watches: [{ source: hooks, map: (key) => key as string }], reconcile });
    expect(runs).toBeGreaterThanOrEqual(5_000);
    expect(words.filter((word) => word.endsWith(' succeeded'))).toHaveLength(runs);
  });

  it('throws at once for invalid options', () => {
    const sites = store();
    const reconcile = (): Observable<never> => NEVER;
    expect(() => controller({ for: sites, reconcile, concurrency: 0 })).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(() => controller({ for: sites, reconcile, timeout: -1 })).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(() => controller({ for: sites, reconcile, maxRetries: -1 })).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(() => controller({ for: sites, reconcile, gracePeriod: -1 })).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(() => controller({ for: sites, reconcile, debounce: -1 })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});
