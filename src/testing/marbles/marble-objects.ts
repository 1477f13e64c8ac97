import { isDeepStrictEqual } from 'node:util';
import { metaNamespaceKey } from '../../kubernetes/keys.js';
import { type AnyKubernetesObject } from '../../kubernetes/object.js';
import { type Mention, marbleSyntaxError } from './parse-marbles.js';

/**
 * The objects that diagrams name.
 *
 * Use a function for an object that changes with its version. Two names can stand for two states of
 * one object, if both states have the same `metadata.name` and namespace. `watchMarbles` sets each
 * resourceVersion, and also a uid if an object has no uid.
 */
export type MarbleObjects<T> = Readonly<Record<string, T | ((resourceVersion: string) => T)>>;

/** Returns an object at one version. */
export function marbleObject<T extends AnyKubernetesObject>(
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

/** Returns the name of an object in diagrams, or else its key: `<web/a>`. */
export function marbleName<T extends AnyKubernetesObject>(objects: MarbleObjects<T>, object: T): string {
  const resourceVersion = object.metadata?.resourceVersion ?? '';
  const key = metaNamespaceKey(object);
  const candidates = Object.keys(objects)
    .map((name) => ({ name, known: marbleObject(objects, name, resourceVersion, 0) }))
    .filter(({ known }) => metaNamespaceKey(known) === key);
  const [only] = candidates;
  const found = candidates.length > 1 ? candidates.find(({ known }) => isSameContent(known, object)) : only;
  return found === undefined ? `<${key}>` : `${found.name}${incarnationMarks(found.known, object)}`;
}

/** Returns names as a diagram writes them: `a`, `(ab)`, `(web-1,db)`. */
export function spellNames(names: readonly string[]): string {
  const isLetter = (name: string): boolean => /^.'*$/u.test(name);
  const [first = ''] = names;
  if (names.length === 1) return isLetter(first) ? first : `(${first},)`;
  return `(${names.join(names.every(isLetter) ? '' : ',')})`;
}

function uidOf(object: AnyKubernetesObject): string {
  return object.metadata?.uid ?? `uid-${metaNamespaceKey(object)}`;
}

function incarnationMarks(known: AnyKubernetesObject, object: AnyKubernetesObject): string {
  const suffix = (object.metadata?.uid ?? '').slice(uidOf(known).length);
  return /^'*$/.test(suffix) ? suffix : '';
}

function isSameContent(one: AnyKubernetesObject, other: AnyKubernetesObject): boolean {
  return isDeepStrictEqual(withoutIdentity(one), withoutIdentity(other));
}

function withoutIdentity(object: AnyKubernetesObject): object {
  const { uid: _uid, resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/** Throws `RXI_MARBLE_SYNTAX` for a name without an object. */
export function checkMention(diagram: string, objects: object, { name, column }: Mention): void {
  if (Object.hasOwn(objects, name)) return;
  const known = Object.keys(objects);
  const hint = known.find((other) => other.length > 1 && diagram.slice(column - 1).startsWith(`${other})`));
  const advice =
    hint === undefined ? `known objects: ${known.join(', ') || 'none'}` : `write a single long name as (${hint},)`;
  throw marbleSyntaxError(diagram, column, `there is no object ${name}; ${advice}`);
}
