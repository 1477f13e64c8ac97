import { concat, EMPTY, map, NEVER, of, Subject, type Observable } from 'rxjs';
import {
  fastSlow,
  type ControllerOptions,
  controller,
  MappedKeyError,
  RunTimeoutError,
  TerminalError,
} from 'rx-informers/controller';
import type { ChangeSet } from 'rx-informers';
import { fail } from '../workqueue/support/told.js';
import { aChild, aSite, by, store, type Thing } from './support/stores.js';
import { virtualClock } from 'rx-informers/testing';
import { tell } from './support/words.js';

function start(options: ControllerOptions<Thing, readonly Thing[]>) {
  const clock = virtualClock();
  const rateLimiter = () => fastSlow({ fast: 10, slow: 10, fastAttempts: 0 });
  return { ...tell(controller({ scheduler: clock, rateLimiter, ...options })), clock };
}

describe('controller: what goes wrong in reconcile is an event', () => {
  const failures: readonly (readonly [string, () => unknown, unknown])[] = [
    ['throws', () => raise(new Error('broken')), new Error('broken')],
    ['throws what is no error', () => raise('broken'), 'broken'],
    ['throws undefined', () => raise(undefined), undefined],
    ['errors', () => fail('broken'), 'broken'],
    ['errors after some values', () => concat(of(1, 2), fail('broken')), 'broken'],
  ];
  function raise(error: unknown): never {
    throw error;
  }

  it.each(failures)('%s: it is tried again, and other keys go on', (_what, work, error) => {
    const sites = store(aSite('a'), aSite('b'));
    const { clock, words, events } = start({ for: sites, reconcile: ({ key }) => (key === 'a' ? work() : undefined) });
    expect(words.filter((word) => !word.includes('='))).toEqual(['synced', 'a?', 'a#10', 'b?', 'b!']);
    expect(events.find(({ type }) => type === 'failed')).toMatchObject({ key: 'a', error, outcome: 'retry' });
    clock.advance(10);
    expect(words.at(-1)).toBe('a#20');
  });

  it.each([[new Error('broken')], ['no error'], [undefined]])(
    'a promise that rejects with %p is tried again, and others go on',
    async (reason: unknown) => {
      const sites = store(aSite('a'), aSite('b'));
      const stop$ = new Subject<void>();
      const words: string[] = [];
      const done = controller({
        for: sites,
        stop$,
        reconcile: ({ key }) => (key === 'a' ? Promise.reject(reason as Error) : Promise.resolve()),
      }).forEach((event) => {
        if (event.type === 'failed') words.push(`${event.key} ${event.outcome} ${String(event.error)}`);
        if (event.type !== 'succeeded') return;
        words.push(`${event.key}!`);
        stop$.next();
      });
      await done;
      expect(words).toEqual([`a retry ${String(reason)}`, 'b!']);
    },
  );

  it('a run that never returns is aborted when its time is up, and others go on', () => {
    const sites = store(aSite('a'), aSite('b'));
    const signals: AbortSignal[] = [];
    const { clock, news, events } = start({
      for: sites,
      timeout: 5,
      maxRetries: 0,
      reconcile: ({ key, signal }) => {
        signals.push(signal);
        return key === 'a' ? new Promise(() => undefined) : undefined;
      },
    });
    expect(news()).toEqual(['synced', 'a?']);
    clock.advance(5);
    expect(news()).toEqual(['a#retries-exhausted', 'b?', 'b!']);
    expect(events.find(({ type }) => type === 'failed')).toMatchObject({ error: new RunTimeoutError('a', 5), took: 5 });
    expect(signals[0]?.reason).toBeInstanceOf(RunTimeoutError);
    expect(signals[1]?.aborted).toBe(false);
  });

  it('a TerminalError is not tried again until something changes', () => {
    const sites = store(aSite('a'));
    const { clock, news } = start({
      for: sites,
      reconcile: () => {
        throw new TerminalError('never');
      },
    });
    clock.advance(1_000);
    expect(news()).toEqual(['synced', 'a?', 'a#terminal']);
    sites.update(aSite('a'));
    expect(news()).toEqual(['a?', 'a#terminal']);
  });

  it('a run may give any number of values', () => {
    const { words } = start({ for: store(aSite('a')), reconcile: () => of(...Array.from({ length: 1_000 }, String)) });
    expect(words.filter((word) => word.startsWith('a='))).toHaveLength(1_000);
    expect(words.at(-1)).toBe('a!');
  });

  it('a run that returns nothing ends well', () => {
    expect(start({ for: store(aSite('a')), reconcile: () => EMPTY }).words).toEqual(['synced', 'a?', 'a!']);
  });
});

