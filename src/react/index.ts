'use client';

export { InformersProvider, type InformersProviderProps } from './informers-provider.js';
export type { PaceOptions } from './pace.js';
export { useInformer } from './use-informer.js';
export { useByIndex, useIndexValues, useList, useObject, useQuery } from './use-query.js';
export { useDerived } from './use-derived.js';
export { useWindow } from './use-window.js';
export type { View } from '../views/window/window-rows.js';
export { useSuspenseQuery, useSynced } from './use-synced.js';
export { useHasSynced, useStatus } from './use-status.js';
export { useChanges, type ChangesOptions, useErrors } from './use-changes.js';
export { InformersDevtools } from './devtools/informers-devtools.js';
