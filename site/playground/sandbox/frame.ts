/*
 * The document of the sandbox. A shared link may contain code of a stranger. So the origin of the
 * document is opaque, which denies access to the page and its storage, and its policy allows no
 * request. The page sends modules as texts, which become `blob:` URLs here.
 */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; base-uri 'none'; form-action 'none'";

/** This program is a text, so that no bundler changes its `import()`. */
const boot = `
  const urls = new Map();
  const link = (modules) => {
    for (const [name, text] of modules) {
      const linked = text.replace(/\\b(from|import)\\s*"\\.\\/([\\w-]+\\.js)"/g, (_, word, file) => word + JSON.stringify(urls.get(file)));
      urls.set(name, URL.createObjectURL(new Blob([linked], { type: 'text/javascript' })));
    }
  };
  let base;
  const onMessage = async ({ source, data }) => {
    if (source !== parent) return;
    if (data.type === 'load') {
      link(data.modules);
      base = import(urls.get('main.js'));
      return;
    }
    removeEventListener('message', onMessage);
    link(data.modules);
    const { run } = await base;
    const extra = new Map();
    for (const [specifier, name] of data.entries) extra.set(specifier, await import(urls.get(name)));
    await run(data, extra);
  };
  addEventListener('message', onMessage);`;

/** Returns the document, for `srcdoc`. */
export function frameDocument(): string {
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>Sandbox</title>`;
  return `<!doctype html><html lang="en"><head>${head}</head><body><script>${boot}</script></body></html>`;
}
