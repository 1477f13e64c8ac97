/** Loads the code that runs programs. A page that runs no program does not load it. */
export const parts = (): Promise<[typeof import('./host.js'), typeof import('virtual:playground/library')]> =>
  Promise.all([import('./host.js'), import('virtual:playground/library')]);

/** Opens a sandbox in advance, so that the first program of the page can start at once. */
export async function prepare(): Promise<void> {
  const [{ prepareSandbox }, { library }] = await parts();
  prepareSandbox(library);
}
