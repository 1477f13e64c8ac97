import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../project/entry-points.js';

/**
 * Compiles modules, and values with a type of these modules, in one program and with the options of
 * this project, which are strict.
 *
 * @param folder has the modules; the values are written into a folder in it
 */
export function compile(folder: string, modules: readonly string[], values: readonly TypedValue[]): Compiled {
  const ownFolder = join(folder, 'values');
  rmSync(ownFolder, { recursive: true, force: true });
  mkdirSync(ownFolder);
  const files = values.map(({ module, type, value }, i) => {
    const file = join(ownFolder, `${i}.ts`);
    const text = JSON.stringify(value, undefined, 1);
    writeFileSync(file, `import type { ${type} } from '../${module}.js';\nexport const value: ${type} = ${text};\n`);
    return file;
  });
  const moduleFiles = modules.map((name) => join(folder, `${name}.ts`));
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(projectRoot, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config,
    ts.sys,
    projectRoot,
  );
  const program = ts.createProgram([...moduleFiles, ...files], { ...options, types: ['node'] });
  const errorOf = (file: string): string | undefined => {
    const source = program.getSourceFile(file);
    const [first] = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return first && ts.flattenDiagnosticMessageText(first.messageText, ' ');
  };
  return {
    problems: files.map(errorOf),
    errors: moduleFiles.flatMap((file) => {
      const error = errorOf(file);
      return error === undefined ? [] : [`${file}: ${error}`];
    }),
  };
}

/** A value, and the interface that it should have. */
export interface TypedValue {
  readonly module: string;
  readonly type: string;
  readonly value: unknown;
}

interface Compiled {
  /** The first error of each value. */
  readonly problems: readonly (string | undefined)[];
  /** The errors of the modules. */
  readonly errors: readonly string[];
}
