import { RxInformersError } from '../kubernetes/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { resourceName } from '../kubernetes/resource.js';
import { matchesLabelSelector } from '../kubernetes/selector.js';
import { hubError } from '../sources/model/errors.js';
import type { Change } from '../store/change.js';
import type { HubRequest } from './hub-messages.js';

/** Decides which objects of a kind a subscription contains. */
export type Scope = (object: KubernetesObject) => boolean;

/** The fields by which a hub can select: those of every kind, and some of single kinds. */
const fields: Readonly<Record<string, (object: KubernetesObject) => unknown>> = {
  'metadata.name': ({ metadata }) => metadata?.name,
  'metadata.namespace': ({ metadata }) => metadata?.namespace,
};
const fieldsOfKind: Readonly<Record<string, Readonly<Record<string, (object: KubernetesObject) => unknown>>>> = {
  pods: {
    'spec.nodeName': (pod) => (pod as { readonly spec?: { readonly nodeName?: unknown } }).spec?.nodeName,
    'status.phase': (pod) => (pod as { readonly status?: { readonly phase?: unknown } }).status?.phase,
  },
};

/**
 * Returns the scope of a request: its namespaces, label selector and field selector. Pure.
 *
 * @throws `RXI_HUB` (`invalid`) for a selector that the hub cannot evaluate
 */
export function scopeOf({ resource, namespaces, labelSelector, fieldSelector }: HubRequest): Scope {
  const names = namespaces.includes('') ? undefined : new Set(namespaces);
  const hasLabels = matcherOfLabels(labelSelector);
  const hasFields = fieldSelector
    .split(',')
    .filter((term) => term !== '')
    .map((term) => matcherOfField(term, resourceName({ ...resource, namespaced: true })));
  return (object) =>
    (names === undefined || names.has(object.metadata?.namespace ?? '')) &&
    hasLabels(object.metadata?.labels) &&
    hasFields.every((matches) => matches(object));
}

function matcherOfLabels(selector: string): ReturnType<typeof matchesLabelSelector> {
  try {
    return matchesLabelSelector(selector);
  } catch (error) {
    if (error instanceof RxInformersError) throw hubError('invalid', error.message);
    throw error;
  }
}

function matcherOfField(term: string, kind: string): Scope {
  const [, path = '', operator = '', value = ''] = /^([\w.]+)(==|=|!=)([^=!\\]*)$/.exec(term) ?? [];
  const known = { ...fields, ...(Object.hasOwn(fieldsOfKind, kind) && fieldsOfKind[kind]) };
  const read = Object.hasOwn(known, path) ? known[path] : undefined;
  if (read === undefined)
    throw hubError('invalid', `it can select ${kind} only by the fields ${Object.keys(known).join(', ')}`);
  return (object) => ((read(object) ?? '') === value) === (operator !== '!=');
}

/** A change of a kind, with what a scope needs to know about it. */
export class KindChange {
  #entered: Change<KubernetesObject> | undefined;
  #left: Change<KubernetesObject> | undefined;

  /** @param last the object before the change, if there was one */
  constructor(
    private readonly change: Change<KubernetesObject>,
    private readonly last: KubernetesObject | undefined,
  ) {}

  /**
   * Returns the change as a viewer of the scope sees it; `undefined` if the viewer sees nothing.
   *
   * | before the change | after it | the viewer sees |
   * | --- | --- | --- |
   * | not in the scope | in the scope | added |
   * | in the scope | in the scope, or deleted in it | the change itself |
   * | in the scope | outside | deleted, with the state before the change |
   * | not in the scope | outside, or deleted | nothing |
   *
   * All viewers receive the same objects, so that each change is encoded once.
   */
  in(scope: Scope): Change<KubernetesObject> | undefined {
    const { change, last } = this;
    const wasIn = last !== undefined && scope(last);
    const isIn = scope(change.object);
    if (change.type === 'deleted') return wasIn ? (isIn ? change : this.#leave(last)) : undefined;
    if (isIn) return wasIn === (change.type === 'updated') ? change : this.#enter();
    return wasIn ? this.#leave(last) : undefined;
  }

  #enter(): Change<KubernetesObject> {
    const { key, object } = this.change;
    return (this.#entered ??= { type: 'added', key, object });
  }

  #leave(object: KubernetesObject): Change<KubernetesObject> {
    return (this.#left ??= { type: 'deleted', key: this.change.key, object, finalStateUnknown: false });
  }
}
