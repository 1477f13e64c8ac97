import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  endWith,
  finalize,
  from,
  ignoreElements,
  map,
  merge,
  NEVER,
  ReplaySubject,
  Subject,
  Subscription,
  take,
  takeUntil,
  tap,
  throwError,
  timer,
  type Observable,
  type Subscriber,
} from 'rxjs';
import type { Leading } from '../controller/leader-election/leadership.js';
import { whileLeading } from '../controller/leader-election/while-leading.js';
import { loggerWith } from '../controller/logger.js';
import type { Controller } from '../controller/reconcile/controller.js';
import type { ReconcileEventOf } from '../controller/reconcile/reconcile-event.js';
import { runProtocol, type ProtocolRun } from '../scheduling/run-protocol.js';
import { logCaches, readinessEvents, routes, resultOf$ } from './health.js';
import { type Host, answerProbe } from './host.js';
import { electionEndedError, controllerEndedError } from './manager-error.js';
import type { ManagerEvent, ManagerEventOf } from './manager-event.js';
import type { CheckedManagerOptions } from './manager-options.js';
import { initial, step, type Effect, type Input, type State } from './manager-step.js';

/** How long closing may take after a stop was cut off, in milliseconds. */
const closingTime = 2_000;

/** Executes the effects of `step` until the manager has stopped or is unsubscribed. */
export class ManagerRun extends Subscription {
  readonly #protocol: ProtocolRun<State, Input>;
  #stoppingAt = 0;
  /** The subscriptions to the controllers and to the candidacy. */
  readonly #work = new Subscription();
  /** The connections of the caches, and the subscriptions that log their problems. */
  readonly #warm = new Subscription();
  #idleLog = Subscription.EMPTY;
  readonly #stops = new Subject<void>();
  #isClosing = false;
  #closing = Subscription.EMPTY;
  /** Emits when a stop is cut off, so that nothing is awaited any longer. */
  readonly #overdue = new ReplaySubject<unknown>(1);

