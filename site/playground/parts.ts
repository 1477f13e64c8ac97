/** Loads the code that runs programs, when a page needs it. */
export const parts = (): Promise<[typeof import('./host.js'), typeof import('virtual:playground/library')]> =>
  Promise.all([import('./host.js'), import('virtual:playground/library')]);

/** Opens a sandbox for the first program of the page. */
export async function prepare(): Promise<void> {
  const [{ prepareSandbox }, { library }] = await parts();
  prepareSandbox(library);
}
