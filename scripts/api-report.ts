import {
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type ExtractorMessage,
  type ExtractorResult,
} from '@microsoft/api-extractor';
import { mkdirSync, rmSync } from 'node:fs';
import ts from 'typescript';
import { entryPoints, projectRoot, type EntryPoint } from './project/entry-points.js';
import { compilerOptions } from './shape/surface.js';

/*
 * Writes the public API of every entry point to etc/*.api.md. Without --update, the script writes
 * nothing to etc and fails if a report differs. So every change of the public API shows in the
 * commit that makes it.
 */
const update = process.argv.includes('--update');
const declarations = `${projectRoot}temp/types`;

emitDeclarations();
mkdirSync(`${projectRoot}etc`, { recursive: true });
const results = entryPoints.map((entryPoint) => ({ entryPoint, result: extract(entryPoint) }));
const changed = results.filter(({ result }) => result.apiReportChanged).map(({ entryPoint }) => reportFile(entryPoint));

if (changed.length > 0 && !update)
  console.error(`The public API differs from ${changed.join(', ')}. If that is intended, run npm run api:report`);
const isSound = results.every(({ result }) => result.errorCount === 0);
process.exitCode = isSound && (update || changed.length === 0) ? 0 : 1;

function emitDeclarations(): void {
  rmSync(declarations, { recursive: true, force: true });
  const program = ts.createProgram({
    rootNames: entryPoints.map(({ source }) => projectRoot + source),
    options: {
      ...compilerOptions(),
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: `${projectRoot}src`,
      outDir: declarations,
    },
  });
  const { diagnostics } = program.emit();
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length === 0) return;
  throw new Error(ts.formatDiagnostics(problems, ts.createCompilerHost({})));
}

function extract(entryPoint: EntryPoint): ExtractorResult {
  const config = ExtractorConfig.prepare({
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
  return Extractor.invoke(config, { localBuild: update, messageCallback: silence });
}

function reportFile({ name }: EntryPoint): string {
  return `etc/${name}.api.md`;
}

/** Silences messages about progress. */
function silence(message: ExtractorMessage): void {
  const isProgress = message.logLevel === ExtractorLogLevel.Info || message.logLevel === ExtractorLogLevel.Verbose;
  if (isProgress) message.logLevel = ExtractorLogLevel.None;
}