describe('controller: what goes wrong with a trigger is an event', () => {
  const mapBroken = (object: unknown): string => {
    const { metadata } = object as Thing;
    if (metadata.name === 'bad') throw new Error(`cannot map ${metadata.name}`);
    return metadata.name;
  };

  it('a map that throws: the event has the key of the object, and other objects are mapped', () => {
    const watched = store(aChild('web/bad'), aChild('web/good'));
    const { words, events } = start({
      for: store(aSite('a')),
      watches: [{ source: watched, map: mapBroken }],
      reconcile: () => undefined,
    });
    expect(words).toEqual(['watches[0] web/bad skipped', 'synced', 'a?', 'a!', 'good?', 'good!']);
    expect(events[0]).toMatchObject({ key: 'web/bad', error: new Error('cannot map bad') });
    watched.update(aChild('web/good'));
    expect(words.slice(-2)).toEqual(['good?', 'good!']);
  });

  it('a map that returns what is no key: the keys beside it are reconciled', () => {
    const watched = store(aChild('web/b'));
    const { words, events } = start({
      for: store(aSite('a')),
      watches: [{ source: watched, map: () => ['x', 5 as unknown as string, 'y'] }],
      reconcile: () => undefined,
    });
    expect(words).toEqual(['watches[0] web/b skipped', 'synced', 'a?', 'a!', 'x?', 'x!', 'y?', 'y!']);
    expect(events[0]).toMatchObject({ key: 'web/b', error: new MappedKeyError(5) });
  });

  it('a map over an Observable that throws: later values are mapped', () => {
    const hooks = new Subject<unknown>();
    const { news } = start({
      for: store(aSite('a')),
      watches: [{ source: hooks, map: mapBroken }],
      reconcile: () => undefined,
    });
    news();
    hooks.next(undefined);
    hooks.next(aChild('bad'));
    hooks.next(aChild('good'));
    expect(news()).toEqual(['watches[0]  skipped', 'watches[0]  skipped', 'good?', 'good!']);
  });

  it('an Observable that errors or completes has ended, and everything else goes on', () => {
    const failing = new Subject<string>();
    const sites = store(aSite('a'));
    const { news } = start({
      for: sites,
      watches: [
        { source: failing, map: (key) => key as string },
        { source: of('b'), map: (key) => key as string },
      ],
      reconcile: () => undefined,
    });
    expect(news()).toEqual(['synced', 'b?', 'b!', 'a?', 'a!']);
    failing.error(new Error('no more'));
    sites.update(aSite('a'));
    expect(news()).toEqual(['watches[0]  ended', 'a?', 'a!']);
  });

  it('a predicate that throws: the collection is followed again after a second, from its state on, so nothing is lost', () => {
    const sites = store(aSite('a'), aSite('b'));
    let isBroken = true;
    const through = map((set: ChangeSet<Thing>) => {
      if (isBroken && set.reason === 'watch') throw new Error('cannot compare');
      return set;
    });
    const { clock, news } = start({ for: { source: sites, through }, reconcile: () => undefined });
    news();
    sites.update(aSite('a'));
    isBroken = false;
    sites.update(aSite('b'));
    expect(news()).toEqual(['for  resubscribing']);
    expect(sites.hasSynced).toBe(true);
    clock.advance(1_000);
    expect(news()).toEqual(['a?', 'a!', 'b?', 'b!']);
    sites.update(aSite('a'));
    expect(news()).toEqual(['a?', 'a!']);
  });

  it('an operator that fails each time costs one try a second', () => {
    const through = (): Observable<never> => fail('always');
    const { clock, words } = start({ for: { source: store(aSite('a')), through }, reconcile: () => undefined });
    clock.advance(2_500);
    expect(words).toEqual(['for  resubscribing', 'synced', 'for  resubscribing', 'for  resubscribing']);
  });

  it('an operator that completes ends this trigger, and nothing else', () => {
    const sites = store(aSite('a'));
    const children = store(aChild('child', [by('a')]));
    const { news } = start({
      for: { source: sites, through: () => EMPTY },
      owns: [children],
      reconcile: () => undefined,
    });
    expect(news()).toEqual(['synced', 'a?', 'a!']);
    sites.update(aSite('a'));
    expect(news()).toEqual([]);
    children.update(aChild('child', [by('a')]));
    expect(news()).toEqual(['a?', 'a!']);
  });

  it('the end of all triggers is not the end of the controller: there may be retries and requeues', () => {
    const { words } = start({ for: { source: store(aSite('a')), through: () => EMPTY }, reconcile: () => undefined });
    expect(words).toEqual(['synced']);
  });

  it('an owned object that makes no sense: the event has its key', () => {
    const children = store(aChild('child', [by('a')]), {
      ...aChild('strange'),
      metadata: { ...aChild('strange').metadata, ownerReferences: 'nobody' as never },
    });
    const { words } = start({ for: store(aSite('a')), owns: [children], reconcile: () => undefined });
    expect(words).toEqual(['owns[0] strange skipped', 'synced', 'a?', 'a!']);
  });

  it('a watched collection may hold anything', () => {
    const numbers = store(...(['n'] as const).map((name) => aChild(name)));
    const { words } = start({
      for: store(aSite('a')),
      watches: [
        { source: numbers, map: () => undefined },
        { source: NEVER, map: () => 'never' },
      ],
      reconcile: () => undefined,
    });
    expect(words).toEqual(['synced', 'a?', 'a!']);
  });
});
