import { wallTime, Alarm } from '../../time/clock.js';
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
  type ObservableInput,
} from 'rxjs';
import { informer } from '../../informer/informer.js';
import { leases, type Lease } from '../../kubernetes/resources/everyday.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { listWatch } from '../../sources/list-watch.js';
import { StatusError } from '../../sources/model/errors.js';
import { resourceClient, type ResourceClient } from '../api/resource-client.js';
import { mostElapsed } from '../lease/lease-record.js';
import type { MembershipRelease } from '../lease/release.js';
import { deleteUnchanged, leaveGroup } from './leave-group.js';
import {
  initialMembership,
  leaseKey,
  nothingTold,
  type MembershipConfig,
  type Effect,
  type Input,
  type MembershipNews,
} from './protocol.js';
import type { MembershipJournal } from './membership-journal.js';
import { ReleaseGate, membershipState, type MembershipState } from './membership-state.js';
import { groupLabel, writtenLease } from './claim.js';
import type { CheckedMembershipOptions } from './membership-options.js';
import { noSlots } from './slots.js';
import { alarmOf, step } from './step.js';

type Happening = Input extends infer Input
  ? Input extends unknown
    ? Omit<Input, 'at' | 'time' | 'random'>
    : never
  : never;

/** Follows the life of one membership from outside. */
export interface MembershipLife {
  readonly journal: MembershipJournal;
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
 * What happens while effects are being carried out (a subscriber that ends its work at once, a
 * server in memory) waits for its turn.
 *
 * Teardown: watch, request and alarm end with the subscription; then the Lease is released and
 * deleted.
 */
export function membership(
  client: KubeClient,
  config: MembershipConfig,
  { scheduler, random, renewDeadline }: CheckedMembershipOptions,
  observer: MembershipLife,
): Observable<MembershipState> {
  return new Observable((subscriber) => {
    const leaseClient = resourceClient(client, leases, { scheduler, timeout: renewDeadline / 2, fieldManager });
    const relists = new Subject<void>();
    const life = new Subscription();
    const waitingForTurn: Happening[] = [];
    let state = initialMembership;
    let isBusy = false;

    const alarm = new Alarm(() => {
      happen({ type: 'alarm' });
    }, scheduler);

    function happen(happening: Happening): void {
      waitingForTurn.push(happening);
      if (isBusy) return;
      isBusy = true;
      for (let next = waitingForTurn.shift(); next !== undefined && !subscriber.closed; next = waitingForTurn.shift()) {
        const following = step(config, state, {
          ...next,
          at: scheduler.now(),
          time: wallTime(scheduler),
          random: random(),
        });
        state = following.state;
        following.effects.forEach(carryOut);
      }
      isBusy = false;
      if (subscriber.closed) return;
      const at = alarmOf(config, state);
      alarm.set(at === Infinity ? undefined : at);
    }

    function carryOut(effect: Effect): void {
      if (subscriber.closed) return;
      switch (effect.type) {
        case 'tell':
          tell(effect.news);
          break;
        case 'relist':
          relists.next();
          break;
        case 'delete':
          // Whoever does not succeed tries again.
          life.add(
            deleteUnchanged(leaseClient, effect.lease)
              .pipe(catchError(() => EMPTY))
              .subscribe(),
          );
          break;
        case 'read':
        case 'create':
        case 'update':
          answer(request(leaseClient, config, effect, wallTime(scheduler)));
          break;
        default:
          effect satisfies never;
      }
    }

    function answer(answer$: Observable<Happening>): void {
      life.add(answer$.subscribe(happen));
    }

    function sinceRenewal(): number | undefined {
      if (state.renewedAt === -Infinity) return undefined;
      const now = { at: scheduler.now(), time: wallTime(scheduler) };
      return mostElapsed({ at: state.renewedAt, time: state.renewedTime }, now);
    }

    /** Asked where work is about to begin, because the alarm may be late. Everything is lost within this call, if it can be. */
    function isAlive(): boolean {
      const elapsed = sinceRenewal();
      if (elapsed !== undefined && elapsed < renewDeadline) return true;
      if (elapsed !== undefined && !subscriber.closed) happen({ type: 'alarm' });
      return false;
    }

    function tell(news: MembershipNews): void {
      const gate = new ReleaseGate();
      // Work on lost keys ends before anything is written about it.
      subscriber.next(membershipState(config.identity, news, { isAlive, waitUntil: gate.waitUntil }));
      if (!subscriber.closed) observer.journal.follow(news, scheduler.now());
      const { release } = news;
      if (release !== undefined) answer(gate.close().pipe(map(() => ({ type: 'released', id: release }))));
      else gate.close();
    }

    subscriber.add(() => {
      life.unsubscribe();
      alarm.set(undefined);
      observer.journal.stopped();
      observer.left(leaveGroup(leaseClient, config, state, scheduler));
    });
    observer.started(sinceRenewal);
    tell({ ...nothingTold, gained: noSlots, lost: noSlots, errors: [], release: undefined });
    answer(
      relists.pipe(
        startWith(undefined),
        switchMap(() => watchGroup(client, config, { scheduler, random })),
      ),
    );
  });
}

const fieldManager = 'rx-informers-shard';

/**
 * The Leases of the group: all of them, then what becomes of them, and what went wrong with the
 * watch.
 */
function watchGroup(
  client: KubeClient,
  { namespace, group }: MembershipConfig,
  options: Pick<CheckedMembershipOptions, 'scheduler' | 'random'>,
): Observable<Happening> {
  const labelSelector = { matchLabels: { [groupLabel]: group } };
  // Its content was the newest when it was listed: who comes back after a while must not be shown a group of long ago.
  const source$ = listWatch(client, leases, { ...options, namespace, labelSelector, listConsistency: 'most-recent' });
  const group$ = informer(source$, { ...options, linger: 0 });
  return merge(
    group$.errors$.pipe(map((error): Happening => ({ type: 'watch-failed', error }))),
    group$.changes$.pipe(
      filter(({ reason }) => reason !== 'resync'),
      map((set): Happening => ({ type: 'changes', set })),
    ),
  );
}

type RequestEffect = Extract<Effect, { readonly type: 'read' | 'create' | 'update' }>;

function request(
  leaseClient: ResourceClient<Lease>,
  config: MembershipConfig,
  effect: RequestEffect,
  now: number,
): Observable<Happening> {
  const failed = (cause: unknown): ObservableInput<Happening> =>
    of({ type: 'request-failed', code: codeOf(cause), cause });
  if (effect.type === 'read') {
    return leaseClient.get(leaseKey(config)).pipe(
      map((lease): Happening => ({ type: 'read', lease })),
      catchError((cause: unknown) =>
        codeOf(cause) === 404 ? of<Happening>({ type: 'read', lease: undefined }) : failed(cause),
      ),
    );
  }
  const written = writtenLease(config, effect, effect.type === 'update' ? effect.known : undefined, now);
  const write$ =
    effect.type === 'create'
      ? leaseClient.create(written)
      : leaseClient.update({ ...effect.known, ...written } as Lease);
  return write$.pipe(
    map((lease): Happening => ({ type: 'written', lease })),
    catchError(failed),
  );
}

function codeOf(cause: unknown): number | undefined {
  return cause instanceof StatusError ? cause.statusCode : undefined;
}
