import {
  Observable,
  of,
  type Subscriber,
  Subscription,
  take,
  throwError,
  VirtualTimeScheduler,
  type SchedulerAction,
  type SchedulerLike,
} from 'rxjs';
import type { SchedulerWithSlices } from '../../scheduling/sliced-tasks.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { directClient } from '../api-server/direct-client.js';
import { apiError, statusBody } from '../api-server/exchange/api-error.js';
import {
  ConnectionFault,
  jsonReply,
  type ApiReply,
  type ApiRequest,
  type BodyReader,
  type LineListener,
  type Piece,
  type RequestHandler,
} from '../api-server/exchange/exchange.js';
import type { ApiServerCore } from '../api-server/in-memory-api-server.js';
import { randomFromSeed } from '../virtual-clock.js';
import type { Choices, SimulationPoint } from './choices.js';
import { otherWriter } from './end-state.js';

/** One replica of the controllers under test: a process with its own clock and connections. */
export interface SimulatedReplica {
  /** Sends requests to the simulated server. Everything that uses it gets its clock. */
  readonly client: KubeClient;
  /** The clock of this replica, in virtual time. Pass it to operators of rxjs. */
  readonly scheduler: SchedulerLike;
  /** Pass it where you would call `Math.random`. */
  readonly random: () => number;
  /** `a`, `b`, …; after a crash `a-2`, `a-3`, …. */
  readonly identity: string;
  /** Durations for {@link leader$} and {@link membership$}. */
  readonly lease: LeaseTimes;
}

/** The durations of a lease, in milliseconds. */
export interface LeaseTimes {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

const second = 1_000;
const latencies = [1, 3, 30, 300, 3 * second, 20 * second];
const lags = [0, 2, 20, 200, 2 * second, 20 * second, 45 * second, 200 * second];
const sliceWaits = [0, 1, 20, 400];
const crashes = ['no', 'before', 'after'] as const;
const pauses = [
  { when: 'no', wait: 0 },
  { when: 'before', wait: 20 * second },
  { when: 'before', wait: 80 * second },
  { when: 'after', wait: 20 * second },
  { when: 'after', wait: 80 * second },
] as const;
const refusals = ['no', 'refused', '503'] as const;
const outages = [
  undefined,
  { compact: false, away: 0 },
  { compact: true, away: 3 * second },
  { compact: true, away: 40 * second },
] as const;

/** What a replica needs of its run. */
export interface RunOfReplicas {
  readonly clock: SchedulerLike;
  readonly core: ApiServerCore;
  readonly choices: Choices;
  readonly lease: LeaseTimes;
  /** True while no replica can reach the server. */
  readonly isAway: boolean;
  /** Adds a line to timeline and trace. With a point, it is a choice that is not the default. */
  note(who: string, what: string, point?: string): void;
  /** Adds a line to the trace only. */
  trace(who: string, what: string): void;
  /** Waits for the effect of a choice before the run is judged. */
  affect(milliseconds: number): void;
  /** Calls `act`, whose commits are those of `actor`. */
  as<T>(actor: string, act: () => T): T;
  outage(outage: { readonly compact: boolean; readonly away: number }, when: string): void;
}

/** What answers a request. */
type Server = Pick<ApiServerCore, 'handle'>;

const serviceUnavailable: Server = {
  handle: () =>
    of(jsonReply(503, statusBody(apiError(503, 'ServiceUnavailable', 'the server is overloaded (simulated)')))),
};
const refused: Server = { handle: () => throwError(() => new ConnectionFault('refused')) };

/** The time of a replica: that of the run, except that nothing happens while it stands still. */
class ReplicaClock extends VirtualTimeScheduler implements SchedulerWithSlices {
  readonly timers = new Subscription();
  #resumesAt = 0;

  constructor(
    private readonly base: SchedulerLike,
    readonly yieldFor: () => number,
  ) {
    super();
    this.now = () => base.now();
  }

  /** How long nothing happens from now on. */
  get standstill(): number {
    return Math.max(0, this.#resumesAt - this.now());
  }

  pause(milliseconds: number): void {
    this.#resumesAt = Math.max(this.#resumesAt, this.now() + milliseconds);
  }

  override schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T): Subscription {
    if (this.timers.closed) return Subscription.EMPTY;
    const timers = this.timers;
    const wait = (): number => this.standstill;
    const timer = this.base.schedule<T>(
      function (this: SchedulerAction<T>, latest?: T) {
        if (timers.closed) return;
        if (wait() > 0) this.schedule(latest, wait());
        else work.call(this, latest);
      },
      delay,
      state,
    );
    timers.add(timer);
    return timer;
  }
}

/** A replica that runs, or ran until it crashed. */
export class ReplicaProcess {
  readonly replica: SimulatedReplica;
  readonly #clock: ReplicaClock;
  readonly #connections = new Subscription();

