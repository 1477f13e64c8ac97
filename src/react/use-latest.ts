import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';

/** For what must be done before the browser paints; on a server, where nothing is painted, React 18 warns of layout effects. */
export const useBeforePaint = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/** The value of the last render that was kept, for callbacks. */
export function useLatest<V>(value: V): Readonly<RefObject<V>> {
  const latest = useRef(value);
  useBeforePaint(() => {
    latest.current = value;
  });
  return latest;
}
