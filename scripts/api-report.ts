import { mkdirSync, rmSync } from 'node:fs';
import { Extractor, ExtractorConfig, ExtractorLogLevel, type ExtractorMessage } from '@microsoft/api-extractor';
import ts from 'typescript';
import { entryPoints, projectRoot, type EntryPoint } from './entry-points.js';
import { compilerOptions } from './tsconfig.js';

/*
 * Writes the public API of every entry point to etc/*.api.md. Without --update nothing is written to etc, and a
 * difference is a failure: what users see changes only in a commit that shows it.
 */
const update = process.argv.includes('--update');
const declarations = `${projectRoot}temp/types`;

emitDeclarations();
mkdirSync(`${projectRoot}etc`, { recursive: true });
const changed = entryPoints.filter((entryPoint) => !reportIsCurrent(entryPoint));

if (changed.length > 0) {
  if (!update)
    console.error(`The public API differs from ${changed.map(reportFile).join(', ')}. Intended? npm run api:report`);
  process.exitCode = update ? 0 : 1;
}

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

function reportIsCurrent(entryPoint: EntryPoint): boolean {
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${projectRoot}package.json`,
    configObject: {
      projectFolder: projectRoot,
      mainEntryPointFilePath: `${declarations}/${entryPoint.source.slice('src/'.length).replace(/\.ts$/, '.d.ts')}`,
      compiler: {
        overrideTsconfig: {
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
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
  const { apiReportChanged, errorCount } = Extractor.invoke(config, {
    localBuild: update,
    messageCallback: silenceProgress,
  });
  if (errorCount > 0) throw new Error(`the API of ${entryPoint.specifier} is not sound: see above`);
  return !apiReportChanged;
}

function reportFile({ name }: EntryPoint): string {
  return `etc/${name}.api.md`;
}

function silenceProgress(message: ExtractorMessage): void {
  const isProgress = message.logLevel === ExtractorLogLevel.Info || message.logLevel === ExtractorLogLevel.Verbose;
  if (isProgress) message.handled = true;
}
