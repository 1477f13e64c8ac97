import { apiVersionOf } from '../../kubernetes/api-version.js';
import type { Resource } from '../../kubernetes/resource.js';
import type { FactoryOptions } from './factory-options.js';
import { objectMeta, type FactoryMeta } from './object-meta.js';

export interface AnyObjectOptions extends FactoryOptions {
  /** What the object holds beside kind and metadata. */
  readonly content?: object | undefined;
}

/** An object of any resource. */
export interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: FactoryMeta;
}

/**
 * An object of any resource, custom ones included.
 *
 * @example
 * const widgets = resource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true });
 * const widget = anyObject(widgets, { name: 'a', content: { spec: { size: 3 } } });
 */
export function anyObject<T>(resource: Resource<T>, options: AnyObjectOptions): T & AnyObject {
  const { kind } = resource;
  if (kind === undefined)
    throw new TypeError(`the descriptor of ${resource.plural} names no kind: give it one, objects carry it`);
  const object: AnyObject = {
    ...options.content,
    apiVersion: apiVersionOf(resource),
    kind,
    metadata: objectMeta(kind, options, resource.namespaced ? 'default' : ''),
  };
  return object as T & AnyObject;
}
