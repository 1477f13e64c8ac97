import { execFileSync } from 'node:child_process';
import { projectRoot } from '../project/entry-points.js';
import type { Step } from './steps.js';

/** The steps of a run, and a line about each decision for its output. */
export interface Choice {
  readonly steps: readonly Step[];
  readonly lines: readonly string[];
}

/**
 * Returns the steps without those whose inputs have not changed. Pure.
 *
 * @param changed paths of the files that differ from the base; if undefined, the base is unknown
 *   and every step is chosen
 */
export function stepsForChanges(steps: readonly Step[], changed: readonly string[] | undefined): Choice {
  if (changed === undefined)
    return {
      steps,
      lines: ['$BASE, or the last commit in common with origin/main, is missing or is this commit: every step runs'],
    };
  const isUnchanged = ({ inputs }: Step): boolean => inputs !== undefined && !changed.some((path) => inputs.test(path));
  const left = steps.filter(isUnchanged);
  return {
    steps: steps.filter((step) => !left.includes(step)),
    lines: [
      `${changed.length} files differ from the base`,
      ...left.map(({ name }) => `left out, because its inputs have not changed: ${name}`),
    ],
  };
}

/**
 * Returns the paths of the files that differ from the base, with files that are not committed. The
 * base is the commit `$BASE`, or else the last common commit with `origin/main`.
 *
 * @returns undefined if this repository does not have the base, or if it is the current commit
 */
export function changedFiles(base = process.env['BASE']): readonly string[] | undefined {
  const start = commitOf(
    base === undefined ? ['merge-base', 'HEAD', 'origin/main'] : ['rev-parse', '--verify', `${base}^{commit}`],
  );
  if (start === undefined || start === commitOf(['rev-parse', 'HEAD'])) return undefined;
  const paths = [
    git(['diff', '--name-only', '-z', start]),
    git(['ls-files', '--others', '--exclude-standard', '-z']),
  ].flatMap((text) => text.split('\0'));
  return paths.filter((path) => path !== '');
}

function commitOf(args: readonly string[]): string | undefined {
  try {
    return git(args).trim();
  } catch {
    return undefined;
  }
}

function git(args: readonly string[]): string {
  return execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
