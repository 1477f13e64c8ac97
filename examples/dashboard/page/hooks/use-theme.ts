import { useEffect, useState } from 'react';

/** `system`: what the operating system is set to. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'rx-informers-dashboard-theme';

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(storedTheme);
  useEffect(() => {
    applyTheme(theme);
    store(theme);
  }, [theme]);
  return [theme, setTheme];
}

/** Before the first paint, so that the page does not flash. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(storageKey);
    return themes.find((theme) => theme === stored) ?? 'system';
  } catch {
    // Storage may be forbidden.
    return 'system';
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // Then it is chosen anew each time.
  }
}
