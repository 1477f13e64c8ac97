import { stringify } from 'yaml';
import { cutObject, type Cut } from './cut-object.js';
import { plainLines } from './plain-text.js';

/** An object as YAML, cut to what can be read. */
export interface ObjectYaml {
  readonly lines: readonly string[];
  readonly cuts: readonly Cut[];
}

export function objectYaml(object: object): ObjectYaml {
  const { value, cuts } = cutObject(inOrder(object));
  return { lines: plainLines(kubectlYaml(value)).trimEnd().split('\n'), cuts };
}

/** The whole of it as `kubectl get -o yaml` shows it and `kubectl apply` reads it: in order of names, and safe for readers of YAML 1.1. */
export function kubectlYaml(value: unknown): string {
  return stringify(value, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    indentSeq: false,
    lineWidth: 0,
    sortMapEntries: true,
  });
}

/** Fields that every object has come first, so that they are cut last; the server sends them in any order. */
function inOrder(object: object): object {
  const { apiVersion, kind, metadata, spec, status, ...others } = object as Readonly<Record<string, unknown>>;
  const ordered = { apiVersion, kind, metadata, spec, ...others, status };
  return Object.fromEntries(Object.entries(ordered).filter(([, value]) => value !== undefined));
}

/** A line in two parts: indentation and key, with its colon, and what follows. Only for colour: what is no key is all value. */
export function splitYamlLine(line: string): readonly [key: string, value: string] {
  const key = /^\s*(?:- )*(?:[\w./-]+|"[^"]*"):(?= |$)/.exec(line)?.[0] ?? '';
  return [key, line.slice(key.length)];
}
