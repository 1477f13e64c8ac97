import type { Plugin } from 'vite';

/**
 * Texts in VitePress's own files, and their replacements. The replaced texts have faults such as a
 * button within a button, a name that differs from the visible text, or a font that moves the text
 * when it arrives after the first paint.
 */
const corrections: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  'VPSidebarItem.vue': [
    [
      ':role="itemRole"',
      `:role="item.items && !item.link ? 'button' : undefined" :aria-expanded="item.items && !item.link ? !collapsed : undefined"`,
    ],
    [':tabindex="item.items && 0"', ':tabindex="item.items && !item.link ? 0 : undefined"'],
    [
      'role="button"\n        aria-label="toggle section"',
      `:role="item.link ? 'button' : undefined"\n        :aria-label="item.link ? 'toggle section' : undefined"`,
    ],
    ['\n        tabindex="0"', '\n        :tabindex="item.link ? 0 : undefined"'],
  ],
  'VPNavBarSearchButton.vue': [
    [` :aria-label="translate('button.buttonAriaLabel')"`, ''],
    ['<span class="DocSearch-Button-Keys">', '<span class="DocSearch-Button-Keys" aria-hidden="true">'],
  ],
  'fonts.css': [['font-display: swap;', 'font-display: optional;']],
};

/**
 * Corrects files of the default theme in which axe or Lighthouse finds faults. Throws if a file of
 * a new VitePress version lacks the text to replace.
 */
export function accessibleTheme(): Plugin {
  return {
    name: 'accessible-theme',
    enforce: 'pre',
    transform(code, id) {
      const [file = ''] = /[^/]+\.(?:vue|css)$/.exec(id) ?? [];
      return corrections[file]?.reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
        return text.replaceAll(from, to);
      }, code);
    },
  };
}
