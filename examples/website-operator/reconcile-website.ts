import type { Deployment, KubeClient, Service } from 'rx-informers';
import {
  withFinalizer,
  isConditionTrue,
  TerminalError,
  type ClientOfRun,
  type EventRecorder,
  type ReconcileRequest,
} from 'rx-informers/controller';
import { type ResourceClient, edit, type Editable } from 'rx-informers/requests';
import {
  concat,
  defer,
  ignoreElements,
  switchMap,
  tap,
  throwError,
  type Observable,
  type TimestampProvider,
} from 'rxjs';
import { desiredState, urlOf } from './desired-state.js';
import type { Directory } from './directory.js';
import { showProblem, showProgress } from './website-status.js';
import type { Website } from './website.js';

/** The dependencies of the reconciliation of a website. */
export interface World {
  readonly websites: ResourceClient<Website>;
  readonly deployments: ResourceClient<Deployment>;
  readonly services: ResourceClient<Service>;
  readonly directory: Directory;
  readonly recorder: EventRecorder;
  readonly clock: TimestampProvider;
}

const finalizer = 'websites.example.com/directory';

/**
 * Makes the cluster match the spec of one website, and the website's status match the cluster.
 *
 * If a run takes too long or is no longer wanted, the controller unsubscribes from it, which also
 * aborts its request.
 */
export function reconcileWebsite(world: World) {
  return ({ key, object: website, clientOf }: ReconcileRequest<Website, KubeClient>): Observable<unknown> => {
    const own = throughRun(world, clientOf);
    // The garbage collector deletes the objects of a deleted website, because they have owner
    // references. A run whose cache still had the website may have entered it once more.
    if (website === undefined) return own.directory.remove(key);
    return withFinalizer(own.websites, website, {
      finalizer,
      apply: (cached) => carryOut(own, cached),
      cleanup: () => own.directory.remove(key),
    });
  };
}

/**
 * Sends the writes of a run through the client of the run. The controller remembers these writes,
 * so that the next run does not start from older caches, and sends none after the replica has lost
 * the lease.
 */
function throughRun(world: World, clientOf: ClientOfRun): World {
  return {
    ...world,
    websites: clientOf(world.websites),
    deployments: clientOf(world.deployments),
    services: clientOf(world.services),
    directory: world.directory.through(clientOf),
  };
}

function carryOut(world: World, website: Website): Observable<unknown> {
  const problem = problemOf(website);
  if (problem !== undefined) return refuse(world, website, problem);
  const { deployment, service } = desiredState(website);
  return concat(
    world.services.apply(service),
    world.directory.enter(website),
    // The answer is newer than any cache. Later progress of the Deployment is a change of an owned
    // object, which starts the next run.
    defer(() => world.deployments.apply(deployment)).pipe(switchMap((applied) => show(world, website, applied))),
  ).pipe(ignoreElements());
}

/**
 * Reports a spec that is not valid. A retry would not help. Only a new spec helps, and the change
 * of the spec starts a new run.
 */
function refuse(world: World, website: Website, problem: string): Observable<never> {
  let isKnown = false;
  const recipe = (draft: Editable<Website>): void => {
    isKnown = draft.status?.observedGeneration === website.metadata.generation;
    showProblem(draft, website, problem, world.clock);
  };
  return edit(world.websites, website, recipe, { subresource: 'status' }).pipe(
    tap((updated) => {
      if (isKnown) return;
      world.recorder.record(updated, { type: 'Warning', reason: 'InvalidSpec', action: 'Reconcile', note: problem });
    }),
    switchMap(() => throwError(() => new TerminalError(problem))),
  );
}

function show(world: World, website: Website, deployment: Deployment): Observable<Website> {
  let wasReady = false;
  // `edit` calls this with the newest version, whose status may be newer than that of the cache.
  const recipe = (draft: Editable<Website>): void => {
    wasReady = isReady(draft);
    showProgress(draft, website, deployment, world.clock);
  };
  return edit(world.websites, website, recipe, { subresource: 'status' }).pipe(
    tap((updated) => {
      if (wasReady || !isReady(updated)) return;
      const note = `served at ${urlOf(website)}`;
      world.recorder.record(website, { type: 'Normal', reason: 'Ready', action: 'Reconcile', note });
    }),
  );
}

function isReady({ status }: Pick<Website, 'status'>): boolean {
  return isConditionTrue(status?.conditions, 'Ready');
}

function problemOf({ spec: { image } }: Website): string | undefined {
  return /\s/.test(image) ? `spec.image ${JSON.stringify(image)} is not an image name: it contains a space` : undefined;
}
