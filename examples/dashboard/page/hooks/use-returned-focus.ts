import { useEffect } from 'react';

/** Gives the focus back, when the component goes, to what had it before; where that is gone, to the element with this id. */
export function useReturnedFocus(fallback: string): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      const target =
        before instanceof HTMLElement && before !== document.body && before.isConnected ? before : undefined;
      (target ?? document.getElementById(fallback))?.focus({ preventScroll: true });
    };
  }, [fallback]);
}
