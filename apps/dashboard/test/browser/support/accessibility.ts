import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { settled } from './page-conditions.js';

/**
 * Returns all violations that axe finds on the page once it has settled, even slight ones. Each has
 * the rule and the elements that break it. Contrast is checked in both colour schemes. No other
 * rule depends on the colour scheme.
 *
 * @param options `isSettled: false` checks the page immediately
 */
export async function accessibilityViolations(
  page: Page,
  { isSettled = true }: { readonly isSettled?: boolean } = {},
): Promise<readonly string[]> {
  if (isSettled) await settled(page);
  await loadAxe(page);
  const found = await violations(page);
  const scheme = await page.evaluate(() => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  const other = scheme === 'dark' ? 'light' : 'dark';
  await page.emulateMedia({ colorScheme: other });
  // Waits until colour transitions have ended. Animations that never end are ignored.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
        .map(({ finished }) => finished),
    ),
  );
  const contrasts = await violations(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: scheme });
  return [...found, ...contrasts.map((text) => `${other}: ${text}`)];
}

/**
 * Returns the targets that are smaller than WCAG 2.2 allows: 24 pixels, or as much room around
 * them. Links within a sentence have no minimum.
 */
export async function smallTargets(page: Page): Promise<readonly string[]> {
  await settled(page);
  await loadAxe(page);
  return violations(page, ['target-size']);
}

/**
 * The debugger evaluates axe, because the policy of the page does not allow it to load foreign
 * scripts.
 */
async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
}

async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const { violations: found } = await page.evaluate(
    (runOnly) =>
      (globalThis as unknown as { readonly axe: { run(options: object): Promise<AxeResults> } }).axe.run(
        runOnly === undefined ? {} : { runOnly },
      ),
    rules,
  );
  return found.map(({ id, help, nodes }) => {
    const places = nodes.map(({ html, failureSummary }) => `  ${html}\n    ${failureSummary ?? ''}`);
    return [`${id}: ${help}`, ...places].join('\n');
  });
}