  /**
   * @param slot the name of the replica before its first crash
   * @param start 1 for the first start, 2 for the start after the first crash
   * @param died called when the replica crashes
   */
  constructor(
    private readonly run: RunOfReplicas,
    private readonly slot: string,
    start: number,
    private readonly died: () => void,
  ) {
    const identity = start === 1 ? slot : `${slot}-${start}`;
    this.#clock = new ReplicaClock(run.clock, () => {
      const wait = run.choices.choose('slice', slot, sliceWaits);
      if (wait > 0) run.note(slot, `yields the event loop for ${wait} ms`, 'slice');
      return wait;
    });
    const clock = { scheduler: this.#clock, random: randomFromSeed(start * 31 + slot.charCodeAt(0)) };
    this.replica = { ...clock, client: directClient(this.#handle, clock), identity, lease: run.lease };
  }

  get isDead(): boolean {
    return this.#clock.timers.closed;
  }

  /** Ends the replica as SIGKILL does: none of its code runs any more, and none of its requests. */
  kill(): void {
    this.#clock.timers.unsubscribe();
    this.#connections.unsubscribe();
  }

  readonly #handle: RequestHandler = (request) =>
    new Observable((subscriber) => {
      if (this.isDead) return;
      const exchange = new Exchange(this.run, this.slot, request);
      const crash = exchange.choose('crash', crashes);
      if (crash === 'before') return this.#crash(`crashes before it sends ${exchange.line}`);
      exchange.noteRequest();
      const leaves = this.#pause(exchange);
      const refusal = exchange.choose('fail-before', refusals);
      const outage = exchange.choose('outage', outages);
      const arrival = this.run.clock.schedule(
        () => {
          if (refusal !== 'no') exchange.note(`${exchange.line} fails before it has an effect`, 'fail-before');
          if (refusal === '503') this.#answer(exchange, serviceUnavailable, subscriber, crash);
          else if (refusal === 'refused' || this.run.isAway) this.#answer(exchange, refused, subscriber, crash);
          else this.#answer(exchange, this.run.core, subscriber, crash);
          if (outage !== undefined) this.run.outage(outage, exchange.line);
        },
        leaves + exchange.latency('reaches the server'),
      );
      // A write that was sent takes effect even if its caller does not wait for the response.
      if (!exchange.isWrite) subscriber.add(arrival);
    });

  /** Returns how long it takes until a request leaves the replica, which may stand still. */
  #pause(exchange: Exchange): number {
    const { when, wait } = exchange.choose('pause', pauses);
    const before = this.#clock.standstill;
    if (when === 'no') return before;
    exchange.note(`stands still for ${wait} ms, ${when} it sends ${exchange.line}`, 'pause');
    this.#clock.pause(wait);
    this.run.affect(wait);
    return when === 'after' ? before : this.#clock.standstill;
  }

  #answer(exchange: Exchange, server: Server, subscriber: Subscriber<ApiReply>, crash: (typeof crashes)[number]): void {
    const { line, request } = exchange;
    const wait = exchange.latency('is answered');
    const later = (act: () => void): void => subscriber.add(this.#clock.schedule(act, wait));
    const isLost = exchange.isWrite && exchange.choose('fail-after', [false, true]);
    if (exchange.isWriteToObject && exchange.choose('conflict', [false, true])) this.#writeBefore(exchange);
    const replies = this.run.as(this.slot, () =>
      server.handle(request).subscribe({
        next: (reply) => {
          exchange.noteReply(reply);
          if (crash === 'after') return this.#crash(`crashes before the response to ${line}`);
          if (isLost) exchange.note(`the response to ${line} is lost`, 'fail-after');
          if (isLost) later(() => subscriber.error(new ConnectionFault('reset')));
          else later(() => subscriber.next(this.#received(reply, exchange)));
        },
        error: (error: unknown) => later(() => subscriber.error(error)),
      }),
    );
    subscriber.add(replies);
  }

  #crash(what: string): void {
    if (this.isDead) return;
    this.run.note(this.slot, what, 'crash');
    this.kill();
    this.died();
  }

  /** Another writer changes the object first, so that a write with a resourceVersion conflicts. */
  #writeBefore({ request, line }: Exchange): void {
    this.run.note('other', `another writer changes the object before ${line}`, 'conflict');
    const body = JSON.stringify({ metadata: { annotations: { [otherWriter]: String(this.run.clock.now()) } } });
    const path = request.path.replace(subresource, '');
    const headers = { 'content-type': 'application/merge-patch+json' };
    const query = new URLSearchParams();
    this.run.as('other', () =>
      this.run.core.handle({ method: 'PATCH', path, query, headers, body, trusted: true }).pipe(take(1)).subscribe(),
    );
  }

  #received(reply: ApiReply, exchange: Exchange): ApiReply {
    if (reply.type === 'whole') return reply;
    return { ...reply, open: (listener) => this.#lateReader(reply.open(listener), listener, exchange) };
  }

  /** Reads a watch. Its lines come late, but in order. */
  #lateReader(source: BodyReader, listener: LineListener, exchange: Exchange): BodyReader {
    const connection = new Subscription(() => source.close());
    this.#connections.add(connection);
    let late: Piece | undefined;
    let timer: Subscription | undefined;
    const holdFor = (milliseconds: number): void => {
      timer = this.#clock.schedule(() => {
        timer = undefined;
        listener.readable();
      }, milliseconds);
    };
    return {
      read: () => {
        if (timer !== undefined || this.isDead) return undefined;
        const line = late ?? source.read();
        const isNew = late === undefined;
        late = undefined;
        if (line === undefined) return undefined;
        const wait = Math.max(this.#clock.standstill, isNew ? exchange.lagOf(line) : 0);
        if (wait === 0) {
          exchange.noteEvent(line);
          return line;
        }
        late = line;
        holdFor(wait);
        return undefined;
      },
      get ended() {
        return late === undefined && source.ended;
      },
      get broken() {
        return late === undefined ? source.broken : undefined;
      },
      get backlog() {
        return source.backlog;
      },
      close: () => {
        timer?.unsubscribe();
        connection.unsubscribe();
      },
    };
  }
}

