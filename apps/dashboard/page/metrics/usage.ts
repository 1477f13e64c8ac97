import { isRxInformersError } from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** The CPU and memory that a container, a pod or a node uses, requests or has. */
export interface Amounts {
  /** CPU in cores. */
  readonly cpu: number;
  /** Memory in bytes. */
  readonly memory: number;
}

export type AmountName = keyof Amounts;
export const amountNames: readonly AmountName[] = ['cpu', 'memory'];

/** The measured usage of a pod or a node. */
export interface Usage extends Amounts {
  /** The time of the measurement as the API server writes it. */
  readonly measuredAt: string | undefined;
  /** The usage of each container; empty for a node. */
  readonly containers: ReadonlyMap<string, Amounts>;
}

/**
 * Usage by `namespace/name`, or `name`. The list of a large cluster is parsed item by item, when an
 * item is shown.
 */
export interface Usages {
  of(key: string): Usage | undefined;
}

interface MeasuredItem {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly timestamp?: string;
  readonly usage?: Quantities;
  readonly containers?: readonly { readonly name: string; readonly usage?: Quantities }[];
}

export type Quantities = Readonly<Partial<Record<AmountName, string>>>;

/** Reads a `PodMetricsList` or a `NodeMetricsList`. Ignores items that cannot be read. */
export function usagesOf(document: unknown): Usages {
  const { items } = (document ?? {}) as { readonly items?: unknown };
  const byKey = new Map<string, MeasuredItem>();
  for (const item of Array.isArray(items) ? (items as readonly (MeasuredItem | null)[]) : []) {
    const { name, namespace } = item?.metadata ?? {};
    if (item && name !== undefined) byKey.set(namespace === undefined ? name : `${namespace}/${name}`, item);
  }
  const read = new Map<string, Usage>();
  return {
    of(key) {
      const known = read.get(key);
      const item = byKey.get(key);
      if (known !== undefined || item === undefined) return known;
      const usage = usageOf(item);
      read.set(key, usage);
      return usage;
    },
  };
}

function usageOf({ timestamp, usage, containers = [] }: MeasuredItem): Usage {
  const byContainer = new Map(containers.map((container) => [container.name, amountsOf(container.usage)]));
  return {
    ...(usage === undefined ? sumOf(byContainer.values()) : amountsOf(usage)),
    measuredAt: timestamp,
    containers: byContainer,
  };
}

/**
 * Reads quantities such as `{ cpu: '12500000n', memory: '34816Ki' }`. A missing or unreadable
 * quantity is 0.
 */
export function amountsOf({ cpu, memory }: Quantities = {}): Amounts {
  return { cpu: amountOf(cpu), memory: amountOf(memory) };
}

/** Reads a quantity. A missing or unreadable one is 0. */
export function amountOf(text: string | undefined): number {
  try {
    return text === undefined ? 0 : derived.quantity(text);
  } catch (error) {
    if (isRxInformersError(error, 'RXI_INVALID_QUANTITY')) return 0;
    throw error;
  }
}

export function sumOf(amounts: Iterable<Amounts>): Amounts {
  let [cpu, memory] = [0, 0];
  for (const each of amounts) {
    cpu += each.cpu;
    memory += each.memory;
  }
  return { cpu, memory };
}

/**
 * Returns an amount as `kubectl top` prints it: millicores rounded up, `12m`, and mebibytes rounded
 * down, `34Mi`.
 */
export function amountText(name: AmountName, amount: number): string {
  // Rounds to nanocores first, because 0.029 × 1000 is more than 29 in floating point.
  return name === 'cpu' ? `${Math.ceil(Math.round(amount * 1e9) / 1e6)}m` : `${Math.floor(amount / 2 ** 20)}Mi`;
}

/** The amount with which a usage is compared. */
export interface Bound {
  readonly of: 'limit' | 'request' | 'allocatable';
  readonly amount: number;
}

/**
 * Returns the bound of the usage of containers. The bound is the sum of their limits if every
 * container has one. Otherwise it is the sum of their requests.
 *
 * | limits | requests | bound |
 * | --- | --- | --- |
 * | every container has one | any | the limits |
 * | a container has none | some | the requests |
 * | a container has none | none | none |
 */
export function boundOf(
  name: AmountName,
  containers: readonly { readonly requests?: Quantities | undefined; readonly limits?: Quantities | undefined }[],
): Bound | undefined {
  const total = (of: 'limits' | 'requests'): number =>
    containers.reduce((sum, container) => sum + amountOf(container[of]?.[name]), 0);
  const isLimited = containers.every(({ limits }) => amountOf(limits?.[name]) > 0);
  const amount = isLimited ? total('limits') : total('requests');
  return amount === 0 ? undefined : { of: isLimited ? 'limit' : 'request', amount };
}

type Containers = readonly {
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Quantities; readonly limits?: Quantities };
}[];

/**
 * Returns the bound of a pod's usage. Counts sidecars. Other init containers do not count, because
 * they have ended before the measurement.
 */
export function podBound(
  name: AmountName,
  { spec }: { readonly spec?: { readonly initContainers?: Containers; readonly containers?: Containers } | undefined },
): Bound | undefined {
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
  return boundOf(
    name,
    [...sidecars, ...(spec?.containers ?? [])].map(({ resources }) => resources ?? {}),
  );
}

/** Returns the amount that all pods of a node may use together. */
export function allocatableOf(
  name: AmountName,
  { status }: { readonly status?: { readonly allocatable?: Quantities | undefined } | undefined },
): Bound | undefined {
  const amount = amountsOf(status?.allocatable)[name];
  return amount === 0 ? undefined : { of: 'allocatable', amount };
}

/** Returns the used share of a bound, which may exceed 1. Returns `undefined` without a bound. */
export function shareOf(amount: number, bound: Bound | undefined): number | undefined {
  return bound === undefined ? undefined : amount / bound.amount;
}

/**
 * Returns the tone of a share.
 *
 * | share | tone |
 * | --- | --- |
 * | above 90 % of a limit or of the allocatable amount | `full`: a container above its memory limit is killed |
 * | above a request | `over`: more than planned, which works while the node has enough |
 * | otherwise | none |
 */
export function usageTone(share: number, bound: Bound | undefined): 'full' | 'over' | '' {
  if (bound?.of === 'request') return share > 1 ? 'over' : '';
  return share > 0.9 ? 'full' : '';
}

const boundWords = { limit: 'limit', request: 'requested', allocatable: 'allocatable' } as const;

export function boundWord(bound: Bound): string {
  return boundWords[bound.of];
}

/** Returns for example `CPU: 12m of 100m requested, 12 %`. */
export function usageText(name: AmountName, amount: number, bound: Bound | undefined): string {
  const used = `${amountTitles[name]}: ${amountText(name, amount)}`;
  const share = shareOf(amount, bound);
  if (bound === undefined || share === undefined) return `${used}; no request or limit`;
  return `${used} of ${amountText(name, bound.amount)} ${boundWord(bound)}, ${Math.round(share * 100)} %`;
}

export const amountTitles: Readonly<Record<AmountName, string>> = { cpu: 'CPU', memory: 'Memory' };
