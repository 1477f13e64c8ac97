/**
 * Calls `act`, and returns the texts of objects that were parsed during the call. In a text whose
 * metadata are held, 0 stands in their place.
 */
export function parsedIn(act: () => void): readonly string[] {
  const original = JSON.parse;
  const texts: string[] = [];
  JSON.parse = (text: string, reviver?: (this: unknown, key: string, value: unknown) => unknown): unknown => {
    if (/"uid"|"metadata":0/.test(text)) texts.push(text);
    return original(text, reviver) as unknown;
  };
  try {
    act();
  } finally {
    JSON.parse = original;
  }
  return texts;
}

/** Returns the part of an object that was parsed. */
export function partIn(text: string): string {
  if (text.includes('"nodeName"')) return 'all';
  return text.includes('"metadata":0') ? 'the status' : 'not the spec';
}

/** Returns the name of the object that was parsed; `undefined` if its metadata are held. */
export function nameIn(text: string): string | undefined {
  return /"name":"(.)"/.exec(text)?.[1];
}
