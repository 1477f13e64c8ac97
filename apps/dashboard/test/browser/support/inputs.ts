import type { Page } from 'playwright-core';

/** The clicks and the keys that a user has needed so far. */
export interface Inputs {
  readonly clicks: number;
  readonly keys: number;
}

/** Counts the clicks and the keys of a page. Pass it as `prepare` when the page is opened. */
export function countInputs(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const inputs = { clicks: 0, keys: 0 };
    Object.assign(globalThis, { inputs });
    addEventListener(
      'click',
      ({ isTrusted, detail }) => {
        // The browser also sends a click for a key that presses a button, with a detail of 0.
        if (isTrusted && detail > 0) inputs.clicks++;
      },
      true,
    );
    addEventListener(
      'keydown',
      ({ isTrusted }) => {
        if (isTrusted) inputs.keys++;
      },
      true,
    );
  });
}

/** Returns how many clicks and keys the user has needed since the page was loaded. */
export function inputsOf(page: Page): Promise<Inputs> {
  return page.evaluate(() => (globalThis as unknown as { readonly inputs: Inputs }).inputs);
}
