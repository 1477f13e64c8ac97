import {
  BehaviorSubject,
  first,
  interval,
  map,
  Observable,
  ReplaySubject,
  share,
  Subject,
  Subscription,
  timer,
  type SchedulerLike,
} from 'rxjs';
import { FeedSession } from '../feeds/feed-session.js';
import { messageOf, type RxInformersError } from '../kubernetes/errors.js';
import { sharedWorkerError } from '../sources/model/errors.js';
import {
  heartbeat,
  maxMissedOfWorker,
  protocolVersion,
  type MessagePortLike,
  type PastAnswer,
  type PastQuestion,
  type SharedRequest,
  type ToPage,
  type ToWorker,
} from './messages.js';
import { whenLockReleased } from './worker-lifetime-lock.js';

/** The part of a `SharedWorker` that a page uses. */
export interface SharedWorkerLike {
  readonly port: MessagePortLike;
  addEventListener?(type: 'error', listener: (event: object) => void): void;
}

/**
 * The way in which the page reads its objects.
 *
 * | state | meaning |
 * | --- | --- |
 * | `idle` | no informer is in use |
 * | `connecting` | the page waits for the worker; `cause` is set if the worker was lost |
 * | `shared` | the page reads from the cache of the worker |
 * | `own` | the page reads from the API server, with its own connections; `cause` contains the reason |
 */
export type SharedConnection =
  | { readonly state: 'idle' | 'shared' }
  | { readonly state: 'connecting'; readonly cause?: RxInformersError<'RXI_SHARED_WORKER'> }
  | { readonly state: 'own'; readonly cause: RxInformersError<'RXI_SHARED_WORKER'> };

/** The connection as sources see it; `shared` has the session from which they read. */
export type WorkerLinkState = Exclude<SharedConnection, { readonly state: 'idle' | 'shared' }> | SharedLink;

interface SharedLink {
  readonly state: 'shared';
  readonly session: Session;
}

/** Options of a link. */
export interface WorkerLinkOptions {
  readonly version: string;
  readonly identity: string;
  readonly scheduler: SchedulerLike;
}

/** The timeout for loading the worker's script and for its first message. */
const answerTimeout = 10_000;

/** If the worker is lost again within this time, the page no longer uses it. */
const shortLifetime = 60_000;

/**
 * The connection of a page to the worker. It is open while it has a subscriber.
 *
 * | event | link |
 * | --- | --- |
 * | the first subscriber | `connecting`, then `shared` |
 * | no `SharedWorker`, an error of its script, no answer, another version or identity | `own`, until the last subscriber has left |
 * | the end of the worker, or silence for 8 seconds | `connecting` once more, then `shared` or `own` |
 * | the worker has dropped the page because it was silent for too long, or the page comes out of the back/forward cache | `connecting`, then `shared` |
 */
export function workerLink(
  connect: () => SharedWorkerLike,
  options: WorkerLinkOptions,
): { readonly link$: Observable<WorkerLinkState>; readonly connection$: BehaviorSubject<SharedConnection> } {
  const connection$ = new BehaviorSubject<SharedConnection>({ state: 'idle' });
  const link$ = new Observable<WorkerLinkState>((subscriber) => {
    let current = Subscription.EMPTY;
    let lastLoss = -Infinity;

    const show = (link: WorkerLinkState): void => {
      connection$.next(link.state === 'shared' ? { state: 'shared' } : link);
      subscriber.next(link);
    };
    const begin = (cause?: RxInformersError<'RXI_SHARED_WORKER'>): void => {
      current.unsubscribe();
      show({ state: 'connecting', ...(cause !== undefined && { cause }) });
      if (subscriber.closed) return;
      current = openSession(connect, options, {
        opened: (session) => show({ state: 'shared', session }),
        failed: (error) => {
          current.unsubscribe();
          show({ state: 'own', cause: error });
        },
        lost: (error) => {
          const now = options.scheduler.now();
          const isShort = now - lastLoss < shortLifetime;
          lastLoss = now;
          current.unsubscribe();
          if (isShort) show({ state: 'own', cause: error });
          else begin(error);
        },
        letGo: () => begin(),
      });
    };
    const leaving = listenTo('pagehide', () => current.unsubscribe());
    const returning = listenTo('pageshow', (event) => {
      if ((event as { readonly persisted?: boolean }).persisted === true) begin();
    });
    subscriber.add(leaving);
    subscriber.add(returning);
    subscriber.add(() => {
      current.unsubscribe();
      connection$.next({ state: 'idle' });
    });
    begin();
  }).pipe(share({ connector: () => new ReplaySubject<WorkerLinkState>(1) }));
  return { link$, connection$ };
}

