/**
 * Returns the value that this browser stores under a name. Returns `undefined` if there is none, or
 * if storage is forbidden.
 */
export function stored(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores a value in this browser. If storage is forbidden or full, the value is lost when the page
 * closes.
 */
export function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The value lasts until the page closes.
  }
}
