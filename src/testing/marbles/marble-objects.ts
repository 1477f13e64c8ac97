import { isDeepStrictEqual } from 'node:util';
import { metaNamespaceKey } from '../../kubernetes/key.js';
import type { KubernetesObject } from '../../kubernetes/object.js';

/**
 * The objects that diagrams name.
 *
 * One that changes from version to version is a function. Two names may be two states of one object, if both have its
 * name and namespace. Versions are given as the diagram is read; a uid only to objects without one.
 */
export type MarbleObjects<T> = Readonly<Record<string, T | ((resourceVersion: string) => T)>>;

/** An object as it is at one version. */
export function objectAt<T extends KubernetesObject>(
  objects: MarbleObjects<T>,
  name: string,
  resourceVersion: string,
  incarnation: number,
): T {
  const known = objects[name] as MarbleObjects<T>[string];
  const object = typeof known === 'function' ? known(resourceVersion) : known;
  const uid = `${uidOf(object)}${"'".repeat(incarnation)}`;
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
}

/** The name that diagrams have for an object, or its key in angle brackets. */
export function nameOf<T extends KubernetesObject>(objects: MarbleObjects<T>, object: T): string {
  const resourceVersion = object.metadata?.resourceVersion ?? '';
  const key = metaNamespaceKey(object);
  const candidates = Object.keys(objects)
    .map((name) => ({ name, known: objectAt(objects, name, resourceVersion, 0) }))
    .filter(({ known }) => metaNamespaceKey(known) === key);
  const [only] = candidates;
  const found = candidates.length > 1 ? candidates.find(({ known }) => isSameContent(known, object)) : only;
  return found === undefined ? `<${key}>` : `${found.name}${incarnationMarks(found.known, object)}`;
}

/** Names of objects as they stand in a diagram: `a`, `(ab)`, `(web-1,db)`. */
export function spellNames(names: readonly string[]): string {
  const isLetter = (name: string): boolean => /^.'*$/u.test(name);
  const [first = ''] = names;
  if (names.length === 1) return isLetter(first) ? first : `(${first},)`;
  return `(${names.join(names.every(isLetter) ? '' : ',')})`;
}

function uidOf(object: KubernetesObject): string {
  return object.metadata?.uid ?? `uid-${metaNamespaceKey(object)}`;
}

function incarnationMarks(known: KubernetesObject, object: KubernetesObject): string {
  const suffix = (object.metadata?.uid ?? '').slice(uidOf(known).length);
  return /^'*$/.test(suffix) ? suffix : '';
}

function isSameContent(one: KubernetesObject, other: KubernetesObject): boolean {
  return isDeepStrictEqual(withoutIdentity(one), withoutIdentity(other));
}

function withoutIdentity(object: KubernetesObject): object {
  const { uid: _uid, resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
