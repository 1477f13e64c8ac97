import { useSyncExternalStore } from 'react';

/**
 * Returns whether the window is as narrow as a phone, and renders the component again when that
 * changes.
 */
export function useIsNarrow(): boolean {
  return useMedia(phone);
}

/** Returns whether there is no room for facets beside the content. */
export function useIsWithoutSide(): boolean {
  return useMedia(withoutSide);
}

interface Media {
  readonly subscribe: (listener: () => void) => () => void;
  readonly isMatch: () => boolean;
}

/** Media queries with the same sizes as in `style/narrow.css`. */
const phone = media('(max-width: 640px)');
const withoutSide = media('(max-width: 900px), (max-height: 480px)');

function useMedia({ subscribe, isMatch }: Media): boolean {
  return useSyncExternalStore(subscribe, isMatch, isNever);
}

function media(query: string): Media {
  return {
    isMatch: () => matchMedia(query).matches,
    subscribe(listener) {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => {
        list.removeEventListener('change', listener);
      };
    },
  };
}

function isNever(): boolean {
  return false;
}
