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
import { internalChanges } from '../../collections/log-collection.js';
import { informer } from '../../informer/informer.js';
import { leases, type Lease } from '../../kubernetes/resources/everyday.js';
import { isForbidden, isNotFound } from '../../requests/resource-client/errors.js';
import { wallTime } from '../../scheduling/clock.js';
import { runProtocol } from '../../scheduling/run-protocol.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { listWatch } from '../../sources/list-watch.js';
import { leaseClient, requestLease, type LeaseClient } from '../lease/lease-client.js';
import { hasPassed, maxElapsed, writtenLease, type ClockTimes } from '../lease/lease-record.js';
import { releasedLease, releaseLease, type MembershipRelease } from '../lease/release-lease.js';
import { highest, WrittenByReplica } from '../lease/written-versions.js';
import { claimToWrite, groupLabel } from './claim.js';
import type { MembershipLog } from './membership-log.js';
import { membershipConfig, type CheckedMembershipOptions } from './membership-options.js';
import {
  membershipState,
  nothingPublished,
  ReleaseGate,
  type MembershipNews,
  type MembershipState,
} from './membership-state.js';
import { initialMembership, type Effect, type Input, type MembershipConfig, type State } from './protocol.js';
import { noSlots } from './slots.js';
import { membershipAlarm, step } from './step.js';

type MembershipEvent = Input extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'at' | 'time' | 'random'>
    : never
  : never;

/** Callbacks that observe one run of a membership. */
export interface MembershipRun {
  readonly log: MembershipLog;
  /** At the start. `sinceRenewal` returns milliseconds, or undefined if the Lease is not held. */
  started(sinceRenewal: () => number | undefined): void;
  /** Called at the end, with a stream that releases and deletes the Lease on subscription. */
  left(release$: Observable<MembershipRelease>): void;
}

/**
 * Runs the effects of `step`. Each subscription is a membership of its own.
 *
 * Teardown: first the watch, the request and the alarm end. Then the Lease is released and deleted.
 */
export function runMembership(
  client: KubeClient,
  options: CheckedMembershipOptions,
  observer: MembershipRun,
): Observable<MembershipState> {
  return new Observable((subscriber) => {
    const { scheduler, random, renewDeadline } = options;
    const written = new WrittenByReplica();
    // Each subscription is a new incarnation.
    const config = membershipConfig(options);
    const lease = leaseClient(client, config.lease, { scheduler, timeout: options.timeout, fieldManager });
    const relists = new Subject<void>();
    const subscriptions = new Subscription();
    const now = (): ClockTimes => ({ at: scheduler.now(), time: wallTime(scheduler) });

    const run = runProtocol<State, MembershipEvent, Effect>({
      initial: initialMembership,
      step: (state, event) => step(config, state, { ...event, ...now(), random: random(), written: written.versions }),
      carryOut,
      alarm: (state) => ({ at: membershipAlarm(config, state), input: { type: 'alarm' } }),
      scheduler,
    });

    function carryOut(effect: Effect): void {
      switch (effect.type) {
        case 'tell':
          publish(effect.news);
          break;
        case 'relist':
          relists.next();
          break;
        case 'delete':
          // If the deletion fails, a later step requests it again.
          subscriptions.add(
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
          // These effects occur for a contested Lease only.
          break;
        default:
          effect satisfies never;
      }
    }

    function follow(events$: Observable<MembershipEvent>): void {
      subscriptions.add(events$.subscribe(run.feed));
    }

    function sinceRenewal(): number | undefined {
      const { renewed } = run.state.holder;
      return renewed && maxElapsed(renewed, now());
    }

    /**
     * Returns true if this replica holds its Lease and the renew deadline has not passed. Called
     * before work begins, because the alarm may be late. If the deadline has passed, all keys are
     * lost within this call. If a step is running, the keys are lost after the step.
     */
    function isAlive(): boolean {
      const { renewed } = run.state.holder;
      if (renewed === undefined) return false;
      if (!hasPassed(renewDeadline, renewed, now())) return true;
      run.feed({ type: 'alarm' });
      return false;
    }

    function publish(news: MembershipNews): void {
      const gate = new ReleaseGate();
      // Subscribers end the work on lost keys before the loss is logged.
      subscriber.next(
        membershipState(config.identity, news, { isAlive, waitUntil: gate.waitUntil, leave: written.leave }),
      );
      if (!subscriber.closed) observer.log.follow(news, scheduler.now());
      const released$ = gate.close();
      const { release } = news;
      if (release !== undefined) follow(released$.pipe(map(() => ({ type: 'released', id: release }))));
    }

    subscriber.add(() => {
      subscriptions.unsubscribe();
      run.unsubscribe();
      observer.log.stopped();
      observer.left(leaveGroup(lease, config, run.state, { ...options, written }));
    });
    observer.started(sinceRenewal);
    publish({ ...nothingPublished, gained: noSlots, lost: noSlots, errors: [], release: undefined, handedOver: [] });
    follow(
      relists.pipe(
        startWith(undefined),
        switchMap(() => watchGroup(client, config, options)),
      ),
    );
  });
}

const fieldManager = 'rx-informers-shard';

/** Emits the Leases of the group, then their changes, and the errors of the watch. */
function watchGroup(
  client: KubeClient,
  { lease: { namespace }, group }: MembershipConfig,
  { scheduler, random }: CheckedMembershipOptions,
): Observable<MembershipEvent> {
  const labelSelector = { matchLabels: { [groupLabel]: group } };
  // A replica that joins again after a while must not receive an outdated list of the group.
  const source$ = listWatch(client, leases, {
    scheduler,
    random,
    namespace,
    labelSelector,
    listConsistency: 'most-recent',
  });
  const group$ = informer(source$, { scheduler, random, linger: 0 });
  return merge(
    group$.errors$.pipe(map((error): MembershipEvent => ({ type: 'watch-failed', error }))),
    internalChanges(group$).pipe(
      filter(({ reason }) => reason !== 'resync'),
      map((set): MembershipEvent => ({ type: 'changes', set })),
    ),
  );
}

/**
 * Releases and deletes this replica's Lease on subscription, and emits the outcome. Never fails.
 * First writes it without claims, for the other replicas. If the deletion fails, the Lease stays
 * until it has expired.
 */
function leaveGroup(
  lease: LeaseClient,
  config: MembershipConfig,
  { sequence, renewedSequence, written: seen }: State,
  { scheduler, written }: CheckedMembershipOptions & { readonly written: WrittenByReplica },
): Observable<MembershipRelease> {
  if (sequence === 0) return of({ type: 'not-held' });
  const { isOurs, renewDeadline, retryPeriod } = config;
  return releaseLease(lease, {
    renewDeadline,
    scheduler,
    isOurs,
    released: (known) => {
      const claim = claimToWrite(config, { sequence: sequence + 1, slots: noSlots }, highest(seen, written.versions));
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
