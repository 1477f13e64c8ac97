import { useCallback, useState } from 'react';

/** The distance from the visible area at which a tile is already drawn. */
const margin = '240px';

const callbacks = new WeakMap<Element, (isNear: boolean) => void>();
let observer: IntersectionObserver | undefined;

/**
 * Returns whether an element is visible or almost visible, and the `ref` for it. Without
 * `IntersectionObserver`, returns true for every element.
 */
export function useNear(): readonly [isNear: boolean, ref: (element: Element | null) => (() => void) | undefined] {
  const [isNear, setNear] = useState(typeof IntersectionObserver === 'undefined');
  const ref = useCallback((element: Element | null) => {
    if (!element || typeof IntersectionObserver === 'undefined') return undefined;
    observer ??= new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) callbacks.get(target)?.(isIntersecting);
      },
      { rootMargin: margin },
    );
    const own = observer;
    callbacks.set(element, setNear);
    own.observe(element);
    return () => {
      own.unobserve(element);
    };
  }, []);
  return [isNear, ref];
}
