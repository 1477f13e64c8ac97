import { deployments, informer, services, type Deployment, type KubeClient } from 'rx-informers';
import { controllerOf, changedKeys, workqueue } from 'rx-informers/controller';
import { resourceClient, edit } from 'rx-informers/requests';
import { asyncScheduler, concat, filter, map, merge, mergeMap, switchMap } from 'rxjs';
import { desiredState } from './desired-state.js';
import { showProgress } from './website-status.js';
import { websites } from './website.js';

/**
 * Returns the core of the website operator, written with RxJS operators only. Two streams of keys
 * go into a work queue. The returned stream emits the events of the queue.
 */
export function plainOperator(client: KubeClient, { namespace = '' } = {}) {
  const { scheduler = asyncScheduler } = client;
  const websiteCache = informer(client, websites, { namespace });
  const deploymentCache = informer(client, deployments, { namespace });
  const written = { fieldManager: 'plain-operator' };
  const websiteClient = resourceClient(client, websites, written);
  const deploymentClient = resourceClient(client, deployments, written);
  const serviceClient = resourceClient(client, services, written);

  const owners$ = deploymentCache.changes$.pipe(
    mergeMap(({ changes }) => changes),
    filter(({ object }) => controllerOf(object)?.kind === 'Website'),
    map(({ object }) => `${object.metadata.namespace}/${controllerOf(object)?.name}`),
  );
  const reconcile = (key: string) => {
    const website = websiteCache.get(key);
    if (!website) return undefined;
    const { deployment, service } = desiredState(website);
    const show = (applied: Deployment) =>
      edit(websiteClient, website, (draft) => showProgress(draft, website, applied, scheduler), {
        subresource: 'status',
      });
    return concat(serviceClient.apply(service), deploymentClient.apply(deployment).pipe(switchMap(show)));
  };
  return merge(websiteCache.changes$.pipe(changedKeys()), owners$).pipe(
    workqueue(reconcile, { concurrency: 4, scheduler }),
  );
}
