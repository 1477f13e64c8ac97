'use client';

export { InformersProvider, type InformersProviderProps } from './informers-provider.js';
export type { PaceOptions } from './informers-provider.js';
export { useByIndex, useIndexValues, useList, useObject, useQuery } from './use-query.js';
export { useChanges, type ChangesOptions, useErrors } from './use-changes.js';
export { useHasSynced, useStatus } from './use-status.js';
export { useInformer } from './use-informer.js';
export { useSynced } from './use-synced.js';
export { useWindow } from './use-window.js';
