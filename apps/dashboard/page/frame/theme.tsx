import { useEffect, useState, type ReactNode } from 'react';
import { store, stored } from './stored.js';

/** The themes. `system` follows the setting of the operating system. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'rx-informers-dashboard-theme';

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(storedTheme);
  useEffect(() => {
    applyTheme(theme);
    store(storageKey, theme);
  }, [theme]);
  return [theme, setTheme];
}

/**
 * Sets the theme of the document. Call it before the first paint, so that the page does not flash.
 */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}

export function storedTheme(): Theme {
  const kept = stored(storageKey);
  return themes.find((theme) => theme === kept) ?? 'system';
}

interface ThemeSwitchProps {
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
}

/** Renders a button with the name of the theme. A click chooses the next theme. */
export function ThemeSwitch({ theme, onTheme }: ThemeSwitchProps): ReactNode {
  return (
    <button
      type="button"
      className="action theme-switch"
      aria-label={`Theme: ${theme}`}
      onClick={() => {
        onTheme(themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system');
      }}
    >
      {theme}
    </button>
  );
}
