import { stringify } from 'yaml';
import { plainLines } from '../text/text.js';
import { cutObject, type Cut } from './cut-object.js';

/** An object as YAML, shortened to a readable size. */
export interface ObjectYaml {
  readonly lines: readonly string[];
  readonly cuts: readonly Cut[];
}

export function objectYaml(object: object): ObjectYaml {
  const { value, cuts } = cutObject(inOrder(object));
  return { lines: plainLines(kubectlYaml(value)).trimEnd().split('\n'), cuts };
}

/**
 * Returns the whole object as YAML in the format of `kubectl get -o yaml`: sorted by name, and safe
 * for YAML 1.1 parsers. `kubectl apply` can read it.
 */
export function kubectlYaml(value: unknown): string {
  return stringify(value, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    indentSeq: false,
    lineWidth: 0,
    sortMapEntries: true,
  });
}

/**
 * Puts the fields that every object has first, so that they are cut last. The server sends fields
 * in any order.
 */
function inOrder(object: object): object {
  const { apiVersion, kind, metadata, spec, status, ...others } = object as Readonly<Record<string, unknown>>;
  const ordered = { apiVersion, kind, metadata, spec, ...others, status };
  return Object.fromEntries(Object.entries(ordered).filter(([, value]) => value !== undefined));
}

/**
 * Splits a line into two parts for colouring: the indentation with the key and its colon, and the
 * value. A line without a key is all value.
 */
export function splitYamlLine(line: string): readonly [key: string, value: string] {
  const key = /^\s*(?:- )*(?:[\w./-]+|"[^"]*"):(?= |$)/.exec(line)?.[0] ?? '';
  return [key, line.slice(key.length)];
}
