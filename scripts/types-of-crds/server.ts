import { KubeConfig } from '@kubernetes/client-node';
import { isRxInformersError, resource, type KubernetesObject, type Resource } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { resourceClient, type NewObject } from 'rx-informers/requests';
import { customResourceDefinitions, type CustomResourceDefinition } from 'rx-informers/resources';
import { from, lastValueFrom, mergeMap, retry, toArray } from 'rxjs';
import type { Definition } from '../../src/types/types-of.js';

/** An object to check, and its kind. */
export interface Candidate {
  readonly object: KubernetesObject;
  readonly definition: Definition;
}

/** Says whether an API server would create objects, with `fieldValidation=Strict`. */
export interface Judge {
  /** Returns, for each object, the reason for which the server refuses it. */
  readonly refusals: (candidates: readonly Candidate[]) => Promise<readonly (string | undefined)[]>;
  readonly close: () => void;
}

/** Installs definitions in the cluster of a kubeconfig. */
export async function serverJudge(kubeconfig: string, definitions: readonly Definition[]): Promise<Judge> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(kubeconfig);
  const client = kubeClient(kubeConfig);
  for (const definition of definitions) {
    const body = definition as unknown as NewObject<CustomResourceDefinition>;
    await ignoring('AlreadyExists', resourceClient(client, customResourceDefinitions).create(body));
    const versions = definition.spec.versions.filter(({ served }) => served);
    for (const { name } of versions) {
      const lists = resourceClient(client, resourceOf(definition, name)).list({ limit: 1 });
      // The server answers 404 until it serves the kind.
      await lastValueFrom(lists.pipe(retry({ count: 200, delay: 100 })));
    }
  }

  async function refusal({ object, definition }: Candidate): Promise<string | undefined> {
    const { apiVersion = '', metadata } = object;
    const described = resourceOf(definition, apiVersion.slice(apiVersion.indexOf('/') + 1));
    const namespace = described.namespaced ? { namespace: 'default' } : {};
    const body = { ...object, metadata: { ...metadata, ...namespace } } as NewObject<KubernetesObject>;
    try {
      await resourceClient(client, described).create(body, { dryRun: true, fieldValidation: 'Strict' });
      return undefined;
    } catch (error) {
      if (isRxInformersError(error, 'RXI_STATUS') && [400, 422].includes(error.statusCode)) return error.message;
      throw error;
    }
  }

  return {
    refusals: async (candidates) => {
      const answers = from(candidates.entries()).pipe(
        mergeMap(async ([i, candidate]) => [i, await refusal(candidate)] as const, 8),
        toArray(),
      );
      const reasons = new Map(await lastValueFrom(answers));
      return candidates.map((_candidate, i) => reasons.get(i));
    },
    close: () => client.close(),
  };
}

function resourceOf({ spec }: Definition, version: string): Resource<KubernetesObject> {
  const { group, scope, names } = spec;
  return resource({ group, version, plural: names.plural, namespaced: scope !== 'Cluster' });
}

async function ignoring(reason: string, call: PromiseLike<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isRxInformersError(error, 'RXI_STATUS') || error.reason !== reason) throw error;
  }
}
