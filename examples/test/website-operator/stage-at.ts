import type { KubeClient, Resource } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { eventsV1Events } from 'rx-informers/resources';
import { firstValueFrom, Subscription } from 'rxjs';
import { requestJson } from '../../../src/sources/client/kube-client.js';
import { startDeployments } from '../../website-operator/cluster.js';
import { readCluster } from './cluster-state.js';
import { personWith } from './person.js';
import type { Person, Stage } from './stage.js';

export interface StageOptions {
  readonly namespace: string;
  /** The connection of the operator. */
  readonly client: KubeClient;
  /** The connection of all other users. */
  readonly outside: KubeClient;
  readonly kubectl?: Person;
  readonly judge?: Stage['judge'];
  readonly close?: () => Promise<void> | void;
}

/** Returns a stage at the server to which the two clients are connected. */
export function stageAt({ namespace, client, outside, kubectl, judge, close }: StageOptions): Stage {
  const played = new Subscription();
  const user = personWith(outside, namespace);
  const list = async <T>(resource: Resource<T>): Promise<readonly T[]> => {
    const path = resourcePath(resource, { namespace });
    const { items } = await firstValueFrom(
      requestJson<{ readonly items: readonly T[] }>(outside, { method: 'GET', path }),
    );
    return items;
  };
  const look = (): ReturnType<Stage['look']> => readCluster(list);
  return {
    namespace,
    client,
    user,
    kubectl: kubectl ?? user,
    look,
    judge: judge ?? look,
    events: () => list(eventsV1Events),
    startDeployments: () => {
      const running = startDeployments(outside, { wait: 0, namespace });
      played.add(running);
      return running;
    },
    close: async () => {
      played.unsubscribe();
      await close?.();
    },
  };
}
