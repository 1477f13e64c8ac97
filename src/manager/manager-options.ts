import { isObservable, type Observable, type SchedulerLike } from 'rxjs';
import type { Collection } from '../informer/collection.js';
import type { LeaderElection } from '../controller/leader-election/leader.js';
import { containedHooks, containedLogger } from '../controller/contained.js';
import { checkObservable, checkOption } from '../controller/option-checks.js';
import type { Logger } from '../controller/logger.js';
import type { Controller } from '../controller/reconcile/controller.js';
import { checkedDuration, steady } from '../time/clock.js';
import { consoleLogger } from './console-logger.js';

/** Options of `manager`. */
export interface ManagerOptions {
  /** What runs: while this replica leads if there is a `leader`, otherwise always. */
  readonly controllers: readonly Controller[];
  /**
   * Further caches to keep running, besides those of the controllers. Each has to sync before the process is ready. Costs
   * their memory and watches.
   */
  readonly caches?: readonly Collection<unknown>[] | undefined;
  /** `leader$(…)`. Default: none, so that each replica runs the controllers. */
  readonly leader?: LeaderElection | undefined;
  /** Where `/healthz`, `/readyz` and `/metrics` are served. Default: nowhere, or on port 8080 if there are `metrics`. */
  readonly health?: HealthOptions | undefined;
  /** What `/metrics` answers: a Registry of prom-client, or anything with these two. Default: 404. */
  readonly metrics?: MetricsSource | undefined;
  /**
   * What is closed at the end, one after another: after the controllers have finished and the lease was given back. An event
   * recorder, whose last events are written then, and a client, in this order. Default: nothing.
   */
  readonly closes?: readonly Closeable[] | undefined;
  /** Where the manager logs; default `consoleLogger()`. Give the same one to the controllers and to `leader$`. */
  readonly logger?: Logger | undefined;
  /**
   * How long stopping may take in all, in milliseconds; default 25,000. It is less than the 30 s that Kubernetes gives a pod, so
   * that time is left to give the lease back. If it is over, what still runs is aborted. `Infinity` waits.
   */
  readonly gracePeriod?: number | undefined;
  /** Its first value stops everything, its second one at once; default: never. `run` stops on signals too. */
  readonly stop$?: Observable<unknown> | undefined;
  /** The clock of its timers. Default: that of the first controller, otherwise `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** Where health is served, and what it depends on. */
export interface HealthOptions {
  /** Default 8080. 0 chooses a free port, which the event `listening` tells. */
  readonly port?: number | undefined;
  /** The address to listen on; default: all, because the kubelet asks the address of the pod. */
  readonly host?: string | undefined;
  /**
   * What else has to be well for `/healthz`, by name. A check fails if it throws, rejects, or returns an Error. If one fails a few
   * times, Kubernetes restarts the container: check this process, not what it depends on. Default: none.
   */
  readonly checks?: Readonly<Record<string, () => unknown>> | undefined;
}

/** Metrics in the text format of Prometheus. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): string | PromiseLike<string>;
}

/** Anything that has to be closed: an event recorder, a client, a server. If `close` returns a promise or an Observable, its end is waited for. */
export interface Closeable {
  close(): unknown;
}

/** Returns the options with their defaults; throws a `RangeError` or a `TypeError` for those that make no sense. */
export function checkedOptions(options: ManagerOptions) {
  const { gracePeriod = 25_000, health, metrics } = options;
  const { port = 8080, host, checks = {} } = health ?? {};
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new RangeError(`health.port must be an integer between 0 and 65535, not ${port}`);
  checkControllers(options.controllers);
  checkObservable('stop$', options.stop$);
  const scheduler = steady(options.scheduler ?? options.controllers[0]?.scheduler);
  return {
    ...options,
    address: (health ?? metrics) ? { port, host } : undefined,
    checks,
    caches: cachesOf(options),
    closes: options.closes ?? [],
    // A logger that throws must not end what it describes.
    logger: containedLogger(
      options.logger ?? consoleLogger({ scheduler }),
      containedHooks(() => undefined),
    ),
    gracePeriod: gracePeriod === Infinity ? gracePeriod : checkedDuration('gracePeriod', gracePeriod),
    scheduler,
  };
}

function checkControllers(controllers: unknown): void {
  checkOption(Array.isArray(controllers), 'controllers', 'an array of what controller(…) returns', controllers);
  for (const [index, each] of (controllers as readonly unknown[]).entries()) {
    const isController = isObservable(each) && 'caches' in each;
    checkOption(isController, `controllers[${index}]`, 'what controller(…) returns', each);
  }
}

/** What `checkedOptions` returns. */
export type CheckedManagerOptions = ReturnType<typeof checkedOptions>;

/** The caches of the process, each once. */
export interface ManagedCaches {
  /** Those of its controllers. */
  readonly controlled: ReadonlySet<Collection<unknown>>;
  /** Those that no controller has, by where they are in the options. */
  readonly further: ReadonlyMap<string, Collection<unknown>>;
}

function cachesOf({ controllers, caches = [] }: ManagerOptions): ManagedCaches {
  const controlled = new Set(controllers.flatMap((controller) => controller.caches));
  const further = caches
    .map((cache, index) => [`caches[${index}]`, cache] as const)
    .filter(([, cache], index) => !controlled.has(cache) && caches.indexOf(cache) === index);
  return { controlled, further: new Map(further) };
}
