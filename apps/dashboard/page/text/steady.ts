import { useState } from 'react';

/**
 * Returns the same value while its content, as JSON, stays equal. An object of a cluster changes all
 * the time, while the part that is read from it rarely changes.
 */
export function useSteady<V>(value: V): V {
  const [steady, setSteady] = useState(value);
  if (JSON.stringify(steady) === JSON.stringify(value)) return steady;
  setSteady(value);
  return value;
}
