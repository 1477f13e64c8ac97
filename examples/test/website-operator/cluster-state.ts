import {
  configMaps,
  deployments,
  services,
  type ConfigMap,
  type Deployment,
  type Resource,
  type Service,
} from 'rx-informers';
import { websites, type Website } from '../../website-operator/website.js';

/** All objects in one namespace that are related to websites. */
export interface ClusterState {
  readonly websites: readonly Website[];
  readonly deployments: readonly Deployment[];
  readonly services: readonly Service[];
  /** The content of the directory of websites. */
  readonly directory: Readonly<Record<string, string>>;
}

/** Reads all these objects with a function that lists one resource. */
export async function readCluster(list: <T>(resource: Resource<T>) => Promise<readonly T[]>): Promise<ClusterState> {
  const directories = await list<ConfigMap>(configMaps);
  return {
    websites: await list<Website>(websites),
    deployments: await list<Deployment>(deployments),
    services: await list<Service>(services),
    directory: directories.find(({ metadata }) => metadata.name === 'website-directory')?.data ?? {},
  };
}
