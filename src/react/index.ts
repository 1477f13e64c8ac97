'use client';

export { InformersProvider, type InformersProviderProps } from './informers-provider.js';
export type { PaceOptions } from './pace.js';
export { useByIndex } from './use-by-index.js';
export { useChanges, type ChangesOptions } from './use-changes.js';
export { useErrors } from './use-errors.js';
export { useHasSynced } from './use-has-synced.js';
export { useIndexValues } from './use-index-values.js';
export { useInformer } from './use-informer.js';
export { useList } from './use-list.js';
export { useObject } from './use-object.js';
export { useStatus } from './use-status.js';
export { useSynced } from './use-synced.js';
export { useWindow } from './use-window.js';