const subresource = /\/(status|scale)$/;
const namedObject = /\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+)?\/[^/]+\/[^/]+(?:\/(?:status|scale))?$/;

/** A request of a replica, and the choices about it. */
class Exchange {
  readonly line: string;
  readonly isWrite: boolean;
  /** Requests for leases are many, and would take most of the choices. */
  readonly #weight: number;

  constructor(
    private readonly run: RunOfReplicas,
    private readonly slot: string,
    readonly request: ApiRequest,
  ) {
    const { method, path, query } = request;
    const selector = query.get('labelSelector');
    this.line = `${query.has('watch') ? 'WATCH' : method} ${path}${selector ? ` (${selector})` : ''}`;
    this.isWrite = method !== 'GET';
    this.#weight = path.startsWith('/apis/coordination.k8s.io/') ? 0.2 : 1;
  }

  get isWriteToObject(): boolean {
    return this.isWrite && this.request.method !== 'POST' && namedObject.test(this.request.path);
  }

  choose<T>(point: SimulationPoint, alternatives: readonly T[]): T {
    return this.run.choices.choose(point, `${this.slot} ${this.line}`, alternatives, this.#weight);
  }

  latency(what: string): number {
    const wait = this.choose('latency', latencies);
    if (wait === latencies[0]) return wait;
    this.note(`${this.line} ${what} ${wait} ms later`, 'latency');
    this.run.affect(wait);
    return wait;
  }

  note(what: string, point?: string): void {
    this.run.note(this.slot, what, point);
  }

  noteRequest(): void {
    const { query, body } = this.request;
    this.run.trace(this.slot, `sends ${this.line}${query.size > 0 ? `?${query}` : ''} ${body}`);
  }

  noteReply(reply: ApiReply): void {
    const what = `${this.line} → ${reply.status}`;
    if (reply.type === 'whole' && reply.status >= 400) this.note(`${what}: ${messageIn(reply.body)}`);
    else this.run.trace(this.slot, what);
  }

  noteEvent(line: Piece): void {
    this.run.trace(this.slot, `receives ${this.request.path} ${typeof line === 'string' ? line : line.join()}`);
  }

  /** Chooses how late a line of a watch arrives, in milliseconds. */
  lagOf(line: Piece): number {
    if (typeof line !== 'string') return 0;
    const event = eventName(line);
    const lag = this.run.choices.choose('watch', `${this.slot} ${this.line} ${event}`, lags, this.#weight);
    if (lag === 0) return 0;
    this.note(`${this.line}: ${event} arrives ${lag} ms late`, 'watch');
    this.run.affect(lag);
    return lag;
  }
}

/** Returns the message of a `Status`, or the text of another failure. */
function messageIn(body: string): string {
  return /"message":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? body.trim();
}

function eventName(line: string): string {
  const [, type = 'list'] = /^\{"type":"(\w+)"/.exec(line) ?? [];
  if (type === 'BOOKMARK' || type === 'list') return type;
  const { object } = JSON.parse(line) as { object: { metadata?: { namespace?: string; name?: string } } };
  const { namespace, name = '' } = object.metadata ?? {};
  return `${type} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
