import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from 'rx-informers';
import { controllerOf, findCondition, hasFinalizer, isTerminating } from 'rx-informers/controller';
import { desiredState, urlOf } from '../../website-operator/desired-state.js';
import type { Website } from '../../website-operator/website.js';
import type { ClusterState } from './cluster-state.js';

export interface Expectation {
  /** True if the operator has a finalizer, a directory and validation of specs. */
  readonly isComplete: boolean;
  readonly collectsGarbage: boolean;
}

/**
 * Returns the differences between the cluster and the specs, as sentences. Both a missing object
 * and a left-over object are differences.
 *
 * A field that was not requested is no difference. The server or another client may have written
 * it.
 */
export function differences(state: ClusterState, expected: Expectation): readonly string[] {
  const found: string[] = [];
  const check = (holds: boolean, sentence: string): void => {
    if (!holds) found.push(sentence);
  };

  for (const website of state.websites) {
    const { name } = website.metadata;
    check(!isTerminating(website), `website ${name} is still there, though it was deleted`);
    check(
      website.status?.observedGeneration === website.metadata.generation,
      `the status of ${name} is about generation ${website.status?.observedGeneration}, not ${website.metadata.generation}`,
    );
    const ready = findCondition(website.status?.conditions, 'Ready');
    if (expected.isComplete && isInvalid(website)) {
      check(ready?.reason === 'InvalidSpec', `the status of ${name} does not say that its spec is invalid`);
      continue;
    }
    const desired = desiredState(website);
    const deployment = named(state.deployments, name);
    check(includes(deployment, desired.deployment), `the Deployment of ${name} is not as its spec says`);
    check(includes(named(state.services, name), desired.service), `the Service of ${name} is not as its spec says`);

    const isCurrent = deployment?.status?.observedGeneration === deployment?.metadata.generation;
    const readyReplicas = isCurrent ? (deployment?.status?.readyReplicas ?? 0) : 0;
    const isReady = readyReplicas >= (website.spec.replicas ?? 1);
    check(
      website.status?.readyReplicas === readyReplicas && ready?.status === (isReady ? 'True' : 'False'),
      `the status of ${name} is not what its Deployment says`,
    );
    if (!expected.isComplete) continue;
    check(hasFinalizer(website, 'websites.example.com/directory'), `website ${name} has no finalizer`);
    check(state.directory[entryOf(website)] === urlOf(website), `website ${name} is not in the directory`);
  }

  for (const [kind, objects] of [
    ['Deployment', state.deployments],
    ['Service', state.services],
  ] as const) {
    for (const object of objects) {
      const owner = controllerOf(object);
      if (owner?.kind !== 'Website') continue;
      const isOwned = state.websites.some(({ metadata }) => metadata.uid === owner.uid);
      // Without a garbage collector, the object remains. A new website with the name of the old
      // owner must adopt it; otherwise it is a difference.
      check(
        isOwned || !expected.collectsGarbage,
        `the ${kind} ${object.metadata.name} is left of a website that is gone`,
      );
    }
  }
  const entries = state.websites.map(entryOf);
  for (const entry of Object.keys(state.directory)) {
    check(entries.includes(entry) || !entry.includes('.'), `the directory still has ${entry}`);
  }
  return found;
}

export function entryOf({ metadata: { namespace, name } }: Website): string {
  return `${namespace}.${name}`;
}

function isInvalid({ spec }: Website): boolean {
  return spec.image.includes(' ');
}

function named<T extends KubernetesObject>(objects: readonly T[], name: string): T | undefined {
  return objects.find(({ metadata }) => metadata?.name === name);
}

/** Returns true if all required fields exist. Array items are compared by position. */
function includes(actual: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return isDeepStrictEqual(actual, wanted);
  if (typeof actual !== 'object' || actual === null) return false;
  return Object.entries(wanted).every(([field, value]) => includes((actual as Record<string, unknown>)[field], value));
}
