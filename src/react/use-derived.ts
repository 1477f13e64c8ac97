import type { Collection } from '../collections/collection.js';

type AnyCollection = Collection<unknown, never>;

/**
 * Returns a derived collection. The same definition and collections return the same result in all
 * components. Pass the result to any hook: a component that reads a count or a group renders only
 * when that value changes.
 *
 * Declare `define` outside of components, because each new function creates a new derived
 * collection. The result runs while a hook uses it, and keeps its inputs running.
 *
 * @param define creates the derived collection; called once for the same collections
 * @param collections the inputs. If an input is `undefined`, the result is `undefined`
 * @returns the collection that `define` returned
 * @example
 * const perNode = (all: Collection<Pod, 'node'>) =>
 *   derived.groupBy(all, 'node', {
 *     pods: derived.count(),
 *     phases: derived.tally((pod) => pod.status?.phase),
 *   });
 *
 * function Load({ node }: { node: string }) {
 *   return `${useObject(useDerived(perNode, podInformer), node)?.pods ?? 0} pods`;
 * }
 */
export function useDerived<Cs extends readonly Collection<unknown, never>[], D extends object>(
  define: (...collections: Cs) => D,
  ...collections: Cs
): D;
export function useDerived<Cs extends readonly Collection<unknown, never>[], D extends object>(
  define: (...collections: Cs) => D,
  ...collections: { readonly [Position in keyof Cs]: Cs[Position] | undefined }
): D | undefined;
export function useDerived(
  define: (...collections: readonly AnyCollection[]) => object,
  ...collections: readonly (AnyCollection | undefined)[]
): object | undefined {
  let at = branch(root, define);
  for (const collection of collections) {
    if (collection === undefined) return undefined;
    at = branch(at, collection);
  }
  return (at.value ??= define(...(collections as readonly AnyCollection[])));
}

/** A node of the path by a definition and its collections, all held weakly. */
interface Branch {
  readonly branches: WeakMap<object, Branch>;
  value?: object;
}

const root: Branch = { branches: new WeakMap() };

function branch({ branches }: Branch, by: object): Branch {
  const known = branches.get(by) ?? { branches: new WeakMap() };
  branches.set(by, known);
  return known;
}
