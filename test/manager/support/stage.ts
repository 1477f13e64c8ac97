import { configMaps, informer, leases, listWatch, type ConfigMap, type Informer } from 'rx-informers';
import { controller, leader$, silentLogger, type Controller, type LeaderElection } from 'rx-informers/controller';
import type { ManagerEvent, ManagerOptions, Manager } from 'rx-informers/node';
import {
  aConfigMap,
  createInMemoryApiServer,
  type InMemoryApiServer,
  virtualClock,
  type VirtualClock,
} from 'rx-informers/testing';
import { Observable, Subject, type Subscription } from 'rxjs';
import type { Host, Responder, HttpResponse } from '../../../src/manager/host.js';
import { createManager } from '../../../src/manager/manager.js';
import { countedClient, type CountedClient } from '../../controller/reconcile/support/counted-client.js';
import { lease } from './lease.js';

/** A simulated process and an API server, both in virtual time. */
export interface ManagerStage {
  readonly clock: VirtualClock;
  readonly server: InMemoryApiServer;
  readonly client: CountedClient;
  /** The events, each with its time: `0 listening`, `0 website synced`, `20 GET /healthz`. */
  readonly lines: string[];
  readonly exitCodes: readonly number[];
  /** The error with which `serve` fails. `undefined`: it does not fail. */
  listenError: Error | undefined;
  /** True if opening the port never completes. */
  isOpening: boolean;
  /** True if the port is open. */
  readonly isServing: boolean;
  settings(): Informer<ConfigMap>;
  /** Returns a controller. Each of its runs takes `took` milliseconds, or less if it is aborted. */
  runs(name: string, cache: Informer<ConfigMap>, took?: number): Controller;
  leader(identity?: string): LeaderElection;
  manager(options: ManagerOptions): Manager;
  start(options: ManagerOptions): Subscription;
  run(options: ManagerOptions): Promise<number>;
  signal(name: string): void;
  /** Sets the resources that the process reports as keeping it alive. */
  stillAlive(...resources: readonly string[]): void;
  get(path: string, method?: string): HttpResponse;
  /** Returns the holder of the lease that the server stores. */
  holder(): string | undefined;
}

export function managerStage(): ManagerStage {
  const clock = virtualClock();
  const scheduler = clock;
  const server = createInMemoryApiServer({ scheduler });
  const client = countedClient(server.client);
  const lines: string[] = [];
  const exitCodes: number[] = [];
  const signals = new Subject<string>();
  let responder: Responder | undefined;
  let alive: (resources: readonly string[]) => void = () => undefined;
  const note = (line: string): void => void lines.push(`${scheduler.now()} ${line}`);

  const host: Host = {
    signals$: signals,
    setExitCode: (code) => exitCodes.push(code),
    whenStillAlive: (notify) => (alive = notify),
    serve: (_address, respond) =>
      new Observable((subscriber) => {
        if (stage.isOpening) return undefined;
        if (stage.listenError) {
          subscriber.error(stage.listenError);
          return undefined;
        }
        responder = respond;
        subscriber.next(4711);
        return () => {
          responder = undefined;
          note('port closed');
        };
      }),
  };
  const stage: ManagerStage = {
    clock,
    server,
    client,
    lines,
    exitCodes,
    listenError: undefined,
    isOpening: false,
    get isServing() {
      return responder !== undefined;
    },
    settings: () =>
      informer(listWatch(client, configMaps, { scheduler, random: () => 0 }), {
        scheduler,
        random: () => 0,
        linger: 0,
      }),
    runs: (name, cache, took = 0) =>
      controller({
        name,
        for: cache,
        logger: silentLogger,
        scheduler,
        reconcile: ({ key }) =>
          new Observable((subscriber) => {
            note(`${name} runs ${key}`);
            const end = scheduler.schedule(() => {
              note(`${name} has run ${key}`);
              subscriber.complete();
            }, took);
            return () => {
              end.unsubscribe();
            };
          }),
      }),
    leader: (identity = 'me') => leader$(client, { lease, identity, scheduler, random: () => 0 }),
    manager: (options) => createManager({ scheduler, logger: silentLogger, ...options }, host),
    start: (options) =>
      stage.manager(options).subscribe({
        next: (event) => {
          const text = word(event);
          if (text !== undefined) note(text);
        },
        complete: () => {
          note('complete');
        },
      }),
    run: (options) => stage.manager(options).run(),
    signal: (name) => {
      signals.next(name);
    },
    stillAlive: (...resources) => {
      alive(resources);
    },
    get: (path, method = 'GET') => {
      const responses: HttpResponse[] = [];
      responder?.({ method, url: path }).subscribe((response) => responses.push(response));
      return responses[0]!;
    },
    holder: () => server.objects.get(leases, lease.name, lease.namespace)?.spec?.holderIdentity,
  };
  server.apply(aConfigMap({ name: 'settings' }));
  return stage;
}

/** Describes an event in a few words. For controllers, only their end is described. */
function word(event: ManagerEvent): string | undefined {
  switch (event.type) {
    case 'listening':
      return `listening on ${event.port}`;
    case 'readiness':
      return event.isReady ? 'ready' : `not ready: ${event.reasons.join(', ')}`;
    case 'failed':
      return `failed: ${String(event.error)}`;
    case 'stopping':
      return `stopping: ${event.signal ?? event.cause}`;
    case 'stopped':
      return `stopped after ${event.took} with ${event.exitCode}`;
    case 'controller':
      return event.event.type === 'stopped' ? `${event.name} stopped, ${event.event.aborted} aborted` : undefined;
    default:
      return event satisfies never;
  }
}
