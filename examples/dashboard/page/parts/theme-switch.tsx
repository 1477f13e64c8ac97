import type { ReactNode } from 'react';
import { themes, type Theme } from '../hooks/use-theme.js';

interface ThemeSwitchProps {
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
}

export function ThemeSwitch({ theme, onTheme }: ThemeSwitchProps): ReactNode {
  return (
    <fieldset className="theme-switch">
      <legend className="visually-hidden">Theme</legend>
      {themes.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="theme"
            className="visually-hidden"
            checked={theme === name}
            onChange={() => {
              onTheme(name);
            }}
          />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}
