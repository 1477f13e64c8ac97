import {
  body,
  digestAt,
  found,
  get,
  isIrregular,
  metadata,
  metadataDigest,
  nothing,
  omitted,
  output,
  padding,
  resourceVersion,
  set,
  slots,
  spec,
} from './memory';
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
 * Writes the digest of `spec` and half of that of `metadata`, and, if `isWhole` is true, the digest
 * of the object.
 *
 * The digest of `metadata` does not depend on its `resourceVersion`, nor on `managedFields`. That
 * of the object does not depend on `managedFields`, nor on a `kind` and `apiVersion` at its
 * beginning, which list items lack. It contains the other two and the `resourceVersion`, so no byte
 * is hashed twice.
 */
export function digest(isWhole: bool): void {
  const ofMetadata = copyWithout(get(metadata), get(metadata + 1), omitted, false, resourceVersion, false, output);
  siphash(output, ofMetadata, metadataDigest);
  store<u64>(digestAt + digestSize, load<u64>(metadataDigest));
  const ofSpec = digestAt + digestSize + (digestSize >> 1);
  siphash(get(spec), get(spec + 1), ofSpec);
  if (!isWhole) return;
  memory.copy(output, ofSpec, digestSize);
  memory.copy(output + digestSize, metadataDigest, digestSize);
  const version = get(resourceVersion);
  const versionLength = get(resourceVersion + 1) - version;
  memory.copy(output + 2 * digestSize, version, versionLength);
  const rest = output + 2 * digestSize + versionLength;
  siphash(output, copyWithout(get(body), get(body + 1), metadata, true, spec, true, rest), digestAt);
}

const digestSize: usize = 16;

/** What `assemble` omits besides `managedFields`: it writes 0 in the place of these parts. */
const omitsMetadata: i32 = 2;

/**
 * Copies the text between two addresses to `output` without the omitted parts, and returns its
 * length.
 *
 * @param omitsManagedFields true to omit `managedFields`
 * @param zeros 1 to write 0 in place of `spec`, 2 in place of `spec` and `metadata`
 */
export function assemble(from: usize, to: usize, omitsManagedFields: bool, zeros: i32): usize {
  const first = zeros == omitsMetadata ? metadata : omitsManagedFields ? omitted : nothing;
  return copyWithout(from, to, first, zeros == omitsMetadata, zeros > 0 ? spec : nothing, true, output) - output;
}

/**
 * Copies the text between two addresses to `target` without two parts, in any order, with 0 in the
 * place of each, or with nothing. Returns the address after the copy.
 */
function copyWithout(
  from: usize,
  to: usize,
  one: i32,
  isOneZero: bool,
  other: i32,
  isOtherZero: bool,
  target: usize,
): usize {
  let at = from;
  let copied = target;
  const isOneFirst = get(one) < get(other);
  for (let turn = 0; turn < 2; turn++) {
    const isOne = (turn == 0) == isOneFirst;
    const slot = isOne ? one : other;
    const start = get(slot);
    if (start == 0) continue;
    const length = start - at;
    memory.copy(copied, at, length);
    copied += length;
    if (isOne ? isOneZero : isOtherZero) store<u8>(copied++, 0x30);
    at = get(slot + 1);
  }
  memory.copy(copied, at, to - at);
  return copied + (to - at);
}
