import { endOfString } from './end-of-string.js';
import { spells } from './omitted-member.js';
import { endOfValue, walkMembers } from './walk-members.js';

/** As far as is looked. API servers name an object within some hundred bytes; custom resources behind its annotations. */
const peekedLength = 4_096;

const quote = 0x22;
const plain = /^[ !#-[\]-~]*$/;
const byteForByte = new TextDecoder('latin1');

/**
 * Gives a function that finds the values of the members `names` of the object at `path` in some JSON, without parsing it.
 *
 * `undefined` for what is missing, no string, beyond the beginning of the JSON, or spelled with anything but plain ASCII: whoever asks
 * must be able to do without. It ends with the last that is found, so what follows may still be no JSON.
 */
export function stringPeek<Name extends string>(
  path: readonly string[],
  names: readonly Name[],
): (json: Uint8Array) => Partial<Readonly<Record<Name, string>>> {
  const steps = path.map(quoted);
  const keys = names.map((name) => ({ name, key: quoted(name) }));

  return (json) => {
    const bytes = json.length > peekedLength ? json.subarray(0, peekedLength) : json;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const found: Partial<Record<Name, string>> = {};
    let missing = keys.length;

    const descend = (depth: number, from: number): void => {
      const step = steps[depth];
      if (step === undefined) {
        collect(from);
        return;
      }
      walkMembers(bytes, view, from, (keyStart, _keyEnd, valueStart) => {
        if (!spells(bytes, keyStart, step)) return endOfValue(bytes, view, valueStart);
        descend(depth + 1, valueStart);
        return -1;
      });
    };
    const collect = (from: number): void => {
      walkMembers(bytes, view, from, (keyStart, _keyEnd, valueStart) => {
        const name = keys.find(({ key }) => spells(bytes, keyStart, key))?.name;
        const text = name === undefined ? undefined : plainText(bytes, view, valueStart);
        if (name !== undefined && text !== undefined) {
          found[name] = text;
          missing -= 1;
        }
        return missing === 0 ? -1 : endOfValue(bytes, view, valueStart);
      });
    };
    descend(0, 0);
    return found;
  };
}

function quoted(text: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(text));
}

function plainText(bytes: Uint8Array, view: DataView, from: number): string | undefined {
  if (bytes[from] !== quote) return undefined;
  const end = endOfString(bytes, view, from + 1);
  if (end >= bytes.length) return undefined;
  const text = byteForByte.decode(bytes.subarray(from + 1, end));
  return plain.test(text) ? text : undefined;
}
