import { asyncScheduler, type TimestampProvider } from 'rxjs';

/** An entry of `status.conditions`, as defined by meta/v1. */
export interface Condition {
  /** The type in CamelCase, for example `Ready`. There is one condition for each type. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** The machine-readable reason, in CamelCase. */
  readonly reason: string;
  /** A message for people; may be empty. */
  readonly message: string;
  /** When `status` last changed, in the format of RFC 3339. */
  readonly lastTransitionTime: string;
  /** The `metadata.generation` for which the condition was set. */
  readonly observedGeneration?: number | undefined;
}

/** Fields of all conditions; those of older built-in kinds have fewer than `Condition`. */
export interface AnyCondition {
  readonly type: string;
  readonly status: string;
}

interface Timed {
  readonly lastTransitionTime?: string | undefined;
}

/** The input of `setCondition`. The transition time is added unless it is set. */
export type NewCondition<C extends AnyCondition = Condition> = Omit<C, 'lastTransitionTime'> & {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | undefined;
};

/**
 * Returns the conditions with one condition added or replaced; their order is kept (apimachinery's
 * `SetStatusCondition`). Pure.
 *
 * | the existing condition of the same type | what happens |
 * | --- | --- |
 * | does not exist | the new condition is appended, with the current time |
 * | has another status | it is replaced by the new condition, with the current time |
 * | has the same status | it is replaced by the new condition, but its time of the last transition is kept |
 * | is equal | the given array is returned, so an edit with it sends nothing |
 *
 * The current time is taken from `now`, in whole seconds, as the API server writes times. If the
 * new condition has a `lastTransitionTime`, this time is used instead.
 *
 * @param conditions the conditions of the object, if it has any
 * @param condition the condition to set; it replaces the condition with the same `type`
 * @param now the clock: a scheduler, or `Date`
 * @returns a new array, or the given array if nothing differs
 * @example
 * import { setCondition, type Condition } from 'rx-informers/controller';
 * import { type ResourceClient, edit } from 'rx-informers/requests';
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
  const existing: (C & Timed) | undefined = findCondition(known, condition.type);
  const lastTransition = existing?.status === condition.status ? existing.lastTransitionTime : undefined;
  const lastTransitionTime = lastTransition ?? condition.lastTransitionTime ?? secondsText(now.now());
  const next = { ...existing, ...condition, lastTransitionTime } as unknown as C;
  if (existing === undefined) return [...known, next];
  if (hasSameMembers(existing, next)) return known;
  return known.map((each) => (each === existing ? next : each));
}

/**
 * Returns the condition of a type, or undefined.
 *
 * @param conditions the conditions of the object, if it has any
 * @param type the type of the condition, for example `Ready`
 * @returns the first condition of that type; undefined if there is none
 */
export function findCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Returns true if there is a condition of the type and its status is `True`.
 *
 * @param conditions the conditions of the object, if it has any
 * @param type the type of the condition, for example `Ready`
 * @returns true if its status is `True`; false if not, or if there is no such condition
 */
export function isConditionTrue(conditions: readonly AnyCondition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * Returns the conditions without the condition of one type.
 *
 * @param conditions the conditions of the object, if it has any
 * @param type the type of the condition, for example `Ready`
 * @returns a new array, or the given array if no condition has the type
 */
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

/** Compares members as in JSON: an `undefined` member is missing. */
function hasSameMembers(a: object, b: object): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => (a as Members)[name] === (b as Members)[name]);
}

type Members = Readonly<Record<string, unknown>>;
