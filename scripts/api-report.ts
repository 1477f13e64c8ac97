import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
  type ExtractorResult,
} from '@microsoft/api-extractor';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { entryPoints, projectRoot, type EntryPoint } from './project/entry-points.js';
import { compile } from './project/native-compiler.mjs';

/*
 * Writes the public API of every entry point to etc/*.api.md. Without --update, the script writes
 * nothing to etc and fails if a report differs. So every change of the public API shows in the
 * commit that makes it.
 */
const update = process.argv.includes('--update');
const declarations = `${projectRoot}temp/types`;

emitDeclarations();
mkdirSync(`${projectRoot}etc`, { recursive: true });
const configs = entryPoints.map((entryPoint) => ({ entryPoint, config: configOf(entryPoint) }));
const [first] = configs;
if (first === undefined) throw new Error('package.json exports nothing');
// The reports share one program, which reads the declarations of all entry points.
const compilerState = CompilerState.create(first.config, {
  additionalEntryPoints: configs.map(({ config }) => config.mainEntryPointFilePath),
});
const results = configs.map(({ entryPoint, config }) => ({ entryPoint, result: extract(config) }));
const changed = results.filter(({ result }) => result.apiReportChanged).map(({ entryPoint }) => reportFile(entryPoint));

if (changed.length > 0 && !update)
  console.error(`The public API differs from ${changed.join(', ')}. If that is intended, run npm run api:report`);
const isSound = results.every(({ result }) => result.errorCount === 0);
process.exitCode = isSound && (update || changed.length === 0) ? 0 : 1;

function emitDeclarations(): void {
  rmSync(declarations, { recursive: true, force: true });
  mkdirSync(declarations, { recursive: true });
  const config = {
    extends: `${projectRoot}tsconfig.json`,
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: `${projectRoot}src`,
      outDir: declarations,
    },
    files: entryPoints.map(({ source }) => projectRoot + source),
    include: [],
  };
  writeFileSync(`${declarations}/tsconfig.json`, JSON.stringify(config));
  const { status, output } = compile(`${declarations}/tsconfig.json`);
  if (status !== 0) throw new Error(output);
}

function configOf(entryPoint: EntryPoint): ExtractorConfig {
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${projectRoot}package.json`,
    configObject: {
      projectFolder: projectRoot,
      mainEntryPointFilePath: `${declarations}/${entryPoint.source.slice('src/'.length).replace(/\.ts$/, '.d.ts')}`,
      compiler: {
        overrideTsconfig: {
          include: ['temp/types'],
          compilerOptions: { module: 'NodeNext', lib: ['ES2023', 'DOM'], types: ['node'], skipLibCheck: true },
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: reportFile(entryPoint).slice('etc/'.length),
        reportFolder: '<projectFolder>/etc',
        reportTempFolder: '<projectFolder>/temp/api',
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
          'ae-undocumented': { logLevel: ExtractorLogLevel.None },
          // Another entry exports it, or users never write it. docs/reference/options.md shows
          // changes of options that are not exported.
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.None },
          // TypeDoc resolves links, also to functions with overloads. If it cannot resolve one, the
          // build of the site fails.
          'ae-unresolved-link': { logLevel: ExtractorLogLevel.None },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
}

function extract(config: ExtractorConfig): ExtractorResult {
  return Extractor.invoke(config, { compilerState, localBuild: update, messageCallback: silence });
}

function reportFile({ name }: EntryPoint): string {
  return `etc/${name}.api.md`;
}

/** Silences messages about progress. */
function silence(message: ExtractorMessage): void {
  const isProgress = message.logLevel === ExtractorLogLevel.Info || message.logLevel === ExtractorLogLevel.Verbose;
  if (isProgress) message.logLevel = ExtractorLogLevel.None;
}
