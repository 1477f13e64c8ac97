import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds serious or critical on the page as it is now: each with the rule and the elements that break it. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  // The page's policy allows no script of others: it is evaluated by the debugger, and not loaded.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { readonly axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => {
      const places = nodes.map(({ html, failureSummary }) => `  ${html}\n    ${failureSummary ?? ''}`);
      return [`${id}: ${help}`, ...places].join('\n');
    });
}
