import { asyncScheduler, type TimestampProvider } from 'rxjs';

/** One entry of `status.conditions`, as meta/v1 has it. */
export interface Condition {
  /** In CamelCase, for example `Ready`; one condition for each type. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** In CamelCase, why it is so; for programs. */
  readonly reason: string;
  /** For people; may be empty. */
  readonly message: string;
  /** When `status` last changed, RFC 3339. */
  readonly lastTransitionTime: string;
  /** The `metadata.generation` that this is about. */
  readonly observedGeneration?: number | undefined;
}

/** What every kind of condition has; those of the older built-in kinds have less than `Condition`. */
export interface AnyCondition {
  readonly type: string;
  readonly status: string;
}

interface Timed {
  readonly lastTransitionTime?: string | undefined;
}

/** A condition as `setCondition` takes it: the time is added, unless it names one. */
export type NewCondition<C extends AnyCondition = Condition> = Omit<C, 'lastTransitionTime'> & {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | undefined;
};

/**
 * Returns the conditions with one of them set, in their order (apimachinery's `SetStatusCondition`). Pure.
 *
 * | its type | what happens |
 * | --- | --- |
 * | is not there | it is appended, with the time |
 * | has another status | it takes its place, with the time |
 * | has the same status | it takes its place; the time stays that of the last transition |
 * | is there, equal in everything | the same array comes back, so that an edit with it sends nothing |
 *
 * The time is that of `now` in whole seconds, as the API server writes it, or the condition's own `lastTransitionTime` where it names one.
 *
 * @param now where the time comes from: a scheduler, or `Date`
 * @example
 * import { edit, setCondition, type Condition, type ResourceClient } from 'rx-informers/controller';
 * import type { KubernetesObject } from 'rx-informers';
 *
 * interface Website extends KubernetesObject {
 *   readonly status?: { readonly conditions?: readonly Condition[] };
 * }
 * declare const websiteClient: ResourceClient<Website>;
 * declare const website: Website;
 *
 * await edit(
 *   websiteClient,
 *   website,
 *   (draft) => {
 *     draft.status ??= {};
 *     const ready = { type: 'Ready', status: 'True', reason: 'AllPodsUp', message: '' } as const;
 *     draft.status.conditions = setCondition(draft.status.conditions, ready);
 *   },
 *   { subresource: 'status' },
 * );
 */
export function setCondition<C extends AnyCondition = Condition>(
  conditions: C[] | undefined,
  condition: NewCondition<NoInfer<C>>,
  now?: TimestampProvider,
): C[];
export function setCondition<C extends AnyCondition = Condition>(
  conditions: readonly C[] | undefined,
  condition: NewCondition<NoInfer<C>>,
  now?: TimestampProvider,
): readonly C[];
export function setCondition<C extends AnyCondition = Condition>(
  conditions: readonly C[] | undefined,
  condition: NewCondition<NoInfer<C>>,
  now: TimestampProvider = asyncScheduler,
): readonly C[] {
  const known = conditions ?? [];
  const existing = findCondition(known, condition.type) as (C & Timed) | undefined;
  const lastTransition = existing?.status === condition.status ? existing.lastTransitionTime : undefined;
  const lastTransitionTime = lastTransition ?? condition.lastTransitionTime ?? secondsText(now.now());
  const next = { ...existing, ...condition, lastTransitionTime } as unknown as C;
  if (existing === undefined) return [...known, next];
  if (hasSameMembers(existing, next)) return known;
  return known.map((each) => (each === existing ? next : each));
}

/** Returns the condition of a type, or undefined. */
export function findCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Returns true if there is such a condition and its status is `True`. */
export function isConditionTrue(conditions: readonly AnyCondition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** Returns the conditions without those of a type, or the same array if there are none. */
export function removeCondition<C extends AnyCondition>(conditions: C[] | undefined, type: string): C[];
export function removeCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[];
export function removeCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  const known = conditions ?? [];
  return findCondition(known, type) === undefined ? known : known.filter((condition) => condition.type !== type);
}

function secondsText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;
}

/** A member that is undefined is one that is not there, as in JSON. */
function hasSameMembers(a: object, b: object): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => (a as Members)[name] === (b as Members)[name]);
}

type Members = Readonly<Record<string, unknown>>;
