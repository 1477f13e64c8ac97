/**
 * Returns the environment for an npm that a test starts in another folder: the environment of the
 * test without the variables that name the folder of the npm that runs the test. npm would obey
 * them instead of its working directory.
 */
export function npmEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_(\w+_)?prefix$/.test(name)));
}
