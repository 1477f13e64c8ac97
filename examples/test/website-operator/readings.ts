import { findCondition, type Condition } from 'rx-informers/controller';
import type { Website } from '../../website-operator/website.js';
import type { ClusterState } from './cluster-state.js';

/** Returns a condition that is true if all of these websites exist. */
export function has(...names: readonly string[]): (state: ClusterState) => boolean {
  return ({ websites }) => names.every((name) => websites.some(({ metadata }) => metadata.name === name));
}

export function websiteIn({ websites }: ClusterState, name: string): Website {
  const website = websites.find(({ metadata }) => metadata.name === name);
  if (website === undefined) throw new Error(`there is no website ${name}`);
  return website;
}

export function readyOf(state: ClusterState, name: string): Condition {
  const condition = findCondition(websiteIn(state, name).status?.conditions, 'Ready');
  if (condition === undefined) throw new Error(`the website ${name} has no condition Ready`);
  return condition;
}

export function isReady(name: string): (state: ClusterState) => boolean {
  return (state) => has(name)(state) && readyOf(state, name).status === 'True';
}

/** Returns a condition that another client writes into the status. */
export function reviewed(reason: string): Condition {
  return { type: 'Reviewed', status: 'True', reason, message: 'seen', lastTransitionTime: '2020-01-02T03:04:05Z' };
}

/** Calls `action` for each value, concurrently. */
export async function eachOf<T>(values: readonly T[], action: (value: T) => Promise<void>): Promise<void> {
  await Promise.all(values.map(action));
}
