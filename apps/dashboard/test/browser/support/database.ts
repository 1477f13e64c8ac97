import type { Page } from 'playwright-core';

/** Returns everything that the history on disk has, as text. Returns an empty text for nothing. */
export function historyOnDisk(page: Page): Promise<string> {
  return page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const opening = indexedDB.open('rx-informers-dashboard');
        // There is no database, and none is created.
        opening.onupgradeneeded = () => opening.transaction?.abort();
        opening.onerror = () => resolve('');
        opening.onsuccess = () => {
          const database = opening.result;
          const names = [...database.objectStoreNames];
          const reading = database.transaction(names);
          const found = names.flatMap((name) => {
            const store = reading.objectStore(name);
            return [store.getAllKeys(), store.getAll()];
          });
          reading.oncomplete = () => {
            database.close();
            const rows = found.flatMap(({ result }) => result as readonly unknown[]);
            resolve(rows.length > 0 ? JSON.stringify(rows) : '');
          };
        };
      }),
  );
}
