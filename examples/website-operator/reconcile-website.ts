import type { Deployment, KubeClient, Service } from 'rx-informers';
import {
  edit,
  withFinalizer,
  isConditionTrue,
  TerminalError,
  type Editable,
  type EventRecorder,
  type ReconcileRequest,
  type ResourceClient,
} from 'rx-informers/controller';
import { concat, ignoreElements, switchMap, tap, throwError, type Observable, type TimestampProvider } from 'rxjs';
import { desiredState, urlOf } from './desired-state.js';
import type { Directory } from './directory.js';
import { showProblem, showProgress } from './website-status.js';
import type { Website } from './website.js';

/** What reconciling a website needs from the world. */
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
 * Makes the cluster what one website says, and the website's status what the cluster says.
 *
 * A run that takes too long, or is not wanted any more, is unsubscribed from, and its request with it.
 */
export function reconcileWebsite(world: World) {
  return ({ object: website, client }: ReconcileRequest<Website, KubeClient>): Observable<unknown> | undefined => {
    // What it owned goes with it: the garbage collector follows owner references.
    if (website === undefined) return undefined;
    const own = throughRun(world, client);
    return withFinalizer(own.websites, website, {
      finalizer,
      apply: (held) => carryOut(own, held),
      cleanup: (going) => own.directory.remove(going),
    });
  };
}

/** The controller remembers what a run writes through its client, so that the next run does not begin from older caches. */
function throughRun(world: World, client: KubeClient): World {
  return {
    ...world,
    websites: world.websites.via(client),
    deployments: world.deployments.via(client),
    services: world.services.via(client),
  };
}

function carryOut(world: World, website: Website): Observable<unknown> {
  const problem = problemOf(website);
  if (problem !== undefined) return refuse(world, website, problem);
  const { deployment, service } = desiredState(website);
  return concat(
    world.services.apply(service),
    world.directory.enter(website),
    // The answer is newer than any cache. When the Deployment makes progress later, that is a change of an owned object: the next run.
    world.deployments.apply(deployment).pipe(switchMap((applied) => show(world, website, applied))),
  ).pipe(ignoreElements());
}

/** Trying again would not help: only a new spec does, and that is a change that reconciles it. */
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
  // It runs on the newest version, which knows more than the cache about what was ready before.
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
  return /\s/.test(image)
    ? `spec.image ${JSON.stringify(image)} is no name of an image: it contains a space`
    : undefined;
}
