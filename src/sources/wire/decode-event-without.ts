import { decodeJson } from './decode-json.js';
import { spanOfMember, spells, type MemberPath, type Span } from './omitted-member.js';
import { createShortener } from './shortener.js';
import { endOfValue, walkMembers } from './walk-members.js';

const quoted = (name: string): Uint8Array => new TextEncoder().encode(JSON.stringify(name));
const object = quoted('object');

/**
 * Gives a function that decodes lines of a watch, as `decodeJson` does, but without the member at `path` of their `object`.
 *
 * Finding where a third of a line begins and ends costs half of what parsing it would, and what was never parsed need not be
 * collected.
 *
 * **Guarantees**: nothing else is left out; errors show the line as it came.
 * **Does not guarantee**: that the member is left out where one of its keys stands twice or is spelled with escapes, or where its
 * value is neither object nor array; that what is wrong within it is noticed, as long as its brackets match.
 */
export function decodeEventWithout(path: MemberPath): (line: Uint8Array) => unknown {
  const find = memberFinder(path);
  const shortener = createShortener();
  return (line) => {
    const span = find(line);
    if (span === undefined) return decodeJson(line);
    shortener.reset(line.length);
    try {
      return decodeJson(shortener.copyWithout(line, span));
    } catch {
      return decodeJson(line);
    }
  };
}

function memberFinder([outerName, innerName]: MemberPath): (line: Uint8Array) => Span | undefined {
  const outer = quoted(outerName);
  const inner = quoted(innerName);
  return (line) => {
    const view = new DataView(line.buffer, line.byteOffset, line.length);
    let span: Span | undefined;

    const visitOuter = (keyStart: number, keyEnd: number, valueStart: number): number => {
      if (!spells(line, keyStart, inner)) return endOfValue(line, view, valueStart);
      span = spanOfMember(line, view, keyStart, keyEnd);
      return -1;
    };
    const visitObject = (keyStart: number, _keyEnd: number, valueStart: number): number => {
      if (!spells(line, keyStart, outer)) return endOfValue(line, view, valueStart);
      walkMembers(line, view, valueStart, visitOuter);
      return -1;
    };
    walkMembers(line, view, 0, (keyStart, _keyEnd, valueStart) => {
      if (!spells(line, keyStart, object)) return endOfValue(line, view, valueStart);
      walkMembers(line, view, valueStart, visitObject);
      return -1;
    });
    return span;
  };
}
