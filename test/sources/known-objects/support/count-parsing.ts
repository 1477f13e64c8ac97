/** Calls `act`, and returns the texts of objects and specs that were parsed during the call. */
export function parsedIn(act: () => void): readonly string[] {
  const original = JSON.parse;
  const texts: string[] = [];
  JSON.parse = (text: string, reviver?: (this: unknown, key: string, value: unknown) => unknown): unknown => {
    if (text.includes('"uid"')) texts.push(text);
    return original(text, reviver) as unknown;
  };
  try {
    act();
  } finally {
    JSON.parse = original;
  }
  return texts;
}
