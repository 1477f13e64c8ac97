import { BehaviorSubject, interval, Observable, ReplaySubject, share, Subscription, type SchedulerLike } from 'rxjs';
import { FeedSession } from '../feeds/feed-session.js';
import { messageOf, type RxInformersError } from '../kubernetes/errors.js';
import type { Backoff } from '../sources/model/backoff.js';
import { hubError } from '../sources/model/errors.js';
import {
  hubHeartbeat,
  hubProtocol,
  maxMissedOfHub,
  readHubFrame,
  type HubFeedMessage,
  type HubRequest,
  type HubSocket,
  type ToHub,
} from './hub-messages.js';

/**
 * The connection of a page to a hub.
 *
 * | state | meaning |
 * | --- | --- |
 * | `idle` | no source is in use |
 * | `connecting` | the socket is opening |
 * | `open` | the hub serves the page |
 * | `waiting` | the connection was lost, for the reason `cause`; the page connects again at the time `until` |
 */
export type HubState =
  | { readonly state: 'idle' | 'connecting' | 'open' }
  | {
      readonly state: 'waiting';
      readonly until: number;
      readonly attempt: number;
      readonly cause: RxInformersError<'RXI_HUB'>;
    };

/** The feeds of a page over one socket. */
export interface HubSession extends FeedSession<HubRequest, HubFeedMessage> {
  /** Sends a message about a feed. */
  send(message: ToHub): void;
}

/** The connection as sources see it; `open` has the session from which they read. */
type HubLinkState =
  | Extract<HubState, { readonly state: 'waiting' }>
  | { readonly state: 'connecting' }
  | { readonly state: 'open'; readonly session: HubSession };

/** A link, and its state for display. */
export interface HubLink {
  readonly link$: Observable<HubLinkState>;
  readonly state$: BehaviorSubject<HubState>;
  /** Connects now, if the link waits. */
  recheck(): void;
}

/** A connection that lasted for this time begins its waits again. */
const longLifetime = 10_000;

/** The connection of a page. It is open while it has a subscriber, and connects again when lost. */
export function hubLink(
  connect: () => HubSocket,
  backoff: Backoff,
  random: () => number,
  scheduler: SchedulerLike,
): HubLink {
  const state$ = new BehaviorSubject<HubState>({ state: 'idle' });
  let connectNow: (() => void) | undefined;
  const link$ = new Observable<HubLinkState>((subscriber) => {
    let current = Subscription.EMPTY;
    let attempt = 0;
    const show = (link: HubLinkState): void => {
      state$.next(link.state === 'open' ? { state: 'open' } : link);
      subscriber.next(link);
    };
    const begin = (): void => {
      connectNow = undefined;
      current.unsubscribe();
      show({ state: 'connecting' });
      if (subscriber.closed) return;
      let openedAt = Infinity;
      current = openSession(connect, scheduler, {
        opened: (session) => {
          openedAt = scheduler.now();
          show({ state: 'open', session });
        },
        lost: (cause) => {
          current.unsubscribe();
          attempt = scheduler.now() - openedAt >= longLifetime ? 1 : attempt + 1;
          const wait = backoff(attempt, random());
          current = scheduler.schedule(begin, wait);
          connectNow = begin;
          show({ state: 'waiting', until: scheduler.now() + wait, attempt, cause });
        },
      });
    };
    subscriber.add(() => {
      current.unsubscribe();
      connectNow = undefined;
      state$.next({ state: 'idle' });
    });
    begin();
  }).pipe(share({ connector: () => new ReplaySubject<HubLinkState>(1) }));
  return { link$, state$, recheck: () => connectNow?.() };
}

function openSession(
  connect: () => HubSocket,
  scheduler: SchedulerLike,
  observer: { opened(session: HubSession): void; lost(cause: RxInformersError<'RXI_HUB'>): void },
): Subscription {
  const subscriptions = new Subscription();
  const lost = (problem: 'lost' | 'slow' | 'protocol', detail: string): void => {
    if (!subscriptions.closed) observer.lost(hubError(problem, detail));
  };
  let socket: HubSocket;
  try {
    socket = connect();
  } catch (cause) {
    // The caller must have the subscription before it learns of the failure.
    subscriptions.add(scheduler.schedule(() => lost('lost', messageOf(cause))));
    return subscriptions;
  }
  const post = (message: ToHub): void => {
    if (!subscriptions.closed) socket.send(JSON.stringify(message));
  };
  const session: HubSession = Object.assign(
    new FeedSession<HubRequest, HubFeedMessage>((message) => {
      // A viewer cannot make the hub connect to the API server again.
      if (message.type !== 'recheck') post(message);
    }),
    { send: post },
  );
  let missed = 0;
  const hello = (): void => post({ type: 'hello', protocol: hubProtocol });
  socket.addEventListener('open', hello);
  socket.addEventListener('message', (event) => {
    if (subscriptions.closed) return;
    missed = 0;
    let message;
    try {
      message = readHubFrame(String((event as { readonly data?: unknown }).data));
    } catch {
      lost('protocol', 'it sent an invalid message');
      return;
    }
    switch (message.type) {
      case 'welcome':
        observer.opened(session);
        return;
      case 'ping':
        post({ type: 'alive' });
        return;
      case 'closed':
        lost(message.reason, message.detail);
        return;
      default:
        session.receive(message);
    }
  });
  socket.addEventListener('error', () => lost('lost', 'the connection failed'));
  socket.addEventListener('close', () => lost('lost', 'the connection was closed'));
  subscriptions.add(
    interval(hubHeartbeat, scheduler).subscribe(() => {
      missed++;
      if (missed > maxMissedOfHub) lost('lost', `it was silent for ${(maxMissedOfHub * hubHeartbeat) / 1000} s`);
    }),
  );
  subscriptions.add(() => socket.close());
  return subscriptions;
}
