import { useState } from 'react';

/** A value, or the last one that there was where there is none any more. */
export function useLastKnown<V>(value: V | undefined): V | undefined {
  const [known, setKnown] = useState(value);
  if (value !== undefined && value !== known) setKnown(value);
  return value ?? known;
}
