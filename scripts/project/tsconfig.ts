import ts from 'typescript';
import { projectRoot } from './entry-points.js';

/** The project's compiler options, for scripts that run the compiler themselves. */
export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(`${projectRoot}tsconfig.json`, (path) => ts.sys.readFile(path)) as {
    config: unknown;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, projectRoot).options;
}
