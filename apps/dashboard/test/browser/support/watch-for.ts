import type { Page } from 'playwright-core';

/**
 * Reads a value from the page now and after each change of the page, until the returned function is
 * called.
 *
 * @returns the values in order, without repetitions
 */
export async function watchFor<V>(page: Page, read: () => V): Promise<() => Promise<readonly V[]>> {
  const handle = await page.evaluateHandle(`(() => {
    const read = ${read.toString()};
    const seen = [];
    const look = () => {
      const value = JSON.stringify(read());
      if (value !== seen.at(-1)) seen.push(value);
    };
    look();
    const observer = new MutationObserver(look);
    observer.observe(document.body, { attributes: true, characterData: true, childList: true, subtree: true });
    return { seen, stop: () => observer.disconnect() };
  })()`);
  return async () => {
    const seen = await handle.evaluate((watching) => {
      const { seen: texts, stop } = watching as { readonly seen: readonly string[]; readonly stop: () => void };
      stop();
      return texts;
    });
    return seen.map((text) => JSON.parse(text) as V);
  };
}
