import type { Pod } from 'rx-informers';
import { go, usePageAddress } from '../address/use-page-address.js';

/** The settings of the user for logs. The address contains them. */
export interface LogSettings {
  /** The name of the container; `''` for the main container of each pod. */
  readonly container: string;
  readonly previous: boolean;
  readonly tail: number;
  readonly times: boolean;
  readonly wrap: boolean;
  /** The search text. */
  readonly find: string;
  /** Whether only lines with the search text are shown. */
  readonly only: boolean;
}

export const tails = [100, 500, 2000, 10_000] as const;

type LogSetting = keyof LogSettings;

export function useLogSettings(): LogSettings {
  const { settings } = usePageAddress();
  const text = (name: LogSetting): string => settings[`logs.${name}`] ?? '';
  return {
    container: text('container'),
    previous: text('previous') === 'on',
    tail: tails.find((tail) => String(tail) === text('tail')) ?? 500,
    times: text('times') === 'on',
    wrap: text('wrap') === 'on',
    find: text('find'),
    only: text('only') === 'on',
  };
}

/** Sets a setting in the address. An empty value removes it. */
export function setLogSetting(name: LogSetting, value: string): void {
  go(
    ({ settings }) => {
      const { [`logs.${name}`]: _, ...others } = settings;
      return { settings: value === '' ? others : { ...others, [`logs.${name}`]: value } };
    },
    { replace: true },
  );
}

/** Returns the names of the containers of a pod, in the order in which the page offers them. */
export function containerNames({ spec }: Pod): readonly string[] {
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
  const init = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy !== 'Always') ?? [];
  const containers = [...(spec?.containers ?? []), ...sidecars, ...init, ...(spec?.ephemeralContainers ?? [])];
  return containers.map(({ name }) => name);
}

/** Returns the container whose log `kubectl logs` shows. */
export function mainContainer(pod: Pod): string {
  const named = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  const names = containerNames(pod);
  return named !== undefined && names.includes(named) ? named : (names[0] ?? '');
}
