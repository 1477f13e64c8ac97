import { body, digestAt, found, get, isIrregular, omitted, output, padding, set, slots, spec } from './memory';
import { end, setEnd, skipWhitespace } from './skip';
import { siphash } from './siphash';
import { walk } from './walk';

export { capacity, digestAt, found, input, key, output } from './memory';

/**
 * Finds the parts of the text that begins at `from`, in bytes that end before `to`. Returns the
 * address after the text; 0 if the text is malformed, cut off, or not an object.
 *
 * @param level 0 for a line, 1 for an object
 * @param isAlone true if only whitespace may follow the text
 */
export function scan(level: i32, from: usize, to: usize, isAlone: bool): usize {
  memory.fill(to, 0, padding);
  memory.fill(found, 0, slots << 2);
  setEnd(to);
  const behind = walk(level, from);
  if (behind == 0 || (isAlone && skipWhitespace(behind) != end)) set(isIrregular, 1);
  return behind;
}

/**
 * Writes the digest of `spec`, and, if `isWhole` is true, that of the object, each of 16 bytes.
 *
 * The object's digest does not depend on `managedFields`, nor on a `kind` and `apiVersion` at its
 * beginning, which list items lack. It contains that of `spec`, so no byte is hashed twice.
 */
export function digest(isWhole: bool): void {
  const ofSpec = digestAt + digestSize;
  siphash(get(spec), get(spec + 1), ofSpec);
  if (!isWhole) return;
  const behind = output + assemble(get(body), get(body + 1), true, true);
  memory.copy(behind, ofSpec, digestSize);
  siphash(output, behind + digestSize, digestAt);
}

const digestSize: usize = 16;

/**
 * Copies the text between two addresses to `output` without the omitted parts, and returns its
 * length.
 *
 * @param omitsManagedFields true to omit `managedFields`
 * @param omitsSpec true to write 0 in place of `spec`
 */
export function assemble(from: usize, to: usize, omitsManagedFields: bool, omitsSpec: bool): usize {
  let at = from;
  let copied = output;
  const cut = omitsManagedFields ? get(omitted) : 0;
  const specStart = omitsSpec ? get(spec) : 0;
  const isSpecFirst = specStart < cut;
  for (let turn = 0; turn < 2; turn++) {
    const isSpec = (turn == 0) == isSpecFirst;
    const start = isSpec ? specStart : cut;
    if (start == 0) continue;
    const length = start - at;
    memory.copy(copied, at, length);
    copied += length;
    if (isSpec) store<u8>(copied++, 0x30);
    at = get((isSpec ? spec : omitted) + 1);
  }
  memory.copy(copied, at, to - at);
  return copied + (to - at) - output;
}
