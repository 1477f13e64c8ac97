import {
  catchError,
  EMPTY,
  filter,
  map,
  merge,
  Observable,
  of,
  startWith,
  Subject,
  Subscription,
  switchMap,
} from 'rxjs';
import { informer } from '../../informer/informer.js';
import { leases, type Lease } from '../../kubernetes/resources/everyday.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { listWatch } from '../../sources/list-watch.js';
import { runProtocol } from '../../time/run-protocol.js';
import { wallTime } from '../../time/clock.js';
import { isForbidden, isNotFound } from '../api/errors.js';
import {
  leaseClient,
  releaseLease,
  requestLease,
  type LeaseClient,
  type MembershipRelease,
} from '../lease/lease-client.js';
import { hasPassed, mostElapsed, releasedLease, writtenLease, type Moment } from '../lease/lease-record.js';
import { claimToWrite, groupLabel, noSlots } from './claim.js';
import type { MembershipLog } from './membership-log.js';
import { membershipConfig, type CheckedMembershipOptions } from './membership-options.js';
import {
  membershipState,
  nothingTold,
  ReleaseGate,
  type MembershipNews,
  type MembershipState,
} from './membership-state.js';
import { initialMembership, type Effect, type Input, type MembershipConfig, type State } from './protocol.js';
import { alarmOf, step } from './step.js';

type Happening = Input extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'at' | 'time' | 'random'>
    : never
  : never;

/** Follows the life of one membership from outside. */
export interface MembershipLife {
  readonly log: MembershipLog;
  /**
   * Called when it starts, with a function that returns how long ago the Lease was renewed;
   * undefined if none is held.
   */
  started(sinceRenewal: () => number | undefined): void;
  /** Called at the end, with a stream that deletes the Lease when it is subscribed to. */
  left(release$: Observable<MembershipRelease>): void;
}

/**
 * Carries out what `step` says: one membership for each subscription.
 *
 * Teardown: watch, request and alarm end with the subscription; then the Lease is released and
 * deleted.
 */
export function runMembership(
  client: KubeClient,
  options: CheckedMembershipOptions,
  observer: MembershipLife,
): Observable<MembershipState> {
  return new Observable((subscriber) => {
    const { scheduler, random, renewDeadline } = options;
    // Each time that it is joined it is another incarnation.
    const config = membershipConfig(options);
    const lease = leaseClient(client, config.lease, { scheduler, timeout: options.timeout, fieldManager });
    const relists = new Subject<void>();
    const life = new Subscription();
    const now = (): Moment => ({ at: scheduler.now(), time: wallTime(scheduler) });

    const run = runProtocol<State, Happening, Effect>({
      initial: initialMembership,
      step: (state, happening) => step(config, state, { ...happening, ...now(), random: random() }),
      carryOut,
      alarm: (state) => ({ at: alarmOf(config, state), input: { type: 'alarm' } }),
      scheduler,
    });

    function carryOut(effect: Effect): void {
      switch (effect.type) {
        case 'tell':
          tell(effect.news);
          break;
        case 'relist':
          relists.next();
          break;
        case 'delete':
          // If it fails, it is asked for again.
          life.add(
            lease
              .delete(effect.lease)
              .pipe(catchError(() => EMPTY))
              .subscribe(),
          );
          break;
        case 'read':
        case 'create':
        case 'update':
          follow(requestLease(lease, effect));
          break;
        case 'abort':
        case 'slow-path':
          // Only for a contested Lease.
          break;
        default:
          effect satisfies never;
      }
    }

    function follow(happenings$: Observable<Happening>): void {
      life.add(happenings$.subscribe(run.feed));
    }

    function sinceRenewal(): number | undefined {
      const { renewed } = run.state.holder;
      return renewed && mostElapsed(renewed, now());
    }

    /**
     * Asked where work is about to begin, because the alarm may be late. Everything is lost within
     * this call, if it can be.
     */
    function isAlive(): boolean {
      const { renewed } = run.state.holder;
      if (renewed === undefined) return false;
      if (!hasPassed(renewDeadline, renewed, now())) return true;
      run.feed({ type: 'alarm' });
      return false;
    }

    function tell(news: MembershipNews): void {
      const gate = new ReleaseGate();
      // Work on lost keys ends before anything is written about it.
      subscriber.next(membershipState(config.identity, news, { isAlive, waitUntil: gate.waitUntil }));
      if (!subscriber.closed) observer.log.follow(news, scheduler.now());
      const { release } = news;
      if (release !== undefined) follow(gate.close().pipe(map(() => ({ type: 'released', id: release }))));
      else gate.close();
    }

    subscriber.add(() => {
      life.unsubscribe();
      run.unsubscribe();
      observer.log.stopped();
      observer.left(leaveGroup(lease, config, run.state, options));
    });
    observer.started(sinceRenewal);
    tell({ ...nothingTold, gained: noSlots, lost: noSlots, errors: [], release: undefined });
    follow(
      relists.pipe(
        startWith(undefined),
        switchMap(() => watchGroup(client, config, options)),
      ),
    );
  });
}

const fieldManager = 'rx-informers-shard';

/**
 * Emits the Leases of the group, then what becomes of them, and what went wrong with the watch.
 */
function watchGroup(
  client: KubeClient,
  { lease: { namespace }, group }: MembershipConfig,
  { scheduler, random }: CheckedMembershipOptions,
): Observable<Happening> {
  const labelSelector = { matchLabels: { [groupLabel]: group } };
  // A replica that comes back after a while must not be shown a group of long ago.
  const source$ = listWatch(client, leases, {
    scheduler,
    random,
    namespace,
    labelSelector,
    listConsistency: 'most-recent',
  });
  const group$ = informer(source$, { scheduler, random, linger: 0 });
  return merge(
    group$.errors$.pipe(map((error): Happening => ({ type: 'watch-failed', error }))),
    group$.changes$.pipe(
      filter(({ reason }) => reason !== 'resync'),
      map((set): Happening => ({ type: 'changes', set })),
    ),
  );
}

/**
 * Returns a stream that deletes this replica's Lease when it is subscribed to, and emits what
 * became of it. It never fails.
 *
 * First it writes the Lease without a claim, so that the other replicas know that nothing is owned
 * any more. Then it deletes it. If it does not succeed, the Lease expires.
 */
function leaveGroup(
  lease: LeaseClient,
  config: MembershipConfig,
  { sequence, renewedSequence }: State,
  { scheduler }: CheckedMembershipOptions,
): Observable<MembershipRelease> {
  if (sequence === 0) return of({ type: 'not-held' });
  const { isOurs, renewDeadline, retryPeriod } = config;
  return releaseLease(lease, {
    renewDeadline,
    scheduler,
    isOurs,
    released: (known) => {
      const claim = claimToWrite(config, { sequence: sequence + 1, slots: noSlots });
      const time = wallTime(scheduler);
      return releasedLease(writtenLease(config.lease, claim, { known, isRenewal: true, time }) as Lease, claim);
    },
    isDeleted: true,
    retryAfter: (error) => (isNotFound(error) || isForbidden(error) ? undefined : retryPeriod),
  }).pipe(
    map((release): MembershipRelease => {
      const hasNoRights = release.type === 'failed' && isForbidden(release.error);
      return hasNoRights && renewedSequence === 0 ? { type: 'not-held' } : release;
    }),
  );
}