  constructor(
    private readonly options: CheckedManagerOptions,
    private readonly serve: Host['serve'],
    private readonly subscriber: Subscriber<ManagerEvent>,
  ) {
    super();
    this.#protocol = runProtocol<State, Input, Effect>({
      initial,
      step,
      carryOut: (effect) => this.#carryOut(effect),
      scheduler: options.scheduler,
    });
    this.add(this.#protocol);
    // Teardown runs in this order: the work ends first, while its caches still run. The server is
    // added later, so it ends last.
    this.add(this.#work);
    this.add(() => {
      this.#close();
      this.#limitClosing();
    });
  }

  start(signals$: Observable<string>): void {
    const { stop$ = NEVER, address } = this.options;
    const requested$ = merge(
      signals$.pipe(map((signal): Input => ({ type: 'asked', signal }))),
      stop$.pipe(map((): Input => ({ type: 'asked' }))),
    );
    this.add(requested$.subscribe({ next: this.#protocol.feed, error: this.#fail }));
    if (this.closed || this.#protocol.state.phase !== 'opening') return;
    if (address === undefined) {
      this.#protocol.feed({ type: 'opened' });
      return;
    }
    const served$ = this.serve(address, (request) =>
      answerProbe(routes(this.options, isRunning(this.#protocol.state)), request),
    );
    this.add(
      served$.subscribe({
        next: (port) => {
          if (this.#protocol.state.phase !== 'opening') return;
          this.subscriber.next({ type: 'listening', host: address.host, port });
          this.#protocol.feed({ type: 'opened' });
        },
        error: this.#fail,
      }),
    );
  }

  readonly #fail = (error: unknown): void => this.#protocol.feed({ type: 'failed', error });

  #carryOut(effect: Effect): void {
    const { subscriber, options } = this;
    switch (effect.type) {
      case 'emit-failure':
        subscriber.next({ type: 'failed', error: effect.error });
        return;
      case 'emit-stopping':
        this.#stoppingAt = options.scheduler.now();
        subscriber.next(stopping(effect.cause));
        return;
      case 'start':
        this.#start();
        return;
      case 'limit':
        this.#limit();
        return;
      case 'drain':
        for (const controller of options.controllers) controller.stop();
        this.#stops.next();
        return;
      case 'abort':
        for (const controller of options.controllers) controller.stop();
        return;
      case 'close':
        this.#close();
        return;
      case 'end':
        subscriber.next({
          type: 'stopped',
          exitCode: this.#protocol.state.exitCode,
          took: options.scheduler.now() - this.#stoppingAt,
        });
        subscriber.complete();
        return;
      default:
        effect satisfies never;
    }
  }

  #start(): void {
    const { caches, logger, scheduler } = this.options;
    this.#warm.add(logCaches(caches.further, logger, scheduler));
    this.#logWhileIdle();
    for (const cache of [...caches.controlled, ...caches.further.values()]) {
      const { connect } = cache as { readonly connect?: () => Subscription };
      this.#warm.add(connect?.call(cache));
    }
    this.#warm.add(
      readinessEvents(this.options).subscribe((event) => {
        // Do not report readiness while the process stops: it is never ready then.
        if (isRunning(this.#protocol.state)) this.subscriber.next(event);
      }),
    );
    const drained = (): void => this.#protocol.feed({ type: 'drained' });
    this.#work.add(
      this.#work$().subscribe({
        next: (event) => this.subscriber.next(event),
        error: (error: unknown) => {
          this.#fail(error);
          drained();
        },
        complete: drained,
      }),
    );
  }

  #work$(): Observable<ManagerEvent> {
    const { controllers, leader } = this.options;
    // Runs until a stop is requested, even without controllers: the caches are used.
    const idle$ = NEVER.pipe(takeUntil(this.#stops));
    const controllers$ = (leadership: Pick<Leading, 'handOver'>): Observable<ManagerEvent> =>
      defer(() => {
        this.#idleLog.unsubscribe();
        return merge(idle$, ...controllers.map((controller) => this.#runs$(controller, leadership)));
      }).pipe(finalize(() => this.#logWhileIdle()));
    if (!leader) return controllers$({});
    const election$ = concat(
      leader,
      throwError(() => electionEndedError()),
    );
    return election$.pipe(whileLeading(controllers$, { stop$: this.#stops }));
  }

  /** Logs problems of caches only while no controller runs, which would log them itself. */
  #logWhileIdle(): void {
    if (this.closed || this.#protocol.state.phase !== 'running') return;
    const { controllers, logger, scheduler } = this.options;
    this.#idleLog = new Subscription();
    for (const { name, caches } of controllers) {
      const named = caches.map((cache, index) => [`caches[${index}]`, cache] as const);
      this.#idleLog.add(logCaches(named, loggerWith(logger, { controller: name }), scheduler));
    }
    this.#warm.add(this.#idleLog);
  }

  /** Emits the events of a controller. If the controller ends by itself, everything is stopped. */
  #runs$(controller: Controller, leadership: Pick<Leading, 'handOver'>): Observable<ManagerEventOf<'controller'>> {
    const { name } = controller;
    return defer(() => {
      let stopping: ReconcileEventOf<'stopping'> | undefined;
      return controller.within(leadership).pipe(
        map((event): ManagerEventOf<'controller'> => {
          if (event.type === 'stopping') stopping = event;
          if (event.type === 'stopped' && event.aborted > 0) this.#protocol.feed({ type: 'aborted' });
          return { type: 'controller', name, event };
        }),
        tap({
          complete: () => {
            if (this.#protocol.state.phase !== 'running') return; // the controller was asked to stop
            if (stopping?.cause === 'stop') this.#protocol.feed({ type: 'asked' });
            else this.#fail(controllerEndedError(name, stopping));
          },
        }),
        catchError((error: unknown) => {
          this.#fail(error);
          return EMPTY;
        }),
      );
    });
  }

  #limit(): void {
    const { gracePeriod, scheduler } = this.options;
    if (gracePeriod === Infinity) return;
    this.add(timer(gracePeriod, scheduler).subscribe(() => this.#protocol.feed({ type: 'grace-over' })));
  }

  /** Closes `closes`. A cut-off stop, or unsubscribing, may end the manager before that. */
  #close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#warm.unsubscribe();
    const { leader, closes } = this.options;
    const steps = [() => leader?.released$, ...closes.map((each) => () => each.close())];
    const closed$ = from(steps).pipe(
      concatMap((step) =>
        merge(defer(() => resultOf$(step())).pipe(ignoreElements(), endWith(undefined)), this.#overdue).pipe(
          take(1),
          catchError((error: unknown) => {
            this.#fail(error);
            return EMPTY;
          }),
        ),
      ),
    );
    this.#closing = closed$.subscribe({ complete: () => this.#protocol.feed({ type: 'closed' }) });
  }

  /** Limits the time for closing after the manager has ended. */
  #limitClosing(): void {
    if (this.#closing.closed) return;
    this.#closing.add(timer(closingTime, this.options.scheduler).subscribe(this.#overdue));
  }
}

function stopping(input: Input): ManagerEventOf<'stopping'> {
  const signal = input.type === 'asked' ? input.signal : undefined;
  const cause = input.type === 'failed' ? 'failed' : signal === undefined ? 'stop' : 'signal';
  return { type: 'stopping', cause, signal };
}

function isRunning({ phase }: State): boolean {
  return phase === 'opening' || phase === 'running';
}
