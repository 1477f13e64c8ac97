import { isObservable, type Observable, type SchedulerLike } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import type { LeaderElection } from '../controller/leader-election/leader.js';
import { checkObservable, checkOption } from '../controller/option-checks.js';
import type { Controller } from '../controller/reconcile/controller.js';
import { safeLogger } from '../controller/safe-hooks.js';
import { invalidOptionError } from '../kubernetes/errors.js';
import type { Logger } from '../requests/logger.js';
import { checkedDuration, steady } from '../scheduling/clock.js';
import { silently } from '../scheduling/safely.js';
import { consoleLogger } from './console-logger.js';

/** Options of {@link manager}. */
export interface ManagerOptions {
  /** The controllers. With a `leader`, they run while this replica leads; otherwise always. */
  readonly controllers: readonly Controller[];
  /**
   * Further caches to keep running, in addition to the caches of the controllers. The process is
   * ready only after all of them have synced. Each of them costs memory and a watch.
   */
  readonly caches?: readonly Collection<unknown>[] | undefined;
  /** The election, created by `leader$`. Default: none; then each replica runs the controllers. */
  readonly leader?: LeaderElection | undefined;
  /** Serves `/healthz`, `/readyz`, `/metrics`. Default: none, or port 8080 with `metrics`. */
  readonly health?: HealthOptions | undefined;
  /** For `/metrics`: prom-client's `Registry`, or any `MetricsSource`. Default: it responds 404. */
  readonly metrics?: MetricsSource | undefined;
  /**
   * Closed one after another, after the controllers have finished and the lease was released: for
   * example an event recorder, which writes its last events, then the client. Default: none.
   */
  readonly closes?: readonly Closeable[] | undefined;
  /** Default `consoleLogger()`. Pass the same one to the controllers and to `leader$`. */
  readonly logger?: Logger | undefined;
  /**
   * How long stopping may take in all, in milliseconds; default 25,000. A pod has 30 s by default,
   * so time is left to release the lease. When the grace period is over, running reconciles are
   * aborted. `Infinity` waits for the reconciles.
   */
  readonly gracePeriod?: number | undefined;
  /** Stops on the first value gracefully, on the second at once. `run` also stops on signals. */
  readonly stop$?: Observable<unknown> | undefined;
  /** The clock. Default: that of the first controller, or else `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** The address of the health endpoints, and further checks. */
export interface HealthOptions {
  /** Default 8080. With 0 the system chooses a free one, which the event `listening` reports. */
  readonly port?: number | undefined;
  /** Default: all addresses, because the kubelet connects to that of the pod. */
  readonly host?: string | undefined;
  /**
   * Further checks for `/healthz`, by name. A check fails if it throws, rejects, or returns an
   * Error. If a check fails repeatedly, Kubernetes restarts the container. So check only this
   * process, not the services on which it depends. Default: none.
   */
  readonly checks?: Readonly<Record<string, () => unknown>> | undefined;
}

/** Metrics in the text format of Prometheus. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): string | PromiseLike<string>;
}

/**
 * An object that must be closed: an event recorder, a client, a server. If `close` returns a
 * promise or an Observable, the manager waits until the promise or the Observable has ended.
 */
export interface Closeable {
  close(): unknown;
}

/** Adds defaults. Throws `RXI_INVALID_OPTION` if an option is invalid. */
export function checkedManagerOptions(options: ManagerOptions) {
  const { gracePeriod = 25_000, health, metrics } = options;
  const { port = 8080, host, checks = {} } = health ?? {};
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw invalidOptionError('health.port', port, 'a whole number between 0 and 65535');
  checkControllers(options.controllers);
  checkObservable('stop$', options.stop$);
  const scheduler = steady(options.scheduler ?? options.controllers[0]?.scheduler);
  return {
    ...options,
    address: (health ?? metrics) ? { port, host } : undefined,
    checks,
    caches: cachesOf(options),
    closes: options.closes ?? [],
    // An error of the logger must not stop the manager.
    logger: safeLogger(options.logger ?? consoleLogger({ scheduler }), silently),
    gracePeriod: gracePeriod === Infinity ? gracePeriod : checkedDuration('gracePeriod', gracePeriod),
    scheduler,
  };
}

function checkControllers(controllers: unknown): void {
  checkOption(
    Array.isArray(controllers),
    'controllers',
    'an array of controllers created by controller(…)',
    controllers,
  );
  for (const [index, each] of (controllers as readonly unknown[]).entries()) {
    const isController = isObservable(each) && 'caches' in each;
    checkOption(isController, `controllers[${index}]`, 'a controller created by controller(…)', each);
  }
}

/** The result of `checkedManagerOptions`. */
export type CheckedManagerOptions = ReturnType<typeof checkedManagerOptions>;

/** The caches of the process, without duplicates. */
export interface ManagedCaches {
  /** The caches of the controllers. */
  readonly controlled: ReadonlySet<Collection<unknown>>;
  /** The caches that no controller uses, by their position in the options. */
  readonly further: ReadonlyMap<string, Collection<unknown>>;
}

function cachesOf({ controllers, caches = [] }: ManagerOptions): ManagedCaches {
  const controlled = new Set(controllers.flatMap((controller) => controller.caches));
  const further = caches
    .map((cache, index) => [`caches[${index}]`, cache] as const)
    .filter(([, cache], index) => !controlled.has(cache) && caches.indexOf(cache) === index);
  return { controlled, further: new Map(further) };
}