/** The events of a session. All of them except `opened` end it. */
interface SessionObserver {
  opened(session: Session): void;
  failed(error: RxInformersError<'RXI_SHARED_WORKER'>): void;
  lost(error: RxInformersError<'RXI_SHARED_WORKER'>): void;
  letGo(): void;
}

/** The session of a page with the worker, from `hello` to `bye`. */
export class Session extends FeedSession<SharedRequest> {
  readonly answers = new Subject<PastAnswer>();
  #questions = 0;

  constructor(private readonly send: (message: ToWorker) => void) {
    super(send);
  }

  /** Emits the text of the answer, and completes. */
  past(question: Omit<PastQuestion, 'type' | 'id'>): Observable<string> {
    return new Observable((subscriber) => {
      const id = ++this.#questions;
      const answer$ = this.answers.pipe(first((answer) => answer.id === id));
      subscriber.add(answer$.pipe(map(({ text }) => text)).subscribe(subscriber));
      this.send({ type: 'past', id, ...question });
    });
  }
}

function openSession(
  connect: () => SharedWorkerLike,
  { version, identity, scheduler }: WorkerLinkOptions,
  observer: SessionObserver,
): Subscription {
  const subscriptions = new Subscription();
  let worker: SharedWorkerLike;
  try {
    worker = connect();
  } catch (cause) {
    observer.failed(sharedWorkerError('unavailable', messageOf(cause), { cause }));
    return subscriptions;
  }
  const { port } = worker;
  const post = (message: ToWorker): void => {
    if (!subscriptions.closed) port.postMessage(message);
  };
  const session = new Session(post);
  let missed = 0;
  const failed = (detail: string): void => {
    if (!subscriptions.closed) observer.failed(sharedWorkerError('failed', detail));
  };
  const lost = (detail: string): void => {
    if (!subscriptions.closed) observer.lost(sharedWorkerError('lost', detail));
  };
  const opened = (lock: string | undefined): void => {
    unanswered.unsubscribe();
    if (lock !== undefined) subscriptions.add(whenLockReleased(lock, () => lost('the worker has ended')));
    subscriptions.add(
      interval(heartbeat, scheduler).subscribe(() => {
        missed++;
        if (missed > maxMissedOfWorker) lost(`the worker was silent for ${(maxMissedOfWorker * heartbeat) / 1000} s`);
      }),
    );
    observer.opened(session);
  };
  const unanswered = timer(answerTimeout, scheduler).subscribe(() =>
    failed(`the worker did not answer within ${answerTimeout / 1000} s`),
  );
  subscriptions.add(unanswered);
  worker.addEventListener?.('error', (event) => {
    const { message } = event as { readonly message?: string };
    failed(`the script of the worker failed${message === undefined ? '' : `: ${message}`}`);
  });
  port.addEventListener('message', (event) => {
    if (subscriptions.closed) return;
    missed = 0;
    const message = (event as { readonly data: ToPage }).data;
    switch (message.type) {
      case 'welcome':
        opened(message.lock);
        return;
      case 'refused': {
        if (message.protocol === protocolVersion && message.version === version) {
          const detail = 'the worker reads with the credentials of another user than the user of this tab';
          observer.failed(sharedWorkerError('other-identity', detail));
          return;
        }
        const detail = `the worker runs another version (${versionText(message)}) than this tab (${versionText({ protocol: protocolVersion, version })}); close the older tabs`;
        observer.failed(sharedWorkerError('other-version', detail));
        return;
      }
      case 'ping':
        post({ type: 'alive' });
        return;
      case 'past':
        session.answers.next(message);
        return;
      case 'let-go':
        observer.letGo();
        return;
      default:
        session.receive(message);
    }
  });
  port.addEventListener('close', () => lost('the worker closed the connection'));
  subscriptions.add(() => {
    port.postMessage({ type: 'bye' } satisfies ToWorker);
    port.close();
  });
  port.start();
  post({ type: 'hello', protocol: protocolVersion, version, identity });
  return subscriptions;
}

function versionText({ protocol, version }: { readonly protocol: number; readonly version: string }): string {
  return `${JSON.stringify(version)} (protocol ${protocol})`;
}

/** Listens to an event of the page. In Node, it does nothing. */
function listenTo(type: string, listener: (event: object) => void): Subscription {
  const page = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;
  page.addEventListener?.(type, listener);
  return new Subscription(() => page.removeEventListener?.(type, listener));
}
