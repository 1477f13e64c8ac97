import { informer, type Informer, addEventHandler } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import {
  combineLatest,
  Observable,
  Subject,
  take,
  throwError,
  VirtualTimeScheduler,
  withLatestFrom,
  type Unsubscribable,
} from 'rxjs';
import { a1, a2, b1, byNode, type Pod } from '../fixtures/pods.js';
import { FedCollection, FedLog } from './support/fed-log.js';
import { dataStreams } from './support/streams.js';

const { listed, modified } = watchEvent;

/** A collection whose listeners and references can be counted. */
class Counted extends FedCollection {
  readonly log: FedLog<Pod>;
  readonly stored: { count: number };

  constructor() {
    const log = new FedLog<Pod>({ node: byNode });
    const stored = { count: 0 };
    super({
      log,
      retain: (holder) => {
        stored.count++;
        holder.add(() => stored.count--);
      },
    });
    this.log = log;
    this.stored = stored;
  }
}

const openings: readonly (readonly [string, (pods: Informer<Pod, 'node'>) => Unsubscribable])[] = [
  ...dataStreams.map(([name, open]) => [name, (pods: Informer<Pod, 'node'>) => open(pods).subscribe()] as const),
  ['connect', (pods) => pods.connect()],
  ['addEventHandler', (pods) => addEventHandler(pods, {})],
  ['addEventHandler with resync', (pods) => addEventHandler(pods, {}, { resyncPeriod: 7 })],
];

const orders = {
  'before the list': ['open', 'close'],
  'after the list': ['open', 'list', 'close'],
  'after a change': ['open', 'list', 'change', 'close'],
  'opened late': ['connect', 'list', 'open', 'close', 'disconnect'],
  'closed last': ['connect', 'open', 'list', 'disconnect', 'close'],
  'after the stop': ['open', 'list', 'stop', 'close'],
  twice: ['open', 'list', 'close', 'close'],
  'while waiting for a relist': ['open', 'fail', 'close'],
  'after a relist': ['open', 'fail', 'wait', 'list', 'close'],
} as const;

/** Runs only the action that is due next. */
function runNext(scheduler: VirtualTimeScheduler): void {
  scheduler.maxFrames = Math.min(...scheduler.actions.map(({ delay }) => delay));
  scheduler.flush();
}

describe.each(openings)('G8: no leak: %s', (_name, open) => {
  it.each(Object.entries(orders))('leaves no timer, listener or reference: %s', (_order, steps) => {
    const scheduler = new VirtualTimeScheduler();
    let source = new Subject<WatchEvent<Pod>>();
    const subscribed = { count: 0, total: 0 };
    const counted = new Observable<WatchEvent<Pod>>((subscriber) => {
      subscribed.count++;
      subscribed.total++;
      source = new Subject();
      subscriber.add(source.subscribe(subscriber));
      subscriber.add(() => subscribed.count--);
    });
    const pods = informer(counted, {
      linger: 0,
      indexers: { node: byNode },
      scheduler,
      onUnobservedError: () => undefined,
    });
    const waitForRelist = (): void => {
      const before = subscribed.total;
      while (subscribed.total === before) runNext(scheduler);
    };
    let opened: Unsubscribable | undefined;
    let connection: Unsubscribable | undefined;
    for (const step of steps) {
      if (step === 'open') opened = open(pods);
      if (step === 'close') opened?.unsubscribe();
      if (step === 'connect') connection = pods.connect();
      if (step === 'disconnect') connection?.unsubscribe();
      if (step === 'list') source.next(listed([a1, b1]));
      if (step === 'change') source.next(modified(a2));
      if (step === 'fail') source.error(new Error('down'));
      if (step === 'stop') pods.stop();
      if (step === 'wait') waitForRelist();
    }
    expect([subscribed.count, source.observed, pods.isRunning]).toEqual([0, false, false]);
    expect(scheduler.actions).toEqual([]);
  });
});

describe.each(dataStreams)('G8: a subscriber that is closed before it subscribes: %s', (_name, open) => {
  it('does not start the informer, for example if another input of combineLatest has failed before', () => {
    const scheduler = new VirtualTimeScheduler();
    const pods = informer(new Subject<WatchEvent<Pod>>(), { indexers: { node: byNode }, scheduler });
    const failed$ = throwError(() => new Error('no settings'));
    combineLatest([failed$, open(pods)]).subscribe({ error: () => undefined });
    open(pods)
      .pipe(withLatestFrom(failed$))
      .subscribe({ error: () => undefined });
    scheduler.flush();
    expect(pods.isRunning).toBe(false);
  });
});

describe.each(dataStreams)('G8: no listener and no reference remains: %s', (_name, open) => {
  it.each([
    ['left before there is anything', false, false],
    ['left afterwards', true, false],
    ['completed', true, true],
  ])('leaves no timer, listener or reference: %s', (_when, hasContent, completes) => {
    const pods = new Counted();
    const early = open(pods).subscribe();
    if (hasContent) pods.log.apply([{ type: 'Added', key: 'a', object: a1 }]);
    const late = open(pods).subscribe();
    expect([pods.log.listeners.all.length, pods.stored.count]).toEqual([2, 2]);
    if (completes) pods.log.complete();
    late.unsubscribe();
    early.unsubscribe();
    expect([pods.log.listeners.all.length, pods.stored.count]).toEqual([0, 0]);
  });

  it('leaves nothing of a subscriber that unsubscribes in its first value', () => {
    const pods = new Counted();
    pods.log.apply([{ type: 'ReplacedAll', items: [], resourceVersion: '1' }]);
    open(pods).pipe(take(1)).subscribe();
    expect([pods.log.listeners.all.length, pods.stored.count]).toEqual([0, 0]);
  });
});

it('G8: synced$ has no listener after it has emitted', () => {
  const pods = new Counted();
  pods.synced$.subscribe();
  expect([pods.log.listeners.all.length, pods.stored.count]).toEqual([1, 0]);
  pods.log.apply([{ type: 'ReplacedAll', items: [], resourceVersion: '1' }]);
  expect(pods.log.listeners.all).toEqual([]);
});

it('G8: lingering leaves one timer, and stop() clears it', () => {
  const scheduler = new VirtualTimeScheduler();
  const source = new Subject<WatchEvent<Pod>>();
  const pods = informer(source, { linger: 1_000, scheduler });
  pods.connect().unsubscribe();
  pods.connect().unsubscribe();
  expect([scheduler.actions.length, source.observed]).toEqual([1, true]);
  pods.stop();
  expect([scheduler.actions, source.observed]).toEqual([[], false]);
});
