import { apiVersionOf, groupOf } from './api-version.js';
import type { KubernetesObject } from './object.js';
import type { Resource } from './resource.js';

/** What is known of the kind of an object. */
export interface KnownKind {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
}

/**
 * Returns apiVersion and kind of an object: those of its resource, and its own where the resource is
 * not given or does not say its kind.
 *
 * `PartialObjectMetadata` of `meta.k8s.io` says how the object was sent, and not which kind it is. It
 * counts as not known, and so does an empty text.
 */
export function kindOf({ apiVersion, kind }: KubernetesObject, resource?: Resource<unknown>): KnownKind {
  const own = isPartialMetadata(apiVersion, kind) ? unknown : { apiVersion, kind };
  return {
    apiVersion: resource === undefined ? own.apiVersion || undefined : apiVersionOf(resource),
    kind: (resource?.kind ?? own.kind) || undefined,
  };
}

/** Returns what an object whose kind is not known says instead, for messages, and what to do about it. */
export function unknownKind({ apiVersion, kind }: KubernetesObject): string {
  const said = isPartialMetadata(apiVersion, kind)
    ? `says only that it is ${kind} of ${apiVersion}`
    : 'does not say its apiVersion and kind';
  return `${said}; pass { resource } with its kind`;
}

const unknown: KnownKind = { apiVersion: undefined, kind: undefined };

function isPartialMetadata(apiVersion: unknown, kind: unknown): boolean {
  return kind === 'PartialObjectMetadata' && typeof apiVersion === 'string' && groupOf(apiVersion) === 'meta.k8s.io';
}
