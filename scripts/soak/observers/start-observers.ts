import type { ObserverSetting } from './observer.js';
import { observerOfCollections } from './of-collections.js';
import { observersOfInformers, type InformerObservers } from './of-informers.js';
import { observerOfLeaderElection } from './of-leader-election.js';
import { observerOfSharedWorker } from './of-shared-worker.js';

/** Starts every observer. */
export function startObservers(setting: ObserverSetting): InformerObservers {
  const { observers, show } = observersOfInformers(setting);
  return {
    observers: [
      ...observers,
      observerOfCollections(setting),
      observerOfSharedWorker(setting),
      observerOfLeaderElection(setting),
    ],
    show,
  };
}
